"""The nodes of a plan: frozen data with inputs. Schema and semantics are computed from the inputs.

Every node outputs records with a key, a timestamp and an ordinal, and has one or more relations, to which expressions
above it refer. A scan or a projection has one, a join those of both sides, a lateral one more than its input.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Literal

import msgspec
from msgspec.structs import replace

from lsqlc.formats.catalogue import passed_on
from lsqlc.plan.expression import Aggregation, Expression, Field
from lsqlc.plan.windows import Window
from lsqlc.types import data
from lsqlc.types.data import Struct
from lsqlc.types.headers import HeaderColumn
from lsqlc.types.record import ABSENT, Facet, Topic, natural_format

Semantics = Literal["STREAM", "TABLE"]
JoinKind = Literal["INNER", "LEFT", "RIGHT", "OUTER"]
JoinStyle = Literal["stream-stream", "stream-table", "table-stream", "table-table"]


class Relation(msgspec.Struct, frozen=True):
    """A source in a query, with its two facets. `name` is for messages; plans refer to relations by number.

    `files`: the topic, if the source is a topic of files. Its names ignore case, and `*` does not select all of them.
    """

    name: str
    key: Facet
    value: Facet
    files: Topic | None = None

    def facet(self, name: Literal["key", "value"]) -> Facet:
        return self.key if name == "key" else self.value


class _PassesOn:
    """A node that passes on the records of its one input, with the same schema."""

    __slots__ = ()
    input: Node

    @property
    def semantics(self) -> Semantics:
        return self.input.semantics

    @property
    def relations(self) -> tuple[Relation, ...]:
        return self.input.relations

    @property
    def ordinal_width(self) -> int:
        return self.input.ordinal_width


# The position of a record in its topic, as additional fields of its value (see `Scan`).
PLACES = (data.Field("ROWPARTITION", data.INT, False), data.Field("ROWOFFSET", data.BIGINT, False))


class Scan(msgspec.Struct, frozen=True):
    """Reads a topic. `key` and `value`: the parts of the topic's facets that the query uses (see passes.prune_scans).
    Its relation has the format that results of it have, not that of the topic, where these differ.

    `places`: the value also has the fields `PLACES`: the partition and the offset of the record. A log has one
    partition; its offsets are the ordinals of its records. In a case, offsets count the records of the topic from 0.
    `headers`: the header columns, which the value also has.
    """

    topic: Topic
    alias: str
    semantics: Semantics
    key: Facet
    value: Facet
    places: bool = False
    headers: tuple[HeaderColumn, ...] = ()

    @property
    def relations(self) -> tuple[Relation, ...]:
        value = self.value
        if self.places or self.headers:
            assert isinstance(value.type, Struct), "a place and headers stand among the fields of a value"
            more = (*(PLACES if self.places else ()), *(header.field for header in self.headers))
            value = replace(value, type=Struct((*value.type.fields, *more)))
        value = replace(value, format=passed_on(value.format))
        return (Relation(self.alias, self.key, value, self.topic if self.topic.files else None),)

    @property
    def ordinal_width(self) -> int:
        return self.topic.ordinal_width


class Reinterpret(msgspec.Struct, frozen=True):
    """A STREAM read as a TABLE (the newest record of each key), or a TABLE read as the STREAM of its changes."""

    input: Node
    semantics: Semantics

    @property
    def relations(self) -> tuple[Relation, ...]:
        return self.input.relations

    @property
    def ordinal_width(self) -> int:
        return self.input.ordinal_width


class Filter(_PassesOn, msgspec.Struct, frozen=True):
    """Keeps records that satisfy the condition. A row of a TABLE that no longer satisfies it becomes a tombstone."""

    input: Node
    condition: Expression


class EventTime(_PassesOn, msgspec.Struct, frozen=True):
    """Sets the time of each record to an expression over it: a BIGINT of epoch milliseconds.

    `passes_over`: a record of a STREAM without a time is dropped and counted; otherwise it stops the query. `lettered`:
    it is dropped and counted, and a dead letter is written.
    """

    input: Node
    time: Expression
    passes_over: bool = False
    lettered: bool = False

    @property
    def skips(self) -> bool:
        """Whether a record without a time is dropped."""
        return self.passes_over or self.lettered


class Lateral(msgspec.Struct, frozen=True):
    """Outputs one record per element of an array. The element is the value of an additional relation.

    A record without a value has no elements.
    """

    input: Node
    array: Expression
    alias: str

    @property
    def semantics(self) -> Semantics:
        return self.input.semantics

    @property
    def relations(self) -> tuple[Relation, ...]:
        array = self.array.type
        element = array.element if isinstance(array, data.Array) else data.NULL
        return (*self.input.relations, Relation(self.alias, ABSENT, Facet(element, natural_format(element))))

    @property
    def ordinal_width(self) -> int:
        return self.input.ordinal_width + 1


class LateralOfAll(Lateral, frozen=True):
    """A lateral of data tests: a record without a value has the elements that its nulls give.

    All elements of a record have its ordinal.
    """

    @property
    def ordinal_width(self) -> int:
        return self.input.ordinal_width


class Project(msgspec.Struct, frozen=True):
    """Computes both facets of the output. `rekeys`: the key is a new one, not that of the input."""

    input: Node
    key: Expression
    value: Expression
    key_format: str
    value_format: str
    rekeys: bool
    name: str

    @property
    def semantics(self) -> Semantics:
        return self.input.semantics

    @property
    def relations(self) -> tuple[Relation, ...]:
        return (Relation(self.name, Facet(self.key.type, self.key_format), Facet(self.value.type, self.value_format)),)

    @property
    def ordinal_width(self) -> int:
        return self.input.ordinal_width


class Rekey(_PassesOn, msgspec.Struct, frozen=True):
    """Makes the computed keys of the projection below the keys of the TABLE: one row per new key, the newest."""

    input: Node


class Join(msgspec.Struct, frozen=True):
    """Joins two inputs on equalities.

    `equalities`: pairs of expressions over the relations of the left and the right side. `left_condition` and
    `right_condition`: whether a record of that side can match at all.

    `within`, for two streams, in milliseconds: how far a right record may be before a left one. `within_after`: how far
    after, by default the same. `grace`: how much later a record may arrive. `retention`, in milliseconds: how long a
    stream record waits for its first table row; None: it does not wait, and an unmatched record stays unmatched.

    `eager`, for two streams: an unmatched record is output at once, and again with each later match. `expires`, for two
    streams: records are never late. Each side drops a record when the side's own time is `spread` and `grace` ahead of
    it. A record whose matches are all in the past is unmatched at once.

    `meets_itself`: both sides read one topic (see `share_topics`), so that two of its records can make two pairs. Their
    ordinals have an additional number: a pair whose later record is on the left side comes first.
    """

    kind: JoinKind
    style: JoinStyle
    left: Node
    right: Node
    equalities: tuple[tuple[Expression, Expression], ...]
    left_condition: Expression | None
    right_condition: Expression | None
    within: int | None
    grace: int
    retention: int | None
    within_after: int | None = None
    eager: bool = False
    expires: bool = False
    meets_itself: bool = False

    @property
    def spread(self) -> tuple[int, int]:
        """How far before and after a left record the right one may be, in milliseconds. Only for two streams."""
        assert self.within is not None
        return self.within, self.within if self.within_after is None else self.within_after

    @property
    def semantics(self) -> Semantics:
        return "TABLE" if self.style == "table-table" else "STREAM"

    @property
    def relations(self) -> tuple[Relation, ...]:
        left = (
            tuple(_nullable(r) for r in self.left.relations) if self.kind in ("RIGHT", "OUTER") else self.left.relations
        )
        right = (
            tuple(_nullable(r) for r in self.right.relations)
            if self.kind in ("LEFT", "OUTER")
            else self.right.relations
        )
        return (*left, *right)

    @property
    def ordinal_width(self) -> int:
        return self.left.ordinal_width + self.right.ordinal_width + self.meets_itself


def _nullable(relation: Relation) -> Relation:
    """Return the optional side of a join, whose fields may all be null."""

    def loosen(facet: Facet) -> Facet:
        if not isinstance(facet.type, Struct):
            return facet
        return replace(facet, type=Struct(tuple(replace(f, nullable=True) for f in facet.type.fields)))

    return replace(relation, key=loosen(relation.key), value=loosen(relation.value))


# The key of the group of all rows, see `Aggregate.total`.
ALL_ROWS = "all"


class Aggregate(msgspec.Struct, frozen=True):
    """Groups records and computes aggregates per group. Outputs a TABLE keyed by the group.

    The group is a bare value for one expression without alias, else a struct of `key_names`. It is the key. With a
    window, the key is a struct of `key` (the group), `start` and `end`, in epoch milliseconds. The value is a struct of
    the aggregates `a0`, `a1`, ... in order; a projection above computes the output columns from it. `keeps_empty`: a
    group that loses its last row stays, with the aggregates of no row. `total`: all rows are one group with the key
    `ALL_ROWS`, which exists before the first row too, with the ordinal `BEFORE_RECORDS` and the time 0.
    """

    input: Node
    keys: tuple[Expression, ...]
    key_names: tuple[str, ...]
    key_format: str
    aggregates: tuple[Aggregation, ...]
    window: Window | None
    keeps_empty: bool = False
    total: bool = False

    @property
    def semantics(self) -> Semantics:
        return "TABLE"

    @property
    def group_type(self) -> data.DataType:
        if not self.key_names:
            return self.keys[0].type
        return Struct(tuple(data.Field(n, k.type, k.nullable) for n, k in zip(self.key_names, self.keys, strict=True)))

    @property
    def key_type(self) -> data.DataType:
        if self.window is None:
            return self.group_type
        times = (data.Field("start", data.BIGINT, False), data.Field("end", data.BIGINT, False))
        return Struct((data.Field("key", self.group_type), *times))

    @property
    def relations(self) -> tuple[Relation, ...]:
        value = Struct(tuple(data.Field(f"a{i}", a.type, a.nullable) for i, a in enumerate(self.aggregates)))
        return (Relation("", Facet(self.key_type, self.key_format), Facet(value, "json")),)

    @property
    def ordinal_width(self) -> int:
        return self.input.ordinal_width

    def key_field(self, index: int) -> Field:
        """Return the field by which nodes above read the key's expression number `index`."""
        key = self.keys[index]
        path = (self.key_names[index],) if self.key_names else ()
        path = path if self.window is None else ("key", *path)
        return Field(0, "key", path, key.type, key.nullable)

    def aggregate_field(self, index: int) -> Field:
        aggregation = self.aggregates[index]
        return Field(0, "value", (f"a{index}",), aggregation.type, aggregation.nullable)


