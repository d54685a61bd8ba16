"""Times of day: CAST, their parts, and times that are shifted by an interval."""

from __future__ import annotations

from lsqlc.bind.sql.called import called
from lsqlc.bind.sql.interval_casts import by_unit, number_of, seconds_of
from lsqlc.functions.inner.day_times import OF_TEXT, TEXT
from lsqlc.plan.expression import Call, Case, Cast, Expression, Literal, Operation
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal
from lsqlc.types.day_times import DAY
from lsqlc.types.intervals import SIZES

_AROUND = {"HOUR": DAY, "MINUTE": SIZES["HOUR"], "SECOND": SIZES["MINUTE"]}


def time_of(number: Expression) -> Expression:
    """Return a number of microseconds as a time of day."""
    return Cast(number, data.TIME, number.nullable)


def time_cast(operand: Expression, type: DataType) -> Expression | None:
    """Return CAST of a time of day or to one; None if there is none."""
    if type == data.TIME:
        if operand.type == data.STRING:
            return time_of(Call(OF_TEXT, (operand,), data.BIGINT, True))
        if operand.type != data.TIMESTAMP:
            return None
        micros = called("UNIX_MICROS", (operand,), data.BIGINT)
        return time_of(by_unit("%", by_unit("+", by_unit("%", micros, DAY), DAY), DAY))
    number = number_of(operand)
    if type == data.STRING:
        return Call(TEXT, (number,), data.STRING, True)
    if data.is_integer(type):
        seconds = by_unit("/", number, SIZES["SECOND"])
        return seconds if type == data.BIGINT else Cast(seconds, type, True)
    return Cast(seconds_of(number), type, True) if isinstance(type, Decimal) else None


def part_of_time(part: str, time: Expression) -> Expression | None:
    """Return the hours, minutes or seconds of a time of day, these with a fraction; None for another part."""
    name = part.upper()
    if name not in _AROUND:
        return None
    rest = by_unit("%", number_of(time), _AROUND[name])
    if name == "SECOND":
        return Cast(seconds_of(rest), Decimal(8, 6), True)
    return Cast(by_unit("/", rest, SIZES[name]), data.INT, True)


def moved_time(operator: str, left: Expression, right: Expression) -> Expression | None:
    """Return a time of day that is shifted by an interval, null outside of its day, or the difference of two times;
    None for any other operation.
    """
    if operator == "-" and left.type == right.type == data.TIME:
        return Cast(_of(operator, left, right), data.interval("HOUR", "SECOND"), True)
    if operator == "+" and right.type == data.TIME:
        left, right = right, left
    is_length = right.type in data.INTERVALS and not data.is_of_months(right.type)
    if operator not in ("+", "-") or left.type != data.TIME or not is_length:
        return None
    moment = _of(operator, left, right)
    bounds = (Literal(0, data.BIGINT), Literal(DAY, data.BIGINT))
    is_in_day = Operation(
        "AND", (Operation(">=", (moment, bounds[0]), data.BOOLEAN, True), Operation("<", (moment, bounds[1]),
                data.BOOLEAN, True)), data.BOOLEAN, True,
    )  # fmt: skip
    return time_of(Case(((is_in_day, moment),), Literal(None, data.BIGINT), data.BIGINT))


def _of(operator: str, left: Expression, right: Expression) -> Expression:
    return Operation(operator, (number_of(left), number_of(right)), data.BIGINT, True)
