"""Comparison of two plans by column: which columns are computed differently, and which topics have other records.

The computation of a column is traced to the topics that are read. So an edit of a WITH affects only columns that use
it. Filters, joins, groups, laterals, windows, times and settings determine the records, and affect all columns of a
topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.expression import Aggregation, Expression, FacetName
from lsqlc.plan.lineage import USES, Column, Source, places
from lsqlc.plan.lineage_graph import LineageGraph, downstream
from lsqlc.plan.plan import Plan
from lsqlc.types.data import NULL, DataType, Struct
from lsqlc.types.record import Topic

_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnChanges:
    """The changes of the topics that one or both plans write.

    `changed`: columns that are new, removed, of another type, or computed differently. `records`: topics that may have
    other records.
    """

    changed: tuple[Column, ...]
    records: tuple[str, ...]


def column_changes(old: Plan | None, new: Plan | None) -> ColumnChanges:
    """Return the changes of a model's topics. None: this version does not have the model."""
    before, after = _computations(old), _computations(new)
    changed = [
        column
        for topic in dict.fromkeys((*before, *after))
        for column in _differing(topic, before.get(topic, {}), after.get(topic, {}))
    ]
    was, now = _records(old), _records(new)
    return ColumnChanges(tuple(changed), tuple(t for t in now if t in was and was[t] != now[t]))


def affected(changes: ColumnChanges, old: LineageGraph, new: LineageGraph) -> tuple[Source, ...]:
    """Return the columns of downstream topics that depend on changes, with their uses, sorted by topic and name.

    Readers of removed columns come from the older version.
    """
    # A change of the records affects every column.
    every = [
        Column(topic, name)
        for topic in changes.records
        for name in (new.lineages[topic].columns if topic in new.lineages else ())
    ]
    own = {*changes.changed, *every}
    uses: dict[Column, set[str]] = {}
    for graph in (old, new):
        for source in downstream(graph, sorted(own)):
            uses.setdefault(source.column, set()).update(source.uses)
    topics = {column.topic for column in own}
    downstream_columns = sorted(column for column in uses if column.topic not in topics)
    return tuple(Source(column, tuple(use for use in USES if use in uses[column])) for column in downstream_columns)


