"""`ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...)`: a column of a query in FROM or in WITH whose reader bounds it,
as in `WHERE rank <= 3`, or the condition of QUALIFY.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.expressions import Expressions
from lsqlc.syntax.sql.places import Places

_HELP = "write WHERE rank <= 3 around it, or QUALIFY ROW_NUMBER() OVER (...) <= 3"


class Rankings(Expressions):
    """Reads rankings; every method raises SyntaxFault at what a model cannot have."""

    def __init__(self, source: SourceText, places: Places) -> None:
        super().__init__(source, places)
        # The names of WITH in sight, the last one first to be meant, each with its ranking, if that has no bound, and
        # the bounds of those that read it.
        self.named: list[tuple[str, sql.Ranking | None, list[int]]] = []

    def is_ranking(self, node: Any) -> bool:
        return isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber)

    def ranking(self, node: exp.Expr, name: str | None) -> sql.Ranking:
        """A ranking without a bound."""
        self.only(node, "this", "partition_by", "order", "over")
        self.only(node.this)
        at = self.places.of(node)
        order = node.args.get("order")
        if node.args.get("over") != "OVER" or order is None:
            self.fault("LSQ462", "ROW_NUMBER requires ORDER BY", at, "say which rows come first: ORDER BY column DESC")
        self.only(order, "expressions")
        partition = tuple(self.expression(part) for part in self.listed(node.args.get("partition_by")))
        return sql.Ranking(name, partition, tuple(map(self.ordered, order.expressions)), None, at)

    def ordered(self, node: Any) -> sql.Ordered:
        """What rows are ordered by, with its direction."""
        self.only(node, "this", "desc", "nulls_first")
        return sql.Ordered(self.expression(node.this), bool(node.args.get("desc")), bool(node.args.get("nulls_first")))

    def qualified(self, clause: exp.Expr, ranking: sql.Ranking | None) -> sql.Ranking:
        """The ranking of QUALIFY with its bound. `ranking`: that of the SELECT list, if it has one."""
        self.only(clause, "this")
        at = self.places.of(clause.this)
        condition = clause.this
        if isinstance(condition, exp.Binary) and self.is_ranking(condition.this):
            if ranking is not None:
                self.fault("LSQ462", "a query can have one ROW_NUMBER", at, "name it in QUALIFY, or remove one")
            ranking = self.ranking(condition.this, None)
            self.only(condition, "this", "expression")
            limit = _limit(type(condition), self.expression(condition.expression))
        else:
            limit = _bound(self.expression(condition), ranking.name) if ranking and ranking.name else None
        is_first = not isinstance(condition, (exp.EQ, exp.Between)) or (isinstance(condition, exp.EQ) and limit == 1)
        if ranking is None or limit is None or not is_first:
            self.fault("LSQ462", "QUALIFY requires a bound of ROW_NUMBER, a number", at, _HELP)
        return replace(ranking, limit=limit)

    def bounded(self, source: sql.Source, where: tree.Expression | None) -> sql.Source:
        """A source with the bound that WHERE has on its ranking, if it is a query with one. The bounds of one that WITH
        has are gathered.
        """
        if isinstance(source, sql.QuerySource):
            ranking = unbounded(source.query)
            if ranking is None:
                return source
            return replace(source, query=with_limit(source.query, self._limit_of(source, where, ranking)))
        name = source.name.text.casefold()
        made = None if source.stream else next((each for each in reversed(self.named) if each[0] == name), None)
        if made is not None and made[1] is not None:
            made[2].append(self._limit_of(source, where, made[1]))
        return source

    def _limit_of(self, source: sql.Source, where: tree.Expression | None, ranking: sql.Ranking) -> int:
        """The largest rank that a reader of ranked rows asks for."""
        assert ranking.name is not None
        found = [_bound(part, ranking.name, source.label) for part in _conjuncts(where)]
        limits = [limit for limit in found if limit is not None]
        if not limits:
            message = f"'{ranking.name}', the rank of ROW_NUMBER, requires a bound, a number"
            self.fault("LSQ462", message, source.at, _HELP)
        return min(limits)

    def bounded_withs(self, withs: Sequence[sql.With], first: int) -> tuple[sql.With, ...]:
        """The queries of WITH, the names of which begin at `first`, with the bounds that their readers have."""
        made = []
        for each, (_, ranking, bounds) in zip(withs, self.named[first:], strict=True):
            # What nothing reads has no rows to show.
            limited = each if ranking is None else replace(each, query=with_limit(each.query, max(bounds, default=1)))
            made.append(limited)
        del self.named[first:]
        return tuple(made)

    def without_ranks(self, query: sql.Query) -> sql.Query:
        """The query, refused if its rows are ranked without a bound."""
        ranking = unbounded(query)
        if ranking is not None:
            self.fault("LSQ462", "the rank of ROW_NUMBER requires a bound, a number", ranking.at, _HELP)
        return query


# What stands for the ranking in a SELECT list.
RANK = tree.Call(tree.Name("ROW_NUMBER", (0, 0)), (), False, (0, 0))


def unbounded(query: sql.Query) -> sql.Ranking | None:
    """The ranking of a query's rows for which no bound is said yet."""
    rankings = (select.ranking for select in query.selects)
    return next((r for r in rankings if r is not None and r.limit is None), None)


def with_limit(query: sql.Query, limit: int) -> sql.Query:
    assert isinstance(query.body, sql.Select) and query.body.ranking is not None
    return replace(query, body=replace(query.body, ranking=replace(query.body.ranking, limit=limit)))


def _conjuncts(where: tree.Expression | None) -> tuple[tree.Expression, ...]:
    if isinstance(where, tree.Logic) and where.operator == "AND":
        return where.operands
    return (where,) if where is not None else ()


def _bound(part: tree.Expression, name: str, label: str = "") -> int | None:
    """The largest rank that a condition admits."""
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
