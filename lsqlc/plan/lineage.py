"""Column lineage: from which columns of the topics that a plan reads each column of a topic that it writes comes.

A column is what has a value of its own: a facet that is no struct (`_key`, `_value`), or a field of one that is none
(`_key.a`, `_value.a.b`); an array or a map is one column with all that it holds. What a column comes from has a use:

- `value`: its content is computed from it, a condition of CASE and an argument of an aggregate included;
- `filter`: it decides whether a record is there (WHERE, HAVING, a condition of ON, the array of a LATERAL, a value of a
  TABLE that deletes the row where it is null);
- `key`: it decides which records meet or replace each other (GROUP BY, an equality of ON, the key of a TABLE);
- `order`: it is the time of the records, by which they are ordered, windowed and late.

The last three hold for every column of the topic alike, so they are kept once. Plans are read after the optimiser: what
a constant condition removed is no source. The topic for bad records has no lineage: it holds them as they came.
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
# Uses as bits: a set of them is a number.
_BITS: Mapping[Use, int] = {use: 1 << number for number, use in enumerate(USES)}
_SETS = tuple(tuple(use for use in USES if mask & _BITS[use]) for mask in range(1 << len(USES)))


# A tuple, since they are made, hashed and sorted for every column of every model, and a dataclass does so in Python.
class Column(NamedTuple):
    """A column of a topic. `name`: facet and path, as `_key`, `_key.a`, `_value.a.b`; names are quoted where needed."""

    topic: str
    name: str


_Columns = frozenset[Column]
_NONE: _Columns = frozenset()


class Source(msgspec.Struct, frozen=True):
    """A column that another one comes from, and how; `uses` in the order of USES."""

    column: Column
    uses: tuple[Use, ...]


class TopicLineage(msgspec.Struct, frozen=True):
    """Where the columns of one written topic come from. `columns`: of each, in order of the schema, key first, those
    that its value is computed from; `records`: what decides about its records, whichever column is asked for.
    """

    topic: str
    columns: Mapping[str, tuple[Column, ...]]
    records: tuple[Source, ...]

    def sources(self, name: str) -> tuple[Source, ...]:
        """Return all that the column of that name comes from, by topic and name. Raises KeyError if there is none."""
        uses = {source.column: source.uses for source in self.records}
        for column in self.columns[name]:
            uses[column] = ("value", *uses.get(column, ()))
        return tuple(Source(column, uses[column]) for column in sorted(uses))


def lineage(plan: Plan) -> tuple[TopicLineage, ...]:
    """Return the lineage of each topic that a plan writes, in order of the program."""
    tracer = _Tracer()
    return tuple(tracer.sink(sink) for sink in plan.sinks)


def origins(expression: Expression, node: nodes.Node) -> tuple[Column, ...]:
    """Return the columns of topics that the value of an expression over a node is computed from, by topic and name."""
    return tuple(sorted(_Tracer().of(expression, (), node)))


def columns(topic: Topic) -> tuple[str, ...]:
    """Return the names of a topic's columns, in order of its schema, those of the key first."""
    return tuple(name for name, _, _ in places(topic))


def places(topic: Topic) -> tuple[tuple[str, FacetName, tuple[str, ...]], ...]:
    """Return name, facet and path of each column, in the same order."""
    return tuple((_name(facet, path), facet, path) for facet, path in _places(topic))


def lineage_data(found: Iterable[TopicLineage]) -> dict[str, Any]:
    """Return lineages as JSON-ready data: by written topic `columns`, from column to read topic to its columns, and
    `records`, from read topic to column to uses.
    """
    return {
        each.topic: {
            "columns": {name: _by_topic(sources) for name, sources in each.columns.items()},
            "records": _uses_by_topic(each.records),
        }
        for each in found
    }


def lineage_from(data: Mapping[str, Any]) -> tuple[TopicLineage, ...]:
    """Return the lineages that `lineage_data` wrote. Raises KeyError, TypeError or AttributeError for anything else."""
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
    found: dict[str, list[str]] = {}
    for topic, name in sources:
        found.setdefault(topic, []).append(name)
    return found


def _uses_by_topic(sources: Iterable[Source]) -> dict[str, dict[str, list[Use]]]:
    found: dict[str, dict[str, list[Use]]] = {}
    for source in sources:
        found.setdefault(source.column.topic, {})[source.column.name] = list(source.uses)
    return found


def _places(topic: Topic) -> list[tuple[FacetName, _Path]]:
    """Facet and path of each column; a facet that is absent has none."""
    facets: tuple[tuple[FacetName, Facet], ...] = (("key", topic.key), ("value", topic.value))
    return [(name, path) for name, facet in facets if not facet.is_absent for path in _leaves(facet.type)]


def _leaves(type: DataType) -> list[_Path]:
    """Return the paths of a type's columns. A struct without fields is one, as it can be there or be null."""
    if not isinstance(type, Struct) or not type.fields:
        return [()]
    found: list[_Path] = []
    for field in type.fields:
        if isinstance(field.type, Struct):
            found += [(field.name, *path) for path in _leaves(field.type)]
        else:
            found.append((field.name,))
    return found


@lru_cache(maxsize=4096)
def _name(facet: FacetName, path: _Path) -> str:
    return ".".join((f"_{facet}", *map(quote, path)))


