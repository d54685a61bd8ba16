"""Whether the inputs of joins lie in equally many partitions, so that records of one key are side by side. Pure.

Who moves records by itself is left out: a side that the plan repartitions, aggregates or gives another key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field
from lsqlc.plan.nodes import Join, Node, Scan
from lsqlc.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A join of `model` whose sides have other numbers of partitions: a topic of each, with its number."""

    model: str
    left: tuple[str, int]
    right: tuple[str, int]


def mismatches(plans: Mapping[str, Plan], partitions: Mapping[str, int]) -> tuple[Mismatch, ...]:
    """Return the joins on whole keys whose sides have different numbers of partitions.

    `partitions`: that of each known topic, by its name in the project.
    """
    all_mismatches = (
        mismatch
        for model, plan in plans.items()
        for sink in plan.sinks
        for node in sink.inputs
        for mismatch in _below(node, model, partitions)
    )
    return tuple(dict.fromkeys(all_mismatches))


def _below(node: Node, model: str, partitions: Mapping[str, int]) -> Iterator[Mismatch]:
    if isinstance(node, Join) and all(_is_key(a) and _is_key(b) for a, b in node.equalities):
        left, right = _lying(node.left, partitions), _lying(node.right, partitions)
        if left is not None and right is not None and left[1] != right[1]:
            yield Mismatch(model, left, right)
    for part in nodes.inputs(node):
        yield from _below(part, model, partitions)


def _is_key(expression: Expression) -> bool:
    return isinstance(expression, Field) and expression.facet == "key" and not expression.path


def _lying(node: Node, partitions: Mapping[str, int]) -> tuple[str, int] | None:
    """Return the topic whose partitioning the records of a node have, with its number of partitions; None if it is
    unknown.
    """
    if isinstance(node, Scan):
        count = partitions.get(node.topic.name)
        return None if count is None else (node.topic.name, count)
    if isinstance(node, nodes.Repartition | nodes.Aggregate | nodes.Rekey):
        return None
    if isinstance(node, nodes.Project) and node.rekeys:
        return None
    sides = [_lying(part, partitions) for part in nodes.inputs(node)]
    return sides[0] if len({side[1] if side else None for side in sides}) == 1 else None
