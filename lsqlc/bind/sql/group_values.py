"""Queries as values of a group, in HAVING and in the SELECT list.

The groups are bound first, with further columns for the outer expressions in the queries. The values are joined with
them as with the rows of any table, and then the condition of HAVING filters the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from msgspec import structs

from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.correlation import is_grouped, split_outer
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.group_keys import KeyStyle
from lsqlc.bind.sql.groups import beside_name, bind_grouped, calls_aggregate, is_aggregate
from lsqlc.bind.sql.outputs import Listed, project
from lsqlc.bind.sql.rows import Input, Output, Rows
from lsqlc.bind.sql.scalars import with_scalars
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.sources import Sources
from lsqlc.plan.nodes import Filter
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk

# The source of the columns of a group in HAVING; no source in a text has this name.
_GROUP = " grouped"
_EXPRESSIONS = get_args(tree.Expression)


def bind_compared(
    select: sql.Select,
    items: Sequence[Listed],
    query_input: Input,
    binder: SqlBinder,
    sources: Sources,
    *,
    style: KeyStyle,
) -> Rows | None:
    """Return the rows of a query with GROUP BY and with queries as values of its groups; None after an error."""
    parts = conjuncts(select.having)
    of_groups = [part for part in parts if not _has_value(part)]
    beside: list[tree.Expression] = []
    compared = [_over_columns(part, beside) for part in parts if _has_value(part)]
    late = {number: _over_columns(source, beside) for number, (_, source, _) in enumerate(items) if _has_value(source)}
    scalars = [_of_group(scalar, beside, binder, sources) for scalar in select.having_scalars]
    if None in scalars:
        return None
    of_items = [item for number, item in enumerate(items) if number not in late]
    grouped = replace(select, having=conjunction(of_groups), having_scalars=())
    rows = bind_grouped(grouped, of_items, query_input, binder, sources.limits, style=style, beside=beside)
    if rows is None:
        return None
    count = len(rows.columns) - len(beside)
    group_columns = [replace(c, source=_GROUP) for c in rows.columns]
    key_format = rows.node.relations[0].key.format
    group_input = Input(rows.node, rows.kind, (_GROUP,), tuple(group_columns), rows.key, key_format, rows.near, (),
                        rows.depth, rows.size)  # fmt: skip
    aside = SqlBinder(binder.findings, scope=Scope(group_input.labels, group_input.columns), strict=sources.strict)
    valued = with_scalars([each for each in scalars if each is not None], group_input, aside, sources)
    if valued is None:
        return None
    aside = replace(aside, scope=Scope(valued.labels, valued.columns))
    node = valued.node
    condition = conjunction(compared)
    if condition is not None:
        bound = aside.condition(condition, "HAVING")
        if bound is None:
            return None
        node = Filter(node, bound)
    listed_columns = iter(valued.columns[:count])
    output_columns = []
    for number, (name, _, item) in enumerate(items):
        if number not in late:
            output_columns.append(Output(name, next(listed_columns).expression, item.at))
            continue
        value = aside.bind(late[number])
        if value is None:
            return None
        output_columns.append(Output(name, value, item.at))
    key_format = rows.node.relations[0].key.format
    return project(output_columns, node, valued, key=valued.key, key_format=key_format, group=rows.group)


def with_late_values(select: sql.Select) -> sql.Select:
    """Return a SELECT with groups, in which queries as values outside of aggregates are among those of HAVING.

    They belong to a group, not to its rows.
    """
    sources = [item.source for item in select.items if not isinstance(item.source, tree.Wildcard)]
    outside = {name for source in sources for name in _outside(source)}
    of_rows = {n for s in sources for part in walk(s) if is_aggregate(part) for n in _named(part)}
    grouped = {name for key in select.group_by for name in _named(key)}
    late = outside - grouped - of_rows - _named(select.where)
    if not late:
        return select
    group_scalars = tuple(scalar for scalar in select.scalars if scalar.name in late)
    row_scalars = tuple(scalar for scalar in select.scalars if scalar.name not in late)
    return replace(select, scalars=row_scalars, having_scalars=(*group_scalars, *select.having_scalars))


def _named(expression: tree.Expression | None) -> set[str]:
    """Return the names of the queries as values in an expression."""
    if expression is None:
        return set()
    return {p.parts[0] for p in walk(expression) if isinstance(p, tree.Reference) and p.parts[0][1:].isdigit()}


def _outside(part: Any) -> set[str]:
    """Return the names of the queries as values in an expression, except those in aggregates."""
    if isinstance(part, tuple):
        return {name for each in part for name in _outside(each)}
    if not isinstance(part, _EXPRESSIONS) or is_aggregate(part):
        return set()
    if isinstance(part, tree.Reference):
        return _named(part)
    return {name for field in part.__struct_fields__ for name in _outside(getattr(part, field))}


def _of_group(
    scalar: sql.Scalar, beside: list[tree.Expression], binder: SqlBinder, sources: Sources
) -> sql.Scalar | None:  # fmt: skip
    """Return a query whose rows are compared with an expression of the group, which becomes a column; None after an
    error.
    """
    if scalar.counted is not None and scalar.counted.operand is not None:
        operand = _over_columns(scalar.counted.operand, beside)
        scalar = replace(scalar, counted=replace(scalar.counted, operand=operand))
    body = scalar.query.body
    if not isinstance(body, sql.Select) or body.where is None or scalar.query.withs:
        return scalar
    split = split_outer(body, binder, sources, compares=True)
    if split is None:
        return None
    if not (split.pairs or split.beside or split.compared):
        return scalar
    if split.beside or split.compared or (scalar.counted is not None and is_grouped(body)):
        binder.findings.error(
            "LSQ464", "a query as a value of a group can only equate something with it", scalar.at,
            help="group in a query in FROM, and compare in WHERE around it",
        )  # fmt: skip
        return None
    pairs = tuple((inner, _over_columns(outer, beside)) for inner, outer in split.pairs)
    return replace(scalar, query=replace(scalar.query, body=split.select), pairs=(*scalar.pairs, *pairs))


def _has_value(part: tree.Expression) -> bool:
    """Return whether an expression has a query as a value."""
    return any(isinstance(each, tree.Reference) and each.parts[0].startswith(" ") for each in walk(part))


def _over_columns(part: Any, beside: list[tree.Expression]) -> Any:
    """Return a condition over columns of the groups: each part over a group becomes one, which is added to `beside`."""
    if isinstance(part, tuple):
        return tuple(_over_columns(each, beside) for each in part)
    if not isinstance(part, _EXPRESSIONS):
        return part
    if _has_value(part):
        if isinstance(part, tree.Reference):
            return part
        values = {name: getattr(part, name) for name in part.__struct_fields__}
        return structs.replace(part, **{name: _over_columns(value, beside) for name, value in values.items()})
    if not calls_aggregate(part) and not any(isinstance(each, tree.Reference) for each in walk(part)):
        return part
    beside.append(part)
    return tree.Reference((beside_name(len(beside) - 1),), part.at)
