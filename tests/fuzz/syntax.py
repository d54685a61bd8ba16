"""A random program as data: expressions as trees and queries as clauses, so that a part of one can be left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lsqlc.types.data import DataType

Kind = Literal["", "INNER ", "LEFT ", "RIGHT ", "OUTER "]

Word = Literal["STREAM", "TABLE"]


@dataclass(frozen=True, slots=True)
class Term:
    """An expression: `text` with a `{}` for each of its parts, and the type that it was made for."""

    text: str
    parts: tuple[Term, ...] = ()
    type: DataType | None = None

    def __str__(self) -> str:
        return self.text.format(*self.parts) if self.parts else self.text


@dataclass(frozen=True, slots=True)
class Projection:
    """`alias` None: none is written."""

    term: Term
    alias: str | None = None

    def __str__(self) -> str:
        return f"{self.term} AS {self.alias}" if self.alias else str(self.term)


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    alias: str | None = None

    @property
    def label(self) -> str:
        return self.alias or self.name

    def __str__(self) -> str:
        return f"{self.name} AS {self.alias}" if self.alias else self.name


@dataclass(frozen=True, slots=True)
class Joined:
    """`within`: such as `5ms`; it stands before ON or, where `behind`, after it."""

    kind: Kind
    source: Source
    on: tuple[Term, ...] = ()
    within: str | None = None
    behind: bool = False

    def __str__(self) -> str:
        within = f" WITHIN {self.within}" if self.within else ""
        on = f" ON {' AND '.join(map(str, self.on))}" if self.on else ""
        return f"{self.kind}JOIN {self.source}" + (on + within if self.behind else within + on)


@dataclass(frozen=True, slots=True)
class Query:
    """One SELECT. `where` and `having` are joined by AND."""

    word: Word
    projections: tuple[Projection, ...]
    source: Source
    join: Joined | None = None
    event_time: Term | None = None
    laterals: tuple[tuple[Term, str], ...] = ()
    where: tuple[Term, ...] = ()
    window: str | None = None
    grace: str | None = None
    group: tuple[Projection, ...] = ()
    having: tuple[Term, ...] = ()

    def __str__(self) -> str:
        parts = [f"SELECT {self.word} {', '.join(map(str, self.projections))}", f"FROM {self.source}"]
        if self.join:
            parts.append(str(self.join))
        if self.event_time:
            parts.append(f"EVENTTIME BY {self.event_time}")
        parts += [f"LATERAL {array} AS {alias}" for array, alias in self.laterals]
        if self.where:
            parts.append(f"WHERE {' AND '.join(map(str, self.where))}")
        if self.window:
            parts.append(f"WINDOW BY {self.window}" + (f" GRACE BY {self.grace}" if self.grace else ""))
        if self.group:
            parts.append(f"GROUP BY {', '.join(map(str, self.group))}")
        if self.having:
            parts.append(f"HAVING {' AND '.join(map(str, self.having))}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Program:
    """`withs` by name; `inserts` by target, None for a SELECT that stands alone."""

    withs: tuple[tuple[str, Query], ...]
    inserts: tuple[tuple[str | None, Query], ...]
    settings: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"SET {setting};" for setting in self.settings]
        lines += [f"WITH {name} AS ({query});" for name, query in self.withs]
        lines += [f"INSERT INTO {target} {query};" if target else f"{query};" for target, query in self.inserts]
        return "\n".join(lines)
