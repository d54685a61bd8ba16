"""A condition over the records of one topic, in the language of some dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Literal, conjunction
from lsqlc.plan.plan import Plan
from lsqlc.types import data

# The name of the output of the program around a condition.
RESULT = "show"


@dataclass(frozen=True, slots=True)
class BoundCondition:
    """A bound condition.

    `text`: the program around the condition, in which the diagnostics have their spans. `expression`: over the fields
    of the topic as relation 0; None after an error.
    """

    text: str
    expression: Expression | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def condition_of(text: str, plan: Plan, at: Span) -> BoundCondition:
    """Return the condition of a program's WHERE, from its plan; LSQ683 for any other program."""
    parts = _conditions(plan)
    if parts is None:
        return more_than_a_condition(text, at)
    return BoundCondition(text, conjunction(parts) or Literal(True, data.BOOLEAN))


def more_than_a_condition(text: str, at: Span) -> BoundCondition:
    """Return LSQ683 at a span of the program."""
    message = "'--where' must be a condition, without further clauses"
    return BoundCondition(text, None, (Diagnostic("LSQ683", message, at),))


def _conditions(plan: Plan) -> tuple[Expression, ...] | None:
    """Return the conditions of a plan with one sink that filters records and does not change them; None for any other
    plan.
    """
    if len(plan.sinks) != 1 or len(plan.sinks[0].inputs) != 1 or plan.policy != "fail":
        return None
    if plan.sinks[0].topic.name != RESULT:
        return None
    return _of_node(plan.sinks[0].inputs[0])


def _of_node(node: nodes.Node) -> tuple[Expression, ...] | None:
    conditions: list[Expression] = []
    for below in _chain(node):
        if isinstance(below, nodes.Filter):
            conditions.append(below.condition)
        elif not isinstance(below, nodes.Scan | nodes.Project):
            return None
    return tuple(conditions)


def _chain(node: nodes.Node) -> Iterator[nodes.Node]:
    while True:
        yield node
        below = nodes.inputs(node)
        if len(below) != 1:
            return
        node = below[0]
