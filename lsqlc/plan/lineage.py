"""Column lineage: the columns of input topics from which each column of an output topic is computed.

A column is a facet that is not a struct (`_key`, `_value`), or a field that is not a struct (`_key.a`, `_value.a.b`).
An array or a map is one column. A source column has one or more uses:

- `value`: the content is computed from it, including conditions of CASE and arguments of aggregates;
- `filter`: it decides whether a record exists: WHERE, HAVING, a condition of ON, the array of a LATERAL. A value of a
  TABLE is one too if a null deletes the row;
- `key`: it decides which records are joined, grouped or replaced (GROUP BY, an equality of ON, the key of a TABLE);
- `order`: it is the time of the records, by which they are ordered, windowed and late.

The last three apply to all columns of a topic, so they are stored once. Lineage is computed after the optimiser: an
expression that a constant condition removes is not a source. The dead-letter topic has no lineage, because it has whole
records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec

from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, FacetName
from lsqlc.plan.plan import Plan
from lsqlc.types.data import DataType, Struct, quote
from lsqlc.types.record import Facet, Topic

Use = Literal["value", "filter", "key", "order"]
USES: tuple[Use, ...] = ("value", "filter", "key", "order")

_Path = tuple[str, ...]
# Uses as bits of a number.
_BITS: Mapping[Use, int] = {use: 1 << number for number, use in enumerate(USES)}
_SETS = tuple(tuple(use for use in USES if mask & _BITS[use]) for mask in range(1 << len(USES)))


# A NamedTuple is created, hashed and sorted in C, a dataclass in Python; every column of every model is one.
class Column(NamedTuple):
    """A column of a topic. `name`: facet and path, such as `_key`, `_key.a`, `_value.a.b`; quoted if needed."""

    topic: str
    name: str


_Columns = frozenset[Column]
_NONE: _Columns = frozenset()


class Source(msgspec.Struct, frozen=True):
    """A source column and its uses, in the order of USES."""

    column: Column
    uses: tuple[Use, ...]


class TopicLineage(msgspec.Struct, frozen=True):
    """The lineage of one output topic.

    `columns`: for each column in schema order, key first, the columns from which its value is computed. `records`: the
    columns that determine the topic's records.
    """

    topic: str
    columns: Mapping[str, tuple[Column, ...]]
    records: tuple[Source, ...]

    def sources(self, name: str) -> tuple[Source, ...]:
        """Return all sources of a column, sorted by topic and name. Raises KeyError if the column does not exist."""
        uses = {source.column: source.uses for source in self.records}
        for column in self.columns[name]:
            uses[column] = ("value", *uses.get(column, ()))
        return tuple(Source(column, uses[column]) for column in sorted(uses))


def lineage(plan: Plan) -> tuple[TopicLineage, ...]:
    """Return the lineage of each output topic of a plan, in order of the program."""
    tracer = _Tracer()
    return tuple(tracer.sink(sink) for sink in plan.sinks)


def origins(expression: Expression, node: nodes.Node) -> tuple[Column, ...]:
    """Return the columns from which the value of an expression over a node is computed, sorted by topic and name."""
    return tuple(sorted(_Tracer().of(expression, (), node)))


def columns(topic: Topic) -> tuple[str, ...]:
    """Return the names of a topic's columns in schema order, key first."""
    return tuple(name for name, _, _ in places(topic))


def places(topic: Topic) -> tuple[tuple[str, FacetName, tuple[str, ...]], ...]:
    """Return name, facet and path of each column, in the order of `columns`."""
    return tuple((_name(facet, path), facet, path) for facet, path in _places(topic))


def lineage_data(lineages: Iterable[TopicLineage]) -> dict[str, Any]:
    """Return lineages as JSON-ready data.

    By output topic: `columns` maps columns to input topics and their columns, `records` maps input topics to columns
    and uses.
    """
    return {
        each.topic: {
            "columns": {name: _by_topic(sources) for name, sources in each.columns.items()},
            "records": _uses_by_topic(each.records),
        }
        for each in lineages
    }


def lineage_from(data: Mapping[str, Any]) -> tuple[TopicLineage, ...]:
    """Parse the result of `lineage_data`. Raises KeyError, TypeError or AttributeError for other data."""
    return tuple(
        TopicLineage(
            topic,
            {n: tuple(Column(t, c) for t, names in by.items() for c in names) for n, by in each["columns"].items()},
            tuple(
                Source(Column(t, name), _SETS[sum(_BITS[use] for use in set(uses))])
                for t, by in each["records"].items()
                for name, uses in by.items()
            ),
        )
        for topic, each in data.items()
    )


