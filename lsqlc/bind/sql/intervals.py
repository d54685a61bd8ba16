"""INTERVAL: lengths of time, and times and dates that are moved by one."""

from __future__ import annotations

import re

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import catalogue
from lsqlc.plan.expression import Call, Cast, Expression, Literal
from lsqlc.syntax import tree
from lsqlc.syntax.numbers import LONGEST_DURATION
from lsqlc.types import data
from lsqlc.types.digits import integer

# A length of time, as a call of its number and its unit; of a text with both, the unit is empty.
INTERVAL = "INTERVAL"
_UNITS = {
    "millisecond": 1, "second": 1_000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000, "week": 604_800_000,
}  # fmt: skip
_PART = re.compile(r"\s*([0-9]+)\s*([a-z]+?)s?(?=\s|\Z)", re.IGNORECASE)
_DAYS = re.compile(r"\s*([0-9]+\s*(day|week)s?\s*)+", re.IGNORECASE)


def is_interval(expression: tree.Expression) -> bool:
    return isinstance(expression, tree.Call) and expression.name.text == INTERVAL


def written(interval: tree.Expression) -> str:
    """The number and the unit of an interval."""
    assert isinstance(interval, tree.Call)
    length, unit = interval.arguments
    assert isinstance(length, tree.Literal) and isinstance(unit, tree.Literal)
    return f"{length.value} {unit.value}"


def milliseconds(text: str) -> int | None:
    """The length that a text says, as '1 hour 30 minutes'; None for one that says none. Of more than ten thousand years
    it is only longer than these.
    """
    text = re.sub(r"\A\s*interval\s", "", text, flags=re.IGNORECASE)
    total, end = 0, 0
    while (found := _PART.match(text, end)) and found[2].lower() in _UNITS:
        total, end = total + integer(found[1]) * _UNITS[found[2].lower()], found.end()
    return min(total, LONGEST_DURATION + 1) if end and not text[end:].strip() else None


def moved(time: Expression, at: Extent, interval: tree.Expression, sign: str, findings: Findings) -> Expression | None:
    """A time that is later or earlier by an interval; a DATE stays one if that is of days. Null for a time that is none
    of the years 1 to 9999; None after an error.
    """
    length = milliseconds(written(interval))
    if length is None:
        findings.error("LSQ450", "INTERVAL is only supported for lengths such as 10 MINUTES", interval.at,
                       help="the units are milliseconds, seconds, minutes, hours, days and weeks")  # fmt: skip
        return None
    if time.type not in (data.DATE, data.TIMESTAMP, data.NULL):
        findings.error("LSQ212", f"INTERVAL is added to a time or a date, not to {time.type}", at)
        return None
    length = length if sign == "+" else -length
    if time.type == data.DATE and _DAYS.fullmatch(written(interval)):
        return _call("DATE_ADD", time, Literal(length // _UNITS["day"], data.INT))
    if time.type != data.TIMESTAMP:
        time = Cast(time, data.TIMESTAMP, True)
    return _call("TIMESTAMPADD", Literal("MILLISECONDS", data.STRING), Literal(length, data.BIGINT), time)


def days_moved(operator: str, left: Expression, right: Expression) -> Expression | None:
    """A DATE that is later or earlier by a number of days, an INT; None for any other sum or difference."""
    if left.type == data.DATE and right.type == data.INT and operator in ("+", "-"):
        return _call("DATE_ADD" if operator == "+" else "DATE_SUB", left, right)
    if left.type == data.INT and right.type == data.DATE and operator == "+":
        return _call("DATE_ADD", right, left)
    return None


def _call(name: str, *arguments: Expression) -> Expression:
    function = catalogue.scalar(name, "sql")
    assert function is not None
    type = data.DATE if name in ("DATE_ADD", "DATE_SUB") else data.TIMESTAMP
    return Call(catalogue.plan_name(function, "sql"), arguments, type, True)
