"""Rankings: `ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...)` as the only call with OVER of a query.

A bound in the reader of the query, as in `WHERE rank <= 3`, or in QUALIFY keeps the first rows of each partition.
Without a bound all rows are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.pivots import Pivots
from lsqlc.syntax.sql.places import Places


class Rankings(Pivots):
    """Reads rankings. Every method raises SyntaxFault for an unsupported node."""

    def __init__(self, source: SourceText, places: Places) -> None:
        super().__init__(source, places)
        # The names of WITH in scope, in which later ones shadow earlier ones. Each has its ranking, if that has no
        # bound, and the bounds of its readers, None for a reader without one.
        self.named: list[tuple[str, sql.Ranking | None, list[int | None]]] = []

    def is_ranking(self, node: Any) -> bool:
        return isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber)

    def only_ranking(self, select: exp.Expr) -> sql.Ranking | None:
        """Return the ranking of a SELECT without other calls with OVER: a column, or the left side of QUALIFY's bound.

        None for any other SELECT. It has no bound if neither the query nor QUALIFY has one.
        """
        clause = select.args.get("qualify")
        clauses = [each for each in (*self.listed(select.expressions), clause) if isinstance(each, exp.Expr)]
        calls = [call for each in clauses for call in each.find_all(exp.Window)]
        if len(calls) != 1 or not self.is_ranking(calls[0]) or not _is_plain(calls[0]):
            return None
        call = calls[0]
        aliased = next((each for each in select.expressions if isinstance(each, exp.Alias) and each.this is call), None)
        if aliased is None:
            condition = clause.this if clause is not None else None
            if not isinstance(condition, exp.Binary) or condition.this is not call:
                return None
            self.only(condition, "this", "expression")
            limit = _limit(type(condition), self.expression(condition.expression))
            is_first = not isinstance(condition, exp.EQ) or limit == 1
            return self._ranking(call, None, limit) if limit is not None and is_first else None
        if clause is None:
            return self._ranking(call, aliased.alias, None)
        limit = _bound(self.expression(clause.this), aliased.alias)
        is_first = not isinstance(clause.this, (exp.EQ, exp.Between)) or (
            isinstance(clause.this, exp.EQ) and limit == 1
        )
        return self._ranking(call, aliased.alias, limit) if limit is not None and is_first else None

    def _ranking(self, node: exp.Expr, name: str | None, limit: int | None) -> sql.Ranking:
        self.only(node, "this", "partition_by", "order", "over")
        self.only(node.this)
        order = node.args["order"]
        self.only(order, "expressions")
        partition = tuple(self.expression(part) for part in self.listed(node.args.get("partition_by")))
        return sql.Ranking(name, partition, tuple(map(self.ordered, order.expressions)), limit, self.places.of(node))

    def bounded(self, source: sql.Source, where: tree.Expression | None) -> sql.Source:
        """Return a source with the bound of WHERE on its ranking, if it is a query with one.

        The bounds of a query of WITH are collected.
        """
        if isinstance(source, sql.QuerySource):
            ranking = unbounded(source.query)
            if ranking is None:
                return source
            return replace(source, query=with_limit(source.query, self._limit_of(source, where, ranking)))
        if isinstance(source, sql.ConstantSource):
            return source
        name = source.name.text.casefold()
        with_entry = None if source.stream else next((each for each in reversed(self.named) if each[0] == name), None)
        if with_entry is not None and with_entry[1] is not None:
            with_entry[2].append(self._limit_of(source, where, with_entry[1]))
        return source

    def _limit_of(self, source: sql.Source, where: tree.Expression | None, ranking: sql.Ranking) -> int | None:
        """Return the largest rank that a reader of ranked rows needs, None for all."""
        assert ranking.name is not None
        bounds = [_bound(part, ranking.name, source.label) for part in _conjuncts(where)]
        return min((bound for bound in bounds if bound is not None), default=None)

    def bounded_withs(self, withs: Sequence[sql.With], first: int) -> tuple[sql.With, ...]:
        """Return the queries of WITH, whose names begin at `first`, with the bounds of their readers."""
        bounded = []
        for each, (_, ranking, bounds) in zip(withs, self.named[first:], strict=True):
            # A query without readers needs no rows.
            known_bounds = [bound for bound in bounds if bound is not None]
            limit = max(known_bounds, default=1) if len(known_bounds) == len(bounds) else None
            bounded.append(each if ranking is None else replace(each, query=with_limit(each.query, limit)))
        del self.named[first:]
        return tuple(bounded)


# Replaces the ranking in a SELECT list.
RANK = tree.Call(tree.Name("ROW_NUMBER", (0, 0)), (), False, (0, 0))


def unbounded(query: sql.Query) -> sql.Ranking | None:
    """Return the ranking of a query's rows that has no bound yet."""
    rankings = (select.ranking for select in query.selects)
    return next((r for r in rankings if r is not None and r.limit is None and r.name), None)


def with_limit(query: sql.Query, limit: int | None) -> sql.Query:
    assert isinstance(query.body, sql.Select) and query.body.ranking is not None
    return replace(query, body=replace(query.body, ranking=replace(query.body.ranking, limit=limit)))


def _is_plain(call: exp.Expr) -> bool:
    """Return whether a call with OVER has an order, and neither a frame nor a name of WINDOW."""
    arguments = call.args
    return arguments.get("order") is not None and arguments.get("spec") is None and arguments.get("alias") is None


def _conjuncts(where: tree.Expression | None) -> tuple[tree.Expression, ...]:
    if isinstance(where, tree.Logic) and where.operator == "AND":
        return where.operands
    return (where,) if where is not None else ()


def _bound(part: tree.Expression, name: str, label: str = "") -> int | None:
    """Return the largest rank that a condition allows."""
    names = {(name.casefold(),), (label.casefold(), name.casefold())}

    def is_rank(side: tree.Expression) -> bool:
        return isinstance(side, tree.Reference) and tuple(p.casefold() for p in side.parts) in names

    match part:
        case tree.Between(operand, _, high, False) if is_rank(operand):
            return _number(high)
        case tree.Binary(operator, left, right) if is_rank(left):
            return _limit(_MARKS.get(operator), right)
        case tree.Binary(operator, left, right) if is_rank(right):
            return _limit(_MARKS.get({">": "<", ">=": "<="}.get(operator, "")), left)
    return None


_MARKS: dict[str, type[exp.Expr]] = {"<": exp.LT, "<=": exp.LTE, "=": exp.EQ}


def _limit(mark: type[exp.Expr] | None, value: tree.Expression) -> int | None:
    number = _number(value)
    if number is None or mark not in (exp.LT, exp.LTE, exp.EQ):
        return None
    return number - (mark is exp.LT)


def _number(value: tree.Expression) -> int | None:
    number = value.value if isinstance(value, tree.Literal) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
