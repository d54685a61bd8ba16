"""Numbers that distinguish the identifiers of a record: each UUID() of a projection without a number gets one."""

from __future__ import annotations

from msgspec.structs import replace

from lsqlc.functions import catalogue
from lsqlc.plan.expression import Call, Expression, Literal, rewrite, walk
from lsqlc.plan.nodes import Node, Project, inputs
from lsqlc.types import data


def numbered(key: Expression, value: Expression, below: Node) -> tuple[Expression, Expression]:
    """Return the key and the value of a projection with numbered calls, the key's first.

    The numbers follow those of the projections `below` it, whose records have the same ordinals.
    """
    if not _calls(key) and not _calls(value):
        return key, value
    count = _count(below)

    def number(part: Expression) -> Expression:
        nonlocal count
        if not isinstance(part, Call) or part.arguments or not _is_of_record(part.function):
            return part
        count += 1
        return replace(part, arguments=(Literal(count - 1, data.INT),))

    return rewrite(key, number), rewrite(value, number)


def _is_of_record(name: str) -> bool:
    function = catalogue.planned(name)
    return function is not None and function.of_record


def _calls(expression: Expression) -> int:
    """Return the number of calls in an expression."""
    return sum(isinstance(part, Call) and _is_of_record(part.function) for part in walk(expression))


def _count(node: Node) -> int:
    """Return the number of calls in the projections of a node and of its inputs."""
    own = _calls(node.key) + _calls(node.value) if isinstance(node, Project) else 0
    return own + sum(map(_count, inputs(node)))
