"""Functions over dates and timestamps, in UTC; WEEK is ISO's. A DATE is its midnight."""

from __future__ import annotations

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter
from lsqlc.types.data import INT, TIMESTAMP

_TIME = (Parameter("time", "timestamp"),)


def _part(name: str, doc: str, engine_name: str = "") -> Function:
    function = engine_name or name.lower()
    return Function(name, _TIME, always(INT), f"cast({function}({{0}}) as integer)", f"{function}({{0}})", doc)


DATES: tuple[Function, ...] = (
    _part("YEAR", "the year"),
    _part("QUARTER", "the quarter of the year, 1 to 4"),
    _part("MONTH", "the month, 1 to 12"),
    _part("WEEK", "the ISO week of the year, which starts on Monday", "weekofyear"),
    _part("DAY", "the day of the month"),
    _part("HOUR", "the hour, 0 to 23"),
    _part("MINUTE", "the minute"),
    _part("SECOND", "the second, without its fraction"),
    Function(
        "NOW", (), always(TIMESTAMP), "{now}", "{now}", "the time of evaluation",
        aliases=("DATETIME",), nulls=Nulls.NEVER, clock=True,
    ),
    Function(
        "YESTERDAY", (), always(TIMESTAMP), "({now} - interval 24 hour)", "({now} - interval 24 hours)",
        "24 hours before the time of evaluation", nulls=Nulls.NEVER, clock=True,
    ),
)  # fmt: skip
