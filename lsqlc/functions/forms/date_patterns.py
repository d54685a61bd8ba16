"""Patterns of dates and times, in the letters of Java's DateTimeFormatter that mean the same on both engines.

The letters are `G y u M d H h m s S a X Z`, and `Q D E` for writing only. Text stands in single quotes; other
characters stand for themselves. Spark gets the pattern with `y` for `u`, which means the same in the years 1 to 9999.
DuckDB calls `parse` and `formatted` below.

Both engines use one regular expression for reading, so that they accept the same texts. A repeated letter reads as many
digits as it has repetitions. A single letter reads any number of digits, and a fraction up to its length. Names are
English, in any case. A section in `[ ]` is always written, and optional in reading. Fields that are absent have their
values of 1970-01-01T00:00:00Z.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

# The numbers of repetitions that each letter may have.
_COUNTS = {
    "y": (1, 2, 4), "M": (1, 2, 3, 4), "d": (1, 2), "H": (1, 2), "h": (1, 2), "m": (1, 2), "s": (1, 2),
    "S": tuple(range(1, 10)), "a": (1,), "X": (1, 2, 3), "Z": (1, 2, 3), "u": (1, 2, 4), "G": (1, 2, 3, 4),
    "E": (1, 2, 3, 4), "D": (1, 2, 3), "Q": (1, 2, 3),
}  # fmt: skip
_ALL = "G y u M d H h m s S a X Z Q D E"
# Letters that Java has too, with the reason why they are refused.
_LOCALE = "counts weeks, which begin on another day in another locale"
_NAMES = "is a text for a time zone, which another release of Java writes otherwise; write X or Z for an offset"
_REFUSED = {
    **dict.fromkeys("Ywe", _LOCALE), **dict.fromkeys("WcF", _LOCALE), **dict.fromkeys("zvVO", _NAMES),
}  # fmt: skip
# Fields that cannot be read: a date is complete without them, or cannot be computed from them.
_WRITTEN_ONLY = "EDQ"
# Letters for the same field.
_SAME = {"u": "y", "h": "H", "Z": "X"}
_RESERVED = "{}#"
# The fields of an optional section: the default of each is 0.
_OPTIONAL = "HmsS"
_MAX_SECTIONS = 4
_TIME_OF_DAY = "HhmsSa"
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SHORT = tuple(month[:3] for month in _MONTHS)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
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
        return self.letter not in "aXZGE" and not (self.letter in "MQ" and self.count > 2)

    @property
    def open(self) -> bool:
        """Whether a number of any length is read."""
        return self.numeric and (self.count == 1 or self.letter == "S")


@dataclass(frozen=True, slots=True)
class Edge:
    """The beginning or end of an optional section."""

    opens: bool


Part = Letters | Edge | str


class PatternFault(ValueError):
    """A text that is not a pattern. The message is a clause."""


@cache
def parts(pattern: str) -> tuple[Part, ...]:
    """Return the fields, the texts and the edges of sections of a pattern, in order.

    Raises PatternFault.
    """
    parsed_parts: list[Part] = []
    position = 0
    is_open = False
    while position < len(pattern):
        character = pattern[position]
        if character == "'":
            text, position = _quoted_text(pattern, position)
        elif character.isascii() and character.isalpha():
            end = position
            while pattern[end : end + 1] == character:
                end += 1
            parsed_parts.append(_letters(character, end - position))
            position = end
            continue
        elif character in "[]":
            if is_open == (character == "["):
                raise PatternFault("each '[' of a date pattern must be closed by a ']' before the next one")
            is_open = not is_open
            parsed_parts.append(Edge(is_open))
            position += 1
            continue
        elif character in _RESERVED:
            raise PatternFault(f"'{character}' means something else on the engines; write it in single quotes")
        else:
            text, position = character, position + 1
        parsed_parts.append(text)
    if is_open:
        raise PatternFault("each '[' of a date pattern must be closed by a ']' before the next one")
    return tuple(parsed_parts)


def _letters(letter: str, count: int) -> Letters:
    if letter in _REFUSED:
        raise PatternFault(f"the letter '{letter}' of a date pattern cannot be used: it {_REFUSED[letter]}")
    if letter not in _COUNTS:
        raise PatternFault(
            f"the letter '{letter}' of a date pattern is not carried to both engines;"
            f" there are {_ALL}, and text stands in quotes"
        )
    if count not in _COUNTS[letter]:
        times = ", ".join(letter * n for n in _COUNTS[letter])
        raise PatternFault(f"'{letter * count}' is not carried to both engines; there is {times}")
    return Letters(letter, count)


def _quoted_text(pattern: str, start: int) -> tuple[str, int]:
    """Return the quoted text that starts at an index, and the index after it. Two quotes stand for one."""
    if pattern.startswith("''", start):
        return "'", start + 2
    text, position = "", start + 1
    while True:
        end = pattern.find("'", position)
        if end < 0:
            raise PatternFault("a quote in the date pattern is not closed")
        text += pattern[position:end]
        if not pattern.startswith("''", end):
            return text, end + 1
        text, position = text + "'", end + 2


def fault(pattern: str, *, reads: bool, time_only: bool = False) -> str | None:
    """Return the reason why a pattern cannot be used, as a clause, or None.

    `reads`: the pattern is for reading a text, else for writing one. `time_only`: the value has no date.
    """
    try:
        parsed_parts = parts(pattern)
    except PatternFault as error:
        return str(error)
    fields = [part for part in parsed_parts if isinstance(part, Letters)]
    if time_only:
        other = next((field for field in fields if field.letter not in _TIME_OF_DAY), None)
        return f"a time of day has no '{other}'" if other else None
    if not reads:
        return None
    if not fields:
        return "the date pattern has no date and no time"
    only_written = next((field for field in fields if field.letter in _WRITTEN_ONLY), None)
    if only_written:
        return f"the letter '{only_written.letter}' of a date pattern can only be written, not read"
    problem = _section_fault(parsed_parts)
    if problem:
        return problem
    letters = [_SAME.get(field.letter, field.letter) for field in fields]
    twice = next((field for i, field in enumerate(fields) if letters[i] in letters[:i]), None)
    if twice:
        return f"'{twice}' says again what the date pattern had before"
    touching = next((pair for variant in _variants(parsed_parts) if (pair := _merged(variant))), None)
    if touching:
        return f"the digits of '{touching[0]}' and '{touching[1]}' cannot be told apart; put something between them"
    return None


def _section_fault(pattern_parts: tuple[Part, ...]) -> str | None:
    """Return the reason why a pattern with optional sections cannot be read, as a clause, or None."""
    inside: list[Letters] = []
    outside: list[Letters] = []
    is_open = False
    for part in pattern_parts:
        if isinstance(part, Edge):
            is_open = part.opens
        elif isinstance(part, Letters):
            (inside if is_open else outside).append(part)
    other = next((field for field in inside if field.letter not in _OPTIONAL), None)
    if other:
        return f"'{other}' of a date pattern cannot be optional; between '[' and ']' there can be {' '.join(_OPTIONAL)}"
    if not outside:
        return "a date pattern must have a field that is not optional"
    sections = sum(isinstance(part, Edge) and part.opens for part in pattern_parts)
    return f"a date pattern can have at most {_MAX_SECTIONS} optional sections" if sections > _MAX_SECTIONS else None


def _variants(pattern_parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    """Yield the pattern with and without each of its optional sections."""
    edges = [position for position, part in enumerate(pattern_parts) if isinstance(part, Edge)]
    if not edges:
        yield pattern_parts
        return
    start, end = edges[:2]
    for rest in _variants(pattern_parts[end + 1 :]):
        yield (*pattern_parts[:start], *pattern_parts[start + 1 : end], *rest)
        yield (*pattern_parts[:start], *rest)


def _merged(pattern_parts: tuple[Part, ...]) -> tuple[Letters, Letters] | None:
    """Return two fields whose digits cannot be separated, or None.

    A year of four digits is separated from the next fields only if all of them have a fixed width.
    """
    year: Letters | None = None
    before: Part = ""
    for part in pattern_parts:
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
    """Return the regular expression of the texts that a pattern reads, with a group for each field.

    Java and Python read the expression alike.
    """
    return "(?i)" + "".join(
        _text_regex(part) if isinstance(part, str) else _edge_regex(part) if isinstance(part, Edge) else
        f"({_regex(part)})" for part in parts(pattern)
    )  # fmt: skip


def _edge_regex(edge: Edge) -> str:
    # Java never backtracks into a section that has matched.
    return "(?:" if edge.opens else ")?+"


@cache
def of_spark(pattern: str) -> str:
    """Return the pattern with `y` for `u`, which Spark does not have."""
    if not any(isinstance(part, Letters) and part.letter == "u" for part in parts(pattern)):
        return pattern
    return _spark_text(parts(pattern))


def around_offsets(pattern: str) -> tuple[str | Letters, ...]:
    """Return the pattern split at its offsets: the offset fields, and the patterns for Spark between them."""
    segments: list[str | Letters] = []
    run: list[Part] = []
    for part in (*parts(pattern), None):
        if part is None or (isinstance(part, Letters) and part.letter in "XZ"):
            segments += [_spark_text(tuple(run))] if run else []
            segments += [part] if part is not None else []
            run = []
        elif not isinstance(part, Edge):
            run.append(part)
    return tuple(segments)


def _spark_text(run: tuple[Part, ...]) -> str:
    text = ""
    for is_text, same in groupby(run, lambda part: isinstance(part, str)):
        if is_text:
            text += "'" + "".join(map(str, same)).replace("'", "''") + "'"
        else:
            text += "".join(
                ("[" if p.opens else "]") if isinstance(p, Edge) else str(p).replace("u", "y") for p in same
            )
    return text


def has_offset(pattern: str) -> bool:
    """Return whether texts of the pattern have an offset from UTC."""
    return any(isinstance(part, Letters) and part.letter in "XZ" for part in parts(pattern))


def _text_regex(text: str) -> str:
    return "".join("\\" + c if c.isascii() and not c.isalnum() else c for c in text)


def _regex(field: Letters) -> str:
    match field.letter, field.count:
        case "y" | "u", 4:
            return "(?!0000)[0-9]{4}"
        case "y" | "u", 1:
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
        case "Z", _:
            return "[+-][0-9]{4}"
        case "G", count:
            return "Anno Domini" if count == 4 else "AD"
        case _, 1:
            return "0{0,9}[0-9]{1,2}"
    return "[0-9]{2}"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(regex(pattern), re.ASCII)


def parse(text: str, pattern: str) -> datetime.datetime | None:
    """Return the time in UTC that a text represents.

    None if the text does not match the pattern, or if the year is not in 1 to 9999.
    """
    match = _compiled(pattern).fullmatch(text)
    if not match:
        return None
    fields = [part for part in parts(pattern) if isinstance(part, Letters)]
    words = zip(fields, match.groups(), strict=True)
    # The hour of the day and the hour of a half day are different fields.
    names = {**_SAME, "h": "h"}
    values = {names.get(f.letter, f.letter): _value(f, word) for f, word in words if word is not None}
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
    """Return the hour of the day, from `H`, from `h` (in the morning without `a`), or from `a` alone."""
    half = values.get("a")
    if "H" in values:
        hour = values["H"]
        return hour if half is None or hour // 12 == half else None
    if "h" in values and not 1 <= values["h"] <= 12:
        return None
    return values.get("h", 0) % 12 + 12 * (half or 0)


def _value(field: Letters, word: str) -> int:
    match field.letter:
        case "G":
            return 0
        case "y" | "u":
            return int(word) + (2000 if field.count == 2 else 0)
        case "M" if not field.numeric:
            return _SHORT.index(word[:3].capitalize()) + 1
        case "S":
            return int(f"{word[:6]:0<6}")
        case "a":
            return int(word.upper() == "PM")
        case "X" | "Z":
            return _minutes(word)
    return int(word)


def _minutes(word: str) -> int:
    """Return the minutes of an offset. Invalid minutes, above 59, give 24 hours, which no offset has."""
    if word.upper() == "Z":
        return 0
    digits = word[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    total = hours * 60 + minutes if minutes < 60 else 24 * 60
    return -total if word[0] == "-" else total


def formatted(time: datetime.datetime, pattern: str) -> str:
    """Return the text of a time in UTC by a pattern."""
    return formatted_at(time, pattern, 0)


def formatted_at(time: datetime.datetime, pattern: str, offset: int) -> str:
    """Return the text of a time by a pattern. `offset`: the offset from UTC in minutes."""
    fields = (part for part in parts(pattern) if not isinstance(part, Edge))
    return "".join(part if isinstance(part, str) else _written(time, part, offset) for part in fields)


def _written_offset(field: Letters, offset: int) -> str:
    if not offset:
        return "+0000" if field.letter == "Z" else "Z"
    hours, minutes = divmod(abs(offset), 60)
    mark = ":" if str(field) == "XXX" else ""
    suffix = f"{mark}{minutes:02}" if minutes or str(field) != "X" else ""
    return f"{'-' if offset < 0 else '+'}{hours:02}{suffix}"


def _written(time: datetime.datetime, field: Letters, offset: int) -> str:
    match field.letter, field.count:
        case "M", 3:
            return _SHORT[time.month - 1]
        case "M", 4:
            return _MONTHS[time.month - 1]
        case "S", count:
            return f"{time.microsecond:06}000"[:count]
        case "a", _:
            return "PM" if time.hour >= 12 else "AM"
        case "X" | "Z", _:
            return _written_offset(field, offset)
        case "G", count:
            return "Anno Domini" if count == 4 else "AD"
        case "E", count:
            day = _DAYS[time.weekday()]
            return day if count == 4 else day[:3]
        case "Q", 3:
            return f"Q{(time.month + 2) // 3}"
        case "y" | "u", 2:
            return f"{time.year % 100:02}"
    numbers = {
        "y": time.year, "M": time.month, "d": time.day, "H": time.hour, "h": (time.hour - 1) % 12 + 1,
        "m": time.minute, "s": time.second, "u": time.year, "D": time.timetuple().tm_yday, "Q": (time.month + 2) // 3,
    }  # fmt: skip
    return f"{numbers[field.letter]:0{field.count}}"
