"""Queries whose rows are counted, which IN (SELECT ...) and EXISTS are made of, as aggregates that are values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.correlation import is_grouped, with_name
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql

# What the column of a query is called that is counted: no name of a text is it.
_VALUE = " value"
Pairs = Sequence[tuple[tree.Expression, tree.Expression]]


def counted(scalar: sql.Scalar) -> tuple[sql.Scalar, Pairs]:
    """The query as COUNT(*) of the rows that are asked for, and what it equates with the outer query besides what its
    WHERE does, the inner part first.
    """
    asked = scalar.counted
    if asked is None:
        return scalar, ()
    at = scalar.at
    select, value = _plain(scalar.query, asked)
    pairs = ((value, asked.operand),) if asked.operand is not None else ()
    if asked.what == "nulls":
        select = replace(select, where=conjunction((*conjuncts(select.where), tree.IsNull(value, False, at))))
    count = tree.Call(tree.Name("COUNT", at), (), True, at)
    body = replace(select, items=(sql.Item(count, None, at),), distinct=False)
    withs = scalar.query.withs if select is scalar.query.body else ()
    return replace(scalar, query=sql.Query(withs, body, scalar.query.at), counted=None), pairs


def _plain(query: sql.Query, asked: sql.Counted) -> tuple[sql.Select, tree.Expression]:
    """A SELECT without groups that has the rows of a query, and its column."""
    at, body = query.at, query.body
    is_plain = isinstance(body, sql.Select) and not is_grouped(body) and not body.is_windowed and not query.withs
    if is_plain and asked.what == "rows" and isinstance(body, sql.Select):
        return body, tree.Literal(None, at)
    if is_plain and isinstance(body, sql.Select) and len(body.items) == 1:
        source = body.items[0].source
        if not isinstance(source, tree.Wildcard):
            return body, source
    names = () if asked.what == "rows" else (tree.Name(_VALUE, at),)
    source_of = sql.QuerySource(with_name(query), None, at, names)
    star = sql.Item(tree.Wildcard((), at), None, at)
    select = sql.Select((star,), False, source_of, (), None, (), None, at, at)
    return select, tree.Reference((_VALUE,), at)
