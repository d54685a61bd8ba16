"""A random program of ksqlDB as data: statements as clauses, so that a part of one can be left out.

Expressions, projections and sources are those of `syntax`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lsqlc.types.data import Array, DataType, Map, Struct
from tests.fuzz.syntax import Projection, Source, Term, Word

Properties = tuple[tuple[str, str], ...]


def type_text(type: DataType) -> str:
    """A type as ksqlDB writes it."""
    match type:
        case Struct(fields=fields):
            return f"STRUCT<{', '.join(f'{f.name} {type_text(f.type)}' for f in fields)}>"
        case Array(element=element):
            return f"ARRAY<{type_text(element)}>"
        case Map(key=key, value=value):
            return f"MAP<{type_text(key)}, {type_text(value)}>"
    return str(type)


@dataclass(frozen=True, slots=True)
class Column:
    """A column that CREATE declares. `is_key`: KEY, of a TABLE PRIMARY KEY."""

    name: str
    type: DataType
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class Create:
    """A declared stream or table. `properties`: names and values of WITH, values without quotes."""

    word: Word
    name: str
    columns: tuple[Column, ...]
    properties: Properties

    @property
    def keys(self) -> tuple[Column, ...]:
        return tuple(c for c in self.columns if c.is_key)

    @property
    def topic(self) -> str:
        return dict(self.properties)["KAFKA_TOPIC"]

    def __str__(self) -> str:
        role = {"STREAM": " KEY", "TABLE": " PRIMARY KEY"}[self.word]
        columns = ", ".join(f"{c.name} {type_text(c.type)}{role if c.is_key else ''}" for c in self.columns)
        return f"CREATE {self.word} {self.name} ({columns}){_with(self.properties)}"


def _with(properties: Properties) -> str:
    listed = ", ".join(f"{n} = {v}" if v.isdigit() else f"{n} = '{v}'" for n, v in properties)
    return f" WITH ({listed})" if listed else ""


@dataclass(frozen=True, slots=True)
class KsqlJoined:
    """`within` and `grace`: as they are written, such as `(2 MILLISECONDS, 5 MILLISECONDS)`, for two streams."""

    kind: Literal["", "INNER ", "LEFT ", "LEFT OUTER ", "RIGHT ", "FULL OUTER "]
    source: Source
    on: tuple[Term, Term]
    within: str | None = None
    grace: str | None = None

    def __str__(self) -> str:
        within = f" WITHIN {self.within}" if self.within else ""
        grace = f" GRACE PERIOD {self.grace}" if self.grace else ""
        return f"{self.kind}JOIN {self.source}{within}{grace} ON {self.on[0]} = {self.on[1]}"


@dataclass(frozen=True, slots=True)
class KsqlQuery:
    """One SELECT. `where` and `having` are joined by AND; `emit`: CHANGES, FINAL or nothing."""

    items: tuple[Projection, ...]
    source: Source
    joins: tuple[KsqlJoined, ...] = ()
    window: str | None = None
    where: tuple[Term, ...] = ()
    partition: tuple[Term, ...] = ()
    group: tuple[Term, ...] = ()
    having: tuple[Term, ...] = ()
    emit: Literal["", "CHANGES", "FINAL"] = ""

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.source, *(j.source for j in self.joins))

    def __str__(self) -> str:
        parts = [f"SELECT {', '.join(map(str, self.items))}", f"FROM {self.source}", *map(str, self.joins)]
        if self.window:
            parts.append(f"WINDOW {self.window}")
        if self.where:
            parts.append(f"WHERE {' AND '.join(map(str, self.where))}")
        if self.partition:
            parts.append(f"PARTITION BY {', '.join(map(str, self.partition))}")
        if self.group:
            parts.append(f"GROUP BY {', '.join(map(str, self.group))}")
        if self.having:
            parts.append(f"HAVING {' AND '.join(map(str, self.having))}")
        if self.emit:
            parts.append(f"EMIT {self.emit}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class CreateAs:
    """CREATE ... AS SELECT, or with the word INSERT the same query into a stream that another statement makes."""

    word: Literal["STREAM", "TABLE", "INSERT"]
    name: str
    query: KsqlQuery
    properties: Properties = ()

    def __str__(self) -> str:
        if self.word == "INSERT":
            return f"INSERT INTO {self.name} {self.query}"
        return f"CREATE {self.word} {self.name}{_with(self.properties)} AS {self.query}"


@dataclass(frozen=True, slots=True)
class KsqlProgram:
    """Statements in order: each names what stands before it."""

    statements: tuple[Create | CreateAs, ...]

    @property
    def queries(self) -> tuple[KsqlQuery, ...]:
        return tuple(s.query for s in self.statements if isinstance(s, CreateAs))

    def __str__(self) -> str:
        return "".join(f"{statement};\n" for statement in self.statements).rstrip("\n")
