"""Times of day of Spark SQL as text, such as `10:20:30.5`. Their values are numbers of microseconds since midnight."""

from __future__ import annotations

import re

from lsqlc.types.digits import integer

DAY = 86_400_000_000
_BLANK = r"[\x00-\x20\x7f]*"
PATTERN = (
    rf"\A{_BLANK}T?([01]?[0-9]|2[0-3]):([0-5]?[0-9])(?::([0-5]?[0-9])(?:[.]([0-9]{{0,9}}))?)?{_BLANK}\z"
)  # fmt: skip
_MATCH = re.compile(PATTERN.replace(r"\z", r"\Z"), re.ASCII)


def time_number(text: str) -> int | None:
    """Return the microseconds of a text; None for a text that is no time of day. Further digits are cut off."""
    match = _MATCH.match(text)
    if match is None:
        return None
    hours, minutes, seconds = (integer(part or "0") for part in match.groups()[:3])
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + integer(f"{match[4] or '0':0<6}"[:6])


def time_text(number: int) -> str | None:
    """Return the text of a time of day; None outside of a day."""
    if not 0 <= number < DAY:
        return None
    seconds, micros = divmod(number, 1_000_000)
    fraction = f".{micros:06}".rstrip("0") if micros else ""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"
