"""STDDEV_SAMP, STDDEV_SAMPLE and CORRELATION of ksqlDB as sums and counts, which every engine can retract."""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.bind.coerce import coerce
from lsqlc.plan.expression import Call, Case, Cast, Expression, Field, Literal, Operation
from lsqlc.types import data

STATISTICS = ("STDDEV_SAMP", "STDDEV_SAMPLE", "CORRELATION")
# Returns the field of the group with an aggregate: the function, its arguments, its type, and whether it may be null.
Slot = Callable[[str, tuple[Expression, ...], data.DataType, bool], Field]

_ZERO = Literal(0.0, data.DOUBLE)


def statistic(name: str, arguments: tuple[Expression, ...], slot: Slot) -> Expression:
    """Return one of STATISTICS over the values of a group."""
    if name == "CORRELATION":
        return _correlation(arguments[0], arguments[1], slot)
    value = coerce(arguments[0], data.DOUBLE)
    count = _count(value, slot)
    spread = _minus(_sum(_times(value, value), slot), _over(_squared(_sum(value, slot)), count))
    variance = _over(_least_zero(spread), _minus(count, Literal(1.0, data.DOUBLE)))
    # The older of the two has no square root in ksqlDB.
    result = variance if name == "STDDEV_SAMP" else Call("SQRT", (variance,), data.DOUBLE, True)
    few = Operation("<", (count, Literal(2.0, data.DOUBLE)), data.BOOLEAN, False)
    return Case(((few, _ZERO),), result, data.DOUBLE)


def _correlation(left: Expression, right: Expression, slot: Slot) -> Expression:
    """Return the correlation over the records in which both values are not null."""
    x, y = _beside(left, right), _beside(right, left)
    count, sum_x, sum_y = _count(x, slot), _sum(x, slot), _sum(y, slot)
    both = _minus(_times(count, _sum(_times(x, y), slot)), _times(sum_x, sum_y))
    spreads = [
        Call("SQRT", (_least_zero(_minus(_times(count, _sum(_times(v, v), slot)), _squared(s))),), data.DOUBLE, True)
        for v, s in ((x, sum_x), (y, sum_y))
    ]
    spread = _times(spreads[0], spreads[1])
    none = Operation("=", (Call("COALESCE", (spread, _ZERO), data.DOUBLE, False), _ZERO), data.BOOLEAN, False)
    not_a_number = Cast(Literal("NaN", data.STRING), data.DOUBLE, True)
    return Case(((none, not_a_number),), _over(both, spread), data.DOUBLE)


def _beside(value: Expression, other: Expression) -> Expression:
    there = Operation("IS NOT NULL", (other,), data.BOOLEAN, False)
    double = coerce(value, data.DOUBLE)
    return Case(((there, double),), Literal(None, data.DOUBLE), data.DOUBLE)


def _count(value: Expression, slot: Slot) -> Expression:
    return Cast(slot("COUNT", (value,), data.BIGINT, False), data.DOUBLE, False)


def _sum(value: Expression, slot: Slot) -> Expression:
    return slot("SUM", (value,), data.DOUBLE, True)


def _operation(operator: str, left: Expression, right: Expression) -> Expression:
    return Operation(operator, (left, right), data.DOUBLE, True)


def _times(left: Expression, right: Expression) -> Expression:
    return _operation("*", left, right)


def _minus(left: Expression, right: Expression) -> Expression:
    return _operation("-", left, right)


def _over(left: Expression, right: Expression) -> Expression:
    return _operation("/", left, right)


def _squared(value: Expression) -> Expression:
    return _times(value, value)


def _least_zero(value: Expression) -> Expression:
    """Return a value of at least 0, because rounding may make it negative."""
    negative = Operation("<", (value, _ZERO), data.BOOLEAN, True)
    return Case(((negative, _ZERO),), value, data.DOUBLE)
