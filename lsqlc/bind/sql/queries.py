"""From SELECT to nodes: sources, WHERE, grouping, the SELECT list, DISTINCT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.findings import Findings
from lsqlc.bind.nullability import may_hold_null, tested
from lsqlc.bind.sql.constants import chosen, constant_rows
from lsqlc.bind.sql.correlation import is_grouped
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.from_clause import bind_from, is_too_deep
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.group_values import bind_compared, with_late_values
from lsqlc.bind.sql.groups import bind_grouped, calls_aggregate, is_total, skips_nulls
from lsqlc.bind.sql.interval_casts import restored, stored
from lsqlc.bind.sql.laterals import with_laterals
from lsqlc.bind.sql.outputs import Listed, opened, outputs, project
from lsqlc.bind.sql.pivots import with_pivot
from lsqlc.bind.sql.rankings import bind_ranked
from lsqlc.bind.sql.rows import Constants, Input, Output, Rows
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
    """Return the rows of a nested query; None after an error."""
    inner = with_queries(query, sources, findings)
    if isinstance(query.body, sql.Union):
        rows = bind_branches(query, inner, findings)
        if rows is None or query.body.word != "UNION ALL":
            return rows[0] if rows else None
        united_rows = united(rows, query.body.branches, findings)
        if united_rows is not None and len(united_rows) > 1:
            message = "UNION ALL of streams is only allowed between the SELECTs of a streaming table"
            findings.error("LSQ455", message, query.body.at,
                           help="write all parts into one streaming table, and read that")  # fmt: skip
            return None
        return united_rows[0] if united_rows else None
    return bind_select(query.body, inner, findings)


def bind_branches(
    query: sql.Query, sources: Sources, findings: Findings, *, top: bool = False
) -> list[Rows] | None:  # fmt: skip
    """Return the rows of each SELECT of a query, or the result of INTERSECT and EXCEPT; None after an error.

    `top`: they are the output of the model.
    """
    word = query.body.word if isinstance(query.body, sql.Union) else "UNION ALL"
    style: KeyStyle = sources.key_style if top else "struct"
    # Groups have the key style of the output only if they are the output rows.
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
    result = in_both(rows, query.selects, word, findings, style=style)
    return [result] if result is not None else None


def with_queries(query: sql.Query, sources: Sources, findings: Findings) -> Sources:
    """Return the sources in scope of the body of a query, including the queries of its WITH."""
    for with_ in query.withs:
        rows = bind_query(with_.query, sources, findings)
        rows = rows and renamed(rows, with_.columns, findings)
        if rows is not None and findings.trace is not None:
            findings.trace.sources[with_.name.text] = TracedSource(rows.node, rows.columns)
        sources = replace(sources, withs={**sources.withs, with_.name.text.casefold(): rows})
    return sources


def bind_select(
    select: sql.Select, sources: Sources, findings: Findings, style: KeyStyle = "struct", *, written: bool = False
) -> Rows | None:
    """Return the rows of a SELECT; None after an error.

    `style`: that of the key of groups. `written`: its columns are those of the output.
    """
    before = findings.error_count
    select = over_groups(select)
    select = with_late_values(select) if select.scalars and is_grouped(select) else select
    from_result = bind_from(select, sources, findings)
    if from_result is None:
        return None
    pivoted = with_pivot(*from_result, findings, strict=sources.strict)
    if pivoted is None:
        return None
    select, query_input = pivoted
    if select.group_all and Scope(query_input.labels, query_input.columns).find(("all",)):
        # A column with this name takes precedence, as in Spark.
        select = replace(select, group_all=False, group_by=(tree.Reference(("all",), select.items_at),))
    # Each query in an expression is one more join on top.
    inner = len(select.scalars) + len(select.having_scalars) + len(select.tests)
    if is_too_deep(query_input.depth + inner, query_input.size + inner, select.items_at, findings):
        return None
    if select.laterals:
        binder = SqlBinder(findings, scope=Scope(query_input.labels, query_input.columns), strict=sources.strict)
        extended_input = with_laterals(select, query_input, binder, numbered=sources.numbered)
        if extended_input is None:
            return None
        query_input = extended_input
    if select.scalars:
        binder = SqlBinder(findings, scope=Scope(query_input.labels, query_input.columns), strict=sources.strict)
        valued = with_scalars(select.scalars, query_input, binder, sources)
        if valued is None:
            return None
        query_input = valued
    scope = Scope(query_input.labels, query_input.columns)
    if findings.trace is not None:
        findings.trace.queries[select.at] = TracedQuery(
            query_input.node, query_input.node.relations, query_input.columns
        )
    binder = SqlBinder(
        findings, scope=scope, strict=sources.strict, table=query_input.kind == "TABLE", not_null=query_input.not_null
    )
    if select.where is not None:
        condition = binder.condition(select.where, "WHERE")
        if condition is not None and is_total(select) and skips_nulls(select) and not select.tests:
            # The single row exists whatever the condition excludes.
            binder = replace(binder, counted=condition)
        elif condition is not None:
            query_input = replace(
                query_input, node=Filter(query_input.node, condition), not_null=tested(condition, holds=True)
            )
            binder = replace(binder, not_null=query_input.not_null)
    if select.tests:
        tested_rows = bind_tests(select.tests, query_input, binder, sources)
        if tested_rows is None:
            return None
        query_input = tested_rows
        scope = Scope(query_input.labels, query_input.columns)
        binder = replace(binder, scope=scope, not_null=query_input.not_null)
    if select.windows:
        windowed = with_window_calls(select, query_input, binder)
        if windowed is None:
            return None
        query_input = windowed
        scope = Scope(query_input.labels, query_input.columns)
        binder = replace(binder, scope=scope, not_null=query_input.not_null)
    if (qualify := qualified(select, scope)) is not None:
        condition = binder.condition(qualify, "QUALIFY")
        if condition is not None:
            query_input = replace(
                query_input, node=Filter(query_input.node, condition), not_null=tested(condition, holds=True)
            )
            binder = replace(binder, not_null=query_input.not_null)
    items = opened(select, scope, findings, written=written)
    ranking = select.ranking
    if ranking is not None and not ranking.offset and is_total(select) and ranking.word != "ROW_NUMBER":
        # A single row is the first one.
        select = replace(select, ranking=None)
    if select.ranking is not None:
        ranked = bind_ranked(select, select.ranking, items, query_input, binder)
        return None if findings.error_count > before else ranked
    aggregates = any(not isinstance(e, tree.Wildcard) and calls_aggregate(e) for e in (i.source for i in select.items))
    if select.has_groups or aggregates or select.having is not None:
        of_groups: KeyStyle = "struct" if select.distinct else style
        if select.having_scalars:
            rows = bind_compared(select, items, query_input, binder, sources, style=of_groups)
        else:
            rows = bind_grouped(select, items, query_input, binder, sources.limits, style=of_groups)
    else:
        rows = _projected(items, query_input, binder)
        if rows is not None and query_input.constants is not None and _is_bare(select):
            rows = _folded(rows, query_input.constants, query_input)
    if rows is None or findings.error_count > before:
        return None
    if not select.distinct:
        return rows
    return _distinct(select, rows, findings, style, not_null=_never_null(rows, query_input))


def _projected(items: Sequence[Listed], query_input: Input, binder: SqlBinder) -> Rows | None:
    output_columns = outputs(items, binder)
    if output_columns is None:
        return None
    return project(
        output_columns, query_input.node, query_input, key=query_input.key, key_format=query_input.key_format
    )


def _is_bare(select: sql.Select) -> bool:
    """Return whether a SELECT only computes columns of each row of FROM."""
    return select.where is None and not (select.tests or select.laterals or select.scalars or select.is_windowed)


def _folded(rows: Rows, constants: Constants, query_input: Input) -> Rows:
    """Return the rows of a projection of constants, as constants."""
    node = rows.node
    assert isinstance(node, Project) and isinstance(node.value, StructOf)
    values = chosen(constants, query_input.columns, node.value.values)
    return rows if values is None else constant_rows(values, tuple(c.name for c in rows.columns), rows.near)


def _never_null(rows: Rows, query_input: Input) -> tuple[Expression, ...]:
    """Return the columns of a projection that WHERE has tested for null."""
    node = rows.node
    if not isinstance(node, Project) or not isinstance(node.value, StructOf):
        return ()
    pairs = zip(rows.columns, node.value.values, strict=True)
    return tuple(column.expression for column, value in pairs if not may_hold_null(value, query_input.not_null))


def _distinct(
    select: sql.Select, rows: Rows, findings: Findings, style: KeyStyle, *, not_null: tuple[Expression, ...]
) -> Rows | None:
    """Return the distinct rows: groups of all columns, whose only columns are the key."""
    if not are_comparable(rows, select, findings):
        return None
    names = tuple(c.name for c in rows.columns)
    types = [c.expression.type for c in rows.columns]
    keys = tuple(stored(c.expression) for c in rows.columns)
    key_names = key_names_of(field_names(names), keys, style, select.items_at, findings, not_null)
    count = Aggregation("COUNT", (), data.BIGINT, False)
    format = group_format(keys, key_names, rows.near)
    node = Aggregate(rows.node, keys, key_names, format, (count,), None)
    output_columns = [
        Output(name, restored(node.key_field(i), types[i]), select.items_at) for i, name in enumerate(names)
    ]
    group_input = Input(node, "TABLE", ("",), (), rows.key, format, rows.near, (), rows.depth, rows.size)
    key = Field(0, "key", (), node.key_type, True)
    return project(output_columns, node, group_input, key=key, key_format=format, group=names)