def _differing(topic: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterable[Column]:
    names = dict.fromkeys((*before, *after))
    return [Column(topic, name) for name in names if before.get(name) != after.get(name)]


def _computations(plan: Plan | None) -> dict[str, dict[str, str]]:
    """Return a digest of the computation of each column, by topic and name."""
    if plan is None:
        return {}
    slicer = _Slicer()
    return {
        sink.topic.name: {
            name: _digest(str(_type(sink.topic, facet, path)), *(slicer.field(n, 0, facet, path) for n in sink.inputs))
            for name, facet, path in places(sink.topic)
        }
        for sink in plan.sinks
    }


def _records(plan: Plan | None) -> dict[str, str]:
    """Return a digest, by topic, of the parts that determine its records."""
    if plan is None:
        return {}
    slicer = _Slicer()
    # The error policy is the only setting that affects records. Other settings configure topics and engines.
    return {sink.topic.name: _digest(plan.policy, *map(slicer.records, sink.inputs)) for sink in plan.sinks}


def _type(topic: Topic, facet: FacetName, path: _Path) -> DataType:
    type = (topic.key if facet == "key" else topic.value).type
    for name in path:
        field = type.field(name) if isinstance(type, Struct) else None
        if field is None:
            return NULL
        type = field.type
    return type


class _Slicer:
    """Digests of the computation of columns, and of the selection of records. Cached, because nodes can be shared."""

    def __init__(self) -> None:
        self._fields: dict[tuple[int, int, FacetName, _Path], str] = {}

    def field(self, node: nodes.Node, relation: int, facet: FacetName, path: _Path) -> str:
        """Return the digest of a path in one of the node's relations."""
        key = (id(node), relation, facet, path)
        digest = self._fields.get(key)
        if digest is None:
            digest = self._fields[key] = self._field(node, relation, facet, path)
        return digest

    def _field(self, node: nodes.Node, relation: int, facet: FacetName, path: _Path) -> str:
        match node:
            case nodes.Scan():
                return _digest("scan", node.topic.name, facet, path, _type(node.topic, facet, path))
            case nodes.Project():
                return self.of(node.key if facet == "key" else node.value, path, node.input)
            case nodes.Lateral() if relation == len(node.input.relations):
                return _digest("element", facet, path, self.of(node.array, (), node.input))
            case nodes.Join():
                width = len(node.left.relations)
                if relation < width:
                    return self.field(node.left, relation, facet, path)
                return self.field(node.right, relation - width, facet, path)
            case nodes.Aggregate():
                return self._group(node, path) if facet == "key" else self._aggregates(node, path)
            case nodes.Union():
                return _digest("union", *(self.field(part, relation, facet, path) for part in node.inputs))
            case _:
                return self.field(node.input, relation, facet, path)

    def _group(self, node: nodes.Aggregate, path: _Path) -> str:
        bounds = ""
        if node.window:
            bounds = _digest("window", node.window, path[:1])
            if path and path[0] != "key":
                return bounds
            path = path[1:]
        if not node.key_names:
            return _digest(bounds, self.of(node.keys[0], path, node.input))
        if path and path[0] in node.key_names:
            return _digest(bounds, self.of(node.keys[node.key_names.index(path[0])], path[1:], node.input))
        return _digest(bounds, path, node.key_names, *(self.of(key, (), node.input) for key in node.keys))

    def _aggregates(self, node: nodes.Aggregate, path: _Path) -> str:
        digests = [
            self._aggregation(aggregation, node.input)
            for number, aggregation in enumerate(node.aggregates)
            if not path or path[0] == f"a{number}"
        ]
        return _digest("aggregates", path[1:], *digests)

    def _aggregation(self, aggregation: Aggregation, node: nodes.Node) -> str:
        arguments = (self.of(argument, (), node) for argument in aggregation.arguments)
        return _digest(aggregation.function, aggregation.type, *arguments)

    def of(self, expression: Expression, path: _Path, node: nodes.Node) -> str:
        """Return the digest of a path in an expression over a node."""
        match expression:
            case ex.Field():
                return self.field(node, expression.relation, expression.facet, (*expression.path, *path))
            case ex.StructOf() if path and path[0] in expression.names:
                return self.of(expression.values[expression.names.index(path[0])], path[1:], node)
            case ex.Member():
                return self.of(expression.operand, (expression.name, *path), node)
            case ex.RecordTime():
                return _digest("time", path, *self.times(node))
        parts = (self.of(part, (), node) for part in ex.children(expression))
        return _digest(type(expression).__name__, path, expression.type, *_own(expression), *parts)

    def times(self, node: nodes.Node) -> Iterable[str]:
        """Return digests of the times of a node's records."""
        match node:
            case nodes.Scan():
                return [_digest("time of", node.topic.name, node.topic.event_time)]
            case nodes.EventTime():
                return [self.of(node.time, (), node.input)]
            case _:
                return [digest for part in nodes.inputs(node) for digest in self.times(part)]

    def records(self, node: nodes.Node) -> str:
        """Return the digest of the parts that determine the records of a node, including the nodes below it."""
        below = [self.records(part) for part in nodes.inputs(node)]
        match node:
            case nodes.Scan(topic=topic):
                return _digest("scan", topic.name, node.semantics, topic.event_time, topic.key)
            case nodes.Filter():
                return _digest("filter", self.of(node.condition, (), node.input), *below)
            case nodes.EventTime():
                return _digest("time", self.of(node.time, (), node.input), node.passes_over, *below)
            case nodes.Lateral():
                return _digest("lateral", self.of(node.array, (), node.input), *below)
            case nodes.Rekey():
                return _digest("rekey", self.field(node.input, 0, "key", ()), *below)
            case nodes.Reinterpret():
                return _digest("reinterpret", node.semantics, self.field(node.input, 0, "key", ()), *below)
            case nodes.Aggregate():
                keys = [self.of(key, (), node.input) for key in node.keys]
                total = ("total",) if node.total else ()
                return _digest("group", node.window, node.keeps_empty, *total, *keys, *below)
            case nodes.Join():
                return _digest("join", *self._join(node), *below)
            case nodes.Union():
                return _digest("union", *below)
            case _:
                # A projection or a repartition passes on all records.
                return below[0]

    def _join(self, node: nodes.Join) -> Iterable[object]:
        yield from (node.kind, node.style, node.within, node.within_after, node.grace, node.retention)
        yield from (node.eager, node.expires)
        for left, right in node.equalities:
            yield self.of(left, (), node.left)
            yield self.of(right, (), node.right)
        for condition, side in ((node.left_condition, node.left), (node.right_condition, node.right)):
            yield None if condition is None else self.of(condition, (), side)


def _own(expression: Expression) -> Sequence[object]:
    """Return the properties of an expression besides its parts and its type."""
    match expression:
        case ex.Literal():
            return (type(expression.value).__name__, expression.value)
        case ex.Operation():
            return (expression.operator,)
        case ex.Call():
            return (expression.function,)
        case ex.StructOf():
            return expression.names
        case ex.Variable():
            return (expression.name,)
        case ex.ServerCall():
            return (expression.registered,)
        case ex.PythonCall():
            return (expression.function, expression.source)
        case ex.Lambda():
            return tuple(p.name for p in expression.parameters)
        case _:
            return ()


def _digest(*parts: object) -> str:
    return blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()
