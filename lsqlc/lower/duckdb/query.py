"""A DuckDB query under construction, and the columns of its rows (see `relations`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lsqlc.plan import nodes
from lsqlc.plan.identity import may_be_unmatched
from lsqlc.sql.writer import Cte, Sql


@dataclass(slots=True)
class Query:
    """The common table expressions so far, in order, and the counts of dropped records.

    `lower` writes the expression of a node. `counts`: reasons, with SQL of the `_case` of each dropped record.
    `advances`: the statement has a table of times that cases reach without a record. `timed`: the aggregates of TABLEs
    whose group time is read. `is_current`: a topic that is scanned as a TABLE has one record for each row, the newest.
    """

    lower: Callable[[nodes.Node, Query, bool], str]
    advances: bool = False
    timed: tuple[nodes.Aggregate, ...] = ()
    is_current: bool = False
    parts: list[Cte] = field(default_factory=list)
    counts: list[tuple[str, str]] = field(default_factory=list)
    known: dict[tuple[nodes.Node, str], str] = field(default_factory=dict)

    def add(self, kind: str, body: Sql) -> str:
        """Add a common table expression. Returns its name."""
        name = f"{kind}_{len(self.parts) + 1}"
        self.parts.append(Cte(name, str(body)))
        return name

    def relation(self, node: nodes.Node, *, final: bool) -> str:
        """Return the name of the expression of a node's rows. A shared node is written once.

        `final`: only the final rows of a TABLE are needed.
        """
        form = "stream" if node.semantics == "STREAM" else "final" if final else "versions"
        name = self.known.get((node, form))
        if name is None:
            name = self.known[node, form] = self.lower(node, self, final)
        return name


def facets(node: nodes.Node, shift: int = 0) -> tuple[str, ...]:
    """Return the names of the two columns of each relation. `shift`: the number of the first relation."""
    return tuple(f"{c}{i + shift}" for i in range(len(node.relations)) for c in ("k", "v"))


def renamed(node: nodes.Node, alias: str, shift: int, before: int = 0) -> tuple[str, ...]:
    """Return the columns of a node, renumbered from `before` in `alias` to `shift`."""
    pairs = zip(facets(node, before), facets(node, shift), strict=True)
    return tuple(f"{alias}.{old}" + (f" AS {new}" if new != old else "") for old, new in pairs)


def as_list(expression: str, node: nodes.Node) -> str:
    """Return the ordinal of a node's rows as a list."""
    return f"[{expression}]" if node.ordinal_width == 1 else expression


def arrival(expression: str, node: nodes.Node) -> str:
    """Return the ordinal of the record that caused a row, a BIGINT. Rows with the same one arrived together."""
    return expression if node.ordinal_width == 1 else f"{expression}[1]"


def lasting(versions: str, node: nodes.Node, query: Query) -> str:
    """Return the versions of a TABLE that still exist after the record that began them.

    Intermediate versions within one record are invisible.
    """
    if node.ordinal_width == 1:
        return versions
    return query.add("lasting", f"SELECT * FROM {versions} WHERE _end IS NULL OR _ord[1] < _end[1]")


def rank(node: nodes.Node, alias: str) -> tuple[str, ...]:
    """Return the columns of a TABLE's versions that order rows of one key, if `_ord` and `_end` do not."""
    return (f"{alias}._rank", f"{alias}._until") if may_be_unmatched(node) else ()


def list_or_null(expression: str, node: nodes.Node) -> str:
    """Return an ordinal that may be null as a list."""
    return f"CASE WHEN {expression} IS NOT NULL THEN [{expression}] END" if node.ordinal_width == 1 else expression
