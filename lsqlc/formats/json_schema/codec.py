"""JSON_SR between bytes and Python values: the id of a JSON Schema, then JSON text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.json.any_case import spelling
from lsqlc.formats.json_schema.fit import json_writer
from lsqlc.formats.record import Decode, Encode, StoredFacet
from lsqlc.formats.registered import head_of, json_body
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType


def json_encoder(type: DataType, schema: str, id: int) -> Callable[[Any], bytes | None]:
    """Return the function from values of the type, or None, to JSON bodies of a JSON Schema behind its id. The function
    raises ValueProblems. Raises ValueError, with one clause, for a type whose values the schema does not accept.
    """
    write, head = json_writer(type, schema), head_of(id)
    return lambda value: None if value is None else head + write(value)


def json_text(facet: StoredFacet) -> Callable[[bytes], bytes]:
    """Return the function of `Format.json_text`. The schema has the form of numbers and times, also in the JSON of
    ksqlDB.
    """
    if not facet.ksql_json:
        return json_body
    names = spelling(facet.type)
    return lambda raw: names(json_body(raw))


def encoder(facet: StoredFacet) -> Encode:
    """Return the function of `Format.encoder`.

    Raises LsqlcError LSQ862 for a topic whose subject has no version that accepts the type.
    """
    new_schema = facet.registered.written
    if new_schema is None:
        where = f"the {facet.part} of '{facet.topic}'"
        message = f"{where} cannot be written: its subject has no version with the declared columns"
        help = "register a JSON Schema that has them, then update the lock file: `lsqlc schemas pull`"
        raise LsqlcError([Diagnostic("LSQ862", message, help=help)])
    encode = json_encoder(facet.type, *new_schema)

    def write(value: Any) -> bytes:
        try:
            return encode(value) or b""
        except ValueProblems as error:
            problems = (Problem(f"{facet.part}.{p.path}", p.clause) if p.path else p for p in error.problems)
            raise ValueProblems(problems) from None

    return write


def decoder(facet: StoredFacet) -> Decode:
    """Return the function of `Format.decoder`. The text contains the names of its fields, for any schema."""
    read, text = codec.decoder(facet.type, path=facet.part), json_text(facet)
    return lambda raw: read(text(raw))
