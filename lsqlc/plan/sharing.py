"""Expressions with shared parts: an argument that a function body uses twice is one object.

A plain walk over such an expression takes exponential time in the number of nested calls. These functions visit each
object once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_

from lsqlc.plan.expression import Expression, children, with_children


def distinct(expression: Expression) -> Iterator[Expression]:
    """Yield the distinct objects of an expression, outermost first."""
    visited: set[int] = set()
    pending = [expression]
    while pending:
        part = pending.pop()
        if id(part) not in visited:
            visited.add(id(part))
            yield part
            pending += reversed(children(part))


def rewrite_shared(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` applied to every part, innermost first. Shared objects stay shared."""
    results: dict[int, Expression] = {}

    def rewritten(part: Expression) -> Expression:
        result = results.get(id(part))
        if result is None:
            parts = children(part)
            changed = tuple(map(rewritten, parts))
            result = results[id(part)] = change(part if all(map(is_, changed, parts)) else with_children(part, changed))
        return result

    return rewritten(expression)


def depth(expression: Expression) -> int:
    """Return the number of nested levels."""
    depths: dict[int, int] = {}
    pending = [expression]
    while pending:
        part = pending[-1]
        missing = [each for each in children(part) if id(each) not in depths]
        if missing:
            pending += missing
            continue
        pending.pop()
        depths[id(part)] = 1 + max((depths[id(each)] for each in children(part)), default=0)
    return depths[id(expression)]
