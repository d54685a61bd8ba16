"""Parts of a JSON Schema without a corresponding type, and the common type of alternatives and of `allOf`.

While a schema is read, such a part has one of four internal types, by the JSON that it accepts. At the end
`resolve_untyped` replaces them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Primitive, Struct

# Any JSON; any JSON but a text; an object with any fields; an array with any elements.
ANY = Primitive("any JSON")
OTHER = Primitive("any JSON but a text")
OBJECT = Primitive("an object")
ARRAY = Primitive("an array")

UNTYPED = (ANY, OTHER, OBJECT, ARRAY)
# The types whose values are texts in JSON.
_TEXTS = (data.STRING, data.BYTES, data.DATE, data.TIMESTAMP)


def resolve_untyped(type: DataType, of_untyped: Callable[[Primitive], DataType]) -> DataType:
    """Return the type with `of_untyped` for each part that has one of the four internal types."""
    match type:
        case Struct(fields):
            return Struct(tuple(Field(f.name, resolve_untyped(f.type, of_untyped), f.nullable) for f in fields))
        case Array(element):
            return Array(resolve_untyped(element, of_untyped))
        case Map(key, value):
            return Map(key, resolve_untyped(value, of_untyped))
        case Primitive() if type in UNTYPED:
            return of_untyped(type)
    return type


def as_text(untyped: Primitive) -> DataType:
    """Return the type that a part without type is read as: STRING, which holds any JSON as its text."""
    return data.STRING


def as_written(untyped: Primitive) -> DataType:
    """Return the type that can be written into a part without type: STRING if it accepts a text, else NULL."""
    return data.STRING if untyped == ANY else data.NULL


def narrower(a: DataType, b: DataType) -> DataType | None:
    """Return the type of values of both types, of which one is internal; None for two other types that differ."""
    if a == b:
        return a
    for untyped, other in ((a, b), (b, a)):
        if untyped in (ANY, OTHER):
            return other
        if untyped == OBJECT and isinstance(other, Struct | Map):
            return other
        if untyped == ARRAY and isinstance(other, Array):
            return other
    return None


def both(a: DataType, b: DataType) -> DataType | None:
    """Return the type of values of both types, which are not both objects; None if there is none."""
    for one, other in ((a, b), (b, a)):
        if data.is_integer(one) and other in (data.BIGINT, data.FLOAT, data.DOUBLE):
            return one
        if one in _TEXTS and other == data.STRING:
            return one
    return narrower(a, b)


def distinct(types: Iterable[DataType]) -> list[DataType]:
    """Return each type once, without internal types of an object or an array beside one that has a type."""
    once = list(dict.fromkeys(types))
    return [t for t in once if t not in (OBJECT, ARRAY) or not any(narrower(t, o) for o in once if o not in UNTYPED)]


def wider(a: DataType, b: DataType) -> DataType:
    """Return the type of values of either type. Two objects give the fields of both. A field of one of them alone may
    be null.
    """
    common = narrower(a, b)
    if common is not None and ANY not in (a, b) and OTHER not in (a, b):
        return common
    if data.is_numeric(a) and data.is_numeric(b):
        return data.unify(a, b) or OTHER
    if a in _TEXTS and b in _TEXTS:
        return data.STRING
    match a, b:
        case Struct(), Struct():
            return _union(a, b)
        case Array(element), Array(other):
            return Array(wider(element, other))
        case Map(key, value), Map(other_key, other) if key == other_key:
            return Map(key, wider(value, other))
    if {a, b} & {data.STRING, ANY}:
        return ANY
    return OBJECT if _is_object(a) and _is_object(b) else OTHER


def _union(a: Struct, b: Struct) -> DataType:
    fields: dict[str, Field] = {}
    for field in (*a.fields, *b.fields):
        other = b.field(field.name) if field.name not in fields else None
        if field.name in fields:
            continue
        if a.field(field.name) is None or other is None:
            fields[field.name] = Field(field.name, field.type)
        else:
            fields[field.name] = Field(field.name, wider(field.type, other.type), field.nullable or other.nullable)
    # Names that differ only in case cannot be columns of one table.
    return Struct(tuple(fields.values())) if len({name.casefold() for name in fields}) == len(fields) else OBJECT


def _is_object(type: DataType) -> bool:
    return type == OBJECT or isinstance(type, Struct | Map)
