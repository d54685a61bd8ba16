"""JSON_SR between bytes and Python values: the id of a JSON Schema, then JSON text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.json_schema.fit import json_writer
from lsqlc.formats.registered import FacetSchemas, head_of, json_body
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType


def json_encoder(type: DataType, schema: str, id: int) -> Callable[[Any], bytes | None]:
    """Return the function from values of the type, or None, to JSON bodies of a JSON Schema behind its id. The function
    raises ValueProblems. Raises ValueError, with one clause, for a type whose values the schema does not accept.
    """
    write, head = json_writer(type, schema), head_of(id)
    return lambda value: None if value is None else head + write(value)


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
