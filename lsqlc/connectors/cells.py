"""Values of a CSV file's cells: a function for each column, with a cache, because most columns repeat values.

A cell is text, so that more forms are accepted than in JSON. `517.0` is an integer, and `TRUE` is a boolean, but `T` is
not. A time without zone is in UTC, and a date alone is its midnight.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from lsqlc.types import codec, codec_text, data
from lsqlc.types.codec_text import shown
from lsqlc.types.data import Array, DataType, Decimal, Map, Primitive, Struct

_INTEGRAL = re.compile(r"([+-]?[0-9]{1,25})(?:\.0*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_MILLIS = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMERIC = (data.FLOAT, data.DOUBLE)
# The maximum number of cached cells of a column; beyond it values hardly repeat.
_REMEMBERED = 1 << 16


class BadCell(ValueError):
    """A cell that is not of its column's type; the message is one clause."""


class Column(dict[str, Any]):
    """Cell to value; a mapping that fills itself. Raises BadCell for a cell that has none."""

    def __init__(self, type: DataType, null: str, nullable: bool = True) -> None:
        super().__init__({"": None, null: None} if nullable else {})
        self._refused = () if nullable else ("", null)
        self._type = type
        self._parse = _parser(type)

    def __missing__(self, cell: str) -> Any:
        if cell in self._refused:
            raise BadCell(f"expected {self._type} NOT NULL, found null")
        value = self._parse(cell.strip() if self._type != data.STRING else cell)
        if value is None:
            raise BadCell(f"expected {self._type}, found {shown(cell)}")
        if len(self) < _REMEMBERED:
            self[cell] = value
        return value


class MillisColumn(Column):
    """Cell to epoch milliseconds; an empty one is 0."""

    def __init__(self, null: str) -> None:
        super().__init__(data.TIMESTAMP, null)
        self.update({"": 0, null: 0})

    def __missing__(self, cell: str) -> int:
        value = codec_text.millis_of_timestamp(super().__missing__(cell))
        if cell in self:
            self[cell] = value
        return value


def _parser(type: DataType) -> Callable[[str], Any]:
    """Return the function from the text of a cell to its value, or None for an invalid text."""
    if isinstance(type, Struct | Array | Map):
        return lambda text: _json(type, text)
    return lambda text: _scalar(type, text)


def _json(type: DataType, text: str) -> Any:
    try:
        value, problems = codec.decode_text(type, text)
    except codec.MalformedJson:
        return None
    return None if problems else value


def _scalar(type: Primitive | Decimal, text: str) -> Any:
    if type == data.STRING:
        return None if codec_text.has_lone_surrogate(text) else text
    if type == data.BOOLEAN:
        return {"true": True, "false": False}.get(text.lower())
    if type == data.TIMESTAMP:
        return _timestamp(text)
    if type == data.DATE:
        return codec_text.parse_date(text)
    if type == data.BYTES:
        return codec_text.parse_base64(text)
    if isinstance(type, Decimal):
        return codec_text.parse_decimal(text, type.precision, type.scale) if _NUMBER.fullmatch(text) else None
    if type in _NUMERIC:
        word = codec_text.parse_float_word(text)
        number = word if word is not None else float(text) if _NUMBER.fullmatch(text) else None
        return None if number is None else _checked(type, number if word is not None else _finite(number))
    integer = _INTEGRAL.fullmatch(text)
    return _checked(type, int(integer[1])) if integer else None


def _finite(number: float) -> float | None:
    return None if number in (float("inf"), float("-inf")) else number


def _checked(type: DataType, value: Any) -> Any:
    checked_value, problems = codec.check(type, value)
    return None if problems else checked_value


def _timestamp(text: str) -> datetime | None:
    if _MILLIS.fullmatch(text):
        return codec_text.timestamp_of_millis(int(text))
    return codec_text.parse_written_timestamp(text)
