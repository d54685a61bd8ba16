"""Operators, casts and functions of the reference, over plain Python values; what is not here it does not know."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from lsqlc.types import data
from lsqlc.types.data import DataType

_SIZES = {data.INT: 2**31, data.BIGINT: 2**63}


def fitting(value: Any, type: DataType) -> Any:
    """The value; null for an integer that its type cannot hold."""
    limit = _SIZES.get(type)  # type: ignore[call-overload]
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
    if type == data.DOUBLE and isinstance(value, int):
        return float(value)
    if type == data.STRING and isinstance(value, bool):
        return str(value).lower()
    assert type == data.STRING and isinstance(value, int | str), "no reference for this cast"
    return str(value)


def _absolute(x: Any) -> Any:
    return fitting(abs(x), data.INT)


def _round(x: float, places: int) -> float:
    return float(Decimal(repr(x)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


# A null argument makes these null.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ABS": _absolute,
    "CEIL": math.ceil,
    "CONCAT": lambda *texts: "".join(texts),
    "INDEXOF": str.find,
    "LENGTH": len,
    "LOWER": str.lower,
    "REPLACE": lambda text, old, new: text.replace(old, new),
    "ROUND": _round,
    "SIZEOF": len,
    "TRIM": lambda text: text.strip(" "),
    "UPPER": str.upper,
}
