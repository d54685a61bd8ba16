"""Values of a type: few, so that they meet, and near the constants of the compared plans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Context
from decimal import Decimal as Number
from random import Random
from typing import Any

from lsqlc.search.constants import Constants
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

START = datetime(2024, 1, 1, tzinfo=UTC)
"""The time of the first record of a sequence, if no difference depends on times."""

# The plain values of each type. The first is the simplest.
_PLAIN: Mapping[DataType, tuple[Any, ...]] = {
    data.BOOLEAN: (False, True),
    data.INT: (0, 1, 2),
    data.BIGINT: (0, 1, 2),
    data.FLOAT: (0.0, 1.0, -0.5),
    data.DOUBLE: (0.0, 1.0, -0.5),
    data.STRING: ("a", "b", ""),
    data.BYTES: (b"a", b""),
    data.DATE: (START.date(), date(2024, 2, 29)),
    # Microseconds of the day.
    data.TIME: (0, 47_106_000_000),
    data.TIMESTAMP: (START, START + timedelta(milliseconds=1), START + timedelta(days=1)),
}
# More values of each type, which functions tell apart.
_OTHERS: Mapping[DataType, tuple[Any, ...]] = {
    data.INT: (-1, 7, 100),
    data.BIGINT: (-1, 7, 100),
    data.FLOAT: (-1.0, 12.375),
    data.DOUBLE: (-1.0, 12.375),
    data.STRING: ("A", " a ", "1", "abcdefgh", "ab12cd345", "2024-02-01", "2024-02-01 13:05:06"),
    data.BYTES: (b"\xff\x00", b"abcdefgh"),
    data.DATE: (date(2024, 2, 1), date(2023, 7, 2)),
    data.TIMESTAMP: (
        START + timedelta(hours=9),
        START + timedelta(days=31, hours=13, minutes=5, seconds=6),
        START + timedelta(days=183, hours=23),
    ),
}
_RANGES = {data.INT: 2**31, data.BIGINT: 2**63}
# The letters of a pattern of dates, those of years first.
_DATE_LETTERS = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
# The steps of a path in JSON: names, and indexes.
_STEP = re.compile(r"[A-Za-z0-9]+")
# The share of nulls among the values that may be null.
_NULLS = 0.15
# The shares of simple values, and of those near a constant.
_SIMPLE, _NEAR = 0.4, 0.4
_LONGEST_ARRAY = 4
# More than the digits of any DECIMAL and of a float.
_EXACT = Context(prec=400)


@dataclass(frozen=True, slots=True)
class Values:
    """Random values of the types of topics. `constants`: those of the plans."""

    constants: Constants
    random: Random
    pools: dict[DataType, tuple[Any, ...]] = field(default_factory=dict)

    def draw(self, type: DataType, *, nullable: bool = True) -> Any:
        """Return a value of a type, or null."""
        if isinstance(type, Struct):
            if nullable and self.random.random() < _NULLS / 3:
                return None
            return {f.name: self.draw(f.type, nullable=f.nullable) for f in type.fields}
        if type == data.NULL or (nullable and self.random.random() < _NULLS):
            return None
        if isinstance(type, Array):
            return [self.draw(type.element) for _ in range(self.random.randrange(_LONGEST_ARRAY + 1))]
        if isinstance(type, Map):
            keys = [self.draw(type.key, nullable=False) for _ in range(self.random.randrange(3))]
            return {key: self.draw(type.value) for key in keys}
        return self._of_pool(type)

    def _of_pool(self, type: DataType) -> Any:
        near = self._near(type)
        share = self.random.random()
        if near and share < _NEAR:
            return self.random.choice(near)
        if share < _NEAR + _SIMPLE:
            return self.random.choice(plain(type))
        return self.random.choice((*plain(type), *_OTHERS.get(type, ()), *near))

    def _near(self, type: DataType) -> tuple[Any, ...]:
        """Return the values near constants. Half of them are near those that only one version has, if there are any."""
        if type not in self.pools:
            every, changed = (tuple(_near(type, each)) for each in (self.constants, self.constants.changed))
            self.pools[type] = (*every, *changed * (len(every) // len(changed))) if changed else every
        return self.pools[type]


def plain(type: DataType) -> tuple[Any, ...]:
    """Return simple values of a type without parts, the simplest first."""
    if isinstance(type, Decimal):
        unit = Number(1).scaleb(-type.scale)
        return tuple(v for v in (Number(0).quantize(unit), unit, -3 * unit) if _fits(v, type))
    return _PLAIN[type]


def _near(type: DataType, constants: Constants) -> Iterator[Any]:
    """Yield the values of a type that are equal to a constant, and the ones next to it."""
    for literal in constants.literals:
        yield from _of_literal(type, literal)
    if type == data.TIMESTAMP:
        yield from (START + timedelta(milliseconds=n) for length in constants.lengths for n in (length - 1, length))
    if type == data.BIGINT:
        # A BIGINT can be a time.
        start = round(START.timestamp() * 1000)
        yield from (start + n for length in constants.lengths for n in (0, length))


def _of_literal(type: DataType, literal: Any) -> Iterator[Any]:
    if type == data.STRING:
        if isinstance(literal, str):
            yield from dict.fromkeys((literal, *_of_pattern(literal), literal.upper(), literal.lower(), f"{literal} "))
        elif isinstance(literal, int | float | Number):
            yield str(literal)
        return
    # Plans have decimals, dates and times as texts.
    value = _read(type, literal)
    if isinstance(value, Number):
        yield from _numbers_near(type, value)
    elif isinstance(value, date):
        step = timedelta(milliseconds=1) if isinstance(value, datetime) else timedelta(days=1)
        neighbours = (_moved(value, n * step) for n in (0, 1, -1))
        yield from (each for each in neighbours if each is not None)


def _moved(time: date, length: timedelta) -> date | None:
    """Return a date or a time, moved; None beyond the years 1 to 9999."""
    try:
        return time + length
    except OverflowError:
        return None


def _read(type: DataType, literal: Any) -> Any:
    """Return a literal as a number, a date or a time, by the type of values; None if it is none."""
    if isinstance(literal, int | float | Number):
        return Number(str(literal)) if data.is_numeric(type) else None
    try:
        if isinstance(literal, str):
            if data.is_numeric(type):
                return Number(literal)
            if type == data.DATE:
                return date.fromisoformat(literal)
            if type == data.TIMESTAMP:
                return datetime.fromisoformat(literal).replace(tzinfo=UTC)
    except (ValueError, ArithmeticError):
        return None
    is_time = isinstance(literal, datetime)
    fits = (type == data.TIMESTAMP and is_time) or (type == data.DATE and isinstance(literal, date) and not is_time)
    return literal if fits else None


def _numbers_near(type: DataType, number: Number) -> Iterator[Any]:
    if not number.is_finite():
        return
    if type in _RANGES and abs(number) < _RANGES[type] - 1:
        yield from (int(number), int(number) + 1, int(number) - 1)
    elif type in (data.FLOAT, data.DOUBLE):
        yield from (float(number), float(number) + 0.5, float(number) - 0.5)
    elif isinstance(type, Decimal) and _fits(number, type):
        unit = Number(1).scaleb(-type.scale)
        exact = number.quantize(unit, context=_EXACT)
        neighbours = (exact, _EXACT.add(exact, unit), _EXACT.subtract(exact, unit))
        yield from (v for v in neighbours if _fits(v, type))


def _of_pattern(text: str) -> Iterator[str]:
    """Yield texts that a literal may describe: by a pattern of LIKE, a pattern of dates, or a path in JSON."""
    if "%" in text or "_" in text:
        yield text.replace("%", "").replace("_", "x")
        yield text.replace("%", "xy").replace("_", "z")
    if "yyyy" in text:
        yield from (_dated(text, time) for time in (START, START + timedelta(days=59, hours=13, minutes=5, seconds=6)))
    names = _STEP.findall(text) if text.startswith("$") else ()
    for value in ("1", '"a"', "null") if names else ():
        for name in reversed(names):
            value = f"[{value}]" if name.isdigit() else f'{{"{name}":{value}}}'
        yield value


def _dated(pattern: str, time: datetime) -> str:
    for letters, form in _DATE_LETTERS.items():
        pattern = pattern.replace(letters, time.strftime(form))
    return pattern.replace("'", "")


def _fits(number: Number, type: Decimal) -> bool:
    return number.is_finite() and abs(number) < Number(10) ** (type.precision - type.scale)


def simpler(value: Any, type: DataType, *, nullable: bool) -> Sequence[Any]:
    """Return values that are simpler than a value of a type, the simplest first."""
    if value is None:
        return ()
    if isinstance(type, Struct):
        parts = [(f, each) for f in type.fields for each in simpler(value[f.name], f.type, nullable=f.nullable)]
        present = [f.name for f in type.fields if f.nullable and value[f.name] is not None]
        # Many fields at once: all of them, and each half.
        half = len(present) // 2
        groups = [names for names in (present, present[:half], present[half:]) if len(names) > 1]
        return (
            *({**value, **dict.fromkeys(names)} for names in groups),
            *({**value, f.name: each} for f, each in parts),
        )
    null = (None,) if nullable else ()
    if isinstance(type, Array):
        return (*null, *(value[:i] + value[i + 1 :] for i in range(len(value))))
    if isinstance(type, Map):
        return (*null, *({k: v for k, v in value.items() if k != key} for key in value))
    values = plain(type)
    return (*null, *(values[: values.index(value)] if value in values else values))
