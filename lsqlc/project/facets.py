"""What YAML and the public API accept for a facet: a type, a DDL column list, or a mapping with format and schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Primitive, Struct
from lsqlc.types.ddl import DdlError, parse_columns, parse_type, parse_type_or_columns
from lsqlc.types.record import ABSENT, Facet, natural_format

_PRIMITIVES: dict[str, DataType] = {
    "boolean": data.BOOLEAN, "int": data.INT, "long": data.BIGINT, "float": data.FLOAT, "double": data.DOUBLE,
    "string": data.STRING, "bytes": data.BYTES, "date": data.DATE, "time": data.TIME, "timestamp": data.TIMESTAMP,
}  # fmt: skip
_SYNONYMS = {"bigint": "long", "integer": "int", "bool": "boolean", "varchar": "string"}
FORMATS = ("json", "avro", *_PRIMITIVES)

_WINDOWED = re.compile(r"\s*(TW|SW)\[(.*)\]\s*", re.IGNORECASE | re.DOTALL)
_FILE = re.compile(r"[^\s<>,()]+\.(avsc|avro|json|jsonschema|proto)", re.IGNORECASE)
_AVRO_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FacetError(ValueError):
    """A facet that cannot be. `member` names the part of a mapping that is wrong, None the whole; `offset` is where in
    its text, in code points, None for all of it. The message is one clause.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "LSQ010",
        member: str | None = None,
        offset: int | None = None,
        length: int = 1,
        help: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.member, self.offset, self.length, self.help = code, member, offset, length, help


def facet_of(given: Any) -> Facet:
    """The facet that a declaration means; None is a facet that is absent. Raises FacetError.

    `"INT"`, `"id INT, name STRING"`, `"TW[STRING]"`, or `{"format": "avro", "schema": "id INT"}`.
    """
    if given is None:
        return ABSENT
    if isinstance(given, str):
        return _from_text(given)
    if isinstance(given, Mapping):
        return _from_mapping(given)
    help = "write `INT` or `id INT, ...`"
    raise FacetError(f"'{given}' is neither a type nor a column list nor a mapping", help=help)


def _from_text(text: str) -> Facet:
    window = _WINDOWED.fullmatch(text)
    if window:
        try:
            return _windowed(window[1], _from_text(window[2]))
        except FacetError as error:
            error.offset = window.start(2) + (error.offset or 0)
            raise
    _refuse_file(text, None)
    type = _ddl(text, None)
    return Facet(type, natural_format(type))


def _from_mapping(given: Mapping[str, Any]) -> Facet:
    for key in given:
        if key not in ("format", "schema"):
            help = did_you_mean(str(key), ("format", "schema")) or "known keys are 'format', 'schema'"
            raise FacetError(f"unknown key '{key}'", code="LSQ006", member=str(key), help=help)
    schema, name = given.get("schema"), given.get("format")
    if name is None:
        help = f"known formats are {listing(FORMATS, 20)}"
        raise FacetError("the key 'format' is missing", code="LSQ017", help=help)
    if not isinstance(name, str):
        raise FacetError("a format is a word", code="LSQ018", member="format")
    if schema is not None and not isinstance(schema, str):
        raise FacetError("a schema is a text: a type or a column list", member="schema")
    window = _WINDOWED.fullmatch(name)
    if window:
        return _windowed(window[1], _from_format(window[2].strip(), schema))
    return _from_format(name, schema)


def _from_format(name: str, schema: str | None) -> Facet:
    format = _SYNONYMS.get(name.lower(), name.lower())
    if format not in FORMATS:
        help = did_you_mean(format, FORMATS) or f"known formats are {listing(FORMATS, 20)}"
        raise FacetError(f"unknown format '{name}'", code="LSQ018", member="format", help=help)
    primitive = _PRIMITIVES.get(format)
    if schema is None:
        if primitive is None:
            raise FacetError(f"the format '{format}' needs a schema", code="LSQ017", help="add `schema: id INT, ...`")
        return Facet(primitive, format)
    _refuse_file(schema, "schema")
    type = _ddl(schema, "schema")
    if primitive is not None and type != primitive:
        message = f"the format '{format}' holds {primitive}, not {_short(type)}"
        raise FacetError(message, code="LSQ018", member="format", help=f"use '{natural_format(type)}'")
    if format == "avro":
        _check_avro(type)
    return Facet(type, format)


def _windowed(kind: str, inner: Facet) -> Facet:
    """A windowed key (LANGUAGE, "Aggregations and windows"): `{"key": k, "start": ms, "end": ms}`."""
    fields = (Field("key", inner.type), Field("start", data.BIGINT, False), Field("end", data.BIGINT, False))
    return Facet(Struct(fields), f"{kind.lower()}[{inner.format}]")


def _ddl(text: str, member: str | None) -> DataType:
    try:
        return parse_type_or_columns(text)
    except DdlError as error:
        raise _in_ddl(_nearer(text, error), text, member) from None


def _nearer(text: str, error: DdlError) -> DdlError:
    """Of a text that is neither a type nor a column list, the mistake that lies further on was the one meant."""
    furthest = error
    if len(text.split()) == 1:
        return error
    for read in (parse_type, parse_columns):
        try:
            read(text)
        except DdlError as other:
            furthest = other if other.offset > furthest.offset else furthest
    return furthest


def _in_ddl(error: DdlError, text: str, member: str | None) -> FacetError:
    word = re.match(r"`[^`]*`|\w+", text[error.offset :])
    known = (*(f.upper() for f in _PRIMITIVES), "BIGINT", "DECIMAL", "ARRAY", "MAP", "STRUCT")
    message, _, rest = str(error).partition("; ")
    help = (did_you_mean(word[0], known) if word and "unknown type" in message else None) or rest or None
    return FacetError(message, member=member, offset=error.offset, length=len(word[0]) if word else 1, help=help)


def _refuse_file(text: str, member: str | None) -> None:
    if _FILE.fullmatch(text.strip()):
        raise FacetError(
            f"the schema file '{text.strip()}' cannot be read yet",
            code="LSQ011",
            member=member,
            help="write the columns here, such as `id INT, name STRING`",
        )


def _check_avro(type: DataType) -> None:
    for name in _names(type):
        if not _AVRO_NAME.fullmatch(name):
            help = "a name in Avro is letters, digits and '_', and starts with no digit"
            raise FacetError(f"avro cannot hold the name '{name}'", code="LSQ018", member="schema", help=help)


def _names(type: DataType) -> list[str]:
    if isinstance(type, Struct):
        return [name for field in type.fields for name in (field.name, *_names(field.type))]
    if isinstance(type, data.Array):
        return _names(type.element)
    return _names(type.value) if isinstance(type, data.Map) else []


def _short(type: DataType) -> str:
    return str(type) if isinstance(type, Primitive) else "columns" if isinstance(type, Struct) else str(type)
