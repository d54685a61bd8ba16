"""Queries whose rows are counted for IN (SELECT ...) and EXISTS, as aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.correlation import is_grouped, with_name
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql

# The name of the column of a counted query; no name in a text equals it.
_VALUE = " value"
Pairs = Sequence[tuple[tree.Expression, tree.Expression]]


def counted(scalar: sql.Scalar) -> tuple[sql.Scalar, Pairs]:
    """Return the query as COUNT(*) of the requested rows, and its further equalities with the outer query, the inner
    part first.
    """
    counted_rows = scalar.counted
    if counted_rows is None:
        return scalar, ()
    at = scalar.at
    select, value = _plain(scalar.query, counted_rows)
    pairs = ((value, counted_rows.operand),) if counted_rows.operand is not None else ()
    if counted_rows.what == "nulls":
        select = replace(select, where=conjunction((*conjuncts(select.where), tree.IsNull(value, False, at))))
    count = tree.Call(tree.Name("COUNT", at), (), True, at)
    body = replace(select, items=(sql.Item(count, None, at),), distinct=False)
    withs = scalar.query.withs if select is scalar.query.body else ()
    return replace(scalar, query=sql.Query(withs, body, scalar.query.at), counted=None), pairs


def _plain(query: sql.Query, counted_rows: sql.Counted) -> tuple[sql.Select, tree.Expression]:
    """Return a SELECT without groups with the rows of a query, and its column."""
    at, body = query.at, query.body
    is_plain = isinstance(body, sql.Select) and not is_grouped(body) and not body.is_windowed and not query.withs
    if is_plain and counted_rows.what == "rows" and isinstance(body, sql.Select):
        return body, tree.Literal(None, at)
    if is_plain and isinstance(body, sql.Select) and len(body.items) == 1:
        source = body.items[0].source
        if not isinstance(source, tree.Wildcard):
            return body, source
    names = () if counted_rows.what == "rows" else (tree.Name(_VALUE, at),)
    source_of = sql.QuerySource(with_name(query), None, at, names)
    star = sql.Item(tree.Wildcard((), at), None, at)
    select = sql.Select((star,), False, source_of, (), None, (), None, at, at)
    return select, tree.Reference((_VALUE,), at)
