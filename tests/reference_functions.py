"""Operators, casts and functions of the reference, over plain Python values; what is not here it does not know."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from lsqlc.types import data
from lsqlc.types.data import DataType

_SIZES: dict[DataType, int] = {data.INT: 2**31, data.BIGINT: 2**63}


def fitting(value: Any, type: DataType) -> Any:
    """The value; null for an integer that its type cannot hold."""
    limit = _SIZES.get(type)
    return value if limit is None or -limit <= value < limit else None


def arithmetic(operator: str, a: Any, b: Any, type: DataType) -> Any:
    """An operation on two numbers that are not null."""
    if operator in ("/", "%"):
        if b == 0:
            return None
        if type == data.DOUBLE:
            return a / b if operator == "/" else math.fmod(a, b)
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return fitting(quotient if operator == "/" else a - quotient * b, type)
    return fitting({"+": a + b, "-": a - b, "*": a * b}[operator], type)


def cast(value: Any, type: DataType) -> Any:
    """A value that is not null as another type; null where it cannot be one."""
    if data.is_integer(type):
        if isinstance(value, str):
            return fitting(int(value), type) if re.fullmatch("[+-]?[0-9]+", value) else None
        assert isinstance(value, int | float), "no reference for this cast"
        return fitting(math.trunc(value), type)
    if type == data.DOUBLE and (isinstance(value, int) or value == "NaN"):
        return float(value)
    if type == data.STRING and isinstance(value, bool):
        return str(value).lower()
    assert type == data.STRING and isinstance(value, int | str), "no reference for this cast"
    return str(value)


def _absolute(x: Any) -> Any:
    return fitting(abs(x), data.INT)


def _round(x: float, places: int) -> float:
    # No digit of a number of that size is behind the point.
    if abs(x) >= 2**53 and places >= 0:
        return x
    return float(Decimal(repr(x)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _root(number: float) -> float:
    assert number >= 0, "no reference for what is not a number"
    return math.sqrt(number)


def _substring(text: str, place: int, size: int | None = None) -> str:
    """Places count from 1, negative ones from the end; 0 is 1."""
    start = max(place - 1, 0) if place >= 0 else max(len(text) + place, 0)
    return text[start:] if size is None else text[start : start + max(size, 0)]


# A null argument makes these null.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ABS": _absolute,
    "CEIL": lambda number: fitting(math.ceil(number), data.BIGINT),
    "CONCAT": lambda *texts: "".join(texts),
    "INDEXOF": str.find,
    "LENGTH": len,
    "LOWER": str.lower,
    "REPLACE": lambda text, old, new: text.replace(old, new),
    "ROUND": _round,
    "POW": math.pow,
    "SIZEOF": len,
    "TRIM": lambda text: text.strip(" "),
    "SQRT": _root,
    "UPPER": str.upper,
    "ksql.ARRAY_LENGTH": len,
    "ksql.AS_VALUE": lambda value: value,
    "ksql.CEIL": lambda number: float(math.ceil(number)) if isinstance(number, float) else number,
    "ksql.FLOOR": lambda number: float(math.floor(number)) if isinstance(number, float) else number,
    "ksql.GENERATE_SERIES": lambda first, last: list(range(first, last + 1)),
    "ksql.INITCAP": lambda text: " ".join(w[:1].upper() + w[1:].lower() for w in text.split(" ") if w),
    "ksql.INSTR": lambda text, sought: text.find(sought) + 1,
    "ksql.LCASE": str.lower,
    "ksql.LEN": len,
    "ksql.LPAD": lambda text, size, pad: text[:size] if len(text) >= size else (pad * size)[: size - len(text)] + text,
    "ksql.MAP_VALUE": lambda entries, key: entries.get(key),
    "ksql.ROUND": lambda number: fitting(math.floor(number + 0.5), data.BIGINT),
    "ksql.SIGN": lambda number: (number > 0) - (number < 0),
    "ksql.SPLIT": lambda text, delimiter: text.split(delimiter),
    "ksql.SUBSTRING": _substring,
    "ksql.UCASE": str.upper,
}
# These see nulls.
NULL_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ksql.ARRAY_CONTAINS": lambda array, value: None if array is None else value in array,
    "ksql.CONCAT": lambda *texts: "".join(t for t in texts if t is not None),
    "ksql.LEAST": lambda *values: min((v for v in values if v is not None), default=None),
    "ksql.MAP": lambda *entries: dict(zip(entries[::2], entries[1::2], strict=True)),
    "ksql.NULLIF": lambda one, other: None if one == other else one,
}
