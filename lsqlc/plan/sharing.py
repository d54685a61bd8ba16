"""Expressions whose parts are shared: an argument that a body uses twice is one object, however often it comes.

What walks such an expression part by part takes twice as long with each level of calls; what is here looks at each
object once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_

from lsqlc.plan.expression import Expression, children, with_children


def distinct(expression: Expression) -> Iterator[Expression]:
    """Yield the objects that an expression is made of, each once, from the outside in."""
    seen: set[int] = set()
    pending = [expression]
    while pending:
        part = pending.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            pending += reversed(children(part))


def rewrite_shared(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` applied to every part, from the inside out: what was one object stays one."""
    done: dict[int, Expression] = {}

    def rewritten(part: Expression) -> Expression:
        found = done.get(id(part))
        if found is None:
            parts = children(part)
            changed = tuple(map(rewritten, parts))
            found = done[id(part)] = change(part if all(map(is_, changed, parts)) else with_children(part, changed))
        return found

    return rewritten(expression)


def depth(expression: Expression) -> int:
    """How many expressions stand one in another."""
    known: dict[int, int] = {}
    pending = [expression]
    while pending:
        part = pending[-1]
        missing = [each for each in children(part) if id(each) not in known]
        if missing:
            pending += missing
            continue
        pending.pop()
        known[id(part)] = 1 + max((known[id(each)] for each in children(part)), default=0)
    return known[id(expression)]
