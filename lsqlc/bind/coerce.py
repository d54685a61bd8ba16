"""Implicit conversions of the language, as casts in the plan."""

from __future__ import annotations

from lsqlc.plan.expression import Cast, Expression, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, unify


def coerce(expression: Expression, type: DataType) -> Expression:
    """Return the expression as a value of `type`, a common type of its own."""
    if expression.type == type:
        return expression
    if expression.type == data.NULL or expression == Literal(None, expression.type):
        # Its value is null for any record.
        return Literal(None, type)
    if isinstance(expression, Literal):
        if type == data.DOUBLE and isinstance(expression.value, int):
            return Literal(float(expression.value), type)
        if type == data.BIGINT:
            return Literal(expression.value, type)
    return Cast(expression, type, expression.nullable)


def typed(expression: Expression, type: DataType) -> Expression:
    """Return the expression itself, or a NULL of `type` if it has no type."""
    return coerce(expression, type) if expression.type == data.NULL else expression


def always_fits(before: DataType, after: DataType) -> bool:
    """Return whether every value of one type can be cast to the other."""
    return after == data.STRING or unify(before, after) == after
