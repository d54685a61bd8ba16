"""Whether the declared columns of a topic match a Protobuf message: fields by name, and types by kind.

A shape describes how a message is read or written. It is plain data, which travels to Spark (see
`formats/protobuf/wire.py`):

| shape | |
| --- | --- |
| `(leaf,)`, `(leaf, more)` | a value: `bool`, `int`, `unsigned`, `float`, `string`, `bytes` or `enum` |
| `("timestamp",)` and others | a message that is a value: also `date`, `time` and `decimal` |
| `("wrapper", shape)` | the field `value` of a message of google.protobuf |
| `("struct", fields)` | a message; a field is `(name here, name there, label, presence, is_nullable, path, shape)` |
| `("only", field)` | a value that is not a struct: the one field of a message |
| `("map", key shape, value shape)` | the shape of a field whose label is `map` |

The `presence` of a member of a oneof is the name of the oneof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lsqlc.formats.protobuf.tree import ProtobufError, ProtoField, ProtoMessage, message_names, proto_tree
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

TIMESTAMP = "google.protobuf.Timestamp"
DATE = "google.type.Date"
TIME = "google.type.TimeOfDay"
DECIMAL = "confluent.type.Decimal"
WRAPPERS: Mapping[str, str] = {
    f"google.protobuf.{name}Value": kind
    for name, kind in (
        ("Double", "double"), ("Float", "float"), ("Int64", "int64"), ("UInt64", "uint64"), ("Int32", "int32"),
        ("UInt32", "uint32"), ("Bool", "bool"), ("String", "string"), ("Bytes", "bytes"),
    )
}  # fmt: skip
_INT = ("int32", "sint32", "sfixed32")
_UINT = ("uint32", "fixed32")
_LONG = ("int64", "sint64", "sfixed64")
_ULONG = ("uint64", "fixed64")
# Each scalar with the type that it is read as where nobody declares another.
SCALARS: Mapping[str, DataType] = {
    "bool": data.BOOLEAN, "float": data.FLOAT, "double": data.DOUBLE, "string": data.STRING, "bytes": data.BYTES,
    "enum": data.STRING, **dict.fromkeys(_INT, data.INT), **dict.fromkeys((*_UINT, *_LONG, *_ULONG), data.BIGINT),
}  # fmt: skip
_LEAVES = {"bytes": "bytes", "float": "float", "double": "float", "bool": "bool", "string": "string"}
_MESSAGES: Mapping[DataType, tuple[str, str]] = {
    data.TIMESTAMP: (TIMESTAMP, "timestamp"), data.DATE: (DATE, "date"), data.TIME: (TIME, "time"),
}  # fmt: skip
# Keys of a map that have a type here.
KEYS = (data.STRING, data.BOOLEAN, data.INT, data.BIGINT)
# An unsigned number of 64 bits has 20 digits.
_DIGITS = 20

Shape = tuple[Any, ...]


class Misfit(ValueError):
    """A type that does not match a message; one clause."""


def shape_of(type: DataType, message: ProtoMessage, *, writing: bool = False) -> Shape:
    """Return the shape by which values of a type are read from a message, or written. Raises Misfit."""
    reason = next((why for why, of_null in _misfits(type, message, "", writing) if not of_null), None)
    if reason is not None:
        raise Misfit(reason)
    if isinstance(type, Struct):
        return _struct(type, message, "")
    (only,) = message.fields
    return "only", _field(data.Field("", type, only.presence), only, "")


def misfits(type: DataType, message: ProtoMessage, *, writing: bool = False) -> Iterator[str]:
    """Yield why values of a type cannot be read from a message, or written as one, one clause per field."""
    return (why for why, _ in _misfits(type, message, "", writing))


def fitting_message(type: DataType, text: str, name: str | None = None) -> str | None:
    """Return the message of a schema, in its one text, that values of a type are read from: the message of the full
    name, else the first message with all columns; None without one. Raises ProtobufError for an invalid schema.
    """
    for message in message_names(text).values() if name is None else (name,):
        try:
            if not list(misfits(type, proto_tree(text, message))):
                return message
        except ProtobufError:
            # It contains itself: another one may not.
            continue
    return None


# A clause, and whether it is only about a field that may be absent: such a record is a bad one.
_Misfits = Iterator[tuple[str, bool]]


def _misfits(type: DataType, message: ProtoMessage, path: str, writing: bool) -> _Misfits:
    at = f"'{path}'" if path else "the value"
    if not isinstance(type, Struct):
        if len(message.fields) != 1:
            yield f"{at} is {type} here, and a message of {len(message.fields)} fields in the schema", False
            return
        (only,) = message.fields
        yield from _field_misfits(data.Field("", type, only.presence), only, path, writing)
        return
    names = set()
    for field in type.fields:
        where = f"{path}.{field.name}" if path else field.name
        other = message.field(field.name)
        if other is None:
            yield f"'{where}' is {field.type} here, and is not in the schema", False
            continue
        names.add(other.name)
        yield from _field_misfits(field, other, where, writing)
    lacking = [f.name for f in message.fields if writing and f.is_required and f.name not in names]
    if lacking:
        yield f"{at} has no '{lacking[0]}', which the schema requires", False


def _field_misfits(field: data.Field, other: ProtoField, path: str, writing: bool) -> _Misfits:
    at = f"'{path}'" if path else "the value"
    if not writing and other.presence and not other.is_required and not field.nullable:
        yield f"{at} is NOT NULL here, and may be absent in the schema", True
    match field.type:
        case Array(element) if other.label == "many":
            yield from _one_misfits(element, other, f"{path}[]", writing)
        case Map(key, value) if other.label == "map" and other.message is not None:
            of_key, of_value = other.message.fields
            if key not in KEYS or not _fits(key, of_key, writing):
                yield f"a key of {at} is {key} here, and {of_key} in the schema", False
            yield from _one_misfits(value, of_value, f"{path}[]", writing)
        case _ if other.label != "one":
            yield f"{at} is {field.type} here, and {other} in the schema", False
        case _:
            yield from _one_misfits(field.type, other, path, writing)


def _one_misfits(type: DataType, other: ProtoField, path: str, writing: bool) -> _Misfits:
    at = f"'{path}'" if path else "the value"
    if isinstance(type, Struct) and other.message is not None:
        yield from _misfits(type, other.message, path, writing)
    elif not _fits(type, other, writing):
        yield f"{at} is {type} here, and {_kind(other)} in the schema", False


def _kind(field: ProtoField) -> str:
    return field.message.name if field.message else field.kind


def _fits(type: DataType, field: ProtoField, writing: bool) -> bool:
    """Return whether a value without parts can be read from a field, or written to it."""
    if field.message is not None:
        inner = WRAPPERS.get(field.message.name)
        if inner is not None:
            return _fits_scalar(type, inner, writing)
        if isinstance(type, Decimal):
            return field.message.name == DECIMAL and _fits_decimal(type, field.decimal, writing)
        return type in _MESSAGES and field.message.name == _MESSAGES[type][0]
    return _fits_scalar(type, field.kind, writing)


def _fits_scalar(type: DataType, kind: str, writing: bool) -> bool:
    if isinstance(type, Decimal):
        return kind in _ULONG and (type.scale == 0 if writing else type.precision - type.scale >= _DIGITS)
    if type == data.INT and writing:
        return kind in (*_INT, *_LONG)
    if type == data.BIGINT and not writing:
        return kind in (*_INT, *_UINT, *_LONG, *_ULONG)
    if type == data.DOUBLE and not writing:
        return kind in ("float", "double")
    if type == data.FLOAT and writing:
        return kind in ("float", "double")
    return SCALARS[kind] == type


def _fits_decimal(type: Decimal, decimal: tuple[int, int] | None, writing: bool) -> bool:
    if decimal is None:
        # Each value has its own scale, and is checked by itself.
        return True
    small, large = ((type.precision, type.scale), decimal) if writing else (decimal, (type.precision, type.scale))
    return small[0] - small[1] <= large[0] - large[1] and small[1] <= large[1]


def _struct(type: Struct, message: ProtoMessage, path: str) -> Shape:
    fields = []
    for field in type.fields:
        other = message.field(field.name)
        assert other is not None, "a type that fits"
        fields.append(_field(field, other, f"{path}.{field.name}" if path else field.name))
    return "struct", tuple(fields)


def _field(field: data.Field, other: ProtoField, path: str) -> Shape:
    shape: Shape
    match field.type:
        case Array(element):
            shape = _one(element, other, f"{path}[]")
        case Map(key, value) if other.message is not None:
            of_key, of_value = other.message.fields
            shape = "map", _one(key, of_key, path), _one(value, of_value, f"{path}[]")
        case _:
            shape = _one(field.type, other, path)
    presence = other.oneof or (other.presence and not other.is_required)
    return field.name, other.name, other.label, presence, field.nullable, path, shape


def _one(type: DataType, field: ProtoField, path: str) -> Shape:
    message = field.message
    if isinstance(type, Struct) and message is not None:
        return _struct(type, message, path)
    if message is not None and message.name in WRAPPERS:
        return "wrapper", _leaf(type, WRAPPERS[message.name], ())
    if message is not None and isinstance(type, Decimal):
        return "decimal", type.precision, type.scale, field.decimal
    if message is not None:
        return (_MESSAGES[type][1],)
    return _leaf(type, field.kind, field.symbols)


def _leaf(type: DataType, kind: str, symbols: tuple[tuple[int, str], ...]) -> Shape:
    if kind == "enum":
        return "enum", symbols
    if kind in _ULONG:
        # Numbers above the range of the type are not truncated.
        return "unsigned", 64 if isinstance(type, Decimal) else 63
    return (_LEAVES.get(kind, "int"),)


# The writer's types that a reader's type accepts, except itself: the same bytes have the same value, or all values fit.
_READS: Mapping[str, tuple[str, ...]] = {
    "int64": ("int32", "uint32"), "uint64": ("uint32",), "uint32": ("bool",), "int32": ("bool", "enum"),
    "sint64": ("sint32",), "bytes": ("string",),
}  # fmt: skip


def clashes(writer: ProtoMessage, reader: ProtoMessage, path: str = "") -> Iterator[str]:
    """Yield why records of one version of a message cannot be read by another: fields whose numbers were used again."""
    numbers = {field.number: field for field in reader.fields}
    for field in writer.fields:
        other = numbers.get(field.number)
        if other is None:
            continue
        where = f"{path}.{other.name}" if path else other.name
        if field.message is not None and other.message is not None and (field.label == "map") == (other.label == "map"):
            if field.label == "many" and other.label == "one":
                yield _clash(where, field, other)
            else:
                yield from clashes(field.message, other.message, where)
            continue
        same = field.kind == other.kind or field.kind in _READS.get(other.kind, ())
        if not same or field.message or other.message or (field.label, other.label) == ("many", "one"):
            yield _clash(where, field, other)


def _clash(path: str, writer: ProtoField, reader: ProtoField) -> str:
    return f"'{path}' is {writer} in the schema that wrote the record, and {reader} in the one that it is read with"
