"""All parts of an expression of the syntax."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.syntax import tree


def walk(expression: tree.Expression) -> Iterator[tree.Expression]:
    """Yield the expression and all its parts, from the outside in and from left to right."""
    pending = [expression]
    while pending:
        each = pending.pop()
        yield each
        pending += reversed(children(each))


def children(expression: tree.Expression) -> tuple[tree.Expression, ...]:
    """Return the operands of an expression."""
    match expression:
        case tree.Unary(_, operand) | tree.IsNull(operand) | tree.Cast(operand) | tree.Member(operand):
            return (operand,)
        case tree.Lambda(_, body):
            return (body,)
        case tree.Binary(_, left, right) | tree.Distinct(left, right):
            return left, right
        case tree.Logic(_, operands):
            return operands
        case tree.Between(operand, low, high):
            return operand, low, high
        case tree.In(operand, items):
            return operand, *items
        case tree.Like(operand, pattern):
            return operand, pattern
        case tree.Call(_, arguments):
            return arguments
        case tree.Case(operand, branches, otherwise):
            inner = tuple(part for branch in branches for part in branch)
            return *((operand,) if operand else ()), *inner, *((otherwise,) if otherwise else ())
        case tree.ArrayLiteral(items):
            return items
        case tree.Index(operand, index):
            return operand, index
        case _:
            return ()
