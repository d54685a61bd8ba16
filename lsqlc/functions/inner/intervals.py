"""Intervals as texts. The value of an interval is a number of months or of microseconds."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, ValueForm
from lsqlc.sql import duckdb, spark
from lsqlc.types.data import BIGINT, STRING, DataType, is_of_months
from lsqlc.types.intervals import interval_named, interval_number, interval_text, pattern

TEXT, OF_TEXT = "inner.INTERVAL_TEXT", "inner.INTERVAL_OF_TEXT"

_NAME = Parameter("type", "string", literal=True)
_TO_TEXT = PythonForm("lsqlc_interval_text", interval_text, ("BIGINT", "VARCHAR"), "VARCHAR")
_TO_NUMBER = PythonForm("lsqlc_interval_number", interval_number, ("VARCHAR", "VARCHAR"), "BIGINT")
_DAY, _MILLION = 86_400_000_000, 1_000_000


def _duckdb(form: PythonForm) -> ValueForm:
    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        return form.call([texts[0], duckdb.text(str(values[1]))])

    return ValueForm(render)


def _spark_text(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    number, name = texts[0], str(values[1])
    if is_of_months(interval_named(name)):
        value = f"make_ym_interval(0, cast({number} as int))"
    else:
        seconds = f"cast(cast(({number}) % {_DAY} as decimal(18, 0)) / {_MILLION} as decimal(18, 6))"
        value = f"make_dt_interval(cast(({number}) div {_DAY} as int), 0, 0, {seconds})"
    return f"cast(cast({value} as {name.lower()}) as string)"


def _spark_number(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    name = str(values[1])
    checked = f"regexp_extract({texts[0]}, {spark.text(pattern(name))}, 0)"
    value = f"try_cast({checked} as {name.lower()})"
    if is_of_months(interval_named(name)):
        return f"cast(cast(cast({value} as interval month) as int) as bigint)"
    return f"cast(cast(cast({value} as interval second) as decimal(20, 6)) * {_MILLION} as bigint)"


INTERVALS: tuple[Function, ...] = (
    Function("INTERVAL_TEXT", (Parameter("number", "integer"), _NAME), always(STRING), _duckdb(_TO_TEXT),
             ValueForm(_spark_text), "the text of an interval of a type", nulls=Nulls.PROPAGATE, uses=(_TO_TEXT,)),
    Function("INTERVAL_OF_TEXT", (Parameter("text", "string"), _NAME), always(BIGINT), _duckdb(_TO_NUMBER),
             ValueForm(_spark_number), "the number of an interval with a text, null if it is none of the type",
             nulls=Nulls.MAY, uses=(_TO_NUMBER,)),
)  # fmt: skip
