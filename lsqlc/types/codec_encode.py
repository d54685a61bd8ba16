"""Python values to JSON-ready ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from math import isfinite
from typing import Any

import msgspec

from lsqlc.types import codec_text, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

Ready = Callable[[Any], Any]


@lru_cache(maxsize=512)
def ready(type: DataType, *, decimals_as_text: bool, times_as_numbers: bool = False) -> Ready | None:
    """What makes a value, in its one form and not None, JSON-ready; None where it is so already.

    `decimals_as_text`: a DECIMAL becomes the raw text of its digits, for msgspec's encoder; `times_as_numbers`: a DATE
    becomes the number of days since 1970, a TIME and a TIMESTAMP milliseconds.
    """

    def inside(type: DataType) -> Ready | None:
        return ready(type, decimals_as_text=decimals_as_text, times_as_numbers=times_as_numbers)

    if isinstance(type, Struct):
        return _struct({f.name: inside(f.type) for f in type.fields})
    if isinstance(type, Array):
        inner = inside(type.element)
        return None if inner is None else lambda value: [None if v is None else inner(v) for v in value]
    if isinstance(type, Map):
        return _map(type, inside(type.value))
    if isinstance(type, Decimal):
        return _raw_decimal if decimals_as_text else None
    return (_NUMBERS.get(type) if times_as_numbers else None) or _LEAVES.get(type)


def _struct(made: Mapping[str, Ready | None]) -> Ready | None:
    changed = tuple((name, inner) for name, inner in made.items() if inner is not None)
    if not changed:
        return None

    def convert(value: Any) -> Any:
        out = dict(value)
        for name, inner in changed:
            item = out[name]
            if item is not None:
                out[name] = inner(item)
        return out

    return convert


def _map(type: Map, inner: Ready | None) -> Ready | None:
    if type.key == data.STRING and inner is None:
        return None
    name = _map_name(type.key)

    def convert(value: Any) -> Any:
        return {name(k): v if v is None or inner is None else inner(v) for k, v in value.items()}

    return convert


def _map_name(type: DataType) -> Callable[[Any], str]:
    """The name in a JSON object: a number is its text."""
    if type == data.STRING:
        return str
    if isinstance(type, Decimal):
        return codec_text.decimal_text
    if type == data.BOOLEAN:
        return lambda value: "true" if value else "false"
    leaf = _LEAVES.get(type)
    return lambda value: str(leaf(value) if leaf else value)


def _float(value: Any) -> Any:
    return value if isfinite(value) else codec_text.float_word(value)


def _raw_decimal(value: Any) -> Any:
    return msgspec.Raw(codec_text.decimal_text(value).encode())


_LEAVES: dict[DataType, Ready] = {
    data.FLOAT: _float,
    data.DOUBLE: _float,
    data.BYTES: codec_text.base64_text,
    data.DATE: date.isoformat,
    data.TIMESTAMP: codec_text.timestamp_text,
}
_FIRST_DAY = date(1970, 1, 1)
_NUMBERS: dict[DataType, Ready] = {
    data.DATE: lambda value: (value - _FIRST_DAY).days,
    data.TIME: lambda value: value // 1000,
    data.TIMESTAMP: codec_text.millis_of_timestamp,
}
