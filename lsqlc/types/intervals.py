"""Intervals of Spark SQL as text, such as `INTERVAL '1 02:03:04.5' DAY TO SECOND`.

The value of an interval is a number of months, or of microseconds. Its text has the fields of its type.
"""

from __future__ import annotations

import re
from functools import cache

from lsqlc.types.data import INTERVALS, MONTH_UNITS, TIME_UNITS, DataType, Primitive, interval_units
from lsqlc.types.digits import integer

# The number of months or microseconds in each unit.
SIZES = {
    "YEAR": 12, "MONTH": 1, "DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000,
}  # fmt: skip
# The digits that the first field may have, so that every text has a number of 64 bits.
_DIGITS = {"YEAR": 8, "MONTH": 9, "DAY": 8, "HOUR": 9, "MINUTE": 11, "SECOND": 12}
# The limit of a field that is not the first.
_LIMITS = {"MONTH": 12, "HOUR": 24, "MINUTE": 60, "SECOND": 60}
_MARKS = {"MONTH": "-", "HOUR": " ", "MINUTE": ":", "SECOND": ":"}
_BLANK, _SPACE = r"[\x00-\x20\x7f]*", r"[ \t\n\x0b\f\r]+"
_BY_NAME = {str(type): type for type in INTERVALS}


def interval_named(name: str) -> Primitive:
    """Return the type of intervals with a name. Raises KeyError."""
    return _BY_NAME[name]


def fields_of(type: DataType) -> tuple[str, ...]:
    """Return the units of an interval's fields, the largest first."""
    first, last = interval_units(type)
    units = MONTH_UNITS if first in MONTH_UNITS else TIME_UNITS
    return units[units.index(first) : units.index(last) + 1]


def interval_text(number: int, name: str) -> str:
    """Return the text of an interval of the type `name`. Parts that are smaller than its last field are cut off."""
    fields = fields_of(interval_named(name))
    sign, rest = "-" if number < 0 else "", abs(number)
    if fields[-1] != "SECOND":
        rest -= rest % SIZES[fields[-1]]
        sign = sign if rest else ""
    text = ""
    for place, field in enumerate(fields):
        count, rest = divmod(rest, SIZES[field])
        has_zeros = field in ("HOUR", "MINUTE", "SECOND")
        text += (_MARKS[field] if place else "") + (f"{count:02}" if has_zeros else str(count))
    if fields[-1] == "SECOND" and rest:
        text += f".{rest:06}".rstrip("0")
    return f"INTERVAL '{sign}{text}' {name.removeprefix('INTERVAL ')}"


@cache
def pattern(name: str) -> str:
    """Return the regular expression of the texts of a type: the whole text of an interval, or its fields alone.

    Its groups are the sign before the quotes, and the fields with their sign, in quotes and without.
    """
    fields = fields_of(interval_named(name))
    inner = f"[+-]?[0-9]{{1,{_DIGITS[fields[0]]}}}" + "".join(f"{_MARKS[f]}[0-9]{{1,2}}" for f in fields[1:])
    if fields[-1] == "SECOND":
        inner += "(?:[.][0-9]{1,9})?"
    first, last = interval_units(interval_named(name))
    units = f"(?i:{first})" + (f"{_SPACE}(?i:to){_SPACE}(?i:{last})" if first != last else "")
    whole = f"(?i:interval){_SPACE}([+-]?)'({inner})'{_SPACE}{units}"
    return rf"\A{_BLANK}(?:{whole}|({inner})){_BLANK}\z"


def interval_number(text: str, name: str) -> int | None:
    """Return the number of an interval's text; None for a text that is none of the type `name`."""
    match = re.match(pattern(name).replace(r"\z", r"\Z"), text, re.ASCII)
    if match is None:
        return None
    inner = match[2] or match[3]
    fields = fields_of(interval_named(name))
    negative = inner.startswith("-") != (match[1] == "-")
    whole, _, fraction = inner.lstrip("+-").partition(".")
    numbers = [integer(part) for part in re.split("[-: ]", whole)]
    if any(n >= _LIMITS[f] for f, n in zip(fields[1:], numbers[1:], strict=True)):
        return None
    total = sum(n * SIZES[f] for f, n in zip(fields, numbers, strict=True))
    total += integer(f"{fraction or '0':0<6}"[:6])
    return -total if negative else total
