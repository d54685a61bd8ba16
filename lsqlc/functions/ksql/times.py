"""Functions of ksqlDB over dates and times. Time zones are literals, such as 'Europe/London' or '+02:00'."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from lsqlc.functions.forms.attempts import attempt
from lsqlc.functions.forms.casts import cast
from lsqlc.functions.forms.date_patterns import Letters, around_offsets, formatted_at, has_offset
from lsqlc.functions.forms.time_zones import time_zone
from lsqlc.functions.lenses import date_forms as forms
from lsqlc.functions.lenses.dates import DATES
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, ValueForm
from lsqlc.sql import spark
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BIGINT, DATE, INT, STRING, TIME, TIMESTAMP, DataType

_TEXT = Parameter("text", "string")
_READ = Parameter("pattern", "pattern that reads", literal=True)
_WRITE = Parameter("pattern", "pattern that writes", literal=True)
_ZONE = Parameter("zone", "time zone", literal=True, optional=True)
_UNIT = Parameter("unit", "unit of time", literal=True)
_COUNT = Parameter("count", "integer")
_DAY = 86_400_000_000
# Microseconds.
UNITS = {"DAY": _DAY, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000, "MILLISECOND": 1_000}


def shifted(time: datetime, zone: str, back: int) -> datetime | None:
    """Convert a time from UTC to the local time of a zone; `back`: the reverse."""
    there = time_zone(zone)
    if there is None:
        return None
    try:
        if back:
            return time.replace(tzinfo=there).astimezone(UTC).replace(tzinfo=None)
        return time.replace(tzinfo=UTC).astimezone(there).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


SHIFT = PythonForm("lsqlc_ksql_shift_zone", shifted, ("TIMESTAMP", "VARCHAR", "INTEGER"), "TIMESTAMP")


def written_there(time: datetime, pattern: str, zone: str) -> str | None:
    """Return the text of a time in UTC by a pattern, in the local time of a zone and with its offset."""
    local = shifted(time, zone, 0)
    if local is None:
        return None
    seconds = int((local - time).total_seconds())
    return formatted_at(local, pattern, int(seconds / 60))


FORMAT_THERE = PythonForm("lsqlc_ksql_format_in_zone", written_there, ("TIMESTAMP", "VARCHAR", "VARCHAR"), "VARCHAR")


def _written_there(time: str, zone: str, pattern: str) -> str:
    """Return Spark's SQL for `written_there`."""
    local = _to_zone("spark", time, zone)
    seconds = f"((unix_micros({local}) - unix_micros({time})) div 1000000L)"
    texts = [
        f"date_format({local}, {spark.text(part)})" if isinstance(part, str) else _offset_there(part, seconds)
        for part in around_offsets(pattern)
    ]
    return f"concat({', '.join(texts)})"


def _offset_there(field: Letters, seconds: str) -> str:
    """Return the SQL text of an offset in the form of a pattern's field, without seconds."""
    minutes = f"(abs({seconds}) div 60L)"
    mark = ":" if str(field) == "XXX" else ""
    rest = f"concat('{mark}', lpad(cast({minutes} % 60L as string), 2, '0'))"
    if str(field) == "X":
        rest = f"if({minutes} % 60L = 0L, '', {rest})"
    none = "'+0000'" if field.letter == "Z" else "'Z'"
    hours = f"lpad(cast({minutes} div 60L as string), 2, '0')"
    return f"if({minutes} = 0L, {none}, concat(if({seconds} < 0L, '-', '+'), {hours}, {rest}))"


def _to_zone(engine: Engine, time: str, zone: str) -> str:
    return SHIFT.call([time, zone, "0"]) if engine == "duckdb" else f"from_utc_timestamp({time}, {zone})"


def _from_zone(engine: Engine, time: str, zone: str) -> str:
    return SHIFT.call([time, zone, "1"]) if engine == "duckdb" else f"to_utc_timestamp({time}, {zone})"


