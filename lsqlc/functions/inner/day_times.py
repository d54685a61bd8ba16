"""Times of day as texts. The value of one is a number of microseconds."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm
from lsqlc.sql import spark
from lsqlc.types.data import BIGINT, STRING, DataType
from lsqlc.types.day_times import DAY, PATTERN, time_number, time_text

TEXT, OF_TEXT = "inner.TIME_TEXT", "inner.TIME_OF_TEXT"

_TO_TEXT = PythonForm("lsqlc_time_text", time_text, ("BIGINT",), "VARCHAR")
_TO_NUMBER = PythonForm("lsqlc_time_number", time_number, ("VARCHAR",), "BIGINT")
_SECOND = 1_000_000


def _spark_text(texts: Sequence[str], types: Sequence[DataType]) -> str:
    number = texts[0]
    seconds = f"date_format(timestamp_seconds(({number}) div {_SECOND}), 'HH:mm:ss')"
    micros = f"(({number}) % {_SECOND})"
    fraction = f"regexp_replace(concat('.', lpad(cast({micros} as string), 6, '0')), '0+$', '')"
    return (f"case when ({number}) between 0 and {DAY - 1} then "
            f"concat({seconds}, if({micros} = 0, '', {fraction})) end")  # fmt: skip


def _spark_number(texts: Sequence[str], types: Sequence[DataType]) -> str:
    pattern = spark.text(PATTERN)

    def group(number: int) -> str:
        return f"regexp_extract({texts[0]}, {pattern}, {number})"

    seconds = " + ".join(
        f"coalesce(cast(nullif({group(i + 1)}, '') as bigint), 0L) * {size}L" for i, size in enumerate((3600, 60, 1))
    )
    micros = f"cast(rpad(substr({group(4)}, 1, 6), 6, '0') as bigint)"
    return f"case when {texts[0]} rlike {pattern} then ({seconds}) * {_SECOND}L + {micros} end"


DAY_TIMES: tuple[Function, ...] = (
    Function("TIME_TEXT", (Parameter("number", "integer"),), always(STRING), _TO_TEXT, _spark_text,
             "the text of a time of day", nulls=Nulls.MAY),
    Function("TIME_OF_TEXT", (Parameter("text", "string"),), always(BIGINT), _TO_NUMBER, _spark_number,
             "the microseconds of a time of day with a text, null for any other text", nulls=Nulls.MAY),
)  # fmt: skip
