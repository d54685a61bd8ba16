"""The nodes of a plan: frozen, each with its inputs, and with its schema and semantics computed from them.

Every node gives records with a key, a timestamp and an ordinal, and one or more relations, which are what its
consumers' expressions speak of: one for a scan or a projection, both sides for a join, one more for each lateral.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Literal

import msgspec
from msgspec.structs import replace

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
    """What a query calls a source, with its two facets. `name` is for people; plans refer to relations by number.

    `files`: the topic, where the source is one of files: its names match letter case aside, and not all are in `*`.
    """

    name: str
    key: Facet
    value: Facet
    files: Topic | None = None

    def facet(self, name: Literal["key", "value"]) -> Facet:
        return self.key if name == "key" else self.value


class _PassesOn:
    """A node that gives the records of its one input, with the same schema."""

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


# Where a record lies in its topic, as further fields of its value (see `Scan`).
PLACES = (data.Field("ROWPARTITION", data.INT, False), data.Field("ROWOFFSET", data.BIGINT, False))


class Scan(msgspec.Struct, frozen=True):
    """Reads a topic. `key` and `value` are what the query uses of the topic's facets (see passes.prune_scans).

    `places`: the value of a record has the fields of `PLACES` too: its partition, and its offset there, a number that
    rises. A log of records has one partition; its offsets are the ordinals of its records. In a case they count the
    records of the topic from 0. `headers`: the columns of headers, which the value of a record has too.
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
    """Keeps what satisfies the condition. A row of a TABLE that ceases to satisfy it becomes a tombstone."""

    input: Node
    condition: Expression


class EventTime(_PassesOn, msgspec.Struct, frozen=True):
    """Gives each record another time: that of an expression over it, a BIGINT of epoch milliseconds.

    `passes_over`: a record of a STREAM without a time is left out and counted; else it stops the query. `lettered`: it
    is left out and counted too, and a letter about it is written.
    """

    input: Node
    time: Expression
    passes_over: bool = False
    lettered: bool = False

    @property
    def skips(self) -> bool:
        """Whether a record without a time is left out."""
        return self.passes_over or self.lettered


class Lateral(msgspec.Struct, frozen=True):
    """One record for each element of an array, which becomes the value of a relation of its own. None for a record
    without a value.
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
    """What fails in a record of a STREAM: the same, but a record without a value has elements too, those that its nulls
    make, and the elements of a record have its ordinal. Plans of data tests have it.
    """

    @property
    def ordinal_width(self) -> int:
        return self.input.ordinal_width


class Project(msgspec.Struct, frozen=True):
    """Computes both facets of the output. `rekeys`: the key is a new one, not the input's own."""

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
    """Makes the keys that the projection below computed those of the TABLE: one row per new key, the newest."""

    input: Node


