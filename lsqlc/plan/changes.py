"""Which streams lack changes of a TABLE, and which results depend on that.

A micro-batch keeps at least the last change of each key of a derived TABLE: of an aggregate, a join or new keys. What
comes before it in the batch may be missing. A topic that holds such changes says so to the programs that read it
(`Topic.changes`), so that it makes no difference whether one program or several process them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from lsqlc.functions import catalogue
from lsqlc.plan.expression import Call, Expression, Field, RecordTime, conjuncts, walk
from lsqlc.plan.identity import has_value
from lsqlc.plan.nodes import (
    Aggregate,
    EventTime,
    Filter,
    Join,
    Lateral,
    Node,
    Project,
    Reinterpret,
    Rekey,
    Repartition,
    Scan,
    Sink,
    inputs,
)
from lsqlc.types.record import Changes, Topic

Use = Literal["aggregated", "joined", "filtered", "expanded", "rekeyed"]
"""How a query uses the changes of a TABLE: the first two are refused, the others are findings."""


def use_of_changes(node: Node) -> Use | None:
    """How the result of a node depends on changes that its input may lack; None if it does not.

    A condition, an array or a new key that only reads the key gives the same for all changes of a row: then the last
    one decides.
    """
    match node:
        case Aggregate() if lacks_changes(node.input):
            return "aggregated"
        case Join() if any(map(lacks_changes, inputs(node))):
            return "joined"
        case Filter() if lacks_changes(node.input) and not _same_for_a_key(node):
            return "filtered"
        case Lateral() if lacks_changes(node.input) and not _of_key(node.array):
            return "expanded"
        case Project(rekeys=True) if lacks_changes(node.input) and not _of_key(node.key):
            return "rekeyed"
    return None


def lacks_changes(node: Node) -> bool:
    """Return whether a node is a STREAM that may lack changes which others replaced within a batch, in this program or
    in the one that writes its topic.
    """
    if node.semantics == "TABLE":
        return False
    match node:
        case Scan():
            return node.topic.changes != "every"
        case Reinterpret():
            return not _has_every_change(node.input)
        case _:
            return any(map(lacks_changes, inputs(node)))


def written_topic(sink: Sink) -> Topic:
    """Return the topic of a sink, with what it holds of the changes of its rows."""
    return replace(sink.topic, changes=_changes(sink))


def _changes(sink: Sink) -> Changes:
    lacking = [n for n in sink.inputs if lacks_changes(n) or (n.semantics == "TABLE" and not _has_every_change(n))]
    if not lacking:
        return "every"
    return "last" if any(map(_deletes, sink.inputs)) else "last, never deleted"


def _has_every_change(table: Node) -> bool:
    """Return whether the changes of a TABLE are all there, whatever the batches: they are records of its topic, one for
    one, or a row has one change, since its window is written once.
    """
    match table:
        case Scan():
            return table.topic.changes == "every"
        case Reinterpret():
            return not lacks_changes(table.input)
        case Aggregate():
            return table.window is not None and table.window.final
        case Join() | Rekey():
            return False
        case _:
            below = inputs(table)[0]
            return len(table.relations) <= len(below.relations) and _has_every_change(below)


def _deletes(node: Node) -> bool:
    """Return whether records without a value may be among the changes of a TABLE."""
    match node:
        case Scan():
            return node.topic.changes != "last, never deleted"
        case Aggregate():
            return node.input.semantics == "TABLE"
        case Project():
            return node.value.nullable or _deletes(node.input)
        case Reinterpret(semantics="STREAM") | EventTime() | Repartition():
            return _deletes(node.input)
        case Filter():
            return node.semantics == "TABLE" or _deletes(node.input)
        case _:
            return True


def _same_for_a_key(node: Filter) -> bool:
    """Return whether a condition keeps all changes of a row or none."""
    value = has_value(node.input) if len(node.relations) == 1 and not _deletes(node.input) else None
    return all(part == value or _of_key(part) for part in conjuncts(node.condition))


def _of_key(expression: Expression) -> bool:
    """Return whether an expression is the same for all records of one key."""
    return not any(map(_differs, walk(expression)))


def _differs(part: Expression) -> bool:
    match part:
        case Field():
            return part.facet == "value"
        case RecordTime():
            return True
        case Call():
            function = catalogue.planned(part.function)
            return function is not None and function.of_record
    return False
