"""Facets in Avro and JSON_SR between bytes and Python values, for the client of topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.registry.wire import Fault, avro_decoder, avro_encoder, json_encoder
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType
from lsqlc.types.formats import json_body


@dataclass(frozen=True, slots=True)
class FacetSchemas:
    """The schemas of one facet. `reader`: what values are read with, in Avro and Protobuf; `writers`: what records
    were written with, by id; `written`: the schema that is written, and its id; None: nothing is. `message`: that
    of the reader's schema, in Protobuf; None: the first one.
    """

    reader: str = ""
    writers: Mapping[int, str] = field(default_factory=dict)
    written: tuple[str, int] | None = None
    message: str | None = None

    @property
    def id_of_reader(self) -> int:
        """The id of the schema that values are read with, which is one of the writers'."""
        return next(id for id, text in self.writers.items() if text == self.reader)


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


@dataclass(frozen=True, slots=True)
class JsonSchemaCodec:
    """The format `json_sr`. `schemas`: as of AvroCodec; reading needs none, since the text says what the fields are."""

    schemas: Callable[[str, str], FacetSchemas]

    def encoder(self, topic: str, part: str, type: DataType) -> Callable[[Any], bytes]:
        """From a value in its one form, not None, to bytes. The function raises ValueProblems. Raises LsqlcError LSQ862
        for a topic whose subject has no version that takes the type.
        """
        written = self.schemas(topic, part).written
        if written is None:
            message = f"the {part} of '{topic}' cannot be written: its subject has no version with the declared columns"
            help = "register a JSON Schema that has them, then update the lock file: `lsqlc schemas pull`"
            raise LsqlcError([Diagnostic("LSQ862", message, help=help)])
        encode = json_encoder(type, *written)

        def write(value: Any) -> bytes:
            try:
                return encode(value) or b""
            except ValueProblems as error:
                problems = (Problem(f"{part}.{p.path}", p.clause) if p.path else p for p in error.problems)
                raise ValueProblems(problems) from None

        return write

    def decoder(self, topic: str, part: str, type: DataType) -> Callable[[bytes], Any]:
        """From bytes to the value. The function raises ValueProblems."""
        read = codec.decoder(type, path=part)
        return lambda raw: read(json_body(raw))
