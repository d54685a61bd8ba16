"""The syntax tree of a model in standard SQL: one query, and the kind of its result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import tree

Kind = Literal["streaming_table", "materialized_view"]
KINDS: tuple[Kind, ...] = ("streaming_table", "materialized_view")
JoinKind = Literal[tree.JoinKind, "CROSS", "SEMI", "ANTI"]
# A name in pieces: text, and the parts of the names of columns.
Named = tuple[str | tuple[str, ...], ...]
# The words with ALL keep duplicates, the others remove them.
SetWord = Literal["UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]


@dataclass(frozen=True, slots=True)
class Item:
    """A column of the SELECT list, or a star.

    `without`: the columns that EXCEPT removes from a star. `name`: Spark's name without an alias, None if it is
    unknown.
    """

    source: tree.Expression | tree.Wildcard
    alias: tree.Name | None
    at: Extent
    without: tuple[tree.Reference, ...] = ()
    name: Named | None = None


def is_name(expression: tree.Expression) -> bool:
    """Return whether an expression is a name in the text. Names of queries and of calls with OVER are not."""
    return isinstance(expression, tree.Reference) and not expression.parts[-1].startswith(" ")


@dataclass(frozen=True, slots=True)
class TopicSource:
    """A topic, or a name of WITH. `stream`: it is inside of STREAM(...). `columns`: new names of its columns."""

    name: tree.Name
    stream: bool
    alias: tree.Name | None
    at: Extent
    columns: tuple[tree.Name, ...] = ()

    @property
    def label(self) -> str:
        return self.alias.text if self.alias else self.name.text


@dataclass(frozen=True, slots=True)
class QuerySource:
    """A query in FROM. `alias` is None if its columns have no qualifier. `columns`: new names of them."""

    query: Query
    alias: tree.Name | None
    at: Extent
    columns: tuple[tree.Name, ...] = ()

    @property
    def label(self) -> str:
        return self.alias.text if self.alias else ""


@dataclass(frozen=True, slots=True)
class ConstantSource:
    """Rows of constants: those of VALUES, or the one row without columns of a SELECT without FROM.

    `numbers`: the arguments of range(), whose numbers are the rows. `columns`: new names of the columns.
    """

    rows: tuple[tuple[tree.Expression, ...], ...]
    numbers: tuple[tree.Expression, ...]
    alias: tree.Name | None
    at: Extent
    columns: tuple[tree.Name, ...] = ()

    @property
    def label(self) -> str:
        return self.alias.text if self.alias else ""


Source = TopicSource | QuerySource | ConstantSource


@dataclass(frozen=True, slots=True)
class Join:
    """A join.

    `on` is None without a condition; CROSS has no USING either, as after a comma. `using`: columns of both sides.
    `natural`: all common columns.
    """

    kind: JoinKind
    source: Source
    on: tree.Expression | None
    at: Extent
    using: tuple[tree.Name, ...] = ()
    natural: bool = False


# The source of the columns of a generator in the SELECT list; no source in a text has this name.
GENERATED = " generated"
Generator = Literal["explode", "posexplode", "inline", "stack"]


@dataclass(frozen=True, slots=True)
class Lateral:
    """The rows that a generator creates from its arguments, as a source.

    They are the elements of an array or a map, with their positions, or the structs of an array. For stack the first
    argument is their number. The columns have Spark's names by default. `outer`: a row without elements is kept.
    """

    generator: Generator
    arguments: tuple[tree.Expression, ...]
    columns: tuple[tree.Name, ...]
    alias: tree.Name | None
    outer: bool
    at: Extent

    @property
    def label(self) -> str:
        return self.alias.text if self.alias else ""


@dataclass(frozen=True, slots=True)
class Ordered:
    """A key of an order."""

    value: tree.Expression
    descending: bool
    nulls_first: bool

    @property
    def mark(self) -> str:
        """The direction: `DESC NULLS LAST`."""
        return f"{'DESC' if self.descending else 'ASC'} NULLS {'FIRST' if self.nulls_first else 'LAST'}"


# The `word` of a ranking that stands for ORDER BY and LIMIT of a query.
FIRST_ROWS = "ORDER BY with LIMIT"


@dataclass(frozen=True, slots=True)
class Ranking:
    """`ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...)`, of which only ranks up to `limit` are needed.

    `limit` is None for all, or if the reader of the query has the limit. `name`: that of its column, None if it is not
    in the SELECT list. `word`: the construct in the text. `offset`: the number of first rows that are left out, which
    `limit` counts too.
    """

    name: str | None
    partition: tuple[tree.Expression, ...]
    order: tuple[Ordered, ...]
    limit: int | None
    at: Extent
    word: str = "ROW_NUMBER"
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Ignored:
    """A clause without effect on a table: ORDER BY with its `order`, or LIMIT with its number of rows."""

    word: Literal["ORDER BY", "LIMIT"]
    at: Extent
    order: tuple[Ordered, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a partition over which a call with OVER is computed.

    `start`, `end`: the distance in rows after the row, negative before it; None: the end of the partition. `rows`
    False: RANGE, where rows that are equal in the order count as one. `low`, `high`: the first and the last value of a
    RANGE with a distance, in the single expression of the order. They replace `start` and `end`.
    """

    rows: bool
    start: int | None
    end: int | None
    low: tree.Expression | None = None
    high: tree.Expression | None = None


