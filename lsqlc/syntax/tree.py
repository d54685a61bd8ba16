"""The syntax tree of a program: frozen data with extents into the source text, without knowledge of topics."""

from __future__ import annotations

from typing import Literal as Choice

import msgspec

from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.tokens import Token
from lsqlc.types.data import DataType

Semantics = Choice["STREAM", "TABLE"]
FacetName = Choice["key", "value"]
LogicWord = Choice["AND", "OR"]
JoinKind = Choice["INNER", "LEFT", "RIGHT", "OUTER"]


class Name(msgspec.Struct, frozen=True):
    text: str
    at: Extent


# Expressions


class Literal(msgspec.Struct, frozen=True):
    """NULL, a boolean, an integer, a number with a point (float), or a string."""

    value: bool | int | float | str | None
    at: Extent


class Reference(msgspec.Struct, frozen=True):
    """A dotted path as in the text: `a`, `_key.a`, `source._value.a.b`."""

    parts: tuple[str, ...]
    at: Extent


class Unary(msgspec.Struct, frozen=True):
    operator: Choice["-", "NOT"]
    operand: Expression
    at: Extent


class Binary(msgspec.Struct, frozen=True):
    """An operator between two operands: + - * / % = <> < <= > >=; DIV & | ^ in standard SQL."""

    operator: str
    left: Expression
    right: Expression
    at: Extent


class Logic(msgspec.Struct, frozen=True):
    """Two or more conditions, joined by one operator: a single level of the tree."""

    operator: LogicWord
    operands: tuple[Expression, ...]
    at: Extent


class IsNull(msgspec.Struct, frozen=True):
    operand: Expression
    negated: bool
    at: Extent


class Distinct(msgspec.Struct, frozen=True):
    """`left IS DISTINCT FROM right`: two nulls are equal, and a null differs from any value."""

    left: Expression
    right: Expression
    negated: bool
    at: Extent


class Between(msgspec.Struct, frozen=True):
    operand: Expression
    low: Expression
    high: Expression
    negated: bool
    at: Extent


class In(msgspec.Struct, frozen=True):
    operand: Expression
    items: tuple[Expression, ...]
    negated: bool
    at: Extent


class Like(msgspec.Struct, frozen=True):
    """LIKE. `escape`: the escape character, None for none."""

    operand: Expression
    pattern: Expression
    negated: bool
    at: Extent
    escape: str | None = None


class Call(msgspec.Struct, frozen=True):
    """A function call; `star` for COUNT(*)."""

    name: Name
    arguments: tuple[Expression, ...]
    star: bool
    at: Extent


class Cast(msgspec.Struct, frozen=True):
    """A cast. `typed`: the operand is a literal with its type, such as `DATE '2024-01-05'`."""

    operand: Expression
    type: DataType
    at: Extent
    typed: bool = False


class Case(msgspec.Struct, frozen=True):
    """CASE. `operand` is None for a searched CASE."""

    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None
    at: Extent


class ArrayLiteral(msgspec.Struct, frozen=True):
    items: tuple[Expression, ...]
    at: Extent


class Index(msgspec.Struct, frozen=True):
    operand: Expression
    index: Expression
    at: Extent


class Member(msgspec.Struct, frozen=True):
    """A field of an expression that is not a path, as in `a[0].b`."""

    operand: Expression
    field: Name
    at: Extent


class Lambda(msgspec.Struct, frozen=True):
    """`x => x + 1`, `(k, v) => v`: a function as an argument of a call."""

    parameters: tuple[Name, ...]
    body: Expression
    at: Extent


class Hyphenated(msgspec.Struct, frozen=True):
    """An expression with a hyphen that may be part of a name, or a minus. The names in scope decide.

    `tokens` is its text, which `resolve` reads again with the names in scope.
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


class Target(msgspec.Struct, frozen=True):
    """The target after AS. `facet` is None for a bare alias; an empty `path` is the whole facet."""

    facet: FacetName | None
    path: tuple[str, ...]
    at: Extent


class Wildcard(msgspec.Struct, frozen=True):
    """`*`, `src.*`, `src._key.*`: the parts before the star."""

    qualifier: tuple[str, ...]
    at: Extent


class Projection(msgspec.Struct, frozen=True):
    source: Expression | Wildcard
    target: Target | None
    at: Extent


class Source(msgspec.Struct, frozen=True):
    """A topic or WITH name, and its alias."""

    name: Name
    alias: Name | None

    @property
    def label(self) -> str:
        """The name of the source in the query."""
        return self.alias.text if self.alias else self.name.text


class Duration(msgspec.Struct, frozen=True):
    milliseconds: int
    at: Extent


class Join(msgspec.Struct, frozen=True):
    """A join. `kind_at` is the extent of the words from the kind to JOIN. `within`: the durations in the text, at most
    two.
    """

    kind: JoinKind
    left: Source
    right: Source
    on: Expression | None
    within: tuple[Duration, ...]
    kind_at: Extent
    at: Extent


class Lateral(msgspec.Struct, frozen=True):
    array: Expression
    alias: Name
    at: Extent


class Tumble(msgspec.Struct, frozen=True):
    """Windows without overlap and gaps."""

    size: Duration
    grace: Duration | None
    at: Extent


class Hop(msgspec.Struct, frozen=True):
    """Windows that overlap."""

    size: Duration
    advance: Duration
    grace: Duration | None
    at: Extent


class Session(msgspec.Struct, frozen=True):
    """Windows that end with a gap between records."""

    gap: Duration
    grace: Duration | None
    at: Extent


Window = Tumble | Hop | Session


class GroupItem(msgspec.Struct, frozen=True):
    expression: Expression
    alias: Name | None
    at: Extent


class Select(msgspec.Struct, frozen=True):
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


class Setting(msgspec.Struct, frozen=True):
    """`SET key = value`; `value` is the text without quotes."""

    key: Name
    value: Name


class With(msgspec.Struct, frozen=True):
    name: Name
    select: Select


class Insert(msgspec.Struct, frozen=True):
    """INSERT. `target` is None for a bare SELECT, which writes to the topic of the model's name."""

    target: Name | None
    key_format: Name | None
    value_format: Name | None
    select: Select


class Program(msgspec.Struct, frozen=True):
    source: SourceText
    settings: tuple[Setting, ...]
    withs: tuple[With, ...]
    inserts: tuple[Insert, ...]

    @property
    def reads(self) -> tuple[Name, ...]:
        """The topics that the program reads: names in FROM that no earlier WITH defines."""
        names: list[Name] = []
        defined: set[str] = set()
        for select, name in [*((w.select, w.name.text) for w in self.withs), *((i.select, "") for i in self.inserts)]:
            sources = (select.source.left, select.source.right) if isinstance(select.source, Join) else (select.source,)
            names += [s.name for s in sources if s.name.text not in defined]
            defined.add(name)
        return tuple(names)

    @property
    def writes(self) -> tuple[Name, ...]:
        """The topics that the program names as targets; empty for a bare SELECT."""
        return tuple(i.target for i in self.inserts if i.target)
