"""STREAMs that lack changes of a TABLE, and results that depend on these changes.

A micro-batch keeps at least the last change per key of a derived TABLE: of an aggregate, a join or new keys. Earlier
changes in the batch may be missing. A topic with such changes declares it to its readers (`Topic.changes`), so that one
program and a chain of programs give the same result.
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
"""How a query uses the changes of a TABLE. The first two are errors, the others warnings."""


def use_of_changes(node: Node) -> Use | None:
    """Return how the result of a node depends on changes that its input may lack; None if it does not.

    A condition, an array or a new key that reads only the key is the same for all changes of a row. Then the last
    change is enough.
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
    """Return whether a node is a STREAM that may lack changes, because a later change in the batch replaced them.

    This program or the program that writes the topic may drop them.
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
    """Return the topic of a sink, with the changes that it contains."""
    return replace(sink.topic, changes=_changes(sink))


def _changes(sink: Sink) -> Changes:
    lacking = [n for n in sink.inputs if lacks_changes(n) or (n.semantics == "TABLE" and not _has_every_change(n))]
    if not lacking:
        return "every"
    return "last" if any(map(_deletes, sink.inputs)) else "last, never deleted"


def _has_every_change(table: Node) -> bool:
    """Return whether all changes of a TABLE are available, independent of batches.

    Either its changes are records of its topic, or each row has only one change, because its window is final.
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
    """Return whether the changes of a TABLE may contain tombstones."""
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
    """Return whether a condition has the same result for all changes of a row."""
    value = has_value(node.input) if len(node.relations) == 1 and not _deletes(node.input) else None
    return all(part == value or _of_key(part) for part in conjuncts(node.condition))


def _of_key(expression: Expression) -> bool:
    """Return whether an expression has the same value for all records of one key."""
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
