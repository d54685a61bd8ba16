"""The texts of INTERVAL: numbers of months and of microseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lsqlc.types import data
from lsqlc.types.data import Primitive
from lsqlc.types.digits import integer

_MONTHS = {"month": 1, "year": 12}
MICROSECONDS = {
    "microsecond": 1, "millisecond": 1_000, "second": 1_000_000, "minute": 60_000_000, "hour": 3_600_000_000,
    "day": 86_400_000_000, "week": 604_800_000_000,
}  # fmt: skip
# The fields of units that have none of their own.
_FIELD_OF = {"week": "day", "millisecond": "second", "microsecond": "second"}
_PART = re.compile(r"\s*([+-]?)\s*([0-9]+)(?:\.([0-9]{1,9}))?\s*([a-z]+?)s?(?=\s|\Z)", re.IGNORECASE)
_YEARS = re.compile(r"\s*([+-]?)([0-9]+)-([0-9]{1,2})\s*")
_FIELDS = ("day", "hour", "minute", "second")
# The limit of a field: the number of its units in the field before it.
_MOST = {"hour": 24, "minute": 60, "second": 60}
_CLOCK = re.compile(r"\s*([+-]?)([0-9]+(?:[ :][0-9]{1,2})*)(?:\.([0-9]{1,9}))?\s*")


# The limits of Spark: an interval is a number of months of 32 bits, or of microseconds of 64 bits.
_MONTHS_LIMIT = 1 << 31
_MICROS_LIMIT = 1 << 63


@dataclass(frozen=True, slots=True)
class Length:
    """A number of months, and one of microseconds. `type`: that of an interval with these units in its text."""

    months: int
    micros: int
    type: Primitive


def read_length(value: str, unit: str) -> Length | None:
    """Return the length of an INTERVAL with its text and its unit, which is empty if the text has units; None if it is
    invalid, or longer than an interval can be.
    """
    words = unit.lower().split()
    if len(words) == 3 and words[1] == "to":
        return _span(value, words[0], words[2])
    text = re.sub(r"\A\s*interval\s", "", f"{value} {unit}", flags=re.IGNORECASE)
    months = micros = end = 0
    units = []
    while match := _PART.match(text, end):
        sign, whole, places, name = match.groups()
        name, end = name.lower(), match.end()
        number = -integer(whole) if sign == "-" else integer(whole)
        if places is not None and name != "second":
            return None
        if name in _MONTHS:
            months += number * _MONTHS[name]
        elif name in MICROSECONDS:
            micros += number * MICROSECONDS[name] + _part_of_second(sign, places)
        else:
            return None
        units.append(name)
    if not end or text[end:].strip():
        return None
    return _bounded(months, micros, _type_of(units))


def _type_of(names: Sequence[str]) -> Primitive:
    """Return the type of an interval with these units. Those of months count only if there are no others."""
    shorter = [_FIELD_OF.get(name, name).upper() for name in names if name not in _MONTHS]
    units = data.TIME_UNITS if shorter else data.MONTH_UNITS
    places = [units.index(name) for name in shorter or [name.upper() for name in names]]
    return data.interval(units[min(places)], units[max(places)])


def _bounded(months: int, micros: int, type: Primitive) -> Length | None:
    """Return a length; None for one that no interval can have."""
    fits = -_MONTHS_LIMIT <= months < _MONTHS_LIMIT and -_MICROS_LIMIT <= micros < _MICROS_LIMIT
    return Length(months, micros, type) if fits else None


def _part_of_second(sign: str, places: str | None) -> int:
    micros = integer(f"{places or '0':0<6}"[:6])
    return -micros if sign == "-" else micros


def _span(value: str, first: str, last: str) -> Length | None:
    """Return `'1-2' YEAR TO MONTH` or `'1 02:03:04' DAY TO SECOND`; None if it is invalid."""
    if (first, last) == ("year", "month"):
        match = _YEARS.fullmatch(value)
        if not match or integer(match[3]) > 11:
            return None
        months = integer(match[2]) * 12 + integer(match[3])
        return _bounded(-months if match[1] == "-" else months, 0, data.MONTHS)
    if first not in _FIELDS or last not in _FIELDS or _FIELDS.index(first) >= _FIELDS.index(last):
        return None
    fields = _FIELDS[_FIELDS.index(first) : _FIELDS.index(last) + 1]
    match = _CLOCK.fullmatch(value)
    numbers = [integer(n) for n in re.split("[ :]", match[2])] if match else []
    # A space follows days, a colon the other fields.
    marks = re.sub("[0-9]", "", match[2]) if match else ""
    expected = "".join(" " if field == "day" else ":" for field in fields[:-1])
    if match is None or marks != expected or (match[3] is not None and last != "second"):
        return None
    if any(n >= _MOST[f] for f, n in zip(fields[1:], numbers[1:], strict=True)):
        return None
    micros = sum(n * MICROSECONDS[f] for f, n in zip(fields, numbers, strict=True)) + _part_of_second("", match[3])
    type = data.interval(first.upper(), last.upper())
    return _bounded(0, -micros if match[1] == "-" else micros, type)


def added(lengths: Sequence[Length | None]) -> Length | None:
    """Return the sum of lengths of one kind, with the fields of all; None if there is none."""
    total: Length | None = None
    for length in lengths:
        if length is None or (length.months and length.micros):
            return None
        if total is None:
            total = length
            continue
        type = data.common_interval(total.type, length.type)
        if not isinstance(type, Primitive):
            return None
        total = _bounded(total.months + length.months, total.micros + length.micros, type)
        if total is None:
            return None
    return total
