"""Primitive values as text and back: the forms that JSON strings and numbers have in records.

Every parser returns None for text that is not of the form, so that the caller words the finding.
"""

from __future__ import annotations

import base64
import binascii
import decimal
import json
import math
import re
import struct
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

INT_RANGE = (-(2**31), 2**31 - 1)
BIGINT_RANGE = (-(2**63), 2**63 - 1)
# A time of day in microseconds.
TIME_RANGE = (0, 86_400_000_000 - 1)
# Days since 1970 of a DATE, of the years 1 to 9999.
DAYS_RANGE = (-719_162, 2_932_896)
# Epoch milliseconds of a TIMESTAMP, of the years 1 to 9999.
MILLIS_RANGE = (-62_135_596_800_000, 253_402_300_799_999)

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
# As people write it: a space for the T, no seconds, no zone, or a day alone.
_WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?", re.ASCII)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_FLOAT_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SHOWN = 40
# 38 digits and all that an operand can have beside them.
_EXACT = decimal.Context(prec=100, traps=[decimal.InvalidOperation, decimal.Inexact])


def shown(text: str) -> str:
    """The text in quotes, its middle left out when it is long."""
    flat = text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:200])
    return f"'{flat}'" if len(flat) <= _SHOWN else f"'{flat[: _SHOWN - 10]}...{flat[-7:]}'"


def quoted(text: str) -> str:
    """The text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def has_lone_surrogate(text: str) -> bool:
    """Whether the text cannot be written as UTF-8."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def float_word(value: float) -> str | None:
    """The word for a number that JSON cannot write, or None for an ordinary one."""
    if math.isfinite(value):
        return None
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def parse_float_word(text: str) -> float | None:
    """NaN or an infinity from its word."""
    return _FLOAT_WORDS.get(text)


def single(value: float) -> float | None:
    """The nearest FLOAT of 32 bits; None if it is too large for one."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return None


def parse_date(text: str) -> date | None:
    """A day written as `2013-01-01`."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def parse_timestamp(text: str) -> datetime | None:
    """An instant, `2013-01-01T05:00:00Z`, with up to six digits of a second and any offset; in UTC."""
    if not _TIMESTAMP.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_written_timestamp(text: str) -> datetime | None:
    """An instant as people write it: `2013-01-01T05:00:00Z`, or with a space for the T, without seconds, without a zone
    (then it is in UTC), or as a day alone, which is its midnight.
    """
    parts = _WRITTEN.fullmatch(text)
    if not parts:
        return None
    try:
        found = datetime.fromisoformat(f"{parts[1]}T{parts[2] or '00:00'}{parts[3] or ':00'}{parts[4] or 'Z'}")
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_clock(text: str) -> int | None:
    """A time of day, `05:30` or `05:30:10.25`, in microseconds."""
    parts = _CLOCK.fullmatch(text)
    if not parts or int(parts[1]) > 23 or int(parts[2]) > 59 or int(parts[3] or 0) > 59:
        return None
    seconds = (int(parts[1]) * 60 + int(parts[2])) * 60 + int(parts[3] or 0)
    return seconds * 1_000_000 + int((parts[4] or "").ljust(6, "0"))


def timestamp_text(value: datetime) -> str:
    """An aware datetime in UTC, a fraction only when there is one."""
    text = value.astimezone(UTC).isoformat()
    return text[:19] + "Z" if not value.microsecond else text[:26].rstrip("0") + "Z"


def date_of_days(days: int) -> date | None:
    """The day that many days after 1970; None outside of the years 1 to 9999."""
    first, last = DAYS_RANGE
    return date(1970, 1, 1) + timedelta(days=days) if first <= days <= last else None


def timestamp_of_millis(millis: int) -> datetime | None:
    """The instant that many milliseconds after 1970; None outside of the years 1 to 9999."""
    first, last = MILLIS_RANGE
    return _EPOCH + timedelta(milliseconds=millis) if first <= millis <= last else None


def millis_of_timestamp(value: datetime) -> int:
    """Milliseconds since 1970, towards the past where there is a finer fraction."""
    return (value - _EPOCH) // timedelta(milliseconds=1)


def parse_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def base64_text(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def parse_decimal(text: str, precision: int, scale: int) -> Decimal | None:
    """The number with `scale` digits after the point; None if that, or `precision` digits, cannot hold it exactly."""
    try:
        return fit_decimal(Decimal(text), precision, scale)
    except decimal.InvalidOperation:
        return None


def fit_decimal(value: Decimal, precision: int, scale: int) -> Decimal | None:
    """As parse_decimal. Digits are neither rounded nor cut off; zeros at the end may go."""
    if not value.is_finite():
        return None
    if not value:
        return Decimal(0).scaleb(-scale)
    # An exponent of a billion would be written out in full by what follows.
    if value.adjusted() >= precision - scale or len(value.as_tuple().digits) > _EXACT.prec:
        return None
    try:
        return value.quantize(Decimal(1).scaleb(-scale), context=_EXACT)
    except (decimal.InvalidOperation, decimal.Inexact):
        return None


def decimal_text(value: Decimal) -> str:
    """All digits, without exponent."""
    return format(value, "f")


def is_number(text: str) -> bool:
    """Whether the text is a number as JSON writes it."""
    return NUMBER.fullmatch(text) is not None