def _writes(engine: Engine) -> ValueForm:
    """Return a form over (time, pattern[, zone])."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        time, pattern = forms.instant(engine, texts[0], types[0]), str(values[1])
        if len(texts) == 2:
            return forms.written(engine, time, pattern)
        if not has_offset(pattern):
            return forms.written(engine, _to_zone(engine, time, texts[2]), pattern)
        if engine == "duckdb":
            return FORMAT_THERE.call([time, texts[1], texts[2]])
        return _written_there(time, texts[2], pattern)

    return ValueForm(render)


def _writes_days(engine: Engine) -> ValueForm:
    """Return a form over (days since 1970, pattern)."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        day = forms.days(engine)(texts, types)
        return forms.written(engine, f"cast({day} as timestamp)" if engine == "duckdb" else day, str(values[1]))

    return ValueForm(render)


def _reads(engine: Engine, target: DataType = TIMESTAMP) -> ValueForm:
    """Return a form over (text, pattern[, zone])."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        pattern = str(values[1])
        time = forms.read(engine, texts[0], pattern)
        if len(texts) > 2 and not has_offset(pattern):
            time = _from_zone(engine, time, texts[2])
        return cast(engine, time, TIMESTAMP, target)

    return ValueForm(render)


def _reads_days(engine: Engine) -> ValueForm:
    """Return a form over (text, pattern): the date as days since 1970."""
    date = forms.reads(engine, "cast({} as date)").render
    return ValueForm(lambda texts, types, values: f"cast({_day_number(engine, date(texts, types, values))} as int)")


def _of(name: str, new: str = "") -> Function:
    function = next(f for f in DATES if f.name == name)
    return replace(function, name=new or name, aliases=())


def _micros(engine: Engine, unit: object, count: str, sign: int) -> str:
    """Return the SQL text of a number of units in microseconds; null beyond 64 bits."""
    size = sign * UNITS[str(unit).upper().removesuffix("S")]
    return attempt(f"{{0}} * {size}", count) if engine == "duckdb" else f"try_multiply({count}, {size}L)"


def _sum(engine: Engine, a: str, b: str) -> str:
    return attempt("{0} + {1}", a, b) if engine == "duckdb" else f"try_add({a}, {b})"


def _moved_timestamp(engine: Engine, sign: int) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        own = f"{'epoch_us' if engine == 'duckdb' else 'unix_micros'}({texts[2]})"
        return forms.micros(engine)([_sum(engine, own, _micros(engine, values[0], texts[1], sign))], [BIGINT])

    return ValueForm(render)


def _day_number(engine: Engine, date: str) -> str:
    return f"(({date}) - date '1970-01-01')" if engine == "duckdb" else f"unix_date({date})"


def _moved_date(engine: Engine, sign: int) -> ValueForm:
    """Return a form that shifts a date by whole days; the part of a unit below a day is ignored."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        divided = "//" if engine == "duckdb" else "div"
        days = f"(abs({_micros(engine, values[0], texts[1], 1)}) {divided} {_DAY} * sign({texts[1]}) * {sign})"
        type = "bigint"
        return forms.days(engine)([_sum(engine, _day_number(engine, texts[2]), f"cast({days} as {type})")], [BIGINT])

    return ValueForm(render)


def _moved_time(engine: Engine, sign: int) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        shifted_time = _sum(engine, texts[2], _micros(engine, values[0], texts[1], sign))
        return forms.of_day(engine, 1)([shifted_time], [BIGINT])

    return ValueForm(render)


def _unix_date(engine: Engine) -> Render:
    return lambda texts, types: f"cast({_day_number(engine, texts[0])} as int)"


def _convert(engine: Engine) -> Render:
    return lambda texts, types: _to_zone(engine, _from_zone(engine, texts[0], texts[1]), texts[2])


def _moving(name: str, kind: str, type: DataType, shift: object, what: str) -> tuple[Function, Function]:
    assert callable(shift)
    parameters = (_UNIT, _COUNT, Parameter("time", kind))
    return tuple(  # type: ignore[return-value]
        Function(f"{name}{word}", parameters, always(type), shift("duckdb", sign), shift("spark", sign),
                 f"{what} moved {'on' if sign > 0 else 'back'} by DAYS, HOURS, MINUTES, SECONDS or MILLISECONDS",
                 nulls=Nulls.MAY)
        for word, sign in (("ADD", 1), ("SUB", -1))
    )  # fmt: skip