@dataclass(frozen=True, slots=True)
class WindowCall:
    """A call with OVER.

    `name`: the name of its value in expressions, which no name in a text equals. `frame` None: with ORDER BY the rows
    up to those that are equal in the order, else all rows of the partition.
    """

    name: str
    function: tree.Call
    ignores_nulls: bool
    partition: tuple[tree.Expression, ...]
    order: tuple[Ordered, ...]
    frame: Frame | None
    at: Extent


@dataclass(frozen=True, slots=True)
class Test:
    """A condition of WHERE on the rows of a query: `x IN (SELECT ...)`, or EXISTS if `operand` is None.

    `more`: the other operands of `(x, y) IN (SELECT ...)`.
    """

    operand: tree.Expression | None
    query: Query
    negated: bool
    at: Extent
    more: tuple[tree.Expression, ...] = ()

    @property
    def operands(self) -> tuple[tree.Expression, ...]:
        return () if self.operand is None else (self.operand, *self.more)


@dataclass(frozen=True, slots=True)
class Counted:
    """The rows of a query that are counted: all, those whose column equals a value of the outer query, or those whose
    column is null.
    """

    what: Literal["rows", "equal", "nulls"]
    operand: tree.Expression | None = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A query as a value.

    `name`: the name of the value in the outer SELECT, which no name in a text equals. `counted`: the value is the
    number of these rows. `pairs`: equations with the outer query in addition to its WHERE, the inner part first.
    """

    query: Query
    name: str
    at: Extent
    counted: Counted | None = None
    pairs: tuple[tuple[tree.Expression, tree.Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Pivoted:
    """A value of PIVOT, or as many as FOR names, whose rows are aggregated; the columns of one row of UNPIVOT.

    `name`: the name in the result.
    """

    values: tuple[tree.Expression, ...]
    name: str
    at: Extent


@dataclass(frozen=True, slots=True)
class Pivot:
    """`PIVOT (aggregates FOR among IN (values))`: a column for each value and aggregate."""

    aggregates: tuple[Item, ...]
    among: tuple[tree.Expression, ...]
    values: tuple[Pivoted, ...]
    at: Extent


@dataclass(frozen=True, slots=True)
class Unpivot:
    """`UNPIVOT (targets FOR name IN (columns))`: a row for each of the columns. `nulls`: also for nulls."""

    targets: tuple[tree.Name, ...]
    name: tree.Name
    columns: tuple[Pivoted, ...]
    nulls: bool
    at: Extent


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT.

    `items_at`: the extent of the SELECT list. `tests`: conditions in addition to `where`. `ranking`: the number of each
    row, which an item may be. `scalars`: the queries as values of the SELECT list and WHERE; `having_scalars`: those of
    HAVING. `group_all`: GROUP BY ALL. `grouping_sets`: the indexes of the expressions of GROUP BY in each set; none if
    there is one set of all. `windows`: the calls with OVER of the SELECT list and of `qualify`, the condition of
    QUALIFY, except a ranking. `pivot`: applied to the source before anything else.
    """

    items: tuple[Item, ...]
    distinct: bool
    source: Source
    joins: tuple[Join, ...]
    where: tree.Expression | None
    group_by: tuple[tree.Expression, ...]
    having: tree.Expression | None
    at: Extent
    items_at: Extent
    tests: tuple[Test, ...] = ()
    ranking: Ranking | None = None
    laterals: tuple[Lateral, ...] = ()
    scalars: tuple[Scalar, ...] = ()
    having_scalars: tuple[Scalar, ...] = ()
    group_all: bool = False
    grouping_sets: tuple[tuple[int, ...], ...] = ()
    ignored: Ignored | None = None
    windows: tuple[WindowCall, ...] = ()
    qualify: tree.Expression | None = None
    pivot: Pivot | Unpivot | None = None

    @property
    def has_groups(self) -> bool:
        return bool(self.group_by) or self.group_all

    @property
    def is_windowed(self) -> bool:
        """Whether its rows depend on other rows: by calls with OVER, or by ORDER BY with LIMIT."""
        return self.ranking is not None or bool(self.windows) or self.qualify is not None

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.source, *(join.source for join in self.joins))

    @property
    def inner(self) -> tuple[Query, ...]:
        """The queries of its conditions and expressions."""
        scalars = (*self.scalars, *self.having_scalars)
        return (*(test.query for test in self.tests), *(scalar.query for scalar in scalars))


