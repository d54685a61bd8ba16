"""What a state depends on of the nodes above the operator that keeps it.

Projections and filters above it decide what a record looks like when it is written, and can be edited under a
checkpoint (evolution.py), as long as Spark's optimiser does not let them reach down into the operator:

- It merges a projection into the aggregation below it and lays the state out in the order in which aggregates are
  then met. So they have to be used in their own order, each column one of them at most. What sums changes of a TABLE
  stands in a condition that is used twice and is never merged.
- It pushes a condition on the group below the aggregation, and what is then missing is missing for good. Where rows
  are upserts a condition deletes, which is not a filter to Spark; a filter of records above an aggregation is one.
- It drops what is not used of a joined row. So the columns that are used belong to the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field, StructOf, walk

_STATELESS = nodes.Filter | nodes.Project | nodes.Repartition | nodes.Reinterpret


def keeps_state(node: nodes.Node) -> bool:
    """Whether the node itself is an operator with state."""
    elements = isinstance(node, nodes.Lateral) and node.semantics == "TABLE"
    return elements or isinstance(node, nodes.Aggregate | nodes.Join | nodes.Rekey)


def has_state(node: nodes.Node) -> bool:
    """Whether the node or one below it is such an operator."""
    return keeps_state(node) or any(has_state(part) for part in nodes.inputs(node))


def bounds(fed: Sequence[nodes.Node], spelled: Callable[[Expression], str]) -> tuple[str, ...] | None:
    """What the state of a stage depends on above its operator; None: not known. `fed`: the nodes that are written;
    `spelled`: an expression as text that is equal for equal expressions.
    """
    if len(fed) > 1 and any(map(has_state, fed)):
        return None
    found = [_bounds(node, spelled) for node in fed]
    return None if None in found else tuple(line for each in found for line in each or ())


def _bounds(top: nodes.Node, spelled: Callable[[Expression], str]) -> tuple[str, ...] | None:
    above: list[nodes.Node] = []
    node = top
    while not keeps_state(node):
        below = nodes.inputs(node)
        if not below:
            return _keys(above, spelled)
        above.append(node)
        node = below[0]
    if not all(isinstance(n, _STATELESS) for n in above) or sum(isinstance(n, nodes.Project) for n in above) > 1:
        return None
    records = any(isinstance(n, nodes.Filter) and n.semantics == "STREAM" for n in above)
    match node:
        case nodes.Aggregate() if not records and (node.input.semantics == "TABLE" or _in_order(above, node)):
            return _keys(above, spelled)
        case nodes.Join(style="table-table") if not records:
            return (*_keys(above, spelled), *_used(above))
        case nodes.Join(style="stream-table" | "table-stream"):
            return (*_keys(above, spelled), *_used(above))
    return None


def _keys(above: Sequence[nodes.Node], spelled: Callable[[Expression], str]) -> tuple[str, ...]:
    """The keys of rows: under another key the old rows would stay for ever. Records may change theirs."""
    keys = (spelled(n.key) for n in above if isinstance(n, nodes.Project) and n.semantics == "TABLE")
    return tuple(f"rows by {key}" for key in keys)


def _used(above: Sequence[nodes.Node]) -> Iterable[str]:
    found = {
        f"{part.relation}.{part.facet}.{'.'.join(part.path)}"
        for expression in _expressions(above)
        for part in walk(expression)
        if isinstance(part, Field)
    }
    return sorted(found)


def _in_order(above: Sequence[nodes.Node], node: nodes.Aggregate) -> bool:
    """Whether the first uses of the aggregates come in the order of the aggregates, in whatever order each expression
    is walked.
    """
    met: list[str] = []
    for expression in _expressions(above):
        used = dict.fromkeys(
            part.path[0] for part in walk(expression) if isinstance(part, Field) and part.facet == "value" and part.path
        )
        if len(used) > 1:
            return False
        met += used
    return list(dict.fromkeys(met)) == [f"a{i}" for i, _ in enumerate(node.aggregates)]


def _expressions(above: Sequence[nodes.Node]) -> Iterable[Expression]:
    """Conditions first, as the rows that they delete are known before what is written of them; columns one by one."""
    for node in reversed(above):
        if isinstance(node, nodes.Filter):
            yield node.condition
    for node in above:
        if isinstance(node, nodes.Project):
            yield node.key
            yield from node.value.values if isinstance(node.value, StructOf) else (node.value,)
