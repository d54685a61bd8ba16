"""Functions over dates, times and timestamps, in UTC and in English. WEEK is ISO's. A DATE is its midnight.

A pattern is a literal (see `date_patterns`). A text that does not match it, or a time outside of the years 1 to 9999,
gives null. A TIME is its microseconds since midnight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsqlc.functions.lenses import date_forms as forms
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import DATE, INT, NULL, STRING, TIME, TIMESTAMP, DataType

_TIME = (Parameter("time", "timestamp"),)
_TEXT = Parameter("text", "string")
_READ = Parameter("pattern", "pattern that reads", literal=True)
_WRITE = Parameter("pattern", "pattern that writes", literal=True)


def _part(name: str, doc: str, engine_name: str = "") -> Function:
    function = engine_name or name.lower()
    return Function(name, _TIME, always(INT), f"cast({function}({{0}}) as integer)", f"{function}({{0}})", doc)


def _now(name: str, form: str, doc: str, aliases: tuple[str, ...] = ()) -> Function:
    return Function(name, (), always(TIMESTAMP), form, form, doc, aliases=aliases, nulls=Nulls.NEVER, clock=True)


def _pattern(
    name: str,
    parameters: tuple[Parameter, ...],
    result: DataType,
    form: Callable[[Engine], Render | ValueForm],
    doc: str,
    *uses: PythonForm,
    nulls: Nulls = Nulls.MAY,
) -> Function:
    return Function(name, parameters, always(result), form("duckdb"), form("spark"), doc, nulls=nulls, uses=uses)


def _cut(unit: str) -> Callable[[Engine], ValueForm]:
    return lambda engine: forms.reads(engine, f"date_trunc('{unit}', {{}})")


def _instant(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return TIMESTAMP; None for a pattern with an argument that is not a text."""
    return TIMESTAMP if len(types) == 1 or types[0] in (STRING, NULL) else None