@dataclass(frozen=True, slots=True)
class Union:
    """UNION ALL of two queries or more, INTERSECT or EXCEPT of two."""

    branches: tuple[Select, ...]
    at: Extent
    word: SetWord = "UNION ALL"
    ignored: Ignored | None = None


@dataclass(frozen=True, slots=True)
class With:
    """A query of WITH. `columns`: new names of the query's columns."""

    name: tree.Name
    query: Query
    columns: tuple[tree.Name, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    withs: tuple[With, ...]
    body: Select | Union
    at: Extent

    @property
    def selects(self) -> tuple[Select, ...]:
        return self.body.branches if isinstance(self.body, Union) else (self.body,)


@dataclass(frozen=True, slots=True)
class ColumnList:
    """Columns of a source: these, or with `excluded` all others."""

    names: tuple[tree.Name, ...]
    excluded: bool
    at: Extent


@dataclass(frozen=True, slots=True)
class ChangeFlow:
    """AUTO CDC: the changes of a query, applied to the table `target`, each to the row of its `keys`.

    The name of the target is empty if it has none. `sequence`: the order of the changes of a key. `delete`: the
    condition of those that delete the row. `columns`: of the table; None: all. `versions`: SCD TYPE 2, a row for each
    version. `tracked`: the columns whose changes create a version, None: all. `ignoring`: the columns in which a null
    keeps the value of the row. `created`: the name in a CREATE STREAMING TABLE before the flow.
    """

    target: tree.Name
    keys: tuple[tree.Name, ...]
    sequence: tree.Expression
    delete: tree.Expression | None
    columns: ColumnList | None
    versions: bool
    tracked: ColumnList | None
    ignoring: ColumnList | None
    created: tree.Name | None
    at: Extent

    @property
    def untargeted(self) -> ChangeFlow:
        """The flow without the name of its target."""
        return replace(self, target=tree.Name("", self.target.at), created=None)


@dataclass(frozen=True, slots=True)
class Program:
    """A program. `kind` and `name` are those of CREATE, None for a bare SELECT.

    `query` is None if it is invalid. `flow`: applied to the rows of `query`, which are all rows of its source.
    """

    source: SourceText
    kind: Kind | None
    name: tree.Name | None
    query: Query | None
    settings: tuple[tree.Setting, ...] = ()
    flow: ChangeFlow | None = None

    @property
    def reads(self) -> tuple[tree.Name, ...]:
        return tuple(source.name for source in self.topics)

    @property
    def topics(self) -> tuple[TopicSource, ...]:
        """The topics in FROM."""
        return tuple(_reads(self.query, frozenset())) if self.query else ()

    @property
    def writes(self) -> tuple[tree.Name, ...]:
        return (self.name,) if self.name else ()


def _reads(query: Query, with_names: frozenset[str]) -> Iterator[TopicSource]:
    """Yield the topics in FROM: names that no earlier WITH has."""
    for with_ in query.withs:
        yield from _reads(with_.query, with_names)
        with_names |= {with_.name.text.casefold()}
    for select in query.selects:
        for source in select.sources:
            if isinstance(source, QuerySource):
                yield from _reads(source.query, with_names)
            elif isinstance(source, TopicSource) and (source.stream or source.name.text.casefold() not in with_names):
                yield source
        for inner in select.inner:
            yield from _reads(inner, with_names)


def ignored(query: Query) -> Iterator[Ignored]:
    """Yield the clauses without effect of a query and of all queries in it."""
    for each in queries(query):
        parts = (*each.selects, *((each.body,) if isinstance(each.body, Union) else ()))
        yield from (part.ignored for part in parts if part.ignored is not None)


def queries(query: Query) -> Iterator[Query]:
    """Yield the query and all queries in it, from the outside in."""
    yield query
    for with_ in query.withs:
        yield from queries(with_.query)
    for select in query.selects:
        for source in select.sources:
            if isinstance(source, QuerySource):
                yield from queries(source.query)
        for inner in select.inner:
            yield from queries(inner)