class Repartition(_PassesOn, msgspec.Struct, frozen=True):
    """Printed in plans, not executed by Spark: one side of a join is repartitioned to the other side's
    partition count.
    """

    input: Node
    before: int
    after: int
    reason: str


class Union(msgspec.Struct, frozen=True):
    """The records of several STREAMs that several queries write to one topic, each with one relation of the same types.

    If two inputs read one topic, a record can be output twice. Then the ordinals end with the number of the input.
    """

    inputs: tuple[Node, ...]

    @property
    def semantics(self) -> Semantics:
        return "STREAM"

    @property
    def relations(self) -> tuple[Relation, ...]:
        return (_loosest([node.relations[0] for node in self.inputs]),)

    @property
    def repeats(self) -> bool:
        """Whether two inputs read one topic."""
        topics = [{scan.topic.name for scan in scans(node)} for node in self.inputs]
        return sum(map(len, topics)) > len(set().union(*topics))

    @property
    def ordinal_width(self) -> int:
        return max(node.ordinal_width for node in self.inputs) + self.repeats


def _loosest(relations: Sequence[Relation]) -> Relation:
    """Return a relation in which a field may be null if it may be null in any of the relations."""

    def facet(facets: Sequence[Facet]) -> Facet:
        structs = [f.type for f in facets if isinstance(f.type, Struct)]
        if len(structs) < len(facets):
            return facets[0]
        columns = zip(*(struct.fields for struct in structs), strict=True)
        fields = tuple(replace(c[0], nullable=any(field.nullable for field in c)) for c in columns)
        return replace(facets[0], type=Struct(fields))

    key, value = facet([r.key for r in relations]), facet([r.value for r in relations])
    return replace(relations[0], key=key, value=value)


