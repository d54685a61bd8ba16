"""Casts in Python that DuckDB does not do as Spark does."""

from __future__ import annotations

import datetime
import decimal
import math
import re
import struct

from lsqlc.functions.forms.time_zones import SHORT_ZONES, time_zone
from lsqlc.functions.signature import PythonForm

_WIDE = decimal.Context(prec=400, rounding=decimal.ROUND_HALF_UP, Emax=999999, Emin=-999999)
# Java strips these characters from both ends of a string before it reads a number. For other types Spark strips one
# more.
_STRIPPED_NUMBER = "".join(map(chr, range(0x21)))
_STRIPPED = _STRIPPED_NUMBER + "\x7f"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?", re.ASCII)
# Digits of any script, as in Java.
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_HEX = re.compile(r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[dDfF]?", re.ASCII)
_ONE_DIGIT = re.compile(r"-?[0-9](\.0)?e[+-][0-9]+")
_INFINITY = re.compile(r"([+-]?)inf(inity)?", re.IGNORECASE)
_DATE = re.compile(r"\+?([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL | re.ASCII)
_TIMESTAMP = re.compile(
    r"\+?([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})"
    r"(?:[ T]([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?\s*(.*))?)?)?)?)?",
    re.ASCII,
)
# Spark completes these by today's date: a time of day alone, and names of days.
_OF_TODAY = re.compile(r"T?[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}.*)?|T[0-9]{1,2}", re.ASCII)
_NAMED_DAY = re.compile(r"(today|now|yesterday|tomorrow)(\s.*)?", re.ASCII | re.IGNORECASE)
_FIRST = (1, 1, 1, 0, 0, 0)
_SINGLE_DIGITS = re.compile(r"((?:UTC|GMT|UT)?[+-])([0-9]{1,2}):([0-9]{1,2})(:[0-9]{2})?", re.ASCII)


def boolean(text: str) -> bool | None:
    """Return the BOOLEAN that Spark reads: `t`, `true`, `y`, `yes`, `1` and their opposites, in any case."""
    word = text.strip(_STRIPPED).lower()
    if word in ("t", "true", "y", "yes", "1"):
        return True
    return False if word in ("f", "false", "n", "no", "0") else None


def double(text: str) -> str | None:
    """Return a DOUBLE as Java reads it, as text for DuckDB: `1e3`, `.5`, `1d`, `0x1p3`, `NaN`, `Infinity`.

    DuckDB takes a NaN that a Python function returns for null.
    """
    word = text.strip(_STRIPPED_NUMBER)
    if _NUMBER.fullmatch(word):
        return repr(float(word.rstrip("dDfF")))
    infinity = _INFINITY.fullmatch(word)
    if infinity:
        return f"{infinity[1]}inf"
    if word.lower() == "nan":
        return "nan"
    if _HEX.fullmatch(word):
        mantissa, exponent = re.split("[pP]", word)
        return repr(float.fromhex(f"{mantissa}p{exponent.rstrip('dDfF')}"))
    return None


def fixed(text: str, precision: int, scale: int) -> str | None:
    """Return the text of a number rounded half away from zero to DECIMAL(precision, scale), None if it does not fit."""
    word = text.strip(_STRIPPED_NUMBER)
    match = _PLAIN_NUMBER.fullmatch(word)
    if not match or (match[2] and not _is_exponent(match[2][1:])):
        return None
    number = decimal.Decimal(word)
    # This also keeps a huge exponent from making a huge text.
    if number and number.adjusted() >= precision - scale:
        return None
    if number and number.adjusted() < -scale - 1:
        number = decimal.Decimal(0)
    rounded = number.quantize(decimal.Decimal(1).scaleb(-scale), context=_WIDE)
    return format(rounded, "f") if not rounded or rounded.adjusted() < precision - scale else None


def _is_exponent(text: str) -> bool:
    """Return whether Java accepts the digits of an exponent: they must fit into an INT."""
    return len(text.lstrip("+-0")) <= 10 and abs(int(text.lstrip("+-0") or "0")) < 2**31


def date_text(text: str) -> str | None:
    """Return a date as ISO text, as Spark reads it: `2013`, `2013-1`, `2013-1-5` and anything after a `T` or a
    space.
    """
    match = _DATE.fullmatch(text.strip(_STRIPPED))
    return _iso_date(match[1], match[2] or "1", match[3] or "1") if match else None


def timestamp_text(text: str) -> str | None:
    """Return a timestamp as ISO text in UTC, as Spark reads it, with an optional time and offset."""
    match = _TIMESTAMP.fullmatch(text.strip(_STRIPPED))
    if not match:
        return None
    parts = zip(match.groups()[:6], _FIRST, strict=True)
    year, month, day, hour, minute, second = (int(part) if part else default for part, default in parts)
    micros = int(f"{(match[7] or '')[:6]:0<6}")
    zone = _zone(match[8] or "")
    if zone is None:
        return None
    try:
        local = datetime.datetime(year, month, day, hour, minute, second, micros, zone)
        return local.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(" ")
    except (ValueError, OverflowError):
        return None


def needs_clock(text: str, has_time: bool) -> bool:
    """Return whether Spark reads a text by the clock: as a date, or with `has_time` as a time."""
    word = text.strip(_STRIPPED)
    return _NAMED_DAY.fullmatch(word) is not None or (has_time and _OF_TODAY.fullmatch(word) is not None)


def _iso_date(year: str, month: str, day: str) -> str | None:
    if not (1 <= int(year) <= 9999 and 1 <= int(month) <= 12 and int(day) >= 1):
        return None
    return f"{int(year):04}-{int(month):02}-{int(day):02}"


def _zone(zone: str) -> datetime.tzinfo | None:
    """Return the time zone at the end of a timestamp: a text for `java.time.ZoneId`, or an offset of single digits."""
    if not zone:
        return datetime.UTC
    single = _SINGLE_DIGITS.fullmatch(zone)
    if single:
        zone = f"{single[1]}{single[2]:0>2}:{single[3]:0>2}{single[4] or ''}"
    return time_zone(SHORT_ZONES.get(zone, zone))


def double_text(value: float) -> str:
    """Return the text of `Double.toString` of Java 19 and newer: the shortest digits that give the same number."""
    shortest = repr(value)
    # Java writes at least two digits, and takes the nearest two: the smallest DOUBLE is 4.9E-324 and not 5.0E-324.
    return _java(value, f"{value:.1e}" if _ONE_DIGIT.fullmatch(shortest) else shortest)


def float_text(value: float) -> str:
    """Return the text of `Float.toString` of Java 19 and newer: the shortest digits that give the same 32-bit
    number.
    """
    if not math.isfinite(value) or value == 0:
        return _java(value, repr(value))
    exact = decimal.Decimal(value)
    # Java writes at least two digits. Nine digits distinguish all FLOATs.
    for digits in range(2, 10):
        unit = decimal.Decimal(1).scaleb(exact.adjusted() - digits + 1)
        # The nearest decimal may be outside the interval that rounds to this number, which is narrower below a power of
        # two.
        both = [exact.quantize(unit, rounding, _WIDE) for rounding in (decimal.ROUND_FLOOR, decimal.ROUND_CEILING)]
        both.sort(key=lambda near: (_WIDE.abs(_WIDE.subtract(near, exact)), near.as_tuple().digits[-1] % 2))
        for near in both:
            if _is_float(near, value):
                return _java(value, str(near))
    raise AssertionError(f"nine digits tell {value!r} from all other FLOATs")


def _is_float(near: decimal.Decimal, value: float) -> bool:
    """Return whether a decimal rounds to a 32-bit number, half to even."""
    try:
        return bool(struct.unpack("f", struct.pack("f", near))[0] == value)
    except OverflowError:
        return False


def _java(value: float, shortest: str) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return f"{sign}0.0"
    _, digits, exponent = decimal.Decimal(shortest).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).rstrip("0")
    power = len(digits) + exponent - 1
    if -3 <= power < 7:
        plain = format(decimal.Decimal(shortest).copy_abs().normalize(), "f")
        return sign + (plain if "." in plain else f"{plain}.0")
    return f"{sign}{text[0]}.{text[1:] or '0'}E{power}"


BOOLEAN = PythonForm("lsqlc_boolean", boolean, ("VARCHAR",), "BOOLEAN")
DOUBLE = PythonForm("lsqlc_double", double, ("VARCHAR",), "VARCHAR")
DECIMAL = PythonForm("lsqlc_decimal", fixed, ("VARCHAR", "INTEGER", "INTEGER"), "VARCHAR")
DATE = PythonForm("lsqlc_date", date_text, ("VARCHAR",), "VARCHAR")
TIMESTAMP = PythonForm("lsqlc_timestamp", timestamp_text, ("VARCHAR",), "VARCHAR")
DOUBLE_TEXT = PythonForm("lsqlc_double_text", double_text, ("DOUBLE",), "VARCHAR")
FLOAT_TEXT = PythonForm("lsqlc_float_text", float_text, ("FLOAT",), "VARCHAR")

FORMS = (BOOLEAN, DOUBLE, DECIMAL, DATE, TIMESTAMP, DOUBLE_TEXT, FLOAT_TEXT)
