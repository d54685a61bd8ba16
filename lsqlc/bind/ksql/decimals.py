"""Arithmetic of ksqlDB with decimals: a BIGINT next to a decimal has 19 digits, and a quotient of decimals is a
decimal.
"""

from __future__ import annotations

from msgspec.structs import replace

from lsqlc.functions.forms import operators
from lsqlc.plan.expression import Cast, Operation
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

_DIGITS: dict[DataType, Decimal] = {data.INT: Decimal(10, 0), data.BIGINT: Decimal(19, 0)}


def in_decimals(expression: Operation) -> Operation:
    """Return an operation with ksqlDB's types."""
    if expression.operator not in operators.ARITHMETIC:
        return expression
    types = [o.type for o in expression.operands]
    exact = all(isinstance(t, Decimal) or data.is_integer(t) for t in types)
    if not exact or not any(isinstance(t, Decimal) for t in types):
        return expression
    left, right = (
        Cast(o, digits, o.nullable) if (digits := _DIGITS.get(o.type)) is not None else o for o in expression.operands
    )
    assert isinstance(left.type, Decimal) and isinstance(right.type, Decimal)
    if expression.operator == "/":
        return replace(expression, operands=(left, right), type=operators.quotient_type(left.type, right.type))
    type = operators.result_type(expression.operator, left.type, right.type)
    assert type is not None
    return replace(expression, operands=(left, right), type=type)
