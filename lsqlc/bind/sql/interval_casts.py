"""CAST of intervals: to and from texts and numbers, and to intervals with other fields."""

from __future__ import annotations

from lsqlc.functions.forms.operators import quotient_type
from lsqlc.functions.inner.intervals import OF_TEXT, TEXT
from lsqlc.plan.expression import Call, Cast, Expression, Literal, Operation
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, Primitive, interval_units
from lsqlc.types.intervals import SIZES

_NUMBER, _MILLION = Decimal(20, 0), Decimal(7, 0)
_SECONDS = Decimal(20, 6)


def number_of(interval: Expression) -> Expression:
    """Return the microseconds or the months of an interval."""
    if isinstance(interval, Literal):
        return Literal(interval.value, data.BIGINT)
    return Cast(interval, data.BIGINT, interval.nullable)


def interval_of(number: Expression, type: DataType) -> Expression:
    """Return a number of microseconds or months as an interval. One of months has 32 bits, and is null beyond."""
    if data.is_of_months(type) and number.type == data.BIGINT:
        number = Cast(Cast(number, data.INT, True), data.BIGINT, True)
    return Cast(number, type, number.nullable)


def text_of(interval: Expression) -> Expression:
    """Return Spark's text of an interval."""
    name = Literal(str(interval.type), data.STRING)
    return Call(TEXT, (number_of(interval), name), data.STRING, interval.nullable)


def of_text(text: Expression, type: DataType) -> Expression:
    """Return the interval that a text says, null for any other text."""
    number = Call(OF_TEXT, (text, Literal(str(type), data.STRING)), data.BIGINT, True)
    return Cast(number, type, True)


def stored(value: Expression) -> Expression:
    """Return a value as a key holds it: an interval by its text."""
    return text_of(value) if value.type in data.INTERVALS else value


def restored(value: Expression, type: DataType) -> Expression:
    """Return a value of `type` that was `stored`."""
    return of_text(value, type) if type in data.INTERVALS else value


def interval_cast(operand: Expression, type: DataType) -> Expression | None:
    """Return CAST of an interval or to one; None if there is none."""
    source = operand.type
    if isinstance(type, Primitive) and type in data.INTERVALS:
        if source == data.STRING:
            return of_text(operand, type)
        if source in data.INTERVALS:
            return _with_fields(operand, type)
        return _of_number(operand, type)
    if type == data.STRING:
        return text_of(operand)
    return _to_number(operand, type)


def _unit(type: DataType) -> int:
    return SIZES[interval_units(type)[1]]


def _with_fields(interval: Expression, type: Primitive) -> Expression | None:
    """Return an interval with other fields; what is smaller than the last one is cut off."""
    if data.is_of_months(interval.type) != data.is_of_months(type):
        return None
    number, unit = number_of(interval), _unit(type)
    if _unit(interval.type) % unit == 0 or interval_units(type)[1] == "SECOND":
        return interval_of(number, type)
    return interval_of(by_unit("*", by_unit("/", number, unit), unit), type)


def _of_number(number: Expression, type: Primitive) -> Expression | None:
    """Return a number of units of the last field as an interval."""
    if data.is_integer(number.type):
        return interval_of(by_unit("*", Cast(number, data.BIGINT, number.nullable), _unit(type)), type)
    if isinstance(number.type, Decimal) and interval_units(type)[1] == "SECOND":
        seconds = Cast(number, _SECONDS, True)
        micros = Operation("*", (seconds, Cast(Literal("1000000", data.STRING), _MILLION, False)),
                           Decimal(28, 6), True)  # fmt: skip
        return interval_of(Cast(micros, data.BIGINT, True), type)
    return None


def _to_number(interval: Expression, type: DataType) -> Expression | None:
    """Return an interval as a number of units of its last field."""
    units = by_unit("/", number_of(interval), _unit(interval.type))
    if data.is_integer(type):
        return units if type == data.BIGINT else Cast(units, type, True)
    if not isinstance(type, Decimal):
        return None
    if interval_units(interval.type)[1] != "SECOND":
        return Cast(units, type, True)
    return Cast(seconds_of(number_of(interval)), type, True)


def seconds_of(micros: Expression) -> Expression:
    """Return a number of microseconds as seconds, a DECIMAL with all digits."""
    parts = (Cast(micros, _NUMBER, True), Cast(Literal("1000000", data.STRING), _MILLION, False))
    return Operation("/", parts, quotient_type(_NUMBER, _MILLION), True)


def by_unit(operator: str, number: Expression, unit: int) -> Expression:
    """Return an operation of a whole number and the size of a unit."""
    if unit == 1 and operator in ("*", "/"):
        return number
    return Operation(operator, (number, Literal(unit, data.BIGINT)), data.BIGINT, True)
