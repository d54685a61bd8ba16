"""JSON with one unambiguous meaning: each member is a column, and each value has the type of its column.

A value that readers may convert, reject or round is ambiguous:

- a number for a STRING, and text for a number
- DATE, TIME and TIMESTAMP, which are text here and numbers there
- more digits than a column has
- a member that is not a column
"""

from __future__ import annotations

from decimal import Decimal as Number
from typing import Any

from lsqlc.formats.json.any_case import foldable
from lsqlc.types import codec_text, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

# DOUBLE represents all integers up to here exactly.
_EXACT = 2**53


class NotPlain(ValueError):
    """JSON whose value depends on the reader."""


def plain(value: Any, type: DataType) -> Any:
    """Return the value in the form of a case.

    `value`: from `json.loads`, with Decimal for numbers that are not written as integers. Raises NotPlain.
    """
    if value is None:
        return None
    match type:
        case Struct():
            return _struct(value, type)
        case Array(element) if isinstance(value, list):
            return [plain(item, element) for item in value]
        case Map(data.STRING, inner) if isinstance(value, dict):
            return {name: plain(item, inner) for name, item in value.items()}
        case Decimal() if _is_number(value):
            if codec_text.parse_decimal(str(value), type.precision, type.scale) is not None:
                return value
    if _is_scalar(value, type):
        return value
    raise NotPlain


def _struct(value: Any, type: Struct) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotPlain
    upper = {name: name for name in foldable(field.name for field in type.fields)}
    fields: dict[str, Any] = {}
    for name, item in value.items():
        field = type.field(name) or type.field(upper.get(name.upper(), ""))
        if field is None or field.name in fields or not name.isascii():
            raise NotPlain
        fields[field.name] = plain(item, field.type)
    # Cases leave out nulls, and have the columns in declared order.
    return {f.name: fields[f.name] for f in type.fields if fields.get(f.name) is not None}


def _is_scalar(value: Any, type: DataType) -> bool:
    match type:
        case data.STRING:
            return isinstance(value, str) and not codec_text.has_lone_surrogate(value)
        case data.BOOLEAN:
            return isinstance(value, bool)
        case data.INT | data.BIGINT:
            low, high = codec_text.INT_RANGE if type == data.INT else codec_text.BIGINT_RANGE
            return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        case data.DOUBLE:
            return _is_number(value) and abs(value) <= _EXACT
    return False


def _is_number(value: Any) -> bool:
    """Return whether a value is a number without an exponent."""
    if isinstance(value, Number):
        return value.is_finite() and "E" not in str(value)
    return isinstance(value, int) and not isinstance(value, bool)