class _Tracer:
    """Follows columns down a plan, and remembers what it found: nodes are shared where a WITH is read twice."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, int, FacetName, _Path], _Columns] = {}
        self._records: dict[int, dict[Column, int]] = {}
        # By identity: each struct, and its parts by name.
        self._structs: dict[int, tuple[ex.StructOf, dict[str, Expression]]] = {}

    def sink(self, sink: nodes.Sink) -> TopicLineage:
        found: dict[str, tuple[Column, ...]] = {}
        for facet, path in _places(sink.topic):
            sources = _NONE
            for node in sink.inputs:
                sources |= self.field(node, 0, facet, path)
            found[_name(facet, path)] = tuple(sorted(sources))
        uses = _merged(self.records(node) for node in sink.inputs)
        return TopicLineage(sink.topic.name, found, tuple([Source(c, _SETS[uses[c]]) for c in sorted(uses)]))

    def field(self, node: nodes.Node, relation: int, facet: FacetName, path: _Path) -> _Columns:
        """What the content at a path of one of the node's relations is computed from."""
        key = (id(node), relation, facet, path)
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self._field(node, relation, facet, path)
        return found

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
        """What the key of an aggregation comes from; the bounds of a window come from the records' time."""
        found = _NONE
        if node.window:
            if not path or path[0] != "key":
                found = self.times(node.input)
            if path and path[0] != "key":
                return found
            path = path[1:]
        for number, key in enumerate(node.keys):
            if not node.key_names:
                found |= self.of(key, path, node.input)
            elif not path or node.key_names[number] == path[0]:
                found |= self.of(key, path[1:], node.input)
        return found

    def _aggregates(self, node: nodes.Aggregate, path: _Path) -> _Columns:
        found = _NONE
        for number, aggregation in enumerate(node.aggregates):
            if not path or path[0] == f"a{number}":
                for argument in aggregation.arguments:
                    found |= self.of(argument, path[1:], node.input)
        return found

    def of(self, expression: Expression, path: _Path, node: nodes.Node) -> _Columns:
        """What the content at a path of an expression over a node is computed from."""
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
                found = self.of(expression.otherwise, path, node)
                for condition, result in expression.branches:
                    found |= self.of(condition, (), node) | self.of(result, path, node)
                return found
        found = _NONE
        for part in ex.children(expression):
            found |= self.of(part, (), node)
        return found

    def _part(self, struct: ex.StructOf, name: str) -> Expression | None:
        known = self._structs.get(id(struct))
        if known is None:
            known = self._structs[id(struct)] = struct, dict(zip(struct.names, struct.values, strict=True))
        return known[1].get(name)

    def times(self, node: nodes.Node) -> _Columns:
        """Return the columns that a record's time comes from; none where it is the time that it came with."""
        match node:
            case nodes.Scan():
                time = node.topic.event_time
                return _of_topic(node.topic, "value", tuple(time.split("."))) if time else _NONE
            case nodes.EventTime():
                return self.of(node.time, (), node.input)
            case _:
                return _NONE.union(*(self.times(part) for part in nodes.inputs(node)))

    def records(self, node: nodes.Node) -> dict[Column, int]:
        """What decides about the records of a node, below it included, with the bits of its uses."""
        known = self._records.get(id(node))
        if known is None:
            known = _merged(self.records(part) for part in nodes.inputs(node))
            for use, found in self._own(node):
                for column in found:
                    known[column] = known.get(column, 0) | _BITS[use]
            self._records[id(node)] = known
        return known

    def _newest(self, node: nodes.Node) -> Iterable[tuple[Use, _Columns]]:
        """What makes records the rows of a TABLE: the key tells them apart, and a value that is null deletes one."""
        yield "key", self.field(node, 0, "key", ())
        if not node.relations[0].value.is_struct:
            yield "filter", self.field(node, 0, "value", ())

    def _own(self, node: nodes.Node) -> Iterable[tuple[Use, _Columns]]:
        match node:
            case nodes.Scan():
                yield "order", self.times(node)
                if node.semantics == "TABLE":
                    yield from self._newest(node)
                    if node.topic.files and node.topic.files.order_by:
                        yield "order", _of_topic(node.topic, "value", (node.topic.files.order_by,))
            case nodes.Reinterpret(semantics="TABLE"):
                yield from self._newest(node.input)
            case nodes.Rekey():
                yield "key", self.field(node.input, 0, "key", ())
            case nodes.Project(semantics="TABLE") if node.value.nullable:
                # A row whose whole value is null is none.
                yield "filter", self.of(node.value, (), node.input)
            case nodes.EventTime():
                yield "order", self.times(node)
            case nodes.Filter():
                yield "filter", self.of(node.condition, (), node.input)
            case nodes.Lateral():
                yield "filter", self.of(node.array, (), node.input)
            case nodes.Aggregate():
                for key in node.keys:
                    yield "key", self.of(key, (), node.input)
            case nodes.Join():
                for left, right in node.equalities:
                    yield "key", self.of(left, (), node.left) | self.of(right, (), node.right)
                if node.left_condition is not None:
                    yield "filter", self.of(node.left_condition, (), node.left)
                if node.right_condition is not None:
                    yield "filter", self.of(node.right_condition, (), node.right)


def _of_topic(topic: Topic, facet: FacetName, path: _Path) -> _Columns:
    """Return the columns of a topic at and below a path; what lies inside of an array or a map is that column.

    A field that the topic does not declare, as one of files can have, is a column by that name.
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


def _merged(found: Iterable[Mapping[Column, int]]) -> dict[Column, int]:
    merged: dict[Column, int] = {}
    for each in found:
        for column, uses in each.items():
            merged[column] = merged.get(column, 0) | uses
    return merged
