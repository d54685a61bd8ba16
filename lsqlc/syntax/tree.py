"""What a program says, before any topic is known: frozen data with extents into the source text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.tokens import Token
from lsqlc.types.data import DataType

Semantics = Choice["STREAM", "TABLE"]
FacetName = Choice["key", "value"]
LogicWord = Choice["AND", "OR"]
JoinKind = Choice["INNER", "LEFT", "RIGHT", "OUTER"]


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    at: Extent


# Expressions


@dataclass(frozen=True, slots=True)
class Literal:
    """NULL, a boolean, an integer, a number with a point (float), or a string."""

    value: bool | int | float | str | None
    at: Extent


@dataclass(frozen=True, slots=True)
class Reference:
    """A dotted path as it was written: `a`, `_key.a`, `source._value.a.b`."""

    parts: tuple[str, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class Unary:
    operator: Choice["-", "NOT"]
    operand: Expression
    at: Extent


@dataclass(frozen=True, slots=True)
class Binary:
    """`operator`: + - * / % = <> < <= > >=."""

    operator: str
    left: Expression
    right: Expression
    at: Extent


@dataclass(frozen=True, slots=True)
class Logic:
    """Two conditions or more, joined by one and the same operator: however many they are, one level."""

    operator: LogicWord
    operands: tuple[Expression, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class IsNull:
    operand: Expression
    negated: bool
    at: Extent


@dataclass(frozen=True, slots=True)
class Distinct:
    """`left IS DISTINCT FROM right`: two nulls are alike, and a null differs from anything else."""

    left: Expression
    right: Expression
    negated: bool
    at: Extent


@dataclass(frozen=True, slots=True)
class Between:
    operand: Expression
    low: Expression
    high: Expression
    negated: bool
    at: Extent


@dataclass(frozen=True, slots=True)
class In:
    operand: Expression
    items: tuple[Expression, ...]
    negated: bool
    at: Extent


@dataclass(frozen=True, slots=True)
class Like:
    """`escape`: the character behind which `%` and `_` stand for themselves; None for none."""

    operand: Expression
    pattern: Expression
    negated: bool
    at: Extent
    escape: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A function call; `star` for COUNT(*)."""

    name: Name
    arguments: tuple[Expression, ...]
    star: bool
    at: Extent


@dataclass(frozen=True, slots=True)
class Cast:
    operand: Expression
    type: DataType
    at: Extent


@dataclass(frozen=True, slots=True)
class Case:
    """`operand` is None for a searched CASE."""

    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None
    at: Extent


@dataclass(frozen=True, slots=True)
class ArrayLiteral:
    items: tuple[Expression, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class Index:
    operand: Expression
    index: Expression
    at: Extent


@dataclass(frozen=True, slots=True)
class Member:
    """A field of something that is no plain path, as in `a[0].b`."""

    operand: Expression
    field: Name
    at: Extent


@dataclass(frozen=True, slots=True)
class Lambda:
    """`x => x + 1`, `(k, v) => v`: a function as an argument of a call."""

    parameters: tuple[Name, ...]
    body: Expression
    at: Extent


@dataclass(frozen=True, slots=True)
class Hyphenated:
    """An expression in which a name may hold a hyphen, or a hyphen may be a minus: only the scope tells.

    `tokens` is its text, to be read again by `resolve` once the names in scope are known.
    """

    tokens: tuple[Token, ...]
    at: Extent


Expression = (
    Literal
    | Reference
    | Unary
    | Binary
    | Logic
    | IsNull
    | Distinct
    | Between
    | In
    | Like
    | Call
    | Cast
    | Case
    | ArrayLiteral
    | Index
    | Member
    | Lambda
    | Hyphenated
)


# Statements


@dataclass(frozen=True, slots=True)
class Target:
    """What follows AS: `facet` None for a bare alias; an empty `path` is the whole facet."""

    facet: FacetName | None
    path: tuple[str, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class Wildcard:
    """`*`, `src.*`, `src._key.*`: the parts before the star."""

    qualifier: tuple[str, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class Projection:
    source: Expression | Wildcard
    target: Target | None
    at: Extent


@dataclass(frozen=True, slots=True)
class Source:
    """A topic or WITH name, and its alias."""

    name: Name
    alias: Name | None

    @property
    def label(self) -> str:
        """The name by which the query speaks of it."""
        return self.alias.text if self.alias else self.name.text


@dataclass(frozen=True, slots=True)
class Duration:
    milliseconds: int
    at: Extent


@dataclass(frozen=True, slots=True)
class Join:
    """`kind_at` is the extent of the words from the kind to JOIN. `within` keeps what was written, at most two."""

    kind: JoinKind
    left: Source
    right: Source
    on: Expression | None
    within: tuple[Duration, ...]
    kind_at: Extent
    at: Extent


@dataclass(frozen=True, slots=True)
class Lateral:
    array: Expression
    alias: Name
    at: Extent


@dataclass(frozen=True, slots=True)
class Tumble:
    """Windows one behind the other."""

    size: Duration
    grace: Duration | None
    at: Extent


@dataclass(frozen=True, slots=True)
class Hop:
    """Windows that overlap."""

    size: Duration
    advance: Duration
    grace: Duration | None
    at: Extent


@dataclass(frozen=True, slots=True)
class Session:
    """Windows that end with a gap between records."""

    gap: Duration
    grace: Duration | None
    at: Extent


Window = Tumble | Hop | Session


@dataclass(frozen=True, slots=True)
class GroupItem:
    expression: Expression
    alias: Name | None
    at: Extent


@dataclass(frozen=True, slots=True)
class Select:
    semantics: Semantics
    projections: tuple[Projection, ...]
    source: Source | Join
    laterals: tuple[Lateral, ...]
    event_time: Expression | None
    where: Expression | None
    window: Window | None
    group_by: tuple[GroupItem, ...]
    having: Expression | None
    at: Extent
    semantics_at: Extent


@dataclass(frozen=True, slots=True)
class Setting:
    """`SET key = value`; `value` as written, quotes removed."""

    key: Name
    value: Name


@dataclass(frozen=True, slots=True)
class With:
    name: Name
    select: Select


@dataclass(frozen=True, slots=True)
class Insert:
    """`target` None: a bare SELECT, which writes to the topic of the model's name."""

    target: Name | None
    key_format: Name | None
    value_format: Name | None
    select: Select


@dataclass(frozen=True, slots=True)
class Program:
    source: SourceText
    settings: tuple[Setting, ...]
    withs: tuple[With, ...]
    inserts: tuple[Insert, ...]

    @property
    def reads(self) -> tuple[Name, ...]:
        """The topics that the program reads: names in FROM that no WITH above them defines."""
        found: list[Name] = []
        defined: set[str] = set()
        for select, name in [*((w.select, w.name.text) for w in self.withs), *((i.select, "") for i in self.inserts)]:
            sources = (select.source.left, select.source.right) if isinstance(select.source, Join) else (select.source,)
            found += [s.name for s in sources if s.name.text not in defined]
            defined.add(name)
        return tuple(found)

    @property
    def writes(self) -> tuple[Name, ...]:
        """The topics that it names as targets; empty for a bare SELECT."""
        return tuple(i.target for i in self.inserts if i.target)
