"""A DuckDB query in the making, and the columns that its rows have (see `relations`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lsqlc.plan import nodes
from lsqlc.plan.identity import may_be_unmatched
from lsqlc.sql.writer import Cte, Sql


@dataclass(slots=True)
class Query:
    """The common table expressions written so far, in order, and what is counted of them.

    `lower` writes a node's expression. `counts`: a reason, and SQL that gives `_case` of each record that went nowhere
    for it. `advances`: the statement has a table of that name, with the times that cases reach without a record.
    `timed`: the aggregates of TABLEs the time of whose groups is read.
    """

    lower: Callable[[nodes.Node, Query, bool], str]
    advances: bool = False
    timed: tuple[nodes.Aggregate, ...] = ()
    parts: list[Cte] = field(default_factory=list)
    counts: list[tuple[str, str]] = field(default_factory=list)
    known: dict[tuple[nodes.Node, str], str] = field(default_factory=dict)

    def add(self, kind: str, body: Sql) -> str:
        """Return name a piece of SQL."""
        name = f"{kind}_{len(self.parts) + 1}"
        self.parts.append(Cte(name, str(body)))
        return name

    def relation(self, node: nodes.Node, *, final: bool) -> str:
        """Return the name of the expression that gives a node's rows; a node that stands twice is written once.

        `final`: of a TABLE only the rows that live at the end are wanted.
        """
        form = "stream" if node.semantics == "STREAM" else "final" if final else "versions"
        name = self.known.get((node, form))
        if name is None:
            name = self.known[node, form] = self.lower(node, self, final)
        return name


def facets(node: nodes.Node, shift: int = 0) -> tuple[str, ...]:
    """Return the names of the two columns of each relation, the first of which has the number `shift`."""
    return tuple(f"{c}{i + shift}" for i in range(len(node.relations)) for c in ("k", "v"))


def renamed(node: nodes.Node, alias: str, shift: int, before: int = 0) -> tuple[str, ...]:
    """Return the columns of a node that begin at the number `before` in `alias`, as those that begin at `shift`."""
    pairs = zip(facets(node, before), facets(node, shift), strict=True)
    return tuple(f"{alias}.{old}" + (f" AS {new}" if new != old else "") for old, new in pairs)


def as_list(expression: str, node: nodes.Node) -> str:
    """Return an ordinal of a node's rows as a list."""
    return f"[{expression}]" if node.ordinal_width == 1 else expression


def arrival(expression: str, node: nodes.Node) -> str:
    """Return the ordinal of the record that caused a row of a node, a BIGINT: what has the same one arrived
    together.
    """
    return expression if node.ordinal_width == 1 else f"{expression}[1]"


def lasting(versions: str, node: nodes.Node, query: Query) -> str:
    """Return the versions of a TABLE that are there once the record which began them has arrived with all that it
    causes: nothing sees what its elements or matches make of a row one by one.
    """
    if node.ordinal_width == 1:
        return versions
    return query.add("lasting", f"SELECT * FROM {versions} WHERE _end IS NULL OR _ord[1] < _end[1]")


def rank(node: nodes.Node, alias: str) -> tuple[str, ...]:
    """Return the columns of a TABLE's versions that say which row of a key counts, where `_ord` and `_end` do not."""
    return (f"{alias}._rank", f"{alias}._until") if may_be_unmatched(node) else ()


def list_or_null(expression: str, node: nodes.Node) -> str:
    """Return an ordinal that may be null, as a list."""
    return f"CASE WHEN {expression} IS NOT NULL THEN [{expression}] END" if node.ordinal_width == 1 else expression