DATE_FUNCTIONS: tuple[Function, ...] = (
    Function("UNIX_TIMESTAMP", (Parameter("time", "timestamp"),), always(BIGINT),
             lambda texts, types: cast("duckdb", texts[0], TIMESTAMP, BIGINT),
             lambda texts, types: cast("spark", texts[0], TIMESTAMP, BIGINT),
             "a timestamp as epoch milliseconds; without one, the time of evaluation"),
    Function("UNIX_DATE", (Parameter("date", "date"),), always(INT), _unix_date("duckdb"), _unix_date("spark"),
             "a date as days since 1970-01-01; without one, the day of evaluation"),
    Function("FROM_UNIXTIME", (Parameter("milliseconds", "integer"),), always(TIMESTAMP),
             lambda texts, types: cast("duckdb", texts[0], BIGINT, TIMESTAMP),
             lambda texts, types: cast("spark", texts[0], BIGINT, TIMESTAMP), "epoch milliseconds as a timestamp",
             nulls=Nulls.MAY),
    Function("FROM_DAYS", (Parameter("days", "integer"),), always(DATE), forms.days("duckdb"), forms.days("spark"),
             "the date that is so many days after 1970-01-01", nulls=Nulls.MAY),
    Function("FORMAT_TIMESTAMP", (Parameter("time", "timestamp"), _WRITE, _ZONE), always(STRING), _writes("duckdb"),
             _writes("spark"), "a timestamp, as the pattern writes it, by the clocks of a zone", nulls=Nulls.MAY,
             uses=(forms.FORMAT, SHIFT, FORMAT_THERE)),
    Function("PARSE_TIMESTAMP", (_TEXT, _READ, _ZONE), always(TIMESTAMP), _reads("duckdb"), _reads("spark"),
             "the timestamp that a text says in the pattern, by the clocks of a zone", nulls=Nulls.MAY,
             uses=(forms.PARSE, SHIFT)),
    _of("FORMAT_DATE"),
    _of("PARSE_DATE"),
    _of("FORMAT_TIME"),
    _of("PARSE_TIME_MILLIS", "PARSE_TIME"),
    Function("TIMESTAMPTOSTRING", (Parameter("time", "instant"), _WRITE, _ZONE), always(STRING), _writes("duckdb"),
             _writes("spark"), "a date, a timestamp or epoch milliseconds, as the pattern writes them",
             nulls=Nulls.MAY, uses=(forms.FORMAT, SHIFT, FORMAT_THERE)),
    Function("STRINGTOTIMESTAMP", (_TEXT, _READ, _ZONE), always(BIGINT), _reads("duckdb", BIGINT),
             _reads("spark", BIGINT), "the time that a text says, as epoch milliseconds", nulls=Nulls.MAY,
             uses=(forms.PARSE, SHIFT)),
    Function("DATETOSTRING", (Parameter("days", "integer"), _WRITE), always(STRING),
             _writes_days("duckdb"), _writes_days("spark"),
             "days since 1970-01-01, as the pattern writes the date", nulls=Nulls.MAY, uses=(forms.FORMAT,)),
    Function("STRINGTODATE", (_TEXT, _READ), always(INT),
             _reads_days("duckdb"), _reads_days("spark"),
             "the date that a text says, as days since 1970-01-01", nulls=Nulls.MAY, uses=(forms.PARSE,)),
    Function("CONVERT_TZ", (Parameter("time", "timestamp"), replace(_ZONE, name="from", optional=False),
                            replace(_ZONE, name="to", optional=False)), always(TIMESTAMP), _convert("duckdb"),
             _convert("spark"), "what the clocks of the second zone show when those of the first show the timestamp",
             nulls=Nulls.MAY, uses=(SHIFT,)),
    *_moving("TIMESTAMP", "timestamp", TIMESTAMP, _moved_timestamp, "a timestamp"),
    *_moving("DATE", "date", DATE, _moved_date, "a date"),
    *_moving("TIME", "time", TIME, _moved_time, "a time of the day"),
)  # fmt: skip
