"""A query inside of a condition or an expression: what its WHERE equates with the query around it."""

from __future__ import annotations

from dataclasses import replace

from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.groups import calls_aggregate
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.sources import Sources, bind_source
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk


def is_grouped(select: sql.Select) -> bool:
    """Whether a SELECT has groups, or one of all rows."""
    items = (item.source for item in select.items if not isinstance(item.source, tree.Wildcard))
    return bool(select.group_by) or select.having is not None or any(map(calls_aggregate, items))


def split_outer(
    select: sql.Select, binder: SqlBinder, sources: Sources
) -> tuple[sql.Select, list[tuple[tree.Expression, tree.Expression]]] | None:
    """The query without what its WHERE equates with the outer one, and pairs of what is equated, the inner part first.
    None after an error.
    """
    assert select.where is not None
    rows = [bind_source(source, sources, binder.findings) for source in select.sources]
    found = [r for r in rows if r is not None]
    if len(found) < len(rows):
        return None
    labels = tuple(source.label for source in select.sources)
    scope = Scope(labels, tuple(c for r in found for c in r.columns))
    parts = select.where.operands if isinstance(select.where, tree.Logic) and select.where.operator == "AND" else ()
    pairs, rest = [], []
    for part in parts or (select.where,):
        if not _is_outer(part, scope, binder):
            rest.append(part)
            continue
        pair = _pair(part, scope, binder)
        if pair is None:
            binder.findings.error(
                "LSQ460", "a condition on the outer query must be an equality", part.at,
                notes=("rows are matched by the values that the inner query equates with the outer one",),
                help="write inner.x = outer.y, or join both in a query of their own",
            )  # fmt: skip
            return None
        pairs.append(pair)
    where = rest[0] if len(rest) == 1 else tree.Logic("AND", tuple(rest), select.where.at) if rest else None
    return replace(select, where=where), pairs


def _pair(part: tree.Expression, scope: Scope, binder: SqlBinder) -> tuple[tree.Expression, tree.Expression] | None:
    """The inner and the outer side of an equality; None for anything else."""
    if not isinstance(part, tree.Binary) or part.operator != "=":
        return None
    for inner, outer in ((part.left, part.right), (part.right, part.left)):
        of_outer = [r for r in walk(outer) if isinstance(r, tree.Reference)]
        mixed = any(scope.find(r.parts) for r in of_outer)
        if of_outer and not mixed and _references(inner) and not _is_outer(inner, scope, binder):
            return inner, outer
    return None


def _references(expression: tree.Expression) -> bool:
    return any(isinstance(part, tree.Reference) for part in walk(expression))


def _is_outer(expression: tree.Expression, scope: Scope, binder: SqlBinder) -> bool:
    """Whether a name in it is one of the outer query, and of no source of the inner one."""
    names = (part.parts for part in walk(expression) if isinstance(part, tree.Reference))
    return any(not scope.find(name) and binder.scope.find(name) for name in names)
