"""The parts of a plan above a stateful operator on which its state depends.

Projections and filters above it define the output records, and can be edited under a checkpoint (evolution.py). That
requires that Spark's optimiser does not move them into the operator:

- It merges a projection into the aggregation below it. The layout of the state is then the order in which it finds the
  aggregates. So they have to be used in their own order, each column one of them at most. A sum of changes of a TABLE
  is in a condition that is used twice and is never merged.
- It moves a condition on the group below the aggregation, and the rows that it removes are lost for good. With upserts
  a condition deletes, which is not a filter to Spark; a filter of records above an aggregation is one.
- It removes unused columns of a joined row. So the columns that are used belong to the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field, StructOf, walk

_STATELESS = nodes.Filter | nodes.Project | nodes.Repartition | nodes.Reinterpret


def keeps_state(node: nodes.Node) -> bool:
    """Return True if the node itself is a stateful operator."""
    elements = isinstance(node, nodes.Lateral) and node.semantics == "TABLE"
    return elements or isinstance(node, nodes.Aggregate | nodes.Join | nodes.Rekey)


def has_state(node: nodes.Node) -> bool:
    """Return True if the node or one below it is such an operator."""
    return keeps_state(node) or any(has_state(part) for part in nodes.inputs(node))


def bounds(roots: Sequence[nodes.Node], text_of: Callable[[Expression], str]) -> tuple[str, ...] | None:
    """Return the parts above a stage's operator on which its state depends; None: unknown.

    `roots`: the output nodes; `text_of`: an expression as text that is equal for equal expressions.
    """
    if len(roots) > 1 and any(map(has_state, roots)):
        return None
    parts = [_bounds(node, text_of) for node in roots]
    return None if None in parts else tuple(line for each in parts for line in each or ())


def _bounds(top: nodes.Node, text_of: Callable[[Expression], str]) -> tuple[str, ...] | None:
    above: list[nodes.Node] = []
    node = top
    while not keeps_state(node):
        below = nodes.inputs(node)
        if not below:
            return _keys(above, text_of)
        above.append(node)
        node = below[0]
    if not all(isinstance(n, _STATELESS) for n in above) or sum(isinstance(n, nodes.Project) for n in above) > 1:
        return None
    records = any(isinstance(n, nodes.Filter) and n.semantics == "STREAM" for n in above)
    match node:
        case nodes.Aggregate() if not records and (node.input.semantics == "TABLE" or _in_order(above, node)):
            return _keys(above, text_of)
        case nodes.Join(style="table-table") if not records:
            return (*_keys(above, text_of), *_used(above))
        case nodes.Join(style="stream-table" | "table-stream"):
            return (*_keys(above, text_of), *_used(above))
    return None


def _keys(above: Sequence[nodes.Node], text_of: Callable[[Expression], str]) -> tuple[str, ...]:
    """Return the keys of rows: under another key the old rows would stay forever. Records may change theirs."""
    keys = (text_of(n.key) for n in above if isinstance(n, nodes.Project) and n.semantics == "TABLE")
    return tuple(f"rows by {key}" for key in keys)


def _used(above: Sequence[nodes.Node]) -> Iterable[str]:
    fields = {
        f"{part.relation}.{part.facet}.{'.'.join(part.path)}"
        for expression in _expressions(above)
        for part in walk(expression)
        if isinstance(part, Field)
    }
    return sorted(fields)


def _in_order(above: Sequence[nodes.Node], node: nodes.Aggregate) -> bool:
    """Return True if the first uses of the aggregates have the order of the aggregates.

    The order in which each expression is walked does not matter.
    """
    used_in_order: list[str] = []
    for expression in _expressions(above):
        used = dict.fromkeys(
            part.path[0] for part in walk(expression) if isinstance(part, Field) and part.facet == "value" and part.path
        )
        if len(used) > 1:
            return False
        used_in_order += used
    return list(dict.fromkeys(used_in_order)) == [f"a{i}" for i, _ in enumerate(node.aggregates)]


def _expressions(above: Sequence[nodes.Node]) -> Iterable[Expression]:
    """Yield conditions first, as the rows that they delete are known before the output; then columns one by one."""
    for node in reversed(above):
        if isinstance(node, nodes.Filter):
            yield node.condition
    for node in above:
        if isinstance(node, nodes.Project):
            yield node.key
            yield from node.value.values if isinstance(node.value, StructOf) else (node.value,)
