"""Functions over dates and times by Spark's names, in addition to those of `times`: parts, epochs and months,
in UTC.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal as Number

from msgspec.structs import replace

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.ksql.times import DATE_FUNCTIONS
from lsqlc.functions.lenses import date_forms as forms
from lsqlc.functions.lenses.dates import DATES
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, Result, ValueForm
from lsqlc.functions.sql.scalars import of
from lsqlc.functions.sql.times import TIMES
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, DATE, DOUBLE, INT, NULL, STRING, TIMESTAMP, DataType, Decimal

_TIME, _DATE = Parameter("time", "timestamp"), Parameter("date", "date")
_SECOND = 1_000_000
# Microseconds.
_LENGTHS = {
    "MICROSECOND": 1, "MILLISECOND": 1_000, "SECOND": _SECOND, "MINUTE": 60 * _SECOND, "HOUR": 3_600 * _SECOND,
    "DAY": 86_400 * _SECOND, "WEEK": 604_800 * _SECOND,
}  # fmt: skip
_SECOND_TYPE = Decimal(8, 6)
# The words for each part, the first of which is Spark's function, and the forms of parts without a function.
_WORDS = {
    "YEAR": ("Y", "YEARS", "YR", "YRS"), "QUARTER": ("QTR",), "MONTH": ("MON", "MONS", "MONTHS"),
    "WEEKOFYEAR": ("WEEK", "W", "WEEKS"), "DAY": ("D", "DAYS"), "DAYOFWEEK": ("DOW",), "DAYOFYEAR": ("DOY",),
    "HOUR": ("H", "HOURS", "HR", "HRS"), "MINUTE": ("M", "MIN", "MINS", "MINUTES"),
}  # fmt: skip
_OTHER_PARTS = {
    "YEAROFWEEK": ("cast(isoyear({0}) as integer)", "extract(YEAROFWEEK FROM {0})"),
    "DAYOFWEEK_ISO": ("cast(isodow({0}) as integer)", "(weekday({0}) + 1)"),
    "SECOND": ("cast(microsecond({0}) / 1000000.0 as decimal(8,6))", "extract(SECOND FROM {0})"),
}
_PARTS: Mapping[str, str] = {
    **{word: name for name, words in _WORDS.items() for word in (name, *words)},
    **{name: name for name in _OTHER_PARTS}, "DOW_ISO": "DAYOFWEEK_ISO",
    **dict.fromkeys(("S", "SEC", "SECS", "SECONDS"), "SECOND"),
}  # fmt: skip
_CUTS = {"YEAR": "year", "YYYY": "year", "YY": "year", "QUARTER": "quarter", "MONTH": "month", "MON": "month",
         "MM": "month", "WEEK": "week"}  # fmt: skip
_WEEK = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
_LIMIT = 10**12


def months_between(one: datetime.datetime, other: datetime.datetime, rounds: bool) -> float:
    """Return the months between two times, to eight places or exactly.

    They are whole months between equal days of months, or two last days. Otherwise a month has 31 days.
    """
    months = (one.year - other.year) * 12 + one.month - other.month
    if one.day == other.day or (_is_last(one) and _is_last(other)):
        return float(months)
    seconds = (one.day - other.day) * 86_400 + _seconds(one) - _seconds(other)
    exact = months + seconds / (31.0 * 86_400)
    return math.floor(exact * 1e8 + 0.5) / 1e8 if rounds else exact


def made_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: str) -> datetime.datetime | None:
    """Return a timestamp, None if it is invalid; 60 seconds are the next minute."""
    micros = int(Number(second) * _SECOND)
    if not 0 <= micros <= 60 * _SECOND:
        return None
    try:
        time = datetime.datetime(year, month, day, hour, minute) + datetime.timedelta(microseconds=micros)
    except (ValueError, OverflowError):
        return None
    return time


_MAKE = PythonForm("lsqlc_sql_make_timestamp", made_timestamp, (*["INTEGER"] * 5, "VARCHAR"), "TIMESTAMP")


def _made(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        second = cast(engine, texts[5], types[5], Decimal(16, 6)) if types[5] != NULL else texts[5]
        if engine == "duckdb":
            return _MAKE.call([*texts[:5], f"cast({second} as varchar)"])
        return f"case when {texts[0]} between 1 and 9999 then try_make_timestamp({', '.join([*texts[:5], second])}) end"

    return render


def _is_last(time: datetime.datetime) -> bool:
    return time.month != (time.date() + datetime.timedelta(1)).month if time.date() < datetime.date.max else True


def _seconds(time: datetime.datetime) -> int:
    return time.hour * 3600 + time.minute * 60 + time.second


_MONTHS = PythonForm("lsqlc_sql_months_between", months_between, ("TIMESTAMP", "TIMESTAMP", "BOOLEAN"), "DOUBLE")
# The number of the resulting month, counted from the year 0; the years are 1 to 9999.
_MONTH = "(cast(year({0}) as bigint) * 12 + month({0}) - 1 + {1})"


def _in_years(form: str) -> str:
    return f"case when {_MONTH} between 12 and 119999 then {form} end"


# The valid dates of the years 1 to 9999.
_LEAP = "({0} % 4 = 0 and ({0} % 100 <> 0 or {0} % 400 = 0))"
_LAST = f"(case when {{1}} in (4, 6, 9, 11) then 30 when {{1}} <> 2 then 31 when {_LEAP} then 29 else 28 end)"
_IS_DATE = f"{{0}} between 1 and 9999 and {{1}} between 1 and 12 and {{2}} between 1 and {_LAST}"


def _literal(names: Collection[str], type: DataType, place: int) -> Result:
    """Return a result type for a literal that is one of these names, in upper case."""

    def result(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
        return type if str(literals[place]).upper() in names else None

    return result


def _part(engine: Engine) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        part = _PARTS[str(values[0]).upper()]
        if part in _OTHER_PARTS:
            return _OTHER_PARTS[part][engine == "spark"].format(texts[1])
        function = next(f for f in TIMES if f.name == part)
        form = function.duckdb if engine == "duckdb" else function.spark
        assert isinstance(form, str)
        return form.format(texts[1])

    return ValueForm(render)


def _part_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    part = _PARTS.get(str(literals[0]).upper())
    return None if part is None else _SECOND_TYPE if part == "SECOND" else INT


def _cut(engine: Engine) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        unit = _CUTS[str(values[1]).upper()]
        return (
            f"cast(date_trunc('{unit}', {texts[0]}) as date)" if engine == "duckdb" else f"trunc({texts[0]}, '{unit}')"
        )

    return ValueForm(render)


_DAYS = frozenset(name[:size] for name in _WEEK for size in (2, 3, len(name)))


def _next_day(engine: Engine) -> ValueForm:
    """Return the form of a day that is 1 to 7 days later; null beyond the year 9999."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        weekday = next(i for i, name in enumerate(_WEEK) if name.startswith(str(values[1]).upper()))
        number, day = (
            (f"({texts[0]} - date '1970-01-01')", f"isodow({texts[0]}) - 1")
            if engine == "duckdb"
            else (f"unix_date({texts[0]})", f"weekday({texts[0]})")
        )
        return forms.days(engine)([f"({number} + ({weekday} - ({day}) + 6) % 7 + 1)"], [BIGINT])

    return ValueForm(render)


