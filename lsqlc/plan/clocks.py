"""Whether a plan looks at time: windows close, and streams wait for each other, as the time of records goes on; a query
asks for the time of a row.
"""

from __future__ import annotations

from lsqlc.plan.expression import Expression, RecordTime, walk
from lsqlc.plan.nodes import Aggregate, EventTime, Filter, Join, Node, Project, Repartition, Scan, inputs
from lsqlc.plan.plan import Plan


def has_clock(plan: Plan) -> bool:
    """Return whether what becomes of a record can depend on the times of those that came before it."""
    return any(_has_clock(node) for sink in plan.sinks for node in sink.inputs)


def _has_clock(node: Node) -> bool:
    if isinstance(node, Aggregate) and node.window is not None:
        return True
    if isinstance(node, Join) and node.style == "stream-stream":
        return True
    return any(map(_has_clock, inputs(node)))


def timed_groups(node: Node) -> tuple[Aggregate, ...]:
    """Return the aggregates of a TABLE, at or below a node, the time of whose groups an expression reads.

    That is the latest time of a record that changed the group: by a row that came, or by one that left.
    """
    below = inputs(node)
    found = tuple(a for part in below for a in timed_groups(part))
    return (*found, *_groups(below[0])) if reads_time(node) else found


def knows_departures(node: Aggregate) -> bool:
    """Return whether it can be seen when a row of an aggregate's input left: it only projects and filters a topic."""
    each: Node = node.input
    while isinstance(each, Filter | Repartition) or (isinstance(each, Project) and not each.rekeys):
        each = each.input
    return isinstance(each, Scan)


def ends_with_own_time(node: Node) -> bool:
    """Return whether the records of a node have a time that the program gave them, and no record before."""
    if isinstance(node, EventTime):
        return True
    return not isinstance(node, Scan | Aggregate | Join) and any(map(ends_with_own_time, inputs(node)))


def _groups(node: Node) -> tuple[Aggregate, ...]:
    """Return the aggregates of a TABLE that the time of a node's rows comes from."""
    if node.semantics == "STREAM":
        return ()
    if isinstance(node, Aggregate):
        return (node,) if node.input.semantics == "TABLE" else ()
    return tuple(a for part in inputs(node) for a in _groups(part))


def reads_time(node: Node) -> bool:
    """Return whether an expression of this node is about the time of a record."""
    values = (getattr(node, name) for name in node.__struct_fields__)
    flat = (v for value in values for v in (value if isinstance(value, tuple) else (value,)))
    return any(isinstance(part, RecordTime) for v in flat if isinstance(v, Expression) for part in walk(v))
