"""The points of a program, over its plan before the optimiser, whose expressions are those of the text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from msgspec import structs

from lsqlc.bind.places import Places
from lsqlc.bind.trace import Trace
from lsqlc.plan import Plan
from lsqlc.plan.nodes import Node, Scan, inputs, scans, with_inputs
from lsqlc.plan.points import Point, Source, points_of
from lsqlc.plan.policies import passing_over
from lsqlc.syntax.program import Program
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Facet


def observed(program: Program, plan: Plan, trace: Trace, names: Collection[str]) -> tuple[Plan, tuple[Point, ...]]:
    """Return the plan of a program before the optimiser, and its points.

    `trace`: was filled when it was bound. `names`: those of the sources of its queries.
    """
    read = [scan for sink in plan.sinks for node in sink.inputs for scan in scans(node)]
    unoptimised = (
        structs.replace(
            sink, inputs=tuple(_requiring(node, read) for node in trace.results.get(sink.topic.name, sink.inputs))
        )
        for sink in plan.sinks
    )
    sinks = passing_over(unoptimised, plan.policy)
    # The place of a topic that is named several times is its first name.
    topics = {name.text: name.at for name in reversed(program.reads)}
    source = Source(program.source.text, Places(trace).find, topics, frozenset(map(str.casefold, names)))
    points = points_of([node for sink in sinks for node in sink.inputs], read, source)
    return replace(plan, sinks=sinks), points


def _requiring(node: Node, read: Sequence[Scan]) -> Node:
    """Return a node whose scans require no columns that the scans after the optimiser do not read.

    A case can leave such columns out, though they are NOT NULL.
    """
    if not isinstance(node, Scan):
        return with_inputs(node, tuple(_requiring(each, read) for each in inputs(node)))
    same = [scan for scan in read if scan.topic.name == node.topic.name]
    keys, values = [scan.key.type for scan in same], [scan.value.type for scan in same]
    topic = replace(node.topic, key=_required(node.topic.key, keys), value=_required(node.topic.value, values))
    return structs.replace(node, topic=topic, key=_required(node.key, keys), value=_required(node.value, values))


def _required(facet: Facet, read: Sequence[DataType]) -> Facet:
    return structs.replace(facet, type=_as_read(facet.type, read))


def _as_read(type: DataType, read: Sequence[DataType]) -> DataType:
    """Return a type in which fields that none of the types `read` has may be null."""
    match type:
        case Struct(fields):
            by_name: dict[str, list[DataType]] = {}
            for field in (f for each in read if isinstance(each, Struct) for f in each.fields):
                by_name.setdefault(field.name, []).append(field.type)
            return Struct(
                tuple(
                    structs.replace(
                        field,
                        type=_as_read(field.type, by_name.get(field.name, ())),
                        nullable=field.nullable or field.name not in by_name,
                    )
                    for field in fields
                )
            )
        case Array(element):
            return Array(_as_read(element, [each.element for each in read if isinstance(each, Array)]))
        case Map(key, value):
            return Map(key, _as_read(value, [each.value for each in read if isinstance(each, Map)]))
    return type