def _of_seconds(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        # Far beyond the last year, and far below the largest BIGINT.
        near = f"(case when {texts[0]} between -{_LIMIT} and {_LIMIT} then {texts[0]} end)"
        return forms.micros(engine)([f"({near} * {_SECOND})"], [BIGINT])

    return render


def _written(engine: Engine) -> ValueForm:
    return ValueForm(
        lambda texts, types, values: forms.written(engine, _of_seconds(engine)(texts[:1], types[:1]), str(values[1]))
    )


def whole_months(start: datetime.datetime, end: datetime.datetime) -> int:
    """Return the number of whole months between two times."""
    months = (end.year - start.year) * 12 + end.month - start.month
    rest = (end.day, end.time()), (start.day, start.time())
    if months > 0 and rest[0] < rest[1]:
        return months - 1
    return months + 1 if months < 0 and rest[0] > rest[1] else months


_WHOLE_MONTHS = PythonForm("lsqlc_sql_whole_months", whole_months, ("TIMESTAMP", "TIMESTAMP"), "BIGINT")
_MONTHS_OF = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_MOVED = {**_LENGTHS, **_MONTHS_OF}


def _added(engine: Engine) -> ValueForm:
    """Return the form of a time shifted by units. A day that its new month lacks becomes the month's last day."""
    declaration = next(f for f in DATE_FUNCTIONS if f.name == "TIMESTAMPADD")
    form = declaration.duckdb if engine == "duckdb" else declaration.spark
    assert isinstance(form, ValueForm)

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        unit = str(values[0]).upper()
        _, count, time = texts
        if unit in _MONTHS_OF:
            near = f"(case when abs({count}) <= 120000 then cast({count} as integer) end)"
            months = f"({near} * {_MONTHS_OF[unit]})"
            shifted_time = (
                f"{time} + to_months({months})" if engine == "duckdb" else f"timestampadd(MONTH, {months}, {time})"
            )
            return f"case when {_MONTH.format(time, months)} between 12 and 119999 then {shifted_time} end"
        if unit == "MICROSECOND":
            own = f"{'epoch_us' if engine == 'duckdb' else 'unix_micros'}({time})"
            near = f"(case when abs({count}) <= {_LIMIT}000000 then {count} end)"
            return forms.micros(engine)([f"({own} + {near})"], [BIGINT])
        days = f"(case when abs({count}) <= {_LIMIT} then {count} * 7 end)"
        return form.render([texts[0], days if unit == "WEEK" else count, time], types,
                           ("DAY" if unit == "WEEK" else unit, None, None))  # fmt: skip

    return ValueForm(render)


def _difference(engine: Engine) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        unit = str(values[0]).upper()
        if unit in _MONTHS_OF:
            if engine == "spark":
                return f"timestampdiff({unit}, {texts[1]}, {texts[2]})"
            return f"({_WHOLE_MONTHS.call(texts[1:])} // {_MONTHS_OF[unit]})"
        micros, divided = ("epoch_us", "//") if engine == "duckdb" else ("unix_micros", "div")
        length = _LENGTHS[str(values[0]).upper()]
        return f"(({micros}({texts[2]}) - {micros}({texts[1]})) {divided} {length})"

    return ValueForm(render)


def _moved_zone(engine: Engine, back: bool) -> Render:
    """Return a form over (time, zone) that converts between UTC and the local time of a zone."""
    convert = next(f for f in DATE_FUNCTIONS if f.name == "CONVERT_TZ")
    form = convert.duckdb if engine == "duckdb" else convert.spark
    assert callable(form)

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        zones = (texts[1], "'UTC'") if back else ("'UTC'", texts[1])
        return form([texts[0], *zones], [TIMESTAMP, STRING, STRING])

    return render


def _in_zone(name: str, back: bool, doc: str) -> Function:
    convert = next(f for f in DATE_FUNCTIONS if f.name == "CONVERT_TZ")
    return replace(
        convert, name=name, parameters=(_TIME, replace(convert.parameters[1], name="zone")), doc=doc,
        duckdb=_moved_zone("duckdb", back), spark=_moved_zone("spark", back),
    )  # fmt: skip


_FLOORED = f"((epoch_us({{0}}) - ((epoch_us({{0}}) % {_SECOND}) + {_SECOND}) % {_SECOND}) // {_SECOND})"


CALENDAR: tuple[Function, ...] = (
    Function("DATE_PART", (Parameter("part", "string", literal=True), _TIME), _part_type,
             _part("duckdb"), _part("spark"), 
             f"a part of a time, also written EXTRACT(part FROM time): {', '.join(_PARTS)}",
             aliases=("DATEPART", "EXTRACT")),
    Function("TRUNC", (_DATE, Parameter("unit", "string", literal=True)), _literal(_CUTS, DATE, 1),
             _cut("duckdb"), _cut("spark"), f"the first day of the unit that a date is in: {', '.join(_CUTS)}"),
    Function("ADD_MONTHS", (_DATE, Parameter("months", "index")), always(DATE),
             _in_years("cast({0} + to_months({1}) as date)"), _in_years("add_months({0}, {1})"),
             "the date so many months later, at the end of a month that is too short", nulls=Nulls.MAY),
    Function("MONTHS_BETWEEN", (Parameter("end", "timestamp"), Parameter("start", "timestamp"),
                                Parameter("rounded", "boolean", optional=True)), always(DOUBLE),
             lambda texts, types: _MONTHS.call([*texts, "true"][:3]),
             lambda texts, types: f"months_between({', '.join(texts)})",
             "the months from `start` to `end`, with parts of 31-day months, to eight places, or exactly with FALSE",
             uses=(_MONTHS,)),
    Function("NEXT_DAY", (_DATE, Parameter("day", "string", literal=True)), _literal(_DAYS, DATE, 1),
             _next_day("duckdb"), _next_day("spark"), "the next date on a day of the week, such as 'MON' or 'MONDAY'",
             nulls=Nulls.MAY),
    Function("MAKE_DATE", tuple(Parameter(name, "index") for name in ("year", "month", "day")), always(DATE),
             f"case when {_IS_DATE} then make_date({{0}}, {{1}}, {{2}}) end",
             f"case when {_IS_DATE} then make_date({{0}}, {{1}}, {{2}}) end",
             "the date of a year, a month and a day; null if there is none", nulls=Nulls.MAY),
    Function("DAYNAME", (_TIME,), always(STRING), "left(dayname({0}), 3)", "dayname({0})",
             "the day of the week in three letters, such as Mon"),
    Function("MONTHNAME", (_TIME,), always(STRING), "left(monthname({0}), 3)", "monthname({0})",
             "the month in three letters, such as Jan"),
    Function("TIMESTAMPDIFF", (Parameter("unit", "string", literal=True), Parameter("start", "timestamp"),
                               Parameter("end", "timestamp")),
             _literal(_MOVED, BIGINT, 0), _difference("duckdb"), _difference("spark"),
             f"the whole units from `start` to `end`, also written DATEDIFF(unit, start, end): {', '.join(_MOVED)}",
             uses=(_WHOLE_MONTHS,)),
    Function("TIMESTAMPADD", (Parameter("unit", "string", literal=True), Parameter("count", "integer"), _TIME),
             _literal(_MOVED, TIMESTAMP, 0), _added("duckdb"), _added("spark"),
             f"the time so many units later, also written DATEADD(unit, count, time): {', '.join(_MOVED)}",
             nulls=Nulls.MAY),
    Function("MAKE_TIMESTAMP", (*(Parameter(name, "index") for name in ("year", "month", "day", "hour", "minute")),
                                Parameter("second", "number")),
             always(TIMESTAMP), _made("duckdb"), _made("spark"),
             "the timestamp of its parts, in UTC; null if there is none. With a zone behind it is the time that the"
             " clocks of the zone show then", aliases=("TRY_MAKE_TIMESTAMP", "MAKE_TIMESTAMP_LTZ",
                                                       "TRY_MAKE_TIMESTAMP_LTZ", "MAKE_TIMESTAMP_NTZ",
                                                       "TRY_MAKE_TIMESTAMP_NTZ"), nulls=Nulls.MAY, uses=(_MAKE,)),
    Function("UNIX_SECONDS", (_TIME,), always(BIGINT), _FLOORED, "unix_seconds({0})", "the time as epoch seconds"),
    Function("UNIX_TIMESTAMP", (_TIME,), always(BIGINT), f"(epoch_us({{0}}) // {_SECOND})", "unix_timestamp({0})",
             "the time as epoch seconds, of which those before 1970 are rounded up", aliases=("TO_UNIX_TIMESTAMP",)),
    Function("UNIX_MICROS", (_TIME,), always(BIGINT), "epoch_us({0})", "unix_micros({0})",
             "the time as epoch microseconds"),
    replace(of(DATE_FUNCTIONS, "UNIX_DATE"), doc="the date as days since 1970-01-01"),
    of(DATE_FUNCTIONS, "FROM_DAYS", "DATE_FROM_UNIX_DATE"),
    Function("TIMESTAMP_SECONDS", (Parameter("seconds", "integer"),), always(TIMESTAMP), _of_seconds("duckdb"),
             _of_seconds("spark"), "the timestamp of epoch seconds", nulls=Nulls.MAY),
    of(DATES, "TIMESTAMP_MICROS"),
    Function("FROM_UNIXTIME", (Parameter("seconds", "integer"),
                               Parameter("pattern", "pattern that writes", literal=True, optional=True,
                                         default="yyyy-MM-dd HH:mm:ss")),
             always(STRING), _written("duckdb"), _written("spark"),
             "the time of epoch seconds, as the pattern writes it",
             nulls=Nulls.MAY, uses=(forms.FORMAT,)),
    _in_zone("FROM_UTC_TIMESTAMP", False, "what the clocks of a zone show at a time of UTC"),
    _in_zone("TO_UTC_TIMESTAMP", True, "the time of UTC at which the clocks of a zone show a timestamp"),
)  # fmt: skip
