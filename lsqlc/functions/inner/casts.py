"""Casts that differ in Spark SQL from the other dialects: texts are stripped of blanks, and TIMESTAMPs are seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsqlc.functions.forms import cast_forms
from lsqlc.functions.forms.casts import cast
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm
from lsqlc.types.data import BIGINT, DATE, DOUBLE, INT, TIMESTAMP, DataType, Decimal, is_integer

_TEXT = Parameter("text", "string")
# Spark strips these characters from both ends of a text.
_BLANK = r"[\x00-\x20\x7f]*"
_INTEGER = rf"\A{_BLANK}([+-]?[0-9]+){_BLANK}\z"
# A year of 1 to 9999 may have leading zeros, up to seven digits. All other texts that Spark reads depend on the clock.
_FROM_YEAR = rf"(?s)\A{_BLANK}(?:[+]?0{{0,3}}(?!0000)[0-9]{{4}}(?![0-9]).*|(?i:epoch){_BLANK}\z)"
_ZEROS = re.compile(r"\A([\x00-\x20\x7f]*\+?)0{1,3}(?=[0-9]{4}(?![0-9]))", re.ASCII)
_EPOCH = re.compile(r"[\x00-\x20\x7f]*epoch[\x00-\x20\x7f]*", re.ASCII | re.IGNORECASE)
_MICROS = 1_000_000
# The seconds of the years 1 to 9999; the last is exclusive.
_FIRST, _LAST = -62_135_596_800, 253_402_300_800


def date_text(text: str) -> str | None:
    """Return a date as ISO text, as Spark reads it."""
    return cast_forms.date_text(_usual(text))


def timestamp_text(text: str) -> str | None:
    """Return a timestamp as ISO text in UTC, as Spark reads it."""
    return cast_forms.timestamp_text(_usual(text))


def _usual(text: str) -> str:
    """Return the text of a time with a year of four digits."""
    return "1970-01-01" if _EPOCH.fullmatch(text) else _ZEROS.sub(r"\1", text, count=1)


_DATE = PythonForm("lsqlc_sql_date", date_text, ("VARCHAR",), "VARCHAR")
_TIMESTAMP = PythonForm("lsqlc_sql_timestamp", timestamp_text, ("VARCHAR",), "VARCHAR")


def _integer_of_text(type: DataType, duckdb: str) -> Function:
    return Function(
        f"{type}_OF_TEXT", (_TEXT,), always(type), f"try_cast(regexp_extract({{0}}, '{_INTEGER}', 1) as {duckdb})",
        f"try_cast({{0}} as {duckdb})", "the integer that a text with blanks around it says", nulls=Nulls.MAY,
    )  # fmt: skip


def _time_of_text(type: DataType, form: PythonForm) -> Function:
    return Function(
        f"{type}_OF_TEXT", (_TEXT,), always(type), f"try_cast({form.call(['{0}'])} as {type})",
        lambda texts, types: f"try_cast(regexp_extract({texts[0]}, r'{_FROM_YEAR}', 0) as {type})",
        "the date or the time that a text with a year says", nulls=Nulls.MAY, uses=(form,),
    )  # fmt: skip


def _duckdb_of_seconds(texts: Sequence[str], types: Sequence[DataType]) -> str:
    (number,), (type,) = texts, types
    micros = f"trunc(n.s * {_MICROS})"
    if is_integer(type):
        micros = f"n.s::bigint * {_MICROS}"
    elif isinstance(type, Decimal):
        number = cast("duckdb", number, type, Decimal(38, min(type.scale, 20)))
    else:
        number = cast("duckdb", number, type, DOUBLE)
    timestamp = f"case when n.s >= {_FIRST} and n.s < {_LAST} then make_timestamp(cast({micros} as bigint)) end"
    return f"list_transform([{{'s': {number}}}], lambda n: {timestamp})[1]"


def _spark_of_seconds(texts: Sequence[str], types: Sequence[DataType]) -> str:
    number = texts[0]
    return f"try_cast(case when {number} >= {_FIRST} and {number} < {_LAST} then {number} end as timestamp)"


CASTS: tuple[Function, ...] = (
    _integer_of_text(INT, "int"),
    _integer_of_text(BIGINT, "bigint"),
    _time_of_text(DATE, _DATE),
    _time_of_text(TIMESTAMP, _TIMESTAMP),
    Function("TIMESTAMP_OF_SECONDS", (Parameter("number", "number"),), always(TIMESTAMP), _duckdb_of_seconds,
             _spark_of_seconds, "the time so many seconds after 1970, to whole microseconds", nulls=Nulls.MAY),
    Function("SECONDS", (Parameter("time", "timestamp"),), always(DOUBLE), "(epoch_us({0}) / 1000000)",
             "cast({0} as double)", "the seconds from 1970 to a time, with their parts"),
)  # fmt: skip
OF_TEXT = {type: f"inner.{type}_OF_TEXT" for type in (INT, BIGINT, DATE, TIMESTAMP)}
