"""The texts of INTERVAL: numbers of months and of microseconds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lsqlc.types.digits import integer

_MONTHS = {"month": 1, "year": 12}
MICROSECONDS = {
    "microsecond": 1, "millisecond": 1_000, "second": 1_000_000, "minute": 60_000_000, "hour": 3_600_000_000,
    "day": 86_400_000_000, "week": 604_800_000_000,
}  # fmt: skip
_DAYS = ("day", "week")
_PART = re.compile(r"\s*([+-]?)\s*([0-9]+)(?:\.([0-9]{1,9}))?\s*([a-z]+?)s?(?=\s|\Z)", re.IGNORECASE)
_YEARS = re.compile(r"\s*([+-]?)([0-9]+)-([0-9]{1,2})\s*")
_FIELDS = ("day", "hour", "minute", "second")
# How many of a field are less than one of the field before it.
_MOST = {"hour": 24, "minute": 60, "second": 60}
_CLOCK = re.compile(r"\s*([+-]?)([0-9]+(?:[ :][0-9]{1,2})*)(?:\.([0-9]{1,9}))?\s*")


# Longer than the years 1 to 9999: what is longer still moves no time to another result.
_LONGEST = 1 << 59
_MOST_MONTHS = 1 << 20


@dataclass(frozen=True, slots=True)
class Length:
    """A number of months, and one of microseconds. `in_days`: what is said of the latter are days and weeks."""

    months: int
    micros: int
    in_days: bool


def read_length(value: str, unit: str) -> Length | None:
    """The length that an INTERVAL says by its text and its unit, which is empty where the text has the units; None for
    one that says none.
    """
    words = unit.lower().split()
    if len(words) == 3 and words[1] == "to":
        return _span(value, words[0], words[2])
    text = re.sub(r"\A\s*interval\s", "", f"{value} {unit}", flags=re.IGNORECASE)
    months = micros = end = 0
    units = []
    while found := _PART.match(text, end):
        sign, whole, places, name = found.groups()
        name, end = name.lower(), found.end()
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
    return _bounded(months, micros, all(name in _DAYS for name in units if name not in _MONTHS))


def _bounded(months: int, micros: int, in_days: bool) -> Length:
    months = max(-_MOST_MONTHS, min(months, _MOST_MONTHS))
    return Length(months, max(-_LONGEST, min(micros, _LONGEST)), in_days)


def _part_of_second(sign: str, places: str | None) -> int:
    micros = integer(f"{places or '0':0<6}"[:6])
    return -micros if sign == "-" else micros


def _span(value: str, first: str, last: str) -> Length | None:
    """`'1-2' YEAR TO MONTH`, `'1 02:03:04' DAY TO SECOND`."""
    if (first, last) == ("year", "month"):
        found = _YEARS.fullmatch(value)
        if not found or integer(found[3]) > 11:
            return None
        months = integer(found[2]) * 12 + integer(found[3])
        return _bounded(-months if found[1] == "-" else months, 0, False)
    if first not in _FIELDS or last not in _FIELDS or _FIELDS.index(first) >= _FIELDS.index(last):
        return None
    fields = _FIELDS[_FIELDS.index(first) : _FIELDS.index(last) + 1]
    found = _CLOCK.fullmatch(value)
    numbers = [integer(n) for n in re.split("[ :]", found[2])] if found else []
    # A space stands behind days, a colon behind all others.
    marks = re.sub("[0-9]", "", found[2]) if found else ""
    wanted = "".join(" " if field == "day" else ":" for field in fields[:-1])
    if found is None or marks != wanted or (found[3] is not None and last != "second"):
        return None
    if any(n >= _MOST[f] for f, n in zip(fields[1:], numbers[1:], strict=True)):
        return None
    micros = sum(n * MICROSECONDS[f] for f, n in zip(fields, numbers, strict=True)) + _part_of_second("", found[3])
    return _bounded(0, -micros if found[1] == "-" else micros, False)
