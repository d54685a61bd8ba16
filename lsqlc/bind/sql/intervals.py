"""INTERVAL: lengths of time, and times and dates that are shifted by one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.called import called
from lsqlc.bind.sql.interval_casts import by_unit, interval_of, number_of, seconds_of
from lsqlc.diagnostics.source import Extent
from lsqlc.functions.forms.operators import quotient_type, result_type
from lsqlc.functions.inner.moments import MONTHS_LATER
from lsqlc.plan.expression import Call, Cast, Expression, Literal, Operation
from lsqlc.syntax import tree
from lsqlc.syntax.numbers import LONGEST_DURATION
from lsqlc.syntax.sql.lengths import MICROSECONDS, Length, read_length
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal
from lsqlc.types.digits import integer
from lsqlc.types.intervals import SIZES, fields_of

# A length of time, as a call with its number and its unit; for a text with both, the unit is empty.
INTERVAL = "INTERVAL"
_UNITS = {
    "millisecond": 1, "second": 1_000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000, "week": 604_800_000,
}  # fmt: skip
# Functions that are computed from the numbers of intervals.
TAKE_NUMBERS = ("SIGN", "WIDTH_BUCKET")
_RESULTS: dict[str, DataType] = {
    "DATE_ADD": data.DATE, "DATE_SUB": data.DATE, "ADD_MONTHS": data.DATE, "DATEDIFF": data.INT,
    "UNIX_MICROS": data.BIGINT,
}  # fmt: skip
# The units of EXTRACT in the names that Spark has for them.
_PARTS = {
    **dict.fromkeys(("year", "y", "years", "yr", "yrs"), "year"),
    **dict.fromkeys(("month", "mon", "mons", "months"), "month"),
    **dict.fromkeys(("day", "d", "days"), "day"),
    **dict.fromkeys(("hour", "h", "hours", "hr", "hrs"), "hour"),
    **dict.fromkeys(("minute", "m", "min", "mins", "minutes"), "minute"),
    **dict.fromkeys(("second", "s", "sec", "seconds", "secs"), "second"),
}
_WHOLE = Decimal(20, 0)
# Longer than the years 1 to 9999: a time that is moved further is null too.
_MOST_MONTHS, _MOST_MICROS = 1 << 20, 1 << 59
_PART = re.compile(r"\s*([0-9]+)\s*([a-z]+?)s?(?=\s|\Z)", re.IGNORECASE)


def is_interval(expression: tree.Expression) -> bool:
    return isinstance(expression, tree.Call) and expression.name.text == INTERVAL


def written(interval: tree.Expression) -> str:
    """Return the number and the unit of an interval."""
    assert isinstance(interval, tree.Call)
    length, unit = interval.arguments
    assert isinstance(length, tree.Literal) and isinstance(unit, tree.Literal)
    return f"{length.value} {unit.value}"


def milliseconds(text: str) -> int | None:
    """Return the length of a text such as '1 hour 30 minutes' in milliseconds; None for an invalid text.

    Above ten thousand years it is one millisecond longer than these.
    """
    text = re.sub(r"\A\s*interval\s", "", text, flags=re.IGNORECASE)
    total, end = 0, 0
    while (match := _PART.match(text, end)) and match[2].lower() in _UNITS:
        total, end = total + integer(match[1]) * _UNITS[match[2].lower()], match.end()
    return min(total, LONGEST_DURATION + 1) if end and not text[end:].strip() else None


def may_be_held(type: DataType, what: str, at: Extent, findings: Findings) -> bool:
    """Report an interval that has no form there; return whether there is none. `what`: the owner of the type."""
    if not data.has_interval(type):
        return True
    findings.error("LSQ497", f"{what} is {type}, and an interval can only be a column by itself", at,
                   help="convert it to its text: CAST(... AS STRING)")  # fmt: skip
    return False


def lengths(expression: tree.Expression) -> tuple[tree.Call, ...] | None:
    """Return the parts of `INTERVAL 1 DAY 2 HOURS`, which is a sum in the tree; None for any other expression."""
    match expression:
        case tree.Call() if is_interval(expression):
            return (expression,)
        case tree.Binary("+", left, right):
            one, other = lengths(left), lengths(right)
            return (*one, *other) if one and other else None
    return None


def literal(interval: tree.Call, findings: Findings) -> Expression | None:
    """Return an INTERVAL as a value; None after an error."""
    length = _length(interval, findings)
    if length is None:
        return None
    if data.is_of_months(length.type):
        return Literal(length.months, length.type)
    return Literal(length.micros, length.type)


def _length(interval: tree.Call, findings: Findings) -> Length | None:
    value, unit = interval.arguments
    assert isinstance(value, tree.Literal) and isinstance(unit, tree.Literal)
    length = read_length(str(value.value), str(unit.value))
    if length is not None and length.months and length.micros:
        findings.error("LSQ450", "an INTERVAL of months and of shorter units is not supported", interval.at,
                       help="add them one by one: time + INTERVAL 1 MONTH + INTERVAL 2 DAYS")  # fmt: skip
        return None
    if length is not None:
        return length
    findings.error("LSQ450", f"'{value.value} {unit.value}' is not supported as the length of an INTERVAL", interval.at,
                   help="write INTERVAL 10 MINUTES, '1 day 12 hours', '1-2' YEAR TO MONTH or '1 02:03' DAY TO MINUTE; "
                        "the units are microseconds, milliseconds, seconds, minutes, hours, days, weeks, months and "
                        "years, and there are less than 2^31 months or 2^63 microseconds")  # fmt: skip
    return None


def moved(time: Expression, at: Extent, interval: tree.Call, sign: str, findings: Findings) -> Expression | None:
    """Return a time that is shifted by an interval; None after an error.

    A DATE stays one if the interval is of days or months. The value is null outside of the years 1 to 9999.
    """
    length = _length(interval, findings)
    if length is None:
        return None
    if time.type not in (data.DATE, data.TIMESTAMP, data.NULL):
        findings.error("LSQ212", f"INTERVAL is added to a time or a date, not to {time.type}", at)
        return None
    months, micros = _near(length.months, _MOST_MONTHS), _near(length.micros, _MOST_MICROS)
    months, micros = (months, micros) if sign == "+" else (-months, -micros)
    if months:
        return _months_later(time, Literal(months, data.INT))
    if time.type == data.DATE and length.type == data.DAYS:
        return _call("DATE_ADD", time, Literal(micros // MICROSECONDS["day"], data.INT))
    if time.type != data.TIMESTAMP:
        time = Cast(time, data.TIMESTAMP, True)
    if micros % 1_000:
        return _later(time, Literal(micros, data.BIGINT))
    millis = micros // 1_000
    return _call("TIMESTAMPADD", Literal("MILLISECONDS", data.STRING), Literal(millis, data.BIGINT), time)


def _near(length: int, most: int) -> int:
    """Return a length of at most `most`."""
    return max(-most, min(length, most))


def combined(operator: str, left: Expression, right: Expression) -> Expression | None:
    """Return a difference of times, or an operation of an interval and a time, a number or another interval; None for
    any other.
    """
    types = (left.type, right.type)
    if operator == "-" and types in ((data.DATE, data.NULL), (data.TIMESTAMP, data.NULL)):
        return Literal(None, data.DAYS if left.type == data.DATE else data.LENGTH)
    if operator == "-" and set(types) <= {data.DATE, data.TIMESTAMP}:
        return _between(left, right)
    if operator in ("+", "-") and right.type in data.INTERVALS and left.type in (data.DATE, data.TIMESTAMP):
        return _moved_by(left, right, operator)
    if operator == "+" and left.type in data.INTERVALS and right.type in (data.DATE, data.TIMESTAMP):
        return _moved_by(right, left, operator)
    if operator in ("+", "-") and (common := data.common_interval(*types)) is not None:
        return _computed(operator, left, right, common)
    if operator == "*" and right.type in data.INTERVALS and data.is_numeric(left.type):
        return _scaled(operator, right, left)
    if operator in ("*", "/") and left.type in data.INTERVALS and data.is_numeric(right.type):
        return _scaled(operator, left, right)
    if operator == "DIV" and data.common_interval(*types) is not None:
        return Operation("/", (number_of(left), number_of(right)), data.BIGINT, True)
    return None


def _scaled(operator: str, interval: Expression, number: Expression) -> Expression:
    """Return an interval times or divided by a number, rounded half away from zero."""
    type = data.MONTHS if data.is_of_months(interval.type) else data.LENGTH
    if operator == "*" and data.is_integer(number.type):
        return _computed(operator, interval, number, type)
    size = number_of(interval)
    if isinstance(number.type, Decimal) or data.is_integer(number.type):
        one, other = Cast(size, _WHOLE, True), _as_decimal(number)
        assert isinstance(other.type, Decimal)
        exact = quotient_type(_WHOLE, other.type) if operator == "/" else result_type("*", _WHOLE, other.type)
        assert exact is not None
        value: Expression = Operation(operator, (one, other), exact, True)
    else:
        value = Operation(operator, (coerce(size, data.DOUBLE), coerce(number, data.DOUBLE)), data.DOUBLE, True)
    return interval_of(Cast(called("ROUND", (value,)), data.BIGINT, True), type)


def _as_decimal(number: Expression) -> Expression:
    if isinstance(number.type, Decimal):
        return number
    return Cast(number, Decimal(10, 0) if number.type == data.INT else Decimal(20, 0), number.nullable)


def part_of(part: str, interval: Expression) -> Expression | None:
    """Return EXTRACT of an interval: its whole days or years, or the remainder in shorter units; None for
    another part.
    """
    name, number = _PARTS.get(part.lower(), ""), number_of(interval)
    if name.upper() not in fields_of(interval.type):
        return None

    if data.is_of_months(interval.type):
        return Cast(by_unit("/" if name == "year" else "%", number, SIZES["YEAR"]), data.INT, True)
    if name == "second":
        return Cast(seconds_of(by_unit("%", number, MICROSECONDS["minute"])), Decimal(8, 6), True)
    if name == "day":
        return Cast(by_unit("/", number, MICROSECONDS["day"]), data.INT, True)
    around = {"hour": "day", "minute": "hour"}[name]
    return Cast(by_unit("/", by_unit("%", number, MICROSECONDS[around]), MICROSECONDS[name]), data.INT, True)


def with_numbers(arguments: Sequence[Expression | None]) -> list[Expression | None]:
    """Return the arguments of a function in `TAKE_NUMBERS`, with numbers in place of intervals that can be compared."""
    lengths = [each for each in arguments if each is not None and each.type in data.INTERVALS]
    are_alike = len({data.is_of_months(each.type) for each in lengths}) == 1
    if not are_alike or len(lengths) not in (1, 3) or lengths[0] is not arguments[0]:
        return list(arguments)
    return [number_of(each) if each in lengths else each for each in arguments]


def opposite(interval: Expression) -> Expression:
    """Return `-i`."""
    return _computed("-", Literal(0, data.BIGINT), interval, interval.type)


def _computed(operator: str, left: Expression, right: Expression, type: DataType) -> Expression:
    one, other = (side if data.is_integer(side.type) else number_of(side) for side in (left, right))
    operands = (coerce(one, data.BIGINT), coerce(other, data.BIGINT))
    return interval_of(Operation(operator, operands, data.BIGINT, True), type)


def _between(later: Expression, earlier: Expression) -> Expression:
    if later.type == earlier.type == data.DATE:
        days = coerce(_call("DATEDIFF", later, earlier), data.BIGINT)
        micros = Operation("*", (days, Literal(MICROSECONDS["day"], data.BIGINT)), data.BIGINT, True)
        return Cast(micros, data.DAYS, True)
    one, other = (_call("UNIX_MICROS", coerce(side, data.TIMESTAMP)) for side in (later, earlier))
    return Cast(Operation("-", (one, other), data.BIGINT, True), data.LENGTH, True)


def _moved_by(time: Expression, interval: Expression, operator: str) -> Expression:
    micros = number_of(interval if operator == "+" else opposite(interval))
    if data.is_of_months(interval.type):
        return _months_later(time, micros)
    if interval.type == data.DAYS and time.type == data.DATE:
        day = Literal(MICROSECONDS["day"], data.BIGINT)
        days = Cast(Operation("/", (micros, day), data.BIGINT, True), data.INT, True)
        return _call("DATE_ADD", time, days)
    return _later(coerce(time, data.TIMESTAMP), micros)


def _later(time: Expression, micros: Expression) -> Expression:
    moment = Operation("+", (_call("UNIX_MICROS", time), micros), data.BIGINT, True)
    return _call("TIMESTAMP_MICROS", moment)


def _months_later(time: Expression, months: Expression) -> Expression:
    if time.type == data.DATE:
        return _call("ADD_MONTHS", time, months)
    if time.type != data.TIMESTAMP:
        time = Cast(time, data.TIMESTAMP, True)
    return Call(MONTHS_LATER, (time, months), data.TIMESTAMP, True)


def days_moved(operator: str, left: Expression, right: Expression) -> Expression | None:
    """Return a DATE that is shifted by a number of days, an INT; None for any other sum or difference."""
    if left.type == data.DATE and right.type == data.INT and operator in ("+", "-"):
        return _call("DATE_ADD" if operator == "+" else "DATE_SUB", left, right)
    if left.type == data.INT and right.type == data.DATE and operator == "+":
        return _call("DATE_ADD", right, left)
    return None


def _call(name: str, *arguments: Expression) -> Expression:
    return called(name, arguments, _RESULTS.get(name, data.TIMESTAMP))