class Sink(msgspec.Struct, frozen=True):
    """Writes one topic; several inputs only for a STREAM.

    `counted`: named conditions over the one relation. Spark counts the records that satisfy each. They change no
    record, and are not part of the fingerprint.
    """

    inputs: tuple[Node, ...]
    topic: Topic
    counted: tuple[tuple[str, Expression], ...] = ()

    @property
    def semantics(self) -> Semantics:
        return self.inputs[0].semantics


Node = Scan | Reinterpret | EventTime | Filter | Lateral | Project | Rekey | Join | Aggregate | Repartition | Union


def inputs(node: Node) -> tuple[Node, ...]:
    """Return the inputs of a node, left to right."""
    if isinstance(node, Scan):
        return ()
    if isinstance(node, Union):
        return node.inputs
    return (node.left, node.right) if isinstance(node, Join) else (node.input,)


def with_inputs(node: Node, fed_by: tuple[Node, ...]) -> Node:
    """Return the node with other inputs."""
    if isinstance(node, Scan) or all(map(is_, fed_by, inputs(node))):
        return node
    if isinstance(node, Join):
        return replace(node, left=fed_by[0], right=fed_by[1])
    if isinstance(node, Union):
        return replace(node, inputs=fed_by)
    return replace(node, input=fed_by[0])


def share_topics(left: Node, right: Node) -> bool:
    """Return whether two nodes read a common topic."""
    return not {s.topic.name for s in scans(left)}.isdisjoint(s.topic.name for s in scans(right))


def all_nodes(node: Node) -> tuple[Node, ...]:
    """Return a node and all nodes below it, each once: inputs first, and left to right."""
    by_id: dict[int, Node] = {}

    def visit(part: Node) -> None:
        if id(part) not in by_id:
            for input in inputs(part):
                visit(input)
            by_id[id(part)] = part

    visit(node)
    return tuple(by_id.values())


def scans(node: Node) -> tuple[Scan, ...]:
    """Return the scans below a node, left to right."""
    if isinstance(node, Scan):
        return (node,)
    return tuple(s for part in inputs(node) for s in scans(part))
