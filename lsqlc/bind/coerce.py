"""Conversions that the language makes by itself, written out in the plan."""

from __future__ import annotations

from lsqlc.plan.expression import Cast, Expression, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, unify


def coerce(expression: Expression, type: DataType) -> Expression:
    """The expression as a value of `type`, which its own type meets."""
    if expression.type == type:
        return expression
    if expression.type == data.NULL or expression == Literal(None, expression.type):
        # Whatever computes it, it is null.
        return Literal(None, type)
    if isinstance(expression, Literal):
        if type == data.DOUBLE and isinstance(expression.value, int):
            return Literal(float(expression.value), type)
        if type == data.BIGINT:
            return Literal(expression.value, type)
    return Cast(expression, type, expression.nullable)


def typed(expression: Expression, type: DataType) -> Expression:
    """The expression itself, or a NULL of `type` for one that has no type."""
    return coerce(expression, type) if expression.type == data.NULL else expression


def always_fits(before: DataType, after: DataType) -> bool:
    """Whether every value of one type can be cast to the other."""
    return after == data.STRING or unify(before, after) == after
