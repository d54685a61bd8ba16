"""What binding a program found out about its words, for tools that answer questions about a place in the text.

A trace is filled while a program is bound, whether it has errors or not, and binding never reads it. An expression is
bound over the input of its query, except where it stands for the result of an aggregation (`grouped`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lsqlc.bind.columns import Column
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression
from lsqlc.plan.nodes import Node, Relation


@dataclass(frozen=True, slots=True)
class TracedExpression:
    expression: Expression
    grouped: bool


@dataclass(frozen=True, slots=True)
class TracedQuery:
    """The input of one SELECT: `relations` under the names that the query uses, numbered as in its expressions.

    `columns`: of a query of ksqlDB, which names columns and no facets.
    """

    node: Node
    relations: tuple[Relation, ...]
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class TracedSource:
    """What a WITH makes, or a CREATE of ksqlDB, which then has `columns` over `node`."""

    node: Node
    columns: tuple[Column, ...] = ()


@dataclass(slots=True)
class Trace:
    """`expressions` and `queries` by their extent in the program's text, `sources` by name. `declarations`: of the
    streams and tables of ksqlDB, by name, the statement that declares each in another program.
    """

    expressions: dict[Extent, TracedExpression] = field(default_factory=dict)
    queries: dict[Extent, TracedQuery] = field(default_factory=dict)
    sources: dict[str, TracedSource] = field(default_factory=dict)
    declarations: dict[str, str] = field(default_factory=dict)

    def bound(self, at: Extent, expression: Expression, *, grouped: bool) -> None:
        """Keep a bound expression. One over the input of its query says more than one of the aggregation's result."""
        known = self.expressions.get(at)
        if known is None or known.grouped:
            self.expressions[at] = TracedExpression(expression, grouped)
