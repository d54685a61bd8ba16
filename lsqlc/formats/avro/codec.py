"""Facets in Avro between bytes and Python values, for the client of topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lsqlc.formats.avro.wire import avro_decoder, avro_encoder
from lsqlc.formats.registered import FacetSchemas, Fault
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType


@dataclass(frozen=True, slots=True)
class AvroCodec:
    """The format `avro`. `schemas`: gives those of a topic, by its name without prefix, and a facet (`key` or `value`);
    it raises LsqlcError for a facet whose schemas are not known.
    """

    schemas: Callable[[str, str], FacetSchemas]

    def encoder(self, topic: str, part: str, type: DataType) -> Callable[[Any], bytes]:
        """From a value in its one form, not None, to bytes. The function raises ValueProblems."""
        schemas = self.schemas(topic, part)
        # A topic that others write takes records of the newest schema that has its columns.
        text, id = schemas.written or (schemas.reader, schemas.id_of_reader)
        encode = avro_encoder(type, text, id)

        def write(value: Any) -> bytes:
            try:
                return encode(value) or b""
            except ValueError as error:
                raise ValueProblems([Problem(part, str(error))]) from None

        return write

    def decoder(self, topic: str, part: str, type: DataType) -> Callable[[bytes], Any]:
        """From bytes to the value. The function raises ValueProblems."""
        schemas = self.schemas(topic, part)
        decode = avro_decoder(type, schemas.reader, schemas.writers)

        def read(raw: bytes) -> Any:
            found = decode(raw)
            if isinstance(found, Fault):
                raise ValueProblems([Problem(part, found.reason)])
            return found

        return read