def _by_topic(sources: Iterable[Column]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for topic, name in sources:
        names.setdefault(topic, []).append(name)
    return names


def _uses_by_topic(sources: Iterable[Source]) -> dict[str, dict[str, list[Use]]]:
    uses: dict[str, dict[str, list[Use]]] = {}
    for source in sources:
        uses.setdefault(source.column.topic, {})[source.column.name] = list(source.uses)
    return uses


def _places(topic: Topic) -> list[tuple[FacetName, _Path]]:
    """Return facet and path of each column. An absent facet has no columns."""
    facets: tuple[tuple[FacetName, Facet], ...] = (("key", topic.key), ("value", topic.value))
    return [(name, path) for name, facet in facets if not facet.is_absent for path in _leaves(facet.type)]


def _leaves(type: DataType) -> list[_Path]:
    """Return the paths of a type's columns. A struct without fields is a column, because it can be null."""
    if not isinstance(type, Struct) or not type.fields:
        return [()]
    paths: list[_Path] = []
    for field in type.fields:
        if isinstance(field.type, Struct):
            paths += [(field.name, *path) for path in _leaves(field.type)]
        else:
            paths.append((field.name,))
    return paths


@lru_cache(maxsize=4096)
def _name(facet: FacetName, path: _Path) -> str:
    return ".".join((f"_{facet}", *map(quote, path)))


class _Tracer:
    """Traces columns through a plan. Results are cached, because a WITH that is read twice is a shared node."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, int, FacetName, _Path], _Columns] = {}
        self._records: dict[int, dict[Column, int]] = {}
        # By identity of a struct: the struct, and its values by name.
        self._structs: dict[int, tuple[ex.StructOf, dict[str, Expression]]] = {}

    def sink(self, sink: nodes.Sink) -> TopicLineage:
        by_name: dict[str, tuple[Column, ...]] = {}
        for facet, path in _places(sink.topic):
            sources = _NONE
            for node in sink.inputs:
                sources |= self.field(node, 0, facet, path)
            by_name[_name(facet, path)] = tuple(sorted(sources))
        uses = _merged(self.records(node) for node in sink.inputs)
        return TopicLineage(sink.topic.name, by_name, tuple([Source(c, _SETS[uses[c]]) for c in sorted(uses)]))

    def field(self, node: nodes.Node, relation: int, facet: FacetName, path: _Path) -> _Columns:
        """Return the columns from which a path of a relation is computed."""
        key = (id(node), relation, facet, path)
        sources = self._values.get(key)
        if sources is None:
            sources = self._values[key] = self._field(node, relation, facet, path)
        return sources

    def _field(self, node: nodes.Node, relation: int, facet: FacetName, path: _Path) -> _Columns:
        match node:
            case nodes.Scan():
                return _of_topic(node.topic, facet, path)
            case nodes.Project():
                return self.of(node.key if facet == "key" else node.value, path, node.input)
            case nodes.Lateral() if relation == len(node.input.relations):
                return self.of(node.array, (), node.input) if facet == "value" else _NONE
            case nodes.Join():
                width = len(node.left.relations)
                if relation < width:
                    return self.field(node.left, relation, facet, path)
                return self.field(node.right, relation - width, facet, path)
            case nodes.Aggregate():
                return self._group(node, path) if facet == "key" else self._aggregates(node, path)
            case nodes.Union():
                return _NONE.union(*(self.field(part, relation, facet, path) for part in node.inputs))
            case _:
                return self.field(node.input, relation, facet, path)

    def _group(self, node: nodes.Aggregate, path: _Path) -> _Columns:
        """Return the sources of an aggregation's key. The bounds of a window come from the time of the records."""
        sources = _NONE
        if node.window:
            if not path or path[0] != "key":
                sources = self.times(node.input)
            if path and path[0] != "key":
                return sources
            path = path[1:]
        for number, key in enumerate(node.keys):
            if not node.key_names:
                sources |= self.of(key, path, node.input)
            elif not path or node.key_names[number] == path[0]:
                sources |= self.of(key, path[1:], node.input)
        return sources

    def _aggregates(self, node: nodes.Aggregate, path: _Path) -> _Columns:
        sources = _NONE
        for number, aggregation in enumerate(node.aggregates):
            if not path or path[0] == f"a{number}":
                for argument in aggregation.arguments:
                    sources |= self.of(argument, path[1:], node.input)
        return sources

    def of(self, expression: Expression, path: _Path, node: nodes.Node) -> _Columns:
        """Return the columns from which a path of an expression over a node is computed."""
        match expression:
            case ex.Field():
                return self.field(node, expression.relation, expression.facet, (*expression.path, *path))
            case ex.StructOf() if path:
                part = self._part(expression, path[0])
                return self.of(part, path[1:], node) if part is not None else _NONE
            case ex.Literal():
                return _NONE
            case ex.RecordTime():
                return self.times(node)
            case ex.Member():
                return self.of(expression.operand, (expression.name, *path), node)
            case ex.Cast(operand=operand) if isinstance(operand.type, Struct):
                return self.of(operand, path, node)
            case ex.Case():
                sources = self.of(expression.otherwise, path, node)
                for condition, result in expression.branches:
                    sources |= self.of(condition, (), node) | self.of(result, path, node)
                return sources
        sources = _NONE
        for part in ex.children(expression):
            sources |= self.of(part, (), node)
        return sources

    def _part(self, struct: ex.StructOf, name: str) -> Expression | None:
        entry = self._structs.get(id(struct))
        if entry is None:
            entry = self._structs[id(struct)] = struct, dict(zip(struct.names, struct.values, strict=True))
        return entry[1].get(name)

    def times(self, node: nodes.Node) -> _Columns:
        """Return the source columns of a record's time; none for the time of the source record."""
        match node:
            case nodes.Scan():
                time = node.topic.event_time
                return _of_topic(node.topic, "value", tuple(time.split("."))) if time else _NONE
            case nodes.EventTime():
                return self.of(node.time, (), node.input)
            case _:
                return _NONE.union(*(self.times(part) for part in nodes.inputs(node)))

    def records(self, node: nodes.Node) -> dict[Column, int]:
        """Return the columns that determine the records of a node and of the nodes below, with the bits of
        their uses.
        """
        uses = self._records.get(id(node))
        if uses is None:
            uses = _merged(self.records(part) for part in nodes.inputs(node))
            for use, own_columns in self._own(node):
                for column in own_columns:
                    uses[column] = uses.get(column, 0) | _BITS[use]
            self._records[id(node)] = uses
        return uses

    def _own(self, node: nodes.Node) -> Iterable[tuple[Use, _Columns]]:
        yield from (("order", columns) for columns in self._order(node))
        yield from (("key", columns) for columns in self._keys(node))
        yield from (("filter", columns) for columns in self._filters(node))

    def _order(self, node: nodes.Node) -> Iterable[_Columns]:
        """Yield the columns by which a node orders records."""
        if isinstance(node, nodes.Scan | nodes.EventTime):
            yield self.times(node)
        if (
            isinstance(node, nodes.Scan)
            and node.semantics == "TABLE"
            and node.topic.files
            and node.topic.files.order_by
        ):
            yield _of_topic(node.topic, "value", (node.topic.files.order_by,))

    def _keys(self, node: nodes.Node) -> Iterable[_Columns]:
        """Yield the columns by which a node groups, joins or replaces records."""
        match node:
            case nodes.Scan(semantics="TABLE"):
                yield self.field(node, 0, "key", ())
            case nodes.Reinterpret(semantics="TABLE") | nodes.Rekey():
                yield self.field(node.input, 0, "key", ())
            case nodes.Aggregate():
                yield from (self.of(key, (), node.input) for key in node.keys)
            case nodes.Join():
                for left, right in node.equalities:
                    yield self.of(left, (), node.left) | self.of(right, (), node.right)

    def _filters(self, node: nodes.Node) -> Iterable[_Columns]:
        """Yield the columns by which a node drops records. A null value deletes a row of a TABLE."""
        match node:
            case nodes.Scan(semantics="TABLE") if not node.relations[0].value.is_struct:
                yield self.field(node, 0, "value", ())
            case nodes.Reinterpret(semantics="TABLE") if not node.relations[0].value.is_struct:
                yield self.field(node.input, 0, "value", ())
            case nodes.Project(semantics="TABLE") if node.value.nullable:
                yield self.of(node.value, (), node.input)
            case nodes.Filter():
                yield self.of(node.condition, (), node.input)
            case nodes.Lateral():
                yield self.of(node.array, (), node.input)
            case nodes.Join():
                sides = ((node.left_condition, node.left), (node.right_condition, node.right))
                yield from (self.of(condition, (), side) for condition, side in sides if condition is not None)


def _of_topic(topic: Topic, facet: FacetName, path: _Path) -> _Columns:
    """Return the columns of a topic at and below a path. A path inside an array or a map is the column of that array or
    map.

    A field that the topic does not declare, which files allow, is a column of that name.
    """
    whole = topic.key if facet == "key" else topic.value
    if whole.is_absent:
        return _NONE
    type = whole.type
    for depth, name in enumerate(path):
        if not isinstance(type, Struct):
            return frozenset((Column(topic.name, _name(facet, path[:depth])),))
        field = type.field(name)
        if field is None:
            return frozenset((Column(topic.name, _name(facet, path)),))
        type = field.type
    return frozenset([Column(topic.name, _name(facet, path + leaf)) for leaf in _leaves(type)])


def _merged(uses_by_column: Iterable[Mapping[Column, int]]) -> dict[Column, int]:
    merged: dict[Column, int] = {}
    for each in uses_by_column:
        for column, uses in each.items():
            merged[column] = merged.get(column, 0) | uses
    return merged
