"""The primitive types in JSON Schema: the keywords by which they are read and written."""

from __future__ import annotations

from decimal import Decimal as Number

from lsqlc.formats.schema_file import Part, Report
from lsqlc.types import data
from lsqlc.types.codec_json import Kind
from lsqlc.types.codec_text import INT_RANGE
from lsqlc.types.data import DataType, Decimal

# How texts stand for what JSON has no numbers for; as the codec writes them.
NOT_FINITE = "^(NaN|-?Infinity)$"
KEY_FORMATS: dict[str, DataType] = {
    "int32": data.INT, "int64": data.BIGINT, "float": data.FLOAT, "double": data.DOUBLE, "boolean": data.BOOLEAN,
    "date": data.DATE, "date-time": data.TIMESTAMP, "time-micros": data.TIME,
}  # fmt: skip

_STRINGS = {"date": data.DATE, "date-time": data.TIMESTAMP, "byte": data.BYTES}


def string(part: Part) -> DataType:
    """Return STRING, or the type of its format or encoding."""
    is_bytes = part.text_at("contentEncoding") == "base64"
    return data.BYTES if is_bytes else _STRINGS.get(part.text_at("format") or "", data.STRING)


def integer(part: Part) -> DataType:
    """Return INT by its bounds or format, else BIGINT."""
    format = part.text_at("format")
    if format == "time-micros":
        return data.TIME
    if format in ("int32", "int16", "int8"):
        return data.INT
    low = _bound(part, "minimum", "exclusiveMinimum")
    high = _bound(part, "maximum", "exclusiveMaximum")
    small = low is not None and high is not None and INT_RANGE[0] <= low and high <= INT_RANGE[1]
    return data.INT if small else data.BIGINT


def _bound(part: Part, *names: str) -> Number | None:
    """Return the first bound that is a number: exclusive bounds of draft 4 are true or false."""
    bounds = (part.get(name) for name in names)
    texts = (f.node.text for f in bounds if f is not None and f.kind is Kind.NUMBER)
    # A longer number is none that a bound of 64 bits could be compared to, and may be too large for Decimal.
    return next((Number(text) for text in texts if len(text) < 25 and "e" not in text.lower()), None)


def key(names: Part | None) -> DataType:
    """Return the type of a map's keys, which are strings in JSON."""
    if names is None:
        return data.STRING
    if names.text_at("contentEncoding") == "base64":
        return data.BYTES
    format = names.text_at("format") or ""
    precision, scale = names.integer_at("precision"), names.integer_at("scale")
    if format == "decimal" and precision is not None and scale is not None:
        return Decimal(precision, scale) if 1 <= precision <= 38 and 0 <= scale <= precision else data.STRING
    return KEY_FORMATS.get(format, data.STRING)


def number(part: Part, report: Report) -> DataType | None:
    """Return DOUBLE, FLOAT or DECIMAL by its format; None after a problem."""
    format = part.text_at("format")
    if format != "decimal" or part.get("precision") is None:
        return data.FLOAT if format == "float" else data.DOUBLE
    precision, scale = part.integer_at("precision"), part.integer_at("scale") if part.get("scale") else 0
    if precision is None or scale is None or not (1 <= precision <= 38 and 0 <= scale <= precision):
        place = part.get("precision") or part
        report.refused(place, "a decimal has a 'precision' of 1 to 38, and a 'scale' between 0 and that")
        return None
    return Decimal(precision, scale)
