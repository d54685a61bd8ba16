"""ORDER BY and LIMIT of a query that is answered once.

A table has no order, so a model ignores either clause alone, and keeps the first rows for both together. An ad hoc
query is sorted: the keys of the order become further columns of the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.syntax import tree
from lsqlc.syntax.ad_hoc import AdHocQuery, SortColumn
from lsqlc.syntax.program import Program
from lsqlc.syntax.sql import first_rows
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.unions import every


def ad_hoc_query(program: Program) -> AdHocQuery:
    """Return the program without ORDER BY and LIMIT at its end, together with their values.

    An ad hoc query writes to no topic, so the name of CREATE is ignored.
    """
    assert isinstance(program, sql.Program) and program.query is not None
    query = program.query
    if program.flow is not None:
        return AdHocQuery(replace(program, flow=program.flow.untargeted), (), None, columns="of value")
    body = query.body
    offset = 0
    if isinstance(body, sql.Select) and body.ranking is not None and body.ranking.word == sql.FIRST_ROWS:
        order, limit = _parts(body.ranking.order), body.ranking.limit
        offset = body.ranking.offset
        body = _with_columns(replace(body, ranking=None), order)
    elif body.ignored is not None and body.ignored.order:
        order, limit = _parts(body.ignored.order), None
        body = _ordered(query, replace(body, ignored=None), order)
    else:
        order, limit = (), body.ignored.limit if body.ignored is not None else None
        body = replace(body, ignored=None)
    sorting = tuple(
        SortColumn(_name(number), each.descending, each.nulls_first) for number, each in enumerate(order, 1)
    )
    program = replace(program, name=None, query=replace(query, body=body))
    return AdHocQuery(program, sorting, limit, columns="of value", offset=offset)


def _ordered(query: sql.Query, body: sql.Select | sql.Union, order: tuple[sql.Ordered, ...]) -> sql.Select:
    """Return the query with the columns of ORDER BY.

    For DISTINCT, GROUP BY ALL and UNION they must be columns of the result.
    """
    by_item = isinstance(body, sql.Select) and not (body.distinct or body.group_all or first_rows.generates(body))
    if isinstance(body, sql.Select) and by_item:
        return _with_columns(body, first_rows.of_select(order, body))
    first = body if isinstance(body, sql.Select) else body.branches[0]
    whole = every(sql.Query((), body, query.at))
    return _with_columns(whole, first_rows.of_result(order, first))


def _with_columns(select: sql.Select, order: Sequence[sql.Ordered]) -> sql.Select:
    items = (
        sql.Item(each.value, tree.Name(_name(number), each.value.at), each.value.at)
        for number, each in enumerate(order, 1)
    )
    return replace(select, items=(*select.items, *items))


def _parts(order: tuple[sql.Ordered, ...]) -> tuple[sql.Ordered, ...]:
    """Return the parts of ORDER BY in which rows can differ: all but NULL."""
    return tuple(each for each in order if not (isinstance(each.value, tree.Literal) and each.value.value is None))


def _name(number: int) -> str:
    # No name in a text begins with a space.
    return f" order {number}"
