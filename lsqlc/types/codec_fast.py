"""Converters compiled once for a type, for records in bulk. They take what is plainly right and raise Unfit for
anything else, whereupon the exact reading (`codec_exact`, `codec_values`) decides what it is and says why.

So a converter may refuse too much, never too little.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from math import inf, isfinite
from typing import Any

import msgspec

from lsqlc.types import codec_text, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Primitive, Struct, parts

Convert = Callable[[Any], Any]


class Unfit(Exception):
    """Not plainly right; the exact reading must look."""


class _Number(str):
    """The text of a JSON number with a point or an exponent."""

    __slots__ = ()


def converter(type: DataType, leaf: Callable[[Primitive | Decimal], Convert], strict: bool) -> Convert:
    """The converter of a value that is not None; `leaf` gives those of types without parts."""
    if isinstance(type, Struct):
        return _struct(type, leaf, strict)
    if isinstance(type, Array):
        return _array(converter(type.element, leaf, strict))
    if isinstance(type, Map):
        return _map(leaf(data.STRING) if type.key == data.STRING else _refuse, converter(type.value, leaf, strict))
    return leaf(type)


def _struct(type: Struct, leaf: Callable[[Primitive | Decimal], Convert], strict: bool) -> Convert:
    fields = tuple((f.name, converter(f.type, leaf, strict), f.nullable) for f in type.fields)
    names = frozenset(f.name for f in type.fields)

    def convert(value: Any) -> Any:
        if value.__class__ is not dict or (strict and not value.keys() <= names):
            raise Unfit
        get = value.get
        out = {}
        for name, inner, nullable in fields:
            item = get(name)
            if item is not None:
                item = inner(item)
            elif not nullable:
                raise Unfit
            out[name] = item
        return out

    return convert


def _array(inner: Convert) -> Convert:
    def convert(value: Any) -> Any:
        if value.__class__ is not list:
            raise Unfit
        return [None if item is None else inner(item) for item in value]

    return convert


def _map(key: Convert, inner: Convert) -> Convert:
    def convert(value: Any) -> Any:
        if value.__class__ is not dict:
            raise Unfit
        return {key(k): None if item is None else inner(item) for k, item in value.items()}

    return convert


def _refuse(value: Any) -> Any:
    raise Unfit


def _exactly(cls: type) -> Convert:
    def convert(value: Any) -> Any:
        if value.__class__ is cls:
            return value
        raise Unfit

    return convert


def _integer(bounds: tuple[int, int]) -> Convert:
    low, high = bounds

    def convert(value: Any) -> Any:
        if value.__class__ is int and low <= value <= high:
            return value
        raise Unfit

    return convert


def _text(value: Any) -> Any:
    if value.__class__ is str and (value.isascii() or not codec_text.has_lone_surrogate(value)):
        return value
    raise Unfit


# JSON, as msgspec reads it -------------------------------------------------------------------------------------------


def _json_double(value: Any) -> Any:
    cls = value.__class__
    if cls is float:
        return value
    if cls is int and -(2**63) <= value < 2**63:
        return float(value)
    if cls is _Number:
        found = float(value)
        if isfinite(found):
            return found
    raise Unfit


def _json_float(value: Any) -> Any:
    found = codec_text.single(_json_double(value))
    if found is None or not isfinite(found):
        raise Unfit
    return found


def _json_timestamp(value: Any) -> Any:
    found = codec_text.parse_timestamp(value) if value.__class__ is str else None
    if found is None:
        raise Unfit
    return found


def _json_date(value: Any) -> Any:
    found = codec_text.parse_date(value) if value.__class__ is str else None
    if found is None:
        raise Unfit
    return found


def _json_bytes(value: Any) -> Any:
    found = codec_text.parse_base64(value) if value.__class__ is str else None
    if found is None:
        raise Unfit
    return found


def _json_decimal(type: Decimal) -> Convert:
    def convert(value: Any) -> Any:
        if value.__class__ is not int and value.__class__ is not _Number:
            raise Unfit
        found = codec_text.parse_decimal(str(value), type.precision, type.scale)
        if found is None:
            raise Unfit
        return found

    return convert


_JSON_LEAVES: dict[DataType, Convert] = {
    data.NULL: _refuse,
    data.BOOLEAN: _exactly(bool),
    data.INT: _integer(codec_text.INT_RANGE),
    data.BIGINT: _integer(codec_text.BIGINT_RANGE),
    data.TIME: _integer(codec_text.TIME_RANGE),
    data.FLOAT: _json_float,
    data.DOUBLE: _json_double,
    data.STRING: _exactly(str),
    data.BYTES: _json_bytes,
    data.DATE: _json_date,
    data.TIMESTAMP: _json_timestamp,
}


def json_leaf(type: Primitive | Decimal) -> Convert:
    """From what `json_reader` gives."""
    return _json_decimal(type) if isinstance(type, Decimal) else _JSON_LEAVES[type]


def json_reader(type: DataType, depth: int) -> Callable[[bytes | str], Any]:
    """Text to lists, dicts and scalars, for values of the type; Unfit for text that may not be good JSON, or has more
    levels than that.

    msgspec takes a name that stands twice in an object. Outside of strings a name is what `":` ends, unless space
    stands before the colon; so if `":` is found no more often than there are fields, no name stands twice.
    """
    # Decimals need their digits, so that numbers with a point stay text, which costs time in every other field.
    read = (msgspec.json.Decoder(float_hook=_Number) if has_decimal(type) else msgspec.json.Decoder()).decode

    def convert(text: bytes | str) -> Any:
        try:
            value = read(text)
        # Not a list of its exceptions: RecursionError, ValueError and its own classes all mean the same here.
        except Exception as problem:
            raise Unfit from problem
        if value.__class__ is dict or value.__class__ is list:
            raw = text if isinstance(text, bytes) else text.encode()
            if b" :" in raw or b"\t:" in raw or b"\n:" in raw or b"\r:" in raw:
                raise Unfit
            colons = raw.count(b'":')
            if value.__class__ is dict and colons == len(value) and raw.count(b"[") + raw.count(b"{") <= depth:
                return value
            if colons != _names(value, depth):
                raise Unfit
        return value

    return convert


def _names(value: Any, depth: int) -> int:
    """How many fields the objects in a value have; -1 for a value of more levels than that."""
    names, level = 0, [value]
    for _ in range(depth):
        below: list[Any] = []
        for part in level:
            if part.__class__ is dict:
                names += len(part)
                part = part.values()
            below += [v for v in part if v.__class__ is dict or v.__class__ is list]
        if not below:
            return names
        level = below
    return -1


def has_decimal(type: DataType) -> bool:
    """Whether a part of the type is DECIMAL."""
    return any(isinstance(part, Decimal) for part in parts(type))


# Python values -------------------------------------------------------------------------------------------------------


def _python_double(value: Any) -> Any:
    if value.__class__ is float:
        return value
    raise Unfit


def _python_float(value: Any) -> Any:
    if value.__class__ is not float:
        raise Unfit
    found = codec_text.single(value)
    if found is None or (found in (inf, -inf) and found != value):
        raise Unfit
    return found


def _python_timestamp(value: Any) -> Any:
    if value.__class__ is datetime and value.tzinfo is UTC:
        return value
    raise Unfit


_PYTHON_LEAVES: dict[DataType, Convert] = {
    data.NULL: _refuse,
    data.BOOLEAN: _exactly(bool),
    data.INT: _integer(codec_text.INT_RANGE),
    data.BIGINT: _integer(codec_text.BIGINT_RANGE),
    data.TIME: _integer(codec_text.TIME_RANGE),
    data.FLOAT: _python_float,
    data.DOUBLE: _python_double,
    data.STRING: _text,
    data.BYTES: _exactly(bytes),
    data.DATE: _exactly(date),
    data.TIMESTAMP: _python_timestamp,
}


def python_leaf(type: Primitive | Decimal) -> Convert:
    """From a value of the public API."""
    return _refuse if isinstance(type, Decimal) else _PYTHON_LEAVES[type]
