"""The meaning of a program's words, for tools that answer questions about a position in the text.

A trace is filled while a program is bound, with or without errors, and the binder never reads it. An expression is
bound over the input of its query, unless it stands for the result of an aggregation (`grouped`).
"""

from __future__ import annotations

from collections.abc import Iterable
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
    """The input of one SELECT: `relations` by the names in the query, numbered as in its expressions.

    `columns`: those of a ksqlDB query, which names columns and not facets.
    """

    node: Node
    relations: tuple[Relation, ...]
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class TracedSource:
    """The result of a WITH, or of a CREATE of ksqlDB, which then has `columns` over `node`."""

    node: Node
    columns: tuple[Column, ...] = ()


@dataclass(slots=True)
class Trace:
    """`expressions` and `queries` by their extent in the program's text, `sources` by name.

    `declarations`: the streams and tables of ksqlDB, by name, with the statement that declares each in another program.
    `results`: by output topic, the nodes that are written, before they are optimised. `every`: all expressions in
    order, several of one extent too: that of `x IS NULL` can be that of `x`.
    """

    expressions: dict[Extent, TracedExpression] = field(default_factory=dict)
    queries: dict[Extent, TracedQuery] = field(default_factory=dict)
    sources: dict[str, TracedSource] = field(default_factory=dict)
    declarations: dict[str, str] = field(default_factory=dict)
    results: dict[str, list[Node]] = field(default_factory=dict)
    every: list[tuple[Extent, TracedExpression]] = field(default_factory=list)

    def bound(self, at: Extent, expression: Expression, *, grouped: bool) -> None:
        """Add a bound expression. One over the input of its query replaces one over the aggregation's result."""
        entry, previous = TracedExpression(expression, grouped), self.expressions.get(at)
        self.every.append((at, entry))
        if previous is None or previous.grouped:
            self.expressions[at] = entry

    def written(self, topic: str, nodes: Iterable[Node]) -> None:
        """Add nodes that are written to a topic."""
        self.results.setdefault(topic, []).extend(nodes)
