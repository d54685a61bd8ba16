"""Dates and times by a pattern, on both engines: Python forms for DuckDB, and a checked text for Spark."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.forms.date_patterns import formatted, has_offset, of_spark, parse, regex
from lsqlc.functions.signature import PythonForm, Render, ValueForm
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, STRING, TIMESTAMP, DataType, is_integer

PARSE = PythonForm("lsqlc_parse_time", parse, ("VARCHAR", "VARCHAR"), "TIMESTAMP")
FORMAT = PythonForm("lsqlc_format_time", formatted, ("TIMESTAMP", "VARCHAR"), "VARCHAR")

_EPOCH = datetime.date(1970, 1, 1)
# The days and the microseconds of the years 1 to 9999, the range of both engines and Python.
_FIRST_DAY, _LAST_DAY = (datetime.date.min - _EPOCH).days, (datetime.date.max - _EPOCH).days
_DAY = 86_400_000_000
_FIRST, _LAST = _FIRST_DAY * _DAY, (_LAST_DAY + 1) * _DAY - 1


def read(engine: Engine, text: str, pattern: str) -> str:
    """Return the SQL text of the TIMESTAMP in `text`, an expression, by a pattern; null if it does not match."""
    if engine == "duckdb":
        return PARSE.call([text, engines.text(engine, pattern)])
    letters = engines.text(engine, of_spark(pattern))
    # Java reads more texts than DuckDB. An empty text does not match any pattern.
    guard = engines.text(engine, rf"\A(?:{regex(pattern)})\z")
    time = f"try_to_timestamp(regexp_extract({text}, {guard}, 0), {letters})"
    if not has_offset(pattern):
        return time
    # An offset can lead out of the range of years.
    inside = f"t -> unix_micros(t) between {_FIRST}L and {_LAST}L"
    return f"get(filter(array({time}), {inside}), 0)"


def written(engine: Engine, time: str, pattern: str) -> str:
    """Return the SQL text for the text of a TIMESTAMP by a pattern."""
    if engine == "duckdb":
        return FORMAT.call([time, engines.text(engine, pattern)])
    return f"date_format({time}, {engines.text(engine, of_spark(pattern))})"


def instant(engine: Engine, sql: str, type: DataType) -> str:
    """Return the SQL text of a TIMESTAMP from a DATE, a TIMESTAMP, epoch milliseconds or a text in ISO format."""
    if is_integer(type):
        return cast(engine, cast(engine, sql, type, BIGINT), BIGINT, TIMESTAMP)
    return cast(engine, sql, type, TIMESTAMP)


def time_of_day(engine: Engine, time: str) -> str:
    """Return the SQL text of a TIMESTAMP's microseconds since midnight."""
    if engine == "spark":
        return f"pmod(unix_micros({time}), {_DAY}L)"
    return f"((epoch_us({time}) % {_DAY} + {_DAY}) % {_DAY})"


def reads(engine: Engine, template: str = "{}") -> ValueForm:
    """Return a form over (text, pattern). The template converts the resulting time."""
    return ValueForm(lambda texts, types, values: template.format(read(engine, texts[0], str(values[1]))))


def reads_time(engine: Engine, unit: int = 1) -> ValueForm:
    """Return a form over (text, pattern): the time of day in whole `unit` microseconds, in microseconds."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        time = time_of_day(engine, read(engine, texts[0], str(values[1])))
        if unit == 1:
            return time
        return f"({time} // {unit} * {unit})" if engine == "duckdb" else f"(({time}) div {unit} * {unit})"

    return ValueForm(render)


def writes(engine: Engine) -> ValueForm:
    """Return a form over (time, pattern)."""
    return ValueForm(lambda texts, types, values: written(engine, instant(engine, texts[0], types[0]), str(values[1])))


def writes_time(engine: Engine) -> ValueForm:
    """Return a form over (microseconds since midnight, pattern)."""
    name = "make_timestamp" if engine == "duckdb" else "timestamp_micros"
    return ValueForm(lambda texts, types, values: written(engine, f"{name}({texts[0]})", str(values[1])))


def converts(engine: Engine) -> ValueForm:
    """Return a form over (text, pattern to read it, pattern to write it)."""
    return ValueForm(
        lambda texts, types, values: written(engine, read(engine, texts[0], str(values[1])), str(values[2]))
    )


def to_instant(engine: Engine) -> ValueForm:
    """Return a form over (text, pattern), only a text, or epoch milliseconds."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        if len(texts) == 2 and types[0] == STRING:
            return read(engine, texts[0], str(values[1]))
        return instant(engine, texts[0], types[0])

    return ValueForm(render)


def days(engine: Engine) -> Render:
    """Return a form over days since 1970."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        inside = f"case when {texts[0]} between {_FIRST_DAY} and {_LAST_DAY} then {texts[0]} end"
        if engine == "spark":
            return f"date_from_unix_date(cast({inside} as int))"
        return f"(date '1970-01-01' + cast({inside} as integer))"

    return render


def micros(engine: Engine) -> Render:
    """Return a form over microseconds since 1970."""
    name = "make_timestamp" if engine == "duckdb" else "timestamp_micros"
    return lambda texts, types: f"{name}(case when {texts[0]} between {_FIRST} and {_LAST} then {texts[0]} end)"


def of_day(engine: Engine, unit: int) -> Render:
    """Return a form over a number of `unit` microseconds: the remainder after whole days, in microseconds."""
    whole = _DAY // unit
    if engine == "spark":
        return lambda texts, types: f"(pmod({texts[0]}, {whole}L) * {unit}L)"
    return lambda texts, types: f"((({texts[0]}) % {whole} + {whole}) % {whole} * {unit})"
