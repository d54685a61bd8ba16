"""Correlation: the equalities in the WHERE of a nested query with the outer query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from lsqlc.bind.sql.conjuncts import conjunction, shared
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.groups import calls_aggregate
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.sources import Sources, bind_source
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk

# The operator of a comparison with exchanged sides.
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "<>": "<>"}


@dataclass(frozen=True, slots=True)
class Split:
    """A query without the conditions in its WHERE on the outer query.

    `pairs`: equalities, the inner part first. `beside`: conditions on the outer rows alone. `compared`: other
    comparisons, the inner part on the left.
    """

    select: sql.Select
    pairs: Sequence[tuple[tree.Expression, tree.Expression]]
    beside: tuple[tree.Expression, ...]
    compared: tuple[tree.Binary, ...]


def is_grouped(select: sql.Select) -> bool:
    """Return whether a SELECT has groups, or one group of all rows."""
    items = (item.source for item in select.items if not isinstance(item.source, tree.Wildcard))
    return select.has_groups or select.having is not None or any(map(calls_aggregate, items))


def with_name(query: sql.Query) -> sql.Query:
    """Return the query with a name for its column, which may have none."""
    if not isinstance(query.body, sql.Select) or len(query.body.items) != 1:
        return query
    (item,) = query.body.items
    if item.alias is not None or isinstance(item.source, tree.Wildcard) or sql.is_name(item.source):
        return query
    aliased_item = replace(item, alias=tree.Name("v0", item.at))
    return replace(query, body=replace(query.body, items=(aliased_item,)))


def split_outer(select: sql.Select, binder: SqlBinder, sources: Sources, *, compares: bool = False) -> Split | None:
    """Return a nested query, with its conditions on the outer query split off; None after an error.

    `compares`: one comparison by another operator than `=` is allowed.
    """
    assert select.where is not None
    rows = [bind_source(source, sources, binder.findings) for source in select.sources]
    source_rows = [r for r in rows if r is not None]
    if len(source_rows) < len(rows):
        return None
    labels = tuple(source.label for source in select.sources)
    scope = Scope(labels, tuple(c for r in source_rows for c in r.columns))
    pairs: list[tuple[tree.Expression, tree.Expression]] = []
    rest: list[tree.Expression] = []
    beside: list[tree.Expression] = []
    compared: list[tree.Binary] = []
    for part in shared(select.where):
        if not _is_outer(part, scope, binder):
            rest.append(part)
        elif not any(_is_inner(r, scope) for r in _references(part)):
            beside.append(part)
        elif (pair := _pair(part, scope, binder)) is not None and pair.operator == "=":
            pairs.append((pair.left, pair.right))
        elif pair is not None and compares and not compared:
            compared.append(pair)
        else:
            several = bool(compared)
            binder.findings.error(
                "LSQ460", f"a {'second ' * several}condition on the outer query must be an equality", part.at,
                notes=("rows are matched by the values that the inner query equates with the outer one",),
                help="write inner.x = outer.y, or join both in a query of their own",
            )  # fmt: skip
            return None
    if select.is_windowed and (pairs or compared):
        binder.findings.error(
            "LSQ462", "OVER and LIMIT are not supported in a query that refers to the one around it", select.items_at,
            notes=("the rows that they are computed from would be others for each row of the outer query",),
            help="compute them in a query in FROM, and compare its rows with the outer one",
        )  # fmt: skip
        return None
    return Split(replace(select, where=conjunction(rest)), pairs, tuple(beside), tuple(compared))


def _pair(part: tree.Expression, scope: Scope, binder: SqlBinder) -> tree.Binary | None:
    """Return a comparison with its inner side on the left; None for any other condition."""
    if not isinstance(part, tree.Binary) or part.operator not in ("=", *TURNED):
        return None
    turned = structs.replace(part, operator=TURNED.get(part.operator, "="), left=part.right, right=part.left)
    for pair in (part, turned):
        of_outer = _references(pair.right)
        own = _references(pair.left) and not _is_outer(pair.left, scope, binder)
        if own and of_outer and not any(_is_inner(r, scope) for r in of_outer):
            return pair
    return None


def _references(expression: tree.Expression) -> list[tree.Reference]:
    return [part for part in walk(expression) if isinstance(part, tree.Reference)]


def _is_outer(expression: tree.Expression, scope: Scope, binder: SqlBinder) -> bool:
    """Return whether an expression has a name of the outer query that no source of the inner one has."""
    names = _references(expression)
    return any(not _is_inner(name, scope) and binder.scope.find(name.parts) for name in names)


def _is_inner(name: tree.Reference, scope: Scope) -> bool:
    """Return whether a name belongs to the inner query: to a source of it, or to a query as a value in it."""
    return name.parts[0].startswith(" ") or bool(scope.find(name.parts))
