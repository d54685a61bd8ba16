"""The syntax tree of a ksqlDB program: frozen data with extents into the source text, without knowledge of sources.

Expressions are those of `tree`. Names are in upper case unless they are quoted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.tree import (
    Duration,
    Expression,
    JoinKind,
    Literal,
    Name,
    Semantics,
    Setting,
    Source,
    Wildcard,
    Window,
)
from lsqlc.types.data import DataType

# The effect of CREATE if the name exists: an error, a replacement (OR REPLACE), or nothing (IF NOT EXISTS).
Exists = Choice["fail", "replace", "ignore"]
ColumnRole = Choice["KEY", "PRIMARY KEY", "HEADERS"]


@dataclass(frozen=True, slots=True)
class Item:
    """One element of the SELECT list. `fields`: `source->*`, all fields of a struct."""

    source: Expression | Wildcard
    alias: Name | None
    at: Extent
    fields: bool = False


@dataclass(frozen=True, slots=True)
class Within:
    """The maximum distance of a match before and after a record. `grace` is None if it is absent."""

    before: Duration
    after: Duration
    grace: Duration | None
    at: Extent


@dataclass(frozen=True, slots=True)
class JoinedSource:
    """A join. `kind_at` is the extent of the words from the kind to JOIN."""

    kind: JoinKind
    source: Source
    within: Within | None
    on: Expression
    kind_at: Extent
    at: Extent


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT. `partition_by` and `group_by` are empty without the clause. `final_at`: the extent of EMIT FINAL;
    `emits_changes`: EMIT CHANGES is there.
    """

    items: tuple[Item, ...]
    items_at: Extent
    source: Source
    joins: tuple[JoinedSource, ...]
    window: Window | None
    where: Expression | None
    group_by: tuple[Expression, ...]
    partition_by: tuple[Expression, ...]
    having: Expression | None
    final_at: Extent | None
    at: Extent
    emits_changes: bool = False

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.source, *(j.source for j in self.joins))


@dataclass(frozen=True, slots=True)
class Property:
    """One property of WITH; its name is in upper case."""

    name: Name
    value: Literal

    @property
    def text(self) -> str:
        return str(self.value.value)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of CREATE. `header`: the key in HEADER('key')."""

    name: Name
    type: DataType
    role: ColumnRole | None
    at: Extent
    header: str | None = None


@dataclass(frozen=True, slots=True)
class CreateSource:
    """CREATE STREAM or TABLE over a topic. `columns` is None without a list; `read_only`: CREATE SOURCE."""

    kind: Semantics
    name: Name
    columns: tuple[Column, ...] | None
    properties: tuple[Property, ...]
    read_only: bool
    exists: Exists
    at: Extent


@dataclass(frozen=True, slots=True)
class CreateAs:
    """CREATE STREAM or TABLE ... AS SELECT. `kind_at`: the words CREATE STREAM or CREATE TABLE."""

    kind: Semantics
    name: Name
    properties: tuple[Property, ...]
    query: Query
    exists: Exists
    kind_at: Extent
    at: Extent


@dataclass(frozen=True, slots=True)
class InsertSelect:
    target: Name
    query: Query
    at: Extent


@dataclass(frozen=True, slots=True)
class InsertValues:
    """INSERT INTO ... VALUES. `columns` is empty without a list, which means all columns, in order."""

    target: Name
    columns: tuple[Name, ...]
    values: tuple[Expression, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class BareSelect:
    query: Query
    at: Extent
    limit: int | None = None


Statement = CreateSource | CreateAs | InsertSelect | InsertValues | BareSelect


@dataclass(frozen=True, slots=True)
class Definition:
    """DEFINE of a variable; UNDEFINE if the value is None."""

    name: Name
    value: Name | None


@dataclass(frozen=True, slots=True)
class Program:
    """A program. `definitions`: those of variables, whose values the statements already have in their place."""

    source: SourceText
    settings: tuple[Setting, ...]
    statements: tuple[Statement, ...]
    definitions: tuple[Definition, ...] = ()

    @property
    def reads(self) -> tuple[Name, ...]:
        """The topics that its queries read, through sources that it declares over topics other than its own results."""
        topics: dict[str, str] = {}
        output_topics: set[str] = set()
        names: list[Name] = []
        for statement in self.statements:
            if isinstance(statement, CreateSource):
                topics[statement.name.text] = topic_of(statement)
                if topic_of(statement) in output_topics:
                    topics.pop(statement.name.text)
            elif not isinstance(statement, InsertValues):
                source_names = [s.name for s in statement.query.sources]
                names += [Name(topics[n.text], n.at) for n in source_names if n.text in topics]
                if isinstance(statement, CreateAs):
                    topics.pop(statement.name.text, None)
                    output_topics.add(topic_of(statement))
        return tuple(names)

    @property
    def writes(self) -> tuple[Name, ...]:
        """The topics that it writes, in order, each once."""
        topics: dict[str, str] = {}
        names: dict[str, Name] = {}
        for statement in self.statements:
            if isinstance(statement, CreateSource | CreateAs):
                topics[statement.name.text] = topic_of(statement)
            if isinstance(statement, CreateAs | InsertSelect):
                target = statement.name if isinstance(statement, CreateAs) else statement.target
                topic = topics.get(target.text, target.text)
                names.setdefault(topic, Name(topic, target.at))
        return tuple(names.values())


def topic_of(statement: CreateSource | CreateAs) -> str:
    """Return the topic of a stream or table: the topic in WITH, else its own name."""
    declared_topic = next((p.text for p in statement.properties if p.name.text == "KAFKA_TOPIC"), None)
    return declared_topic or statement.name.text
