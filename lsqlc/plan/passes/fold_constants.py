"""Constant folding: `5 + 7` becomes `12`, `TRUE AND x` becomes `x`."""

from __future__ import annotations

from msgspec.structs import replace

from lsqlc.plan.expression import Aggregation, Case, Cast, Expression, Literal, Operation, reads_value, rewrite
from lsqlc.plan.identity import may_be_tombstone
from lsqlc.plan.nodes import Filter, Node, inputs, with_inputs
from lsqlc.types import data

_LIMITS = {data.INT: 2**31, data.BIGINT: 2**63}


def fold_constants(node: Node) -> Node:
    """Return the node with constants folded. A filter that is always true is removed, unless it drops tombstones."""
    node = with_inputs(node, tuple(fold_constants(part) for part in inputs(node)))
    before = node
    fields = ((name, value, _fold(value)) for name in node.__struct_fields__ if (value := getattr(node, name)))
    changed = {name: after for name, value, after in fields if after is not value}
    if changed:
        node = replace(node, **changed)
    # A condition that reads the value drops records without a value, even if it folds to a constant.
    if isinstance(before, Filter) and isinstance(node, Filter) and may_be_tombstone(node.input):
        keeps = reads_value(before.condition) and not reads_value(node.condition)
        node = replace(node, condition=before.condition) if keeps else node
    if isinstance(node, Filter) and node.condition == Literal(True, data.BOOLEAN):
        return node.input
    return node


def _fold(value: object) -> object:
    """Fold an expression, or the expressions in a tuple. Other values are returned unchanged."""
    if isinstance(value, tuple):
        parts = tuple(_fold(part) for part in value)
        return parts if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    if isinstance(value, Aggregation):
        arguments = _fold(value.arguments)
        return value if arguments is value.arguments else replace(value, arguments=arguments)
    return rewrite(value, _step) if isinstance(value, Expression) else value


def _step(expression: Expression) -> Expression:
    if isinstance(expression, Case):
        return _case(expression)
    if isinstance(expression, Cast) and isinstance(expression.operand, Literal):
        return _widened(expression.operand, expression)
    if not isinstance(expression, Operation):
        return expression
    if expression.operator in ("AND", "OR"):
        return _connective(expression)
    values = [o.value for o in expression.operands if isinstance(o, Literal)]
    if len(values) < len(expression.operands) or any(v is None for v in values):
        return expression
    if expression.operator == "NOT":
        return Literal(not values[0], data.BOOLEAN)
    if expression.type in _LIMITS and expression.operator in ("+", "-", "*", "NEGATE"):
        return _integers(expression, [int(v) for v in values if v is not None])
    return expression


def _widened(literal: Literal, cast: Cast) -> Expression:
    """Convert an integer to a wider number, or a null to another type."""
    if literal.value is None:
        return replace(literal, type=cast.type)
    if literal.type == data.INT and cast.type == data.BIGINT:
        return replace(literal, type=cast.type)
    if literal.type == data.INT and cast.type == data.DOUBLE:
        return Literal(float(literal.value), cast.type)
    return cast


def _connective(expression: Operation) -> Expression:
    """Simplify `TRUE AND x` to x and `FALSE AND x` to FALSE; the reverse for OR. NULL stays, for three-valued logic."""
    left, right = expression.operands
    neutral = expression.operator == "AND"
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Literal) and one.value is neutral:
            return other
        if isinstance(one, Literal) and one.value is (not neutral):
            return one
    return expression


def _integers(expression: Operation, values: list[int]) -> Expression:
    """Return the result, or NULL if it overflows its type, as in the engines."""
    match expression.operator:
        case "+":
            result = values[0] + values[1]
        case "-":
            result = values[0] - values[1]
        case "*":
            result = values[0] * values[1]
        case _:
            result = -values[0]
    limit = _LIMITS[expression.type]  # type: ignore[index]
    return Literal(result if -limit <= result < limit else None, expression.type)


def _case(case: Case) -> Expression:
    """Remove branches whose condition is never true, and branches after one that is always true."""
    branches: list[tuple[Expression, Expression]] = []
    for condition, result in case.branches:
        if isinstance(condition, Literal) and condition.value is not True:
            continue
        if isinstance(condition, Literal):
            return replace(case, branches=tuple(branches), otherwise=result) if branches else result
        branches.append((condition, result))
    return replace(case, branches=tuple(branches)) if branches else case.otherwise
