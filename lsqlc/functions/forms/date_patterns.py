"""Patterns of dates and times, in the letters of Java's DateTimeFormatter that both engines can be held to.

The letters are `y M d H h m s S a X`; text stands in single quotes, other characters for themselves (LANGUAGE.md,
"Types and scalars"). Spark takes the pattern as it is, DuckDB calls `parse` and `formatted` below. What a pattern may
read is one regular expression for both, so that neither takes a text which the other refuses: letters count as many
digits as they are written, a single one as many as there are, a fraction up to its length; names are English, in any
case. What a text leaves out is that of 1970-01-01T00:00:00Z.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from functools import cache

# How many times in a row each letter may stand.
_COUNTS = {
    "y": (1, 2, 4), "M": (1, 2, 3, 4), "d": (1, 2), "H": (1, 2), "h": (1, 2), "m": (1, 2), "s": (1, 2),
    "S": tuple(range(1, 10)), "a": (1,), "X": (1, 2, 3),
}  # fmt: skip
_RESERVED = "[]{}#"
_TIME_OF_DAY = "HhmsSa"
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SHORT = tuple(month[:3] for month in _MONTHS)
_OFFSETS = ("[+-][0-9]{2}(?:[0-9]{2})?", "[+-][0-9]{4}", "[+-][0-9]{2}:[0-9]{2}")
_FARTHEST = datetime.timedelta(hours=18)


@dataclass(frozen=True, slots=True)
class Letters:
    """A field: `letter`, `count` times."""

    letter: str
    count: int

    def __str__(self) -> str:
        return self.letter * self.count

    @property
    def numeric(self) -> bool:
        return self.letter not in "aX" and not (self.letter == "M" and self.count > 2)

    @property
    def open(self) -> bool:
        """Whether a number of any length can stand there."""
        return self.numeric and (self.count == 1 or self.letter == "S")


Part = Letters | str


class PatternFault(ValueError):
    """Why a pattern is no pattern, as a clause."""


@cache
def parts(pattern: str) -> tuple[Part, ...]:
    """The fields and texts of a pattern, in order. Raises PatternFault."""
    found: list[Part] = []
    place = 0
    while place < len(pattern):
        character = pattern[place]
        if character == "'":
            text, place = _quoted_text(pattern, place)
        elif character.isascii() and character.isalpha():
            end = place
            while pattern[end : end + 1] == character:
                end += 1
            found.append(_letters(character, end - place))
            place = end
            continue
        elif character in _RESERVED:
            raise PatternFault(f"'{character}' means something else on the engines; write it in single quotes")
        else:
            text, place = character, place + 1
        found.append(text)
    return tuple(found)


def _letters(letter: str, count: int) -> Letters:
    if letter not in _COUNTS:
        raise PatternFault(
            f"the letter '{letter}' of a date pattern is not carried to both engines;"
            f" there are {' '.join(_COUNTS)}, and text stands in quotes"
        )
    if count not in _COUNTS[letter]:
        times = ", ".join(letter * n for n in _COUNTS[letter])
        raise PatternFault(f"'{letter * count}' is not carried to both engines; there is {times}")
    return Letters(letter, count)


def _quoted_text(pattern: str, start: int) -> tuple[str, int]:
    """The text in quotes that start at a place, and the place after them; two quotes are one."""
    if pattern.startswith("''", start):
        return "'", start + 2
    text, place = "", start + 1
    while True:
        end = pattern.find("'", place)
        if end < 0:
            raise PatternFault("a quote in the date pattern is not closed")
        text += pattern[place:end]
        if not pattern.startswith("''", end):
            return text, end + 1
        text, place = text + "'", end + 2


def fault(pattern: str, *, reads: bool, time_only: bool = False) -> str | None:
    """Why a pattern cannot be used, as a clause, or None. `reads`: to read a text, else to write one. `time_only`:
    what is written has no date.
    """
    try:
        found = parts(pattern)
    except PatternFault as wrong:
        return str(wrong)
    fields = [part for part in found if isinstance(part, Letters)]
    if time_only:
        strange = next((field for field in fields if field.letter not in _TIME_OF_DAY), None)
        return f"a time of day has no '{strange}'" if strange else None
    if not reads:
        return None
    if not fields:
        return "the date pattern has no date and no time"
    letters = ["H" if field.letter == "h" else field.letter for field in fields]
    twice = next((field for i, field in enumerate(fields) if letters[i] in letters[:i]), None)
    if twice:
        return f"'{twice}' says again what the date pattern had before"
    touching = _merged(found)
    if touching:
        return f"the digits of '{touching[0]}' and '{touching[1]}' cannot be told apart; put something between them"
    return None


def _merged(found: tuple[Part, ...]) -> tuple[Letters, Letters] | None:
    """Two fields whose digits run into each other. A year of four digits is cut off by what follows it only where all
    of that has a fixed width.
    """
    year: Letters | None = None
    before: Part = ""
    for part in found:
        if not isinstance(part, Letters) or not part.numeric:
            before, year = "", None
            continue
        if isinstance(before, Letters) and before.open:
            return before, part
        if year is not None and part.open:
            return year, part
        before, year = part, part if part.letter == "y" else year
    return None


@cache
def regex(pattern: str) -> str:
    """What the pattern reads, as a regular expression that Java and Python understand alike, a group for each field."""
    return "(?i)" + "".join(
        _text_regex(part) if isinstance(part, str) else f"({_regex(part)})" for part in parts(pattern)
    )


def has_offset(pattern: str) -> bool:
    """Whether texts of the pattern say how far they are from UTC."""
    return any(isinstance(part, Letters) and part.letter == "X" for part in parts(pattern))


def _text_regex(text: str) -> str:
    return "".join("\\" + c if c.isascii() and not c.isalnum() else c for c in text)


def _regex(field: Letters) -> str:
    match field.letter, field.count:
        case "y", 4:
            return "(?!0000)[0-9]{4}"
        case "y", 1:
            return "(?!0+(?![0-9]))0{0,9}[0-9]{1,4}"
        case "M", 3:
            return "|".join(_SHORT)
        case "M", 4:
            return "|".join(_MONTHS)
        case "S", most:
            return f"[0-9]{{1,{most}}}"
        case "a", _:
            return "[AP]M"
        case "X", count:
            return f"Z|{_OFFSETS[count - 1]}"
        case _, 1:
            return "0{0,9}[0-9]{1,2}"
    return "[0-9]{2}"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(regex(pattern), re.ASCII)


def parse(text: str, pattern: str) -> datetime.datetime | None:
    """The time in UTC that a text says, None if it does not follow the pattern or is none of the years 1 to 9999."""
    found = _compiled(pattern).fullmatch(text)
    if not found:
        return None
    fields = [part for part in parts(pattern) if isinstance(part, Letters)]
    values = {field.letter: _value(field, word) for field, word in zip(fields, found.groups(), strict=True)}
    hour = _hour(values)
    if hour is None:
        return None
    micros = values.get("S", 0)
    try:
        local = datetime.datetime(
            values.get("y", 1970), values.get("M", 1), values.get("d", 1), hour, values.get("m", 0), values.get("s", 0),
            micros,
        )  # fmt: skip
        offset = datetime.timedelta(minutes=values.get("X", 0))
        return local - offset if abs(offset) <= _FARTHEST else None
    except (ValueError, OverflowError):
        return None


def _hour(values: dict[str, int]) -> int | None:
    """The hour of the day, from `H`, from `h` (the morning's without `a`), or from `a` alone."""
    half = values.get("a")
    if "H" in values:
        hour = values["H"]
        return hour if half is None or hour // 12 == half else None
    if "h" in values and not 1 <= values["h"] <= 12:
        return None
    return values.get("h", 0) % 12 + 12 * (half or 0)


def _value(field: Letters, word: str) -> int:
    match field.letter:
        case "y":
            return int(word) + (2000 if field.count == 2 else 0)
        case "M" if not field.numeric:
            return _SHORT.index(word[:3].capitalize()) + 1
        case "S":
            return int(f"{word[:6]:0<6}")
        case "a":
            return int(word.upper() == "PM")
        case "X":
            return _minutes(word)
    return int(word)


def _minutes(word: str) -> int:
    """The minutes of an offset; more than 59 beside the hours are more than any offset has."""
    if word.upper() == "Z":
        return 0
    digits = word[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    total = hours * 60 + minutes if minutes < 60 else 24 * 60
    return -total if word[0] == "-" else total


def formatted(time: datetime.datetime, pattern: str) -> str:
    """A time in UTC as the pattern writes it."""
    return "".join(part if isinstance(part, str) else _written(time, part) for part in parts(pattern))


def _written(time: datetime.datetime, field: Letters) -> str:
    match field.letter, field.count:
        case "M", 3:
            return _SHORT[time.month - 1]
        case "M", 4:
            return _MONTHS[time.month - 1]
        case "S", count:
            return f"{time.microsecond:06}000"[:count]
        case "a", _:
            return "PM" if time.hour >= 12 else "AM"
        case "X", _:
            return "Z"
        case "y", 2:
            return f"{time.year % 100:02}"
    numbers = {
        "y": time.year, "M": time.month, "d": time.day, "H": time.hour, "h": (time.hour - 1) % 12 + 1,
        "m": time.minute, "s": time.second,
    }  # fmt: skip
    return f"{numbers[field.letter]:0{field.count}}"