DATES: tuple[Function, ...] = (
    _part("YEAR", "the year"),
    _part("QUARTER", "the quarter of the year, 1 to 4"),
    _part("MONTH", "the month, 1 to 12"),
    Function(
        "MONTH_TEXT", _TIME, always(STRING), "monthname({0})", "date_format({0}, 'MMMM')",
        "the English name of the month",
    ),
    _part("WEEK", "the ISO week of the year, which starts on Monday", "weekofyear"),
    _part("DAY", "the day of the month"),
    _part("HOUR", "the hour, 0 to 23"),
    _part("MINUTE", "the minute"),
    _part("SECOND", "the second, without its fraction"),
    _now("NOW", "{now}", "the time of evaluation", aliases=("DATETIME",)),
    _now("TODAY", "date_trunc('day', {now})", "the start of the day of evaluation; DATE() means it too"),
    _now("YESTERDAY", "({now} - interval 24 hours)", "24 hours before the time of evaluation"),
    _now("TOMORROW", "({now} + interval 24 hours)", "24 hours after the time of evaluation"),
    _pattern(
        "CONVERT_DATETIME", (_TEXT, Parameter("from", "pattern that reads", literal=True),
                             Parameter("to", "pattern that writes", literal=True)),
        STRING, forms.converts, "the date and time that a text says in one pattern, as another writes it",
        forms.PARSE, forms.FORMAT,
    ),
    _pattern(
        "DATE_TO_STR", (Parameter("time", "instant"), _WRITE), STRING, forms.writes,
        "a date, a timestamp or epoch milliseconds, as the pattern writes them", forms.FORMAT,
    ),
    _pattern(
        "FORMAT_DATE", (*_TIME, _WRITE), STRING, forms.writes, "a date, as the pattern writes it", forms.FORMAT,
        nulls=Nulls.PROPAGATE,
    ),
    _pattern(
        "FORMAT_TIMESTAMP", (*_TIME, _WRITE), STRING, forms.writes, "a timestamp, as the pattern writes it",
        forms.FORMAT, nulls=Nulls.PROPAGATE,
    ),
    _pattern(
        "FORMAT_TIME", (Parameter("time", "time"), Parameter("pattern", "pattern of a time", literal=True)), STRING,
        forms.writes_time, "a time of the day, as the pattern writes it", forms.FORMAT, nulls=Nulls.PROPAGATE,
    ),
    _pattern(
        "TO_DATE", (_TEXT, _READ), TIMESTAMP, _cut("day"),
        "the start of the day that a text says in the pattern", forms.PARSE,
    ),
    _pattern(
        "TO_DATETIME", (_TEXT, _READ), TIMESTAMP, forms.reads, "the timestamp that a text says in the pattern",
        forms.PARSE,
    ),
    Function(
        "TO_TIMESTAMP", (Parameter("time", "text or milliseconds"),
                         Parameter("pattern", "pattern that reads", literal=True, optional=True)),
        _instant, forms.to_instant("duckdb"), forms.to_instant("spark"),
        "the timestamp of epoch milliseconds, or that a text says in the pattern (without one, in ISO's form)",
        nulls=Nulls.MAY, uses=(forms.PARSE,),
    ),
    _pattern(
        "PARSE_DATE", (_TEXT, _READ), DATE, lambda engine: forms.reads(engine, "cast({} as date)"),
        "the date that a text says in the pattern", forms.PARSE,
    ),
    _pattern(
        "PARSE_TIMESTAMP_MILLIS", (_TEXT, _READ), TIMESTAMP, _cut("millisecond"),
        "the timestamp that a text says in the pattern, to the millisecond", forms.PARSE,
    ),
    _pattern(
        "PARSE_TIMESTAMP_MICROS", (_TEXT, _READ), TIMESTAMP, forms.reads,
        "the timestamp that a text says in the pattern, to the microsecond", forms.PARSE,
    ),
    _pattern(
        "PARSE_TIME_MILLIS", (_TEXT, _READ), TIME, lambda engine: forms.reads_time(engine, 1000),
        "the time of the day that a text says in the pattern, to the millisecond", forms.PARSE,
    ),
    _pattern(
        "PARSE_TIME_MICROS", (_TEXT, _READ), TIME, forms.reads_time,
        "the time of the day that a text says in the pattern, to the microsecond", forms.PARSE,
    ),
    Function(
        "EXTRACT_DATE", _TIME, always(DATE), "cast({0} as date)", "cast({0} as date)", "the date of a timestamp",
    ),
    Function(
        "EXTRACT_TIME", _TIME, always(TIME), forms.time_of_day("duckdb", "{0}"), forms.time_of_day("spark", "{0}"),
        "the time of the day of a timestamp",
    ),
    Function(
        "DATE", (Parameter("days", "integer"),), always(DATE), forms.days("duckdb"), forms.days("spark"),
        "the date that is so many days after 1970-01-01", nulls=Nulls.MAY, bare="TODAY",
    ),
    Function(
        "TIMESTAMP_MILLIS", (Parameter("millis", "integer"),), always(TIMESTAMP), forms.to_instant("duckdb"),
        forms.to_instant("spark"), "the timestamp of epoch milliseconds", nulls=Nulls.MAY,
    ),
    Function(
        "TIMESTAMP_MICROS", (Parameter("micros", "integer"),), always(TIMESTAMP), forms.micros("duckdb"),
        forms.micros("spark"), "the timestamp of epoch microseconds", nulls=Nulls.MAY,
    ),
    Function(
        "TIME_MILLIS", (Parameter("millis", "integer"),), always(TIME), forms.of_day("duckdb", 1000),
        forms.of_day("spark", 1000), "the time of the day of epoch milliseconds",
    ),
    Function(
        "TIME_MICROS", (Parameter("micros", "integer"),), always(TIME), forms.of_day("duckdb", 1),
        forms.of_day("spark", 1), "the time of the day of epoch microseconds",
    ),
)  # fmt: skip
