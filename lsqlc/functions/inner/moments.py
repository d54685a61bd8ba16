"""Times that are shifted by months."""

from __future__ import annotations

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter
from lsqlc.types.data import TIMESTAMP

MONTHS_LATER = "inner.MONTHS_LATER"
# The resulting month, counted from year 0.
_MONTH = "(year({0}) * 12 + month({0}) - 1 + cast({1} as bigint))"
_CHECKED = f"case when {_MONTH} between 12 and 119999 then {{}} end"

MOMENTS: tuple[Function, ...] = (
    Function("MONTHS_LATER", (Parameter("time", "timestamp"), Parameter("months", "index")), always(TIMESTAMP),
             _CHECKED.replace("{}", "{0} + to_months({1})"), _CHECKED.replace("{}", "{0} + make_ym_interval(0, {1})"),
             "the time so many months later, at the end of a month that is too short", nulls=Nulls.MAY),
)  # fmt: skip
