"""Queries as values without an aggregate: those that certainly have at most one row, and those that may have more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.comma_joins import has_one_row
from lsqlc.bind.sql.conjuncts import conjuncts
from lsqlc.bind.sql.correlation import is_grouped
from lsqlc.bind.sql.rows import Rows
from lsqlc.bind.sql.scope import KEY, Scope
from lsqlc.bind.sql.sources import Sources, bind_source
from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.unions import every
from lsqlc.syntax.walk import walk

# The column of a query in FROM that is a value.
_VALUE = "value"


def is_single(select: sql.Select, withs: Sequence[sql.With], sources: Sources, findings: Findings) -> bool:
    """Return whether a SELECT of one column has at most one row.

    Its sources have at most one, or its WHERE equates the `_key` of its only source with an outer expression.
    """
    if withs or is_grouped(select) or select.is_windowed or select.laterals or len(select.items) != 1:
        return False
    if isinstance(select.items[0].source, tree.Wildcard):
        return False
    aside = findings.aside()
    rows = [bind_source(source, sources, aside) for source in select.sources]
    source_rows = [each for each in rows if each is not None]
    if len(source_rows) < len(rows):
        return False
    return all(has_one_row(each.node) for each in source_rows) or (
        len(source_rows) == 1 and _is_of_key(select, source_rows[0])
    )


def is_any_row(select: sql.Select) -> bool:
    """Return whether a SELECT of one column has LIMIT 1 without ORDER BY and groups: any of its rows is right."""
    if select.ignored is None or select.ignored.limit != 1 or len(select.items) != 1:
        return False
    return not (is_grouped(select) or select.is_windowed or isinstance(select.items[0].source, tree.Wildcard))


def first_row(select: sql.Select) -> sql.Ranking | None:
    """Return the order of `SELECT x FROM ... ORDER BY y LIMIT 1` without groups; None for any other SELECT."""
    ranking = select.ranking
    if (
        ranking is None
        or ranking.word != sql.FIRST_ROWS
        or ranking.limit != 1
        or ranking.offset
        or len(select.items) != 1
    ):
        return None
    is_other = is_grouped(select) or select.distinct or select.windows or select.qualify is not None
    return None if is_other or isinstance(select.items[0].source, tree.Wildcard) else ranking


def value_of(select: sql.Select) -> tree.Expression | None:
    """Return the expression of `SELECT x` without FROM; None for any other SELECT."""
    if select.sources != (sql.ConstantSource(((),), (), None, select.source.at),) or len(select.items) != 1:
        return None
    if is_grouped(select) or select.where is not None or select.tests or select.scalars or select.laterals:
        return None
    source = select.items[0].source
    return None if isinstance(source, tree.Wildcard) or select.is_windowed else source


def as_aggregate(select: sql.Select) -> sql.Select:
    """Return the value of a single row, as the maximum of all."""
    (item,) = select.items
    at = item.at
    assert not isinstance(item.source, tree.Wildcard)
    return replace(select, items=(replace(item, source=_call("MAX", item.source, at)),), distinct=False)


def has_one_column(query: sql.Query, sources: Sources, findings: Findings) -> bool:
    """Return False for a query that certainly has several columns, by its text and the columns of topics."""
    return _width(query, sources, findings) in (1, None)


def _width(query: sql.Query, sources: Sources, findings: Findings) -> int | None:
    """Return the number of columns of a query, which is not bound for it; None if it depends on more than FROM."""
    select = query.selects[0]
    stars = [item for item in select.items if isinstance(item.source, tree.Wildcard)]
    if not stars:
        return len(select.items)
    is_plain = not (query.withs or select.joins or select.laterals or select.pivot)
    if not is_plain or any(isinstance(star.source, tree.Wildcard) and star.source.qualifier for star in stars):
        return None
    of_source = _source_width(select.source, sources, findings)
    if of_source is None:
        return None
    return len(select.items) - len(stars) + sum(of_source - len(star.without) for star in stars)


def _source_width(source: sql.Source, sources: Sources, findings: Findings) -> int | None:
    if isinstance(source, sql.QuerySource):
        return len(source.columns) or _width(source.query, sources, findings)
    rows = bind_source(source, sources, findings.aside())
    return None if rows is None else len([column for column in rows.columns if column.listed])


def only_row(query: sql.Query) -> sql.Query | None:
    """Return a query of the value of the only row of `query`, which is null while there are several.

    None if the SELECT list is not one column.
    """
    body = query.body
    if not isinstance(body, sql.Select):
        return _of_derived(query)
    if len(body.items) != 1:
        return None
    source = body.items[0].source
    if is_grouped(body) or body.is_windowed or body.grouping_sets or isinstance(source, tree.Wildcard):
        return _of_derived(query)
    value = _value_of_only(source, body.at, distinct=body.distinct)
    return replace(query, body=replace(body, items=(replace(body.items[0], source=value),), distinct=False))


def _of_derived(query: sql.Query) -> sql.Query:
    """Return the query of the only row of a query in FROM, whose column gets a name."""
    at, name = query.at, tree.Name(_VALUE, query.at)
    value = _value_of_only(tree.Reference((_VALUE,), at), at, distinct=False)
    select = replace(every(query), items=(sql.Item(value, name, at),))
    return sql.Query((), replace(select, source=sql.QuerySource(query, None, at, (name,))), at)


def _value_of_only(value: tree.Expression, at: Extent, *, distinct: bool) -> tree.Expression:
    """Return the aggregate of a column over one row, or over rows with one value if `distinct`; else null."""
    largest, rows = _call("MAX", value, at), tree.Call(tree.Name("COUNT", at), (), True, at)
    if not distinct:
        is_one = tree.Binary("=", rows, tree.Literal(1, at), at)
        return tree.Case(None, ((is_one, largest),), None, at)
    # Rows with and without a value are two.
    same = tree.Binary("=", _call("MIN", value, at), largest, at)
    all_present = tree.Binary("=", _call("COUNT", value, at), rows, at)
    return tree.Case(None, ((tree.Logic("AND", (same, all_present), at), largest),), None, at)


def _call(name: str, value: tree.Expression, at: Extent) -> tree.Call:
    return tree.Call(tree.Name(name, at), (value,), False, at)


def _is_of_key(select: sql.Select, rows: Rows) -> bool:
    if rows.kind != "TABLE" or not isinstance(select.source, sql.TopicSource):
        return False
    label = select.source.label
    scope = Scope((label,), rows.columns)

    def is_key(side: tree.Expression) -> bool:
        key_names = [(KEY,), (label.casefold(), KEY)]
        return isinstance(side, tree.Reference) and tuple(part.casefold() for part in side.parts) in key_names

    def is_outer(side: tree.Expression) -> bool:
        return not any(isinstance(part, tree.Reference) and scope.find(part.parts) for part in walk(side))

    equalities = [p for p in conjuncts(select.where) if isinstance(p, tree.Binary) and p.operator == "="]
    return any(
        (is_key(one) and is_outer(other)) or (is_key(other) and is_outer(one))
        for one, other in ((p.left, p.right) for p in equalities)
    )
