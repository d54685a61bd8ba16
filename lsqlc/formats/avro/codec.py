"""Facets in Avro between bytes and Python values, for the client of topics."""

from __future__ import annotations

from typing import Any

from lsqlc.formats.avro.wire import avro_decoder, avro_encoder
from lsqlc.formats.record import Decode, Encode, StoredFacet
from lsqlc.formats.registered import Fault
from lsqlc.types.codec import Problem, ValueProblems


def encoder(facet: StoredFacet) -> Encode:
    """Return the function of `Format.encoder`."""
    schemas = facet.registered
    # A topic with foreign writers gets records of the newest schema that has its columns.
    text, id = schemas.written or (schemas.reader, schemas.id_of_reader)
    encode = avro_encoder(facet.type, text, id)

    def write(value: Any) -> bytes:
        try:
            return encode(value) or b""
        except ValueError as error:
            raise ValueProblems([Problem(facet.part, str(error))]) from None

    return write


def decoder(facet: StoredFacet) -> Decode:
    """Return the function of `Format.decoder`."""
    schemas = facet.registered
    decode = avro_decoder(facet.type, schemas.reader, schemas.writers)

    def read(raw: bytes) -> Any:
        value = decode(raw)
        if isinstance(value, Fault):
            raise ValueProblems([Problem(facet.part, value.reason)])
        return value

    return read
