"""Records for which a query computes no valid time, as conditions over the records of their topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from lsqlc.functions import catalogue
from lsqlc.plan import nodes
from lsqlc.plan.expression import (
    Call,
    Expression,
    Field,
    Literal,
    Member,
    Operation,
    PythonCall,
    RecordTime,
    ServerCall,
    StructOf,
    conjunction,
    joined,
    rewrite,
    walk,
)
from lsqlc.types import data
from lsqlc.types.record import LATEST


def untimed(sinks: Iterable[nodes.Sink]) -> Mapping[str, tuple[nodes.Scan, Expression]]:
    """Return, by topic, a scan and a condition: records that satisfy it have no time, and get a dead letter."""
    scans: dict[str, nodes.Scan] = {}
    conditions: dict[str, dict[Expression, None]] = {}
    pending = [node for sink in sinks for node in sink.inputs]
    while pending:
        node = pending.pop()
        pending += nodes.inputs(node)
        if isinstance(node, nodes.EventTime) and node.lettered:
            timeless = timeless_records(node)
            assert timeless is not None, "only such nodes are lettered"
            scan, condition = timeless
            scans[scan.topic.name] = scan
            conditions.setdefault(scan.topic.name, {})[condition] = None
    return {name: (scans[name], joined("OR", tuple(conditions[name]))) for name in sorted(scans)}


def timeless_records(node: nodes.EventTime) -> tuple[nodes.Scan, Expression] | None:
    """Return the scan below a node, and the condition for records that get no valid time from the node.

    Returns None if a dead letter cannot name a single record of a log, or if the expression cannot be computed twice.
    """
    time, low, high = node.time, Literal(0, data.BIGINT), Literal(LATEST, data.BIGINT)
    tests = (_operation("IS NULL", time), _operation("<", time, low), _operation(">", time, high))
    parts: list[Expression] = [joined("OR", tests)]
    projections, below = 0, node.input
    while not isinstance(below, nodes.Scan):
        match below:
            case nodes.Filter(semantics="STREAM"):
                parts.append(below.condition)
            case nodes.Project(semantics="STREAM") if projections == 0:
                # With several projections, the size of an expression could double at each.
                projections += 1
                parts = [_through(part, below) for part in parts]
            case nodes.EventTime(semantics="STREAM"):
                parts = [_dated(part, below.time) for part in parts]
            case nodes.Repartition(semantics="STREAM"):
                pass
            case _:
                return None
        below = below.input
    own = below.semantics == "STREAM" and below.topic.files is None and not below.places and not below.headers
    if not own or any(_may_differ(each) for part in parts for each in walk(part)):
        return None
    # A record without a value keeps its time.
    value = Field(0, "value", (), below.value.type, True)
    condition = conjunction((_operation("IS NOT NULL", value), *reversed(parts)))
    assert condition is not None
    return below, condition


def _operation(operator: str, *operands: Expression) -> Operation:
    return Operation(operator, operands, data.BOOLEAN, any(o.nullable for o in operands))


def _through(expression: Expression, project: nodes.Project) -> Expression:
    """Rewrite an expression over a projection as an expression over its input."""

    def change(part: Expression) -> Expression:
        if not isinstance(part, Field):
            return part
        inner, path = project.key if part.facet == "key" else project.value, part.path
        while path:
            if isinstance(inner, StructOf):
                inner = inner.values[inner.names.index(path[0])]
            elif isinstance(inner, Field):
                return replace(inner, path=(*inner.path, *path), type=part.type, nullable=True)
            else:
                field = inner.type.field(path[0]) if isinstance(inner.type, data.Struct) else None
                assert field is not None, "a path leads through structs"
                inner = Member(inner, path[0], field.type, True)
            path = path[1:]
        return inner

    return rewrite(expression, change)


def _dated(expression: Expression, time: Expression) -> Expression:
    return rewrite(expression, lambda part: time if isinstance(part, RecordTime) else part)


def _may_differ(part: Expression) -> bool:
    """Return whether an expression may have another value when another query computes it."""
    if isinstance(part, Call):
        function = catalogue.planned(part.function)
        return function is None or function.clock or function.of_record
    return isinstance(part, PythonCall | ServerCall)
