"""Functions over dates and times by Spark's names, in UTC. Patterns are literals (see `date_patterns`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.lenses import date_forms as forms
from lsqlc.functions.lenses.dates import DATES
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, Render, ValueForm
from lsqlc.functions.sql.scalars import of
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, DATE, INT, TIMESTAMP, DataType

_TIME = Parameter("time", "timestamp")
_UNITS = {
    "YEAR": "year", "YYYY": "year", "YY": "year", "QUARTER": "quarter", "MONTH": "month", "MON": "month", "MM": "month",
    "WEEK": "week", "DAY": "day", "DD": "day", "HOUR": "hour", "MINUTE": "minute", "SECOND": "second",
    "MILLISECOND": "millisecond", "MICROSECOND": "microsecond",
}  # fmt: skip


def _cut(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return TIMESTAMP if str(literals[0]).upper() in _UNITS else None


def _cut_duckdb(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    return f"date_trunc('{_UNITS[str(values[0]).upper()]}', {texts[1]})"


def _milliseconds(engine: Engine) -> Render:
    return lambda texts, types: cast(engine, texts[0], TIMESTAMP, BIGINT)


def _moved(sign: str) -> Callable[[Engine], Render]:
    """Return the form of a date that is shifted by days; null outside of the years 1 to 9999."""

    def form(engine: Engine) -> Render:
        def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
            date, count = texts[0], f"cast({texts[1]} as bigint)"
            number = f"(({date}) - date '1970-01-01')" if engine == "duckdb" else f"unix_date({date})"
            return forms.days(engine)([f"({number} {sign} {count})"], [BIGINT])

        return render

    return form


def _days(name: str, alias: tuple[str, ...], sign: str, words: str) -> Function:
    form = _moved(sign)
    return Function(
        name, (Parameter("date", "date"), Parameter("days", "index")), always(DATE), form("duckdb"), form("spark"),
        f"the date so many days {words}", aliases=alias, nulls=Nulls.MAY,
    )  # fmt: skip


TIMES: tuple[Function, ...] = (
    *(of(DATES, name) for name in ("YEAR", "QUARTER", "MONTH")),
    of(DATES, "WEEK", "WEEKOFYEAR"),
    of(DATES, "DAY", aliases=("DAYOFMONTH",)),
    *(of(DATES, name) for name in ("HOUR", "MINUTE", "SECOND")),
    Function(
        "DAYOFWEEK",
        (_TIME,),
        always(INT),
        "cast(dayofweek({0}) + 1 as integer)",
        "dayofweek({0})",
        "the day of the week, 1 for Sunday",
    ),
    Function(
        "WEEKDAY",
        (_TIME,),
        always(INT),
        "cast(isodow({0}) - 1 as integer)",
        "weekday({0})",
        "the day of the week, 0 for Monday",
    ),
    Function(
        "DAYOFYEAR",
        (_TIME,),
        always(INT),
        "cast(dayofyear({0}) as integer)",
        "dayofyear({0})",
        "the day of the year, from 1",
    ),
    Function(
        "LAST_DAY",
        (Parameter("date", "date"),),
        always(DATE),
        "last_day({0})",
        "last_day({0})",
        "the last day of the month",
    ),
    Function(
        "DATEDIFF",
        (Parameter("end", "date"), Parameter("start", "date")),
        always(INT),
        "cast({0} - {1} as integer)",
        "datediff({0}, {1})",
        "the days from `start` to `end`",
        aliases=("DATE_DIFF",),
    ),
    _days("DATE_ADD", ("DATEADD",), "+", "later"),
    _days("DATE_SUB", (), "-", "earlier"),
    Function(
        "DATE_TRUNC",
        (Parameter("unit", "string", literal=True), _TIME),
        _cut,
        ValueForm(_cut_duckdb),
        "date_trunc({0}, {1})",
        f"the start of the unit that a time is in; the units are {', '.join(_UNITS)}",
    ),
    of(DATES, "FORMAT_TIMESTAMP", "DATE_FORMAT"),
    of(DATES, "PARSE_TIMESTAMP_MICROS", "TO_TIMESTAMP",
       aliases=("TRY_TO_TIMESTAMP", "TO_TIMESTAMP_LTZ", "TO_TIMESTAMP_NTZ")),
    of(DATES, "PARSE_DATE", "TO_DATE", aliases=("TRY_TO_DATE",)),
    Function(
        "UNIX_MILLIS", (_TIME,), always(BIGINT), _milliseconds("duckdb"), _milliseconds("spark"),
        "the time as epoch milliseconds",
    ),
    of(DATES, "TIMESTAMP_MILLIS"),
)  # fmt: skip
