"""Calls with OVER in a query with groups: they are computed over the groups, which become a nested query."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Any

from msgspec import structs

from lsqlc.bind.sql.correlation import is_grouped
from lsqlc.syntax import tree
from lsqlc.syntax.rewrite import rewrite
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.first_rows import numbered
from lsqlc.syntax.sql.rankings import RANK
from lsqlc.syntax.walk import walk


def over_groups(select: sql.Select) -> sql.Select:
    """Return a SELECT with groups and calls with OVER as one over a query of the groups, which the calls are over."""
    is_ranked = select.ranking is not None and select.ranking.word == "ROW_NUMBER"
    if not (select.windows or is_ranked) or not is_grouped(select):
        return select
    inner: list[sql.Item] = []
    groups = tuple(_meant(each, select.items) for each in select.group_by)
    grouped_names = {each.parts[-1].casefold() for each in groups if isinstance(each, tree.Reference)}
    aliases = {item.alias.text.casefold() for item in select.items if item.alias is not None} - grouped_names

    def change(expression: tree.Expression) -> tree.Expression | None:
        if isinstance(expression, tree.Literal) or _is_call(expression) or _is_one_of(expression, aliases):
            return expression
        if any(_is_call(part) or _is_one_of(part, aliases) for part in walk(expression)):
            return None
        inner.append(sql.Item(expression, tree.Name(f" e{len(inner)}", expression.at), expression.at))
        return tree.Reference((f" e{len(inner) - 1}",), expression.at)

    def outside(expression: Any) -> Any:
        """Return the expression over the columns of the inner query."""
        return rewrite(expression, change)

    def ordered(part: sql.Ordered) -> sql.Ordered:
        return replace(part, value=outside(part.value))

    items: list[sql.Item] = []
    for item in select.items:
        if item.source == RANK:
            items.append(item)
            continue
        if isinstance(item.source, tree.Wildcard) or any(map(_is_call, walk(item.source))):
            source = item.source if isinstance(item.source, tree.Wildcard) else outside(item.source)
            items.append(replace(item, source=source))
            continue
        name = (
            item.alias.text if item.alias else item.source.parts[-1] if isinstance(item.source, tree.Reference) else ""
        )
        if not name:
            items.append(replace(item, source=outside(item.source)))
            continue
        inner.append(item)
        items.append(sql.Item(tree.Reference((name,), item.at), tree.Name(name, item.at), item.at))
    windows = tuple(
        replace(
            call,
            function=structs.replace(call.function, arguments=outside(call.function.arguments)),
            partition=outside(call.partition),
            order=tuple(map(ordered, call.order)),
        )
        for call in select.windows
    )
    ranking = select.ranking and replace(
        select.ranking,
        partition=outside(select.ranking.partition),
        order=tuple(map(ordered, select.ranking.order)),
    )
    qualify = select.qualify and outside(select.qualify)
    grouped = replace(
        select, items=tuple(inner), group_by=groups, distinct=False, windows=(), ranking=None, qualify=None
    )
    source = sql.QuerySource(sql.Query((), grouped, select.at), None, select.at)
    return sql.Select(
        tuple(items), select.distinct, source, (), None, (), None, select.at, select.items_at,
        ranking=ranking, windows=windows, qualify=qualify,
    )  # fmt: skip


def _is_one_of(expression: tree.Expression, names: Set[str]) -> bool:
    """Return whether an expression is one of these names, in lower case."""
    return (
        isinstance(expression, tree.Reference)
        and len(expression.parts) == 1
        and (expression.parts[0].casefold() in names)
    )


def _is_call(expression: tree.Expression) -> bool:
    """Return whether an expression is the name of a call with OVER."""
    return isinstance(expression, tree.Reference) and expression.parts[0].startswith(" w")


def _meant(item: tree.Expression, items: tuple[sql.Item, ...]) -> tree.Expression:
    """Return an item of GROUP BY; a position of the SELECT list becomes its expression."""
    item_at_position = numbered(item, items)
    return (
        item
        if item_at_position is None or isinstance(item_at_position.source, tree.Wildcard)
        else item_at_position.source
    )
