"""HAVING that compares a group with a query as a value.

The groups come first, with what HAVING says of them as further columns; the values are joined with them as with the
rows of any table, and what is left satisfies the condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from msgspec import structs

from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.correlation import split_outer
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.group_keys import KeyStyle
from lsqlc.bind.sql.groups import beside_name, bind_grouped, calls_aggregate
from lsqlc.bind.sql.outputs import Listed, project
from lsqlc.bind.sql.rows import Fed, Output, Rows
from lsqlc.bind.sql.scalars import with_scalars
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.sources import Sources
from lsqlc.plan.nodes import Filter
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk

# The source of what HAVING says of a group: no source of a text has this name.
_GROUP = " grouped"
_EXPRESSIONS = get_args(tree.Expression)


def bind_compared(
    select: sql.Select,
    items: Sequence[Listed],
    fed: Fed,
    binder: SqlBinder,
    sources: Sources,
    *,
    style: KeyStyle,
) -> Rows | None:
    """The rows of a query with GROUP BY whose HAVING has queries as values; None after an error."""
    if not _are_apart(select, binder, sources):
        return None
    parts = conjuncts(select.having)
    of_groups = [part for part in parts if not _has_value(part)]
    beside: list[tree.Expression] = []
    compared = [_over_columns(part, beside) for part in parts if _has_value(part)]
    scalars = [_of_group(scalar, beside) for scalar in select.having_scalars]
    grouped = replace(select, having=conjunction(of_groups), having_scalars=())
    rows = bind_grouped(grouped, items, fed, binder, sources.limits, style=style, beside=beside)
    if rows is None:
        return None
    count = len(rows.columns) - len(beside)
    listed = [replace(c, source=_GROUP) for c in rows.columns]
    made = Fed(rows.node, rows.kind, (_GROUP,), tuple(listed), rows.key, rows.node.relations[0].key.format, rows.near,
               (), rows.depth, rows.size)  # fmt: skip
    aside = SqlBinder(binder.findings, scope=Scope(made.labels, made.columns), strict=sources.strict)
    valued = with_scalars(scalars, made, aside, sources)
    if valued is None:
        return None
    aside = replace(aside, scope=Scope(valued.labels, valued.columns))
    condition = conjunction(compared)
    assert condition is not None
    bound = aside.condition(condition, "HAVING")
    if bound is None:
        return None
    found = [Output(c.name, c.expression, select.items_at) for c in valued.columns[:count]]
    key_format = rows.node.relations[0].key.format
    return project(found, Filter(valued.node, bound), valued, key=valued.key, key_format=key_format, group=rows.group)


def _are_apart(select: sql.Select, binder: SqlBinder, sources: Sources) -> bool:
    """Whether the queries refer to nothing of the query around them. False after an error."""
    for scalar in select.having_scalars:
        body = scalar.query.body
        if not isinstance(body, sql.Select) or body.where is None or scalar.query.withs:
            continue
        split = split_outer(body, binder, sources, compares=True)
        if split is None:
            return False
        if split.pairs or split.beside or split.compared:
            binder.findings.error(
                "LSQ464", "a query as a value in HAVING cannot refer to the query around it", scalar.at,
                help="group in a query in FROM, and compare in WHERE around it",
            )  # fmt: skip
            return False
    return True


def _of_group(scalar: sql.Scalar, beside: list[tree.Expression]) -> sql.Scalar:
    """A query whose rows are compared with something of the group, which is a column."""
    if scalar.counted is None or scalar.counted.operand is None:
        return scalar
    operand = _over_columns(scalar.counted.operand, beside)
    return replace(scalar, counted=replace(scalar.counted, operand=operand))


def _has_value(part: tree.Expression) -> bool:
    """Whether a query as a value is in an expression."""
    return any(isinstance(each, tree.Reference) and each.parts[0].startswith(" ") for each in walk(part))


def _over_columns(part: Any, beside: list[tree.Expression]) -> Any:
    """A condition over columns of the groups: each part that says something of a group is one, which `beside` gets."""
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
