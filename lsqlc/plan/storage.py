"""Storage formats: which one a facet comes to have, and which may be written as which (LANGUAGE.md, "Storage")."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.plan.bind_expressions import coerce
from lsqlc.plan.expression import Cast, Expression
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet, natural_format

# Format to the formats that it can be stored as, itself aside.
_CONVERSIONS = {
    "int": ("long", "string", "avro"),
    "long": ("string", "avro"),
    "string": ("avro",),
    "json": ("avro",),
    "avro": ("json",),
}
FORMATS = ("json", "avro", "string", "int", "long", "float", "double", "boolean", "bytes", "date", "time", "timestamp")
_TYPES: dict[str, DataType] = {"long": data.BIGINT, "string": data.STRING}


@dataclass(frozen=True, slots=True)
class Stored:
    """A facet ready to be written."""

    expression: Expression
    format: str


def struct_format(near: Facet) -> str:
    """The format of a new struct: AVRO where the source has AVRO, else JSON."""
    return "avro" if near.format == "avro" else "json"


def format_of(type: DataType, near: Facet) -> str:
    """The format of a computed facet."""
    return struct_format(near) if isinstance(type, Struct | data.Array | data.Map) else natural_format(type)


def store(expression: Expression, before: str, after: str) -> Stored | None:
    """The facet converted from one format to another; None if that conversion is not allowed."""
    if before == after:
        return Stored(expression, after)
    if after not in _CONVERSIONS.get(before, ()):
        return None
    type = _TYPES.get(after)
    if type is None:
        return Stored(expression, after)
    if type == data.STRING:
        return Stored(Cast(expression, type, expression.nullable), after)
    return Stored(coerce(expression, type), after)


def choices(before: str) -> tuple[str, ...]:
    """The formats that a format can be stored as, in the language's spelling."""
    return tuple(f.upper() for f in (before, *_CONVERSIONS.get(before, ())))
