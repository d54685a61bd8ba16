"""Python values against a type: what the public API takes, brought to one form, and what does not fit.

One form: a struct is a dict of every declared field in order, an ARRAY a list, DOUBLE a float, FLOAT a float of 32
bits, DECIMAL a Decimal with all digits of its scale, TIMESTAMP a datetime in UTC, TIME an int of microseconds.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from lsqlc.types import codec_text, data
from lsqlc.types.codec_exact import Problem, inside
from lsqlc.types.codec_text import shown
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

_RANGES: dict[DataType, tuple[tuple[int, int], str]] = {
    data.INT: (codec_text.INT_RANGE, "does not fit 32 bits"),
    data.BIGINT: (codec_text.BIGINT_RANGE, "does not fit 64 bits"),
    data.TIME: (codec_text.TIME_RANGE, "is no time of day in microseconds"),
}


class _Misfit(Exception):
    """The clause is the message."""


def check_value(type: DataType, value: Any, path: str, strict: bool, problems: list[Problem]) -> Any:
    """The value in its one form; where a problem was added it is of no use."""
    if value is None:
        return None
    try:
        if isinstance(type, Struct):
            return _struct(type, value, path, strict, problems)
        if isinstance(type, Array):
            if not isinstance(value, list | tuple):
                raise _expected(type, value)
            return [check_value(type.element, v, f"{path}[{i}]", strict, problems) for i, v in enumerate(value)]
        if isinstance(type, Map):
            return _map(type, value, path, strict, problems)
        return _decimal(type, value) if isinstance(type, Decimal) else _CHECKS[type](type, value)
    except _Misfit as misfit:
        problems.append(Problem(path, str(misfit)))
        return None


def _expected(type: DataType, value: Any, why: str = "") -> _Misfit:
    name = {Struct: "a mapping", Array: "a list", Map: "a mapping"}.get(type.__class__) or str(type)
    return _Misfit(f"expected {name}, found {_found(value)}{why}")


def _found(value: Any) -> str:
    if isinstance(value, str):
        return f"the string {shown(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4096:
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, bool | int | float | decimal.Decimal | date):
        return f"the {type(value).__name__} {shown(str(value))[1:-1]}"
    return f"a value of the Python type '{type(value).__name__}'"


def _struct(type: Struct, value: Any, path: str, strict: bool, problems: list[Problem]) -> Any:
    if not isinstance(value, Mapping):
        raise _expected(type, value)
    out: dict[str, Any] = {}
    for field in type.fields:
        place = inside(path, field.name)
        item = value.get(field.name)
        out[field.name] = check_value(field.type, item, place, strict, problems)
        if item is None and not field.nullable:
            found = "null" if field.name in value else "no such field"
            problems.append(Problem(place, f"expected {field.type} NOT NULL, found {found}"))
    if strict:
        extra = [name for name in value if name not in out]
        problems += [Problem(inside(path, str(name)), "the field is not declared") for name in extra]
    return out


def _map(type: Map, value: Any, path: str, strict: bool, problems: list[Problem]) -> Any:
    if not isinstance(value, Mapping):
        raise _expected(type, value)
    out: dict[Any, Any] = {}
    for name, item in value.items():
        place = f"{path}[{shown(str(name))}]"
        if name is None or isinstance(type.key, Struct | Array | Map):
            problems.append(Problem(place, f"a key of a map is a value of a primitive type, found {_found(name)}"))
            continue
        key = check_value(type.key, name, place, strict, problems)
        out[key] = check_value(type.value, item, place, strict, problems)
    return out


def _boolean(type: DataType, value: Any) -> Any:
    if not isinstance(value, bool):
        raise _expected(type, value)
    return value


def _integer(type: DataType, value: Any) -> Any:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _expected(type, value)
    (low, high), why = _RANGES[type]
    if not low <= value <= high:
        raise _expected(type, value, f", which {why}")
    return int(value)


def _float(type: DataType, value: Any) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _expected(type, value)
    try:
        number: float | None = float(value)
    except OverflowError:
        number = None
    if type == data.FLOAT and number is not None and math.isfinite(number):
        number = codec_text.single(number)
    if number is None:
        raise _expected(type, value, ", which is too large")
    return number


def _decimal(type: Decimal, value: Any) -> Any:
    if not isinstance(value, int | decimal.Decimal) or isinstance(value, bool):
        raise _expected(type, value)
    found = codec_text.fit_decimal(decimal.Decimal(value), type.precision, type.scale)
    if found is None:
        raise _expected(type, value, ", which has too many digits")
    return found


def _string(type: DataType, value: Any) -> Any:
    if not isinstance(value, str):
        raise _expected(type, value)
    if codec_text.has_lone_surrogate(value):
        raise _Misfit("the string holds half of a surrogate pair")
    return str(value)


def _bytes(type: DataType, value: Any) -> Any:
    if not isinstance(value, bytes):
        raise _expected(type, value)
    return value


def _date(type: DataType, value: Any) -> Any:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise _expected(type, value)
    return value


def _timestamp(type: DataType, value: Any) -> Any:
    if not isinstance(value, datetime):
        raise _expected(type, value)
    if value.utcoffset() is None:
        raise _expected(type, value, ", which has no time zone")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise _expected(type, value, ", which is outside of the years 1 to 9999") from None


def _absent(type: DataType, value: Any) -> Any:
    raise _Misfit(f"expected None, since no type is declared, found {_found(value)}")


_CHECKS: dict[DataType, Callable[[DataType, Any], Any]] = {
    data.NULL: _absent,
    data.BOOLEAN: _boolean,
    data.INT: _integer,
    data.BIGINT: _integer,
    data.TIME: _integer,
    data.FLOAT: _float,
    data.DOUBLE: _float,
    data.STRING: _string,
    data.BYTES: _bytes,
    data.DATE: _date,
    data.TIMESTAMP: _timestamp,
}
