"""What a ksqlDB program says, before any source is known: frozen data with extents into the source text.

Expressions are those of `tree`; names stand as the dialect reads them, in upper case unless they were quoted.
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

# What CREATE does if the name is taken: fail, take its place (OR REPLACE), or nothing (IF NOT EXISTS).
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
    """How far before and after a record its match may be; `grace` is None where it is not written."""

    before: Duration
    after: Duration
    grace: Duration | None
    at: Extent


@dataclass(frozen=True, slots=True)
class JoinedSource:
    """`kind_at` is the extent of the words from the kind to JOIN."""

    kind: JoinKind
    source: Source
    within: Within | None
    on: Expression
    kind_at: Extent
    at: Extent


@dataclass(frozen=True, slots=True)
class Query:
    """`partition_by` and `group_by` are empty where the clause is missing. `final_at`: where EMIT FINAL stands."""

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

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.source, *(j.source for j in self.joins))


@dataclass(frozen=True, slots=True)
class Property:
    """One property of WITH; its name in upper case."""

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
    """CREATE STREAM or TABLE over a topic. `columns` is None where the list is missing; `read_only`: CREATE SOURCE."""

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
    """`columns` is empty where the list is missing: then all columns are meant, in order."""

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
    """DEFINE of a variable; UNDEFINE, where the value is None."""

    name: Name
    value: Name | None


@dataclass(frozen=True, slots=True)
class Program:
    """`definitions`: of the variables, whose values the statements already have in their place."""

    source: SourceText
    settings: tuple[Setting, ...]
    statements: tuple[Statement, ...]
    definitions: tuple[Definition, ...] = ()

    @property
    def reads(self) -> tuple[Name, ...]:
        """The topics that its queries read: those of the sources that it declares, other than over its own results."""
        topics: dict[str, str] = {}
        written: set[str] = set()
        found: list[Name] = []
        for statement in self.statements:
            if isinstance(statement, CreateSource):
                topics[statement.name.text] = topic_of(statement)
                if topic_of(statement) in written:
                    topics.pop(statement.name.text)
            elif not isinstance(statement, InsertValues):
                named = [s.name for s in statement.query.sources]
                found += [Name(topics[n.text], n.at) for n in named if n.text in topics]
                if isinstance(statement, CreateAs):
                    topics.pop(statement.name.text, None)
                    written.add(topic_of(statement))
        return tuple(found)

    @property
    def writes(self) -> tuple[Name, ...]:
        """The topics that it writes, in order, each once."""
        topics: dict[str, str] = {}
        found: dict[str, Name] = {}
        for statement in self.statements:
            if isinstance(statement, CreateSource | CreateAs):
                topics[statement.name.text] = topic_of(statement)
            if isinstance(statement, CreateAs | InsertSelect):
                target = statement.name if isinstance(statement, CreateAs) else statement.target
                topic = topics.get(target.text, target.text)
                found.setdefault(topic, Name(topic, target.at))
        return tuple(found.values())


def topic_of(statement: CreateSource | CreateAs) -> str:
    """The topic of a stream or table: what WITH says, else its own name."""
    named = next((p.text for p in statement.properties if p.name.text == "KAFKA_TOPIC"), None)
    return named or statement.name.text
