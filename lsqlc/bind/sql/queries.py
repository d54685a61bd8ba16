"""SELECT to nodes: sources, WHERE, grouping, the SELECT list, DISTINCT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.nullability import may_hold_null, tested
from lsqlc.bind.sql.constants import chosen, constant_rows
from lsqlc.bind.sql.correlation import is_grouped
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.feeds import bind_from, is_too_deep
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.group_values import bind_compared, with_late_values
from lsqlc.bind.sql.groups import bind_grouped, calls_aggregate, is_total, skips_nulls
from lsqlc.bind.sql.laterals import with_laterals
from lsqlc.bind.sql.outputs import Listed, opened, outputs, project
from lsqlc.bind.sql.pivots import with_pivot
from lsqlc.bind.sql.rankings import bind_ranked
from lsqlc.bind.sql.rows import Constants, Fed, Output, Rows
from lsqlc.bind.sql.scalars import with_scalars
from lsqlc.bind.sql.scope import Scope, field_names
from lsqlc.bind.sql.semi_joins import bind_tests
from lsqlc.bind.sql.set_operations import are_comparable, in_both
from lsqlc.bind.sql.sources import Sources, renamed
from lsqlc.bind.sql.unions import united
from lsqlc.bind.sql.window_calls import qualified, with_window_calls
from lsqlc.bind.sql.window_groups import over_groups
from lsqlc.bind.trace import TracedQuery, TracedSource
from lsqlc.plan.expression import Aggregation, Expression, Field, StructOf
from lsqlc.plan.nodes import Aggregate, Filter, Project
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data


def bind_query(query: sql.Query, sources: Sources, findings: Findings) -> Rows | None:
    """The rows of a query inside of another one; None after an error."""
    inner = with_queries(query, sources, findings)
    if isinstance(query.body, sql.Union):
        rows = bind_branches(query, inner, findings)
        if rows is None or query.body.word != "UNION ALL":
            return rows[0] if rows else None
        made = united(rows, query.body.branches, findings)
        if made is not None and len(made) > 1:
            message = "UNION ALL of streams is only allowed between the SELECTs of a streaming table"
            findings.error("LSQ455", message, query.body.at,
                           help="write all parts into one streaming table, and read that")  # fmt: skip
            return None
        return made[0] if made else None
    return bind_select(query.body, inner, findings)


def bind_branches(
    query: sql.Query, sources: Sources, findings: Findings, *, top: bool = False
) -> list[Rows] | None:  # fmt: skip
    """The rows of each SELECT of a query, of INTERSECT and EXCEPT those of both. `top`: they
    are written. None after an error.
    """
    word = query.body.word if isinstance(query.body, sql.Union) else "UNION ALL"
    style: KeyStyle = sources.key_style if top else "struct"
    # Groups have the key of the rows that are written only where they are these rows.
    own: KeyStyle = style if len(query.selects) == 1 else "struct"
    bound = [
        bind_select(select, sources, findings, own, written=top and number == 0)
        for number, select in enumerate(query.selects)
    ]
    rows = [each for each in bound if each is not None]
    if len(rows) < len(bound):
        return None
    if word == "UNION ALL":
        return rows
    made = in_both(rows, query.selects, word, findings, style=style)
    return [made] if made is not None else None


def with_queries(query: sql.Query, sources: Sources, findings: Findings) -> Sources:
    """What the body of a query can name: the queries of its WITH too."""
    for made in query.withs:
        rows = bind_query(made.query, sources, findings)
        rows = rows and renamed(rows, made.columns, findings)
        if rows is not None and findings.trace is not None:
            findings.trace.sources[made.name.text] = TracedSource(rows.node, rows.columns)
        sources = replace(sources, withs={**sources.withs, made.name.text.casefold(): rows})
    return sources


def bind_select(
    select: sql.Select, sources: Sources, findings: Findings, style: KeyStyle = "struct", *, written: bool = False
) -> Rows | None:
    """The rows of a SELECT. `style`: of the key of groups; `written`: its columns are those of the result. None after
    an error.
    """
    before = findings.error_count
    select = over_groups(select)
    select = with_late_values(select) if select.scalars and is_grouped(select) else select
    given = bind_from(select, sources, findings)
    if given is None:
        return None
    pivoted = with_pivot(*given, findings, strict=sources.strict)
    if pivoted is None:
        return None
    select, fed = pivoted
    # Each query in an expression is one more join on top.
    inner = len(select.scalars) + len(select.tests)
    if is_too_deep(fed.depth + inner, fed.size + inner, select.items_at, findings):
        return None
    if select.laterals:
        binder = SqlBinder(findings, scope=Scope(fed.labels, fed.columns), strict=sources.strict)
        laid = with_laterals(select, fed, binder, numbered=sources.numbered)
        if laid is None:
            return None
        fed = laid
    if select.scalars:
        binder = SqlBinder(findings, scope=Scope(fed.labels, fed.columns), strict=sources.strict)
        valued = with_scalars(select.scalars, fed, binder, sources)
        if valued is None:
            return None
        fed = valued
    scope = Scope(fed.labels, fed.columns)
    if findings.trace is not None:
        findings.trace.queries[select.at] = TracedQuery(fed.node, fed.node.relations, fed.columns)
    binder = SqlBinder(findings, scope=scope, strict=sources.strict, table=fed.kind == "TABLE", known=fed.known)
    if select.where is not None:
        condition = binder.condition(select.where, "WHERE")
        if condition is not None and is_total(select) and skips_nulls(select) and not select.tests:
            # The row is there as soon as any row is read, whether it counts or not.
            binder = replace(binder, counted=condition)
        elif condition is not None:
            fed = replace(fed, node=Filter(fed.node, condition), known=tested(condition, holds=True))
            binder = replace(binder, known=fed.known)
    if select.tests:
        tested_rows = bind_tests(select.tests, fed, binder, sources)
        if tested_rows is None:
            return None
        fed = tested_rows
        scope = Scope(fed.labels, fed.columns)
        binder = replace(binder, scope=scope, known=fed.known)
    if select.windows:
        windowed = with_window_calls(select, fed, binder)
        if windowed is None:
            return None
        fed = windowed
        scope = Scope(fed.labels, fed.columns)
        binder = replace(binder, scope=scope, known=fed.known)
    if (wanted := qualified(select, scope)) is not None:
        condition = binder.condition(wanted, "QUALIFY")
        if condition is not None:
            fed = replace(fed, node=Filter(fed.node, condition), known=tested(condition, holds=True))
            binder = replace(binder, known=fed.known)
    items = opened(select, scope, findings, written=written)
    if select.ranking is not None and is_total(select) and select.ranking.word != "ROW_NUMBER":
        # One row is the first one.
        select = replace(select, ranking=None)
    if select.ranking is not None:
        ranked = bind_ranked(select, select.ranking, items, fed, binder)
        return None if findings.error_count > before else ranked
    aggregates = any(not isinstance(e, tree.Wildcard) and calls_aggregate(e) for e in (i.source for i in select.items))
    if select.has_groups or aggregates or select.having is not None:
        of_groups: KeyStyle = "struct" if select.distinct else style
        if select.having_scalars:
            rows = bind_compared(select, items, fed, binder, sources, style=of_groups)
        else:
            rows = bind_grouped(select, items, fed, binder, sources.limits, style=of_groups)
    else:
        rows = _projected(items, fed, binder)
        if rows is not None and fed.constants is not None and _is_bare(select):
            rows = _folded(rows, fed.constants, fed)
    if rows is None or findings.error_count > before:
        return None
    if not select.distinct:
        return rows
    return _distinct(select, rows, findings, style, known=_never_null(rows, fed))


def _projected(items: Sequence[Listed], fed: Fed, binder: SqlBinder) -> Rows | None:
    found = outputs(items, binder)
    if found is None:
        return None
    return project(found, fed.node, fed, key=fed.key, key_format=fed.key_format)


def _is_bare(select: sql.Select) -> bool:
    """Whether a SELECT computes columns of each row that FROM gives, and nothing else."""
    return select.where is None and not (select.tests or select.laterals or select.scalars or select.is_windowed)


def _folded(rows: Rows, constants: Constants, fed: Fed) -> Rows:
    """The rows of a projection of constants, as constants."""
    node = rows.node
    assert isinstance(node, Project) and isinstance(node.value, StructOf)
    made = chosen(constants, fed.columns, node.value.values)
    return rows if made is None else constant_rows(made, tuple(c.name for c in rows.columns), rows.near)


def _never_null(rows: Rows, fed: Fed) -> tuple[Expression, ...]:
    """The columns of a projection that WHERE has tested for null."""
    node = rows.node
    if not isinstance(node, Project) or not isinstance(node.value, StructOf):
        return ()
    pairs = zip(rows.columns, node.value.values, strict=True)
    return tuple(column.expression for column, value in pairs if not may_hold_null(value, fed.known))


def _distinct(
    select: sql.Select, rows: Rows, findings: Findings, style: KeyStyle, *, known: tuple[Expression, ...]
) -> Rows | None:
    """The different rows: groups of all columns, none of which has more than its key."""
    if not are_comparable(rows, select, findings):
        return None
    names = tuple(c.name for c in rows.columns)
    keys = tuple(c.expression for c in rows.columns)
    key_names = key_names_of(field_names(names), keys, style, select.items_at, findings, known)
    count = Aggregation("COUNT", (), data.BIGINT, False)
    format = group_format(keys, key_names, rows.near)
    node = Aggregate(rows.node, keys, key_names, format, (count,), None)
    found = [Output(name, node.key_field(i), select.items_at) for i, name in enumerate(names)]
    fed = Fed(node, "TABLE", ("",), (), rows.key, format, rows.near, (), rows.depth, rows.size)
    key = Field(0, "key", (), node.key_type, True)
    return project(found, node, fed, key=key, key_format=format, group=names)
