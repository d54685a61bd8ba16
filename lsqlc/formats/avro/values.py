"""Conversions between values of Avro without logical types and the values of the language."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Context
from decimal import Decimal as Number
from typing import Any

from lsqlc.formats.avro.fit import DAYS, MICROS, gives, member_of, takes
from lsqlc.formats.avro.tree import Avro
from lsqlc.formats.registered import BROKEN
from lsqlc.types import data
from lsqlc.types.codec_text import TIME_RANGE, has_lone_surrogate, single
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY = date(1970, 1, 1).toordinal()
_DIGITS = Context(prec=100)


class BadValue(ValueError):
    """A value that the type, or the schema, does not allow; one clause."""


Convert = Callable[[Any], Any]


def value_of(type: DataType, schema: Avro, path: str = "") -> Convert:
    """Return the function from a value that was read with the schema to a value of the type, which raises BadValue.
    Raises ValueError for a type that does not match the schema.
    """
    schema, at = schema.present, f"'{path}'" if path else "the value"
    match type:
        case Struct(fields):
            converters = []
            for f in fields:
                member, where = member_of(schema, f.name), f"{path}.{f.name}" if path else f.name
                converters.append((f.name, member.name, value_of(f.type, member.schema, where), f.nullable, where))

            def struct(value: Any) -> Any:
                out = {}
                for name, source, convert, nullable, where in converters:
                    item = value[source]
                    if item is None and not nullable:
                        raise BadValue(f"'{where}' is null, and is declared NOT NULL")
                    out[name] = None if item is None else convert(item)
                return out

            return struct
        case Array(element) if schema.kind == "array":
            inner = value_of(element, schema.inner[0], f"{path}[]")
            return lambda value: [None if item is None else inner(item) for item in value]
        case Map(data.STRING, item) if schema.kind == "map":
            inner, key = value_of(item, schema.inner[0], f"{path}[]"), _string(f"a key of {at}")
            return lambda value: {key(k): None if v is None else inner(v) for k, v in value.items()}
        case Map(key_type, item) if schema.kind == "array":
            entry = schema.inner[0].present
            members = member_of(entry, "key"), member_of(entry, "value")
            return _entries(
                value_of(key_type, members[0].schema, f"{path}[]"), value_of(item, members[1].schema, f"{path}[]"), at
            )
    if not gives(schema, type):
        raise ValueError(f"{schema} is not read as {type}")
    return _leaf(type, schema, at)


def _entries(key: Convert, item: Convert, at: str) -> Convert:
    def convert(value: Any) -> Any:
        out: dict[Any, Any] = {}
        for entry in value:
            if entry["key"] is None:
                raise BadValue(f"a key of {at} is null")
            name = key(entry["key"])
            if name in out:
                raise BadValue(f"a key of {at} stands twice")
            out[name] = None if entry["value"] is None else item(entry["value"])
        return out

    return convert


def _leaf(type: DataType, schema: Avro, at: str) -> Convert:
    if isinstance(type, Decimal):
        return _decimal(type, schema)
    match type:
        case data.STRING:
            return _string(at) if schema.kind == "string" else _same
        case data.DATE:

            def day(value: int) -> date:
                if not DAYS[0] <= value <= DAYS[1]:
                    raise BadValue(f"{at} is not in the years 1 to 9999")
                return date.fromordinal(_FIRST_DAY + value)

            return day
        case data.TIMESTAMP:
            unit = 1000 if schema.logical == "timestamp-millis" else 1

            def instant(value: int) -> datetime:
                if not MICROS[0] <= value * unit <= MICROS[1]:
                    raise BadValue(f"{at} is not in the years 1 to 9999")
                return _EPOCH + timedelta(microseconds=value * unit)

            return instant
        case data.TIME:
            unit = 1000 if schema.logical == "time-millis" else 1

            def time(value: int) -> int:
                if not TIME_RANGE[0] <= value * unit <= TIME_RANGE[1]:
                    raise BadValue(f"{at} is not a time of day")
                return value * unit

            return time
        case data.FLOAT:
            return single
    return _same


def _same(value: Any) -> Any:
    return value


def _string(at: str) -> Convert:
    def text(value: str) -> str:
        # Invalid UTF-8 was read as halves of surrogate pairs.
        if has_lone_surrogate(value):
            raise BadValue(f"{at} is not UTF-8")
        return value

    return text


def _decimal(type: Decimal, schema: Avro) -> Convert:
    def number(value: bytes) -> Number:
        unscaled = int.from_bytes(value, "big", signed=True)
        if abs(unscaled) >= 10**schema.precision:
            # More digits than in the schema: Spark's reader reports a broken body.
            raise BadValue(BROKEN)
        return Number(unscaled * 10 ** (type.scale - schema.scale)).scaleb(-type.scale, _DIGITS)

    return number


def raw(type: DataType, schema: Avro, path: str = "") -> Convert:
    """Return the function from a value of the type to a value that the schema can be written with. It raises BadValue.
    Raises ValueError for a type that the schema cannot hold.
    """
    schema, at = schema.present, f"'{path}'" if path else "the value"
    match type:
        case Struct(fields) if schema.kind == "record":
            given_names = {member_of(schema, f.name).name for f in fields}
            lacking = [m.name for m in schema.members if m.name not in given_names and not m.schema.may_be_null]
            if lacking:
                raise ValueError(f"{at} has no '{lacking[0]}', which the schema does not let be null")
            converters = []
            for f in fields:
                member, where = member_of(schema, f.name), f"{path}.{f.name}" if path else f.name
                converters.append((f.name, member.name, _nullable(f.type, member.schema, where)))
            others = dict.fromkeys(m.name for m in schema.members if m.name not in given_names)
            return lambda value: {**others, **{target: convert(value[name]) for name, target, convert in converters}}
        case Array(element) if schema.kind == "array":
            inner = _nullable(element, schema.inner[0], f"{path}[]")
            return lambda value: [inner(item) for item in value]
        case Map(data.STRING, item) if schema.kind == "map":
            inner = _nullable(item, schema.inner[0], f"{path}[]")
            return lambda value: {key: inner(v) for key, v in value.items()}
        case Map(key_type, item) if schema.kind == "array":
            members = [member_of(schema.inner[0].present, name) for name in ("key", "value")]
            key, inner = raw(key_type, members[0].schema, path), _nullable(item, members[1].schema, f"{path}[]")
            names = [member.name for member in members]
            return lambda value: [{names[0]: key(k), names[1]: inner(v)} for k, v in value.items()]
    if not takes(schema, type):
        raise ValueError(f"{at} is {type}, which {schema} does not hold")
    return _raw_leaf(type, schema, at)


def _nullable(type: DataType, schema: Avro, path: str) -> Convert:
    convert = raw(type, schema, path)
    if schema.may_be_null:
        return lambda value: None if value is None else convert(value)

    def present(value: Any) -> Any:
        if value is None:
            raise BadValue(f"'{path}' is null, which the schema does not let it be")
        return convert(value)

    return present


def _raw_leaf(type: DataType, schema: Avro, at: str) -> Convert:
    if isinstance(type, Decimal):
        return _raw_decimal(schema)
    match type:
        case data.DATE:
            return lambda value: value.toordinal() - _FIRST_DAY
        case data.TIMESTAMP:
            unit = 1000 if schema.logical == "timestamp-millis" else 1
            return lambda value: (value - _EPOCH) // timedelta(microseconds=1) // unit
        case data.TIME:
            return (lambda value: value // 1000) if schema.logical == "time-millis" else _same
    if schema.kind == "enum":

        def symbol(value: str) -> str:
            if value not in schema.symbols:
                raise BadValue(f"{at} is '{value}', which is not a symbol of {schema.name}")
            return value

        return symbol
    if schema.kind == "fixed":

        def sized(value: bytes) -> bytes:
            if len(value) != schema.size:
                raise BadValue(f"{at} has {len(value)} bytes, and {schema.name} has {schema.size}")
            return value

        return sized
    return _same


def _raw_decimal(schema: Avro) -> Convert:
    def number(value: Number) -> bytes:
        unscaled = int(value.scaleb(schema.scale, _DIGITS))
        size = schema.size if schema.kind == "fixed" else unscaled.bit_length() // 8 + 1
        return unscaled.to_bytes(size, "big", signed=True)

    return number