class Join(msgspec.Struct, frozen=True):
    """Joins two inputs on equalities.

    `equalities` are pairs over the left's and the right's own relations; `left_condition` and `right_condition` say
    when a record of that side can match at all. `within` is in milliseconds, for two streams: how far before a left
    record, and unless `within_after` says otherwise after it, the right one may be. `grace`: how much later than that a
    record may come. `retention`: how long a stream record may wait for its first table row, in milliseconds; None: not
    at all, what is unmatched when it comes stays so.

    `eager`: of two streams, an unmatched record comes out at once, and again with each match that comes later.
    `expires`: of two streams, no record is late by itself. Each side forgets a record once the side's own time is
    `spread` and `grace` ahead of it, and one whose matches are past when it comes is unmatched at once.

    `meets_itself`: both sides read a topic (see `share_topics`), so that two of its records can make two pairs. The
    ordinals of these end with a number more: a pair whose later record is that of the left side comes first.
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
        """How far before and after a left record the right one may be, in milliseconds; of two streams alone."""
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
    """Return the optional side of a join: each of its fields may be null."""

    def loosen(facet: Facet) -> Facet:
        if not isinstance(facet.type, Struct):
            return facet
        return replace(facet, type=Struct(tuple(replace(f, nullable=True) for f in facet.type.fields)))

    return replace(relation, key=loosen(relation.key), value=loosen(relation.value))


class Aggregate(msgspec.Struct, frozen=True):
    """Groups records and computes aggregates of each group; gives a TABLE keyed by the group.

    The group is the bare value for one expression without alias, else a struct of `key_names`. It is the key, unless
    there is a window: then the key is a struct of `key`, the group, and `start` and `end` in epoch milliseconds. The
    value is a struct with the aggregates, in order, as `a0`, `a1`, ...: a projection above makes of them what the query
    asks for. `keeps_empty`: a group that lost its last row stays, with the aggregates of no row.
    """

    input: Node
    keys: tuple[Expression, ...]
    key_names: tuple[str, ...]
    key_format: str
    aggregates: tuple[Aggregation, ...]
    window: Window | None
    keeps_empty: bool = False

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
        """How a consumer refers to the key's expression number `index`."""
        key = self.keys[index]
        path = (self.key_names[index],) if self.key_names else ()
        path = path if self.window is None else ("key", *path)
        return Field(0, "key", path, key.type, key.nullable)

    def aggregate_field(self, index: int) -> Field:
        aggregation = self.aggregates[index]
        return Field(0, "value", (f"a{index}",), aggregation.type, aggregation.nullable)


class Repartition(_PassesOn, msgspec.Struct, frozen=True):
    """Shown, not executed by Spark: the records of one side move to as many partitions as the other side has."""

    input: Node
    before: int
    after: int
    reason: str


class Union(msgspec.Struct, frozen=True):
    """The records of several STREAMs with one relation each, of the same types: those that several queries write to a
    topic.

    Where two of the inputs read a topic, one record can come twice. Then the ordinals end with the number of the input.
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
        """Whether two inputs read a topic."""
        topics = [{scan.topic.name for scan in scans(node)} for node in self.inputs]
        return sum(map(len, topics)) > len(set().union(*topics))

    @property
    def ordinal_width(self) -> int:
        return max(node.ordinal_width for node in self.inputs) + self.repeats


def _loosest(relations: Sequence[Relation]) -> Relation:
    """Return a relation of which a field may be null where it may be null in any of several with the same names and
    types.
    """

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

    `counted`: what of its records Spark counts as it writes them, by name: those for which a condition over their one
    relation holds. It changes no record, and so is of no fingerprint.
    """

    inputs: tuple[Node, ...]
    topic: Topic
    counted: tuple[tuple[str, Expression], ...] = ()

    @property
    def semantics(self) -> Semantics:
        return self.inputs[0].semantics


Node = Scan | Reinterpret | EventTime | Filter | Lateral | Project | Rekey | Join | Aggregate | Repartition | Union


def inputs(node: Node) -> tuple[Node, ...]:
    """Return the nodes that feed a node, left to right."""
    if isinstance(node, Scan):
        return ()
    if isinstance(node, Union):
        return node.inputs
    return (node.left, node.right) if isinstance(node, Join) else (node.input,)


def with_inputs(node: Node, fed_by: tuple[Node, ...]) -> Node:
    """Return the same node over other inputs."""
    if isinstance(node, Scan) or all(map(is_, fed_by, inputs(node))):
        return node
    if isinstance(node, Join):
        return replace(node, left=fed_by[0], right=fed_by[1])
    if isinstance(node, Union):
        return replace(node, inputs=fed_by)
    return replace(node, input=fed_by[0])


def share_topics(left: Node, right: Node) -> bool:
    """Return whether two nodes read a topic both."""
    return not {s.topic.name for s in scans(left)}.isdisjoint(s.topic.name for s in scans(right))


def scans(node: Node) -> tuple[Scan, ...]:
    """Return the scans below a node, left to right."""
    if isinstance(node, Scan):
        return (node,)
    return tuple(s for part in inputs(node) for s in scans(part))
