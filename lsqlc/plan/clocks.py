"""Dependence of plans on time: windows, stream-stream joins, and expressions that read the time of a row."""

from __future__ import annotations

from lsqlc.plan.expression import Expression, RecordTime, walk
from lsqlc.plan.nodes import Aggregate, EventTime, Filter, Join, Node, Project, Repartition, Scan, inputs
from lsqlc.plan.plan import Plan


def has_clock(plan: Plan) -> bool:
    """Return whether the result for a record can depend on the times of earlier records."""
    return any(_has_clock(node) for sink in plan.sinks for node in sink.inputs)


def _has_clock(node: Node) -> bool:
    if isinstance(node, Aggregate) and node.window is not None:
        return True
    if isinstance(node, Join) and node.style == "stream-stream":
        return True
    return any(map(_has_clock, inputs(node)))


def timed_groups(node: Node) -> tuple[Aggregate, ...]:
    """Return the aggregates of a TABLE, at or below a node, whose group time is read by an expression.

    The time of a group is the latest time of a record that changed it, by an added or a removed row.
    """
    below = inputs(node)
    aggregates = tuple(a for part in below for a in timed_groups(part))
    return (*aggregates, *_groups(below[0])) if reads_time(node) else aggregates


def knows_departures(node: Aggregate) -> bool:
    """Return whether the removal of an input row of an aggregate is visible: it only projects and filters a topic."""
    each: Node = node.input
    while isinstance(each, Filter | Repartition) or (isinstance(each, Project) and not each.rekeys):
        each = each.input
    return isinstance(each, Scan)


def ends_with_own_time(node: Node) -> bool:
    """Return whether the program sets the time of a node's records, and no later node resets it."""
    if isinstance(node, EventTime):
        return True
    return not isinstance(node, Scan | Aggregate | Join) and any(map(ends_with_own_time, inputs(node)))


def _groups(node: Node) -> tuple[Aggregate, ...]:
    """Return the aggregates of a TABLE that determine the time of a node's rows."""
    if node.semantics == "STREAM":
        return ()
    if isinstance(node, Aggregate):
        return (node,) if node.input.semantics == "TABLE" else ()
    return tuple(a for part in inputs(node) for a in _groups(part))


def reads_time(node: Node) -> bool:
    """Return whether an expression of this node reads the time of a record."""
    values = (getattr(node, name) for name in node.__struct_fields__)
    flat = (v for value in values for v in (value if isinstance(value, tuple) else (value,)))
    return any(isinstance(part, RecordTime) for v in flat if isinstance(v, Expression) for part in walk(v))
