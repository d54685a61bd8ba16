"""A query as a value: an aggregate over all rows of another source, or over those that equal a value of this row. Or
the first of these rows in an order.

The groups by the values that are equated with the outer query are joined with the rows by LEFT JOIN. Without such
values, all rows are one group. A row without a group has the aggregates over no rows: COUNT is 0, and the others are
null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.columns import Column
from lsqlc.bind.sql.conjuncts import conjunction
from lsqlc.bind.sql.correlation import Split, is_grouped, split_outer
from lsqlc.bind.sql.counted import counted
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.groups import calls_aggregate
from lsqlc.bind.sql.joins import joined_sides
from lsqlc.bind.sql.rows import Input, Rows
from lsqlc.bind.sql.scope import TIME, Scope
from lsqlc.bind.sql.side import Side, flat
from lsqlc.bind.sql.single_rows import (
    as_aggregate,
    first_row,
    has_one_column,
    is_any_row,
    is_single,
    only_row,
    value_of,
)
from lsqlc.bind.sql.sources import Sources
from lsqlc.plan.expression import Case, Expression, Field, Literal, Operation, StructOf, rewrite
from lsqlc.plan.expression import walk as parts_of
from lsqlc.plan.nodes import Aggregate, Project
from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data

# The names in ON of the groups, and of the constant that all rows have in common: no source has these names.
_LABEL, _ROW, _VALUES = " group", " row", " value"
_ALL = " all"
_COUNTS = ("COUNT", "COUNT_DISTINCT")


def with_scalars(
    scalars: Sequence[sql.Scalar], query_input: Input, binder: SqlBinder, sources: Sources
) -> Input | None:
    """Return the rows of FROM with the values of queries in expressions, as columns; None after an error."""
    for scalar in scalars:
        if query_input.kind != "TABLE" and not _is_value(scalar):
            what = "records" if query_input.kind == "RECORDS" else "a stream"
            _refuse(binder, f"a query cannot be a value in one of {what}", scalar,
                    "a record would have to be written again whenever the value changes",
                    "read a table, a topic with a key")  # fmt: skip
            return None
        binder = replace(binder, scope=Scope(query_input.labels, query_input.columns))
        extended_input = _with_scalar(scalar, query_input, binder, sources)
        if extended_input is None:
            return None
        query_input = extended_input
    return query_input


def _with_scalar(scalar: sql.Scalar, query_input: Input, binder: SqlBinder, sources: Sources) -> Input | None:
    scalar, matched = counted(scalar)
    select = scalar.query.body
    if _is_value(scalar) and isinstance(select, sql.Select) and (plain := value_of(select)) is not None:
        value = binder.bind(plain)
        if value is None:
            return None
        return replace(
            query_input, columns=(*query_input.columns, Column(_VALUES, scalar.name, value, True, listed=False))
        )
    if isinstance(select, sql.Select) and (
        is_any_row(select) or is_single(select, scalar.query.withs, sources, binder.findings)
    ):
        select = as_aggregate(select)
        scalar = replace(scalar, query=replace(scalar.query, body=select))
    first = first_row(select) if isinstance(select, sql.Select) else None
    if first is None and not (isinstance(select, sql.Select) and _is_one_value(select)):
        return _with_only_row(scalar, query_input, binder, sources)
    assert isinstance(select, sql.Select)
    if first is not None:
        # The first row of each group, whose values are equated with the outer query.
        select = replace(select, ranking=None)
    split = Split(select, (), (), ())
    if select.where is not None and not scalar.query.withs:
        apart = split_outer(select, binder, sources)
        if apart is None:
            return None
        split = apart
    select, pairs = split.select, (*split.pairs, *matched, *scalar.pairs)
    if not _is_one_group(select, pairs):
        if pairs:
            _refuse(binder, "a query as a value may have one row for each group", scalar,
                    "it must have one row, whatever it reads",
                    "group by what WHERE equates with the outer query, or aggregate the groups: MAX(...)")  # fmt: skip
            return None
        return _with_only_row(scalar, query_input, binder, sources)
    has_groups, select = bool(select.group_by), replace(select, group_by=())
    constant = tree.Literal("all", scalar.at)
    inner = tuple(one for one, _ in pairs) or (constant,)
    outer = tuple(other for _, other in pairs) or (tree.Reference((_ROW, _ALL), scalar.at),)
    if first is not None:
        select = replace(select, ranking=replace(first, partition=tuple(one for one, _ in pairs)))
    groups = _groups(scalar, select, inner, sources)
    if groups is None:
        return None
    of_none = Literal(None, groups.columns[-1].expression.type)
    empty = of_none if first is not None else _of_no_rows(groups, has_groups=has_groups)
    if empty is None:
        _refuse(binder, "a query as a value has columns in aggregates only", scalar, None, "aggregate them, as MAX(x)")
        return None
    joined = _joined(scalar, query_input, groups, outer, split.beside, binder, sources)
    if joined is None:
        return None
    group_marker, *_, value = (c.expression for c in joined.columns if c.source == _LABEL)
    if empty != Literal(None, value.type):
        missing = Operation("IS NULL", (group_marker,), data.BOOLEAN, False)
        value = Case(((missing, empty),), value, value.type)
    column = Column(_VALUES, scalar.name, value, True, listed=False)
    row_columns = tuple(c for c in joined.columns if c.source not in (_LABEL, _ROW))
    depth, size = max(query_input.depth, groups.depth) + 1, query_input.size + groups.size + 1
    key = Field(0, "key", (), joined.node.relations[0].key.type, True)
    return Input(
        joined.node, "TABLE", query_input.labels, (*row_columns, column), key, query_input.key_format,
        query_input.near, (), depth, size, query_input.unkeyed,
    )  # fmt: skip


def _with_only_row(scalar: sql.Scalar, query_input: Input, binder: SqlBinder, sources: Sources) -> Input | None:
    """Return the rows with the value of a query that may have several rows, with a finding; None after an error."""
    query = only_row(scalar.query) if has_one_column(scalar.query, sources, binder.findings) else None
    if query is None:
        _refuse(binder, "a query as a value must have one column", scalar, None, "name it: SELECT column FROM ...")
        return None
    result = _with_scalar(replace(scalar, query=query), query_input, binder, sources)
    if result is not None:
        binder.findings.warn(
            "LSQ355", "the query as a value is null while it has more than one row", scalar.at,
            help="write SELECT MAX(column) FROM ..., or ORDER BY column LIMIT 1, if it may have several",
        )  # fmt: skip
    return result


def _is_value(scalar: sql.Scalar) -> bool:
    """Return whether a query as a value is an expression of the row that reads no source."""
    body = scalar.query.body
    return not scalar.query.withs and isinstance(body, sql.Select) and value_of(body) is not None


def _is_one_value(select: sql.Select) -> bool:
    if (
        len(select.items) != 1
        or select.group_all
        or select.grouping_sets
        or select.having is not None
        or select.distinct
    ):
        return False
    source = select.items[0].source
    is_plain = not isinstance(source, tree.Wildcard) and calls_aggregate(source)
    return is_plain and not select.is_windowed and is_grouped(select)


def _groups(scalar: sql.Scalar, select: sql.Select, inner: Sequence[tree.Expression], sources: Sources) -> Rows | None:
    """Return the value of each group by the equated values; None after an error."""
    keys = tuple(sql.Item(e, tree.Name(f"v{i}", e.at), e.at) for i, e in enumerate(inner))
    value = replace(select.items[0], alias=tree.Name("value", scalar.at))
    grouped = replace(select, items=(*keys, value), group_by=() if select.ranking is not None else tuple(inner))
    return sources.query(replace(scalar.query, body=grouped), sources)


def _is_one_group(select: sql.Select, pairs: Sequence[tuple[tree.Expression, tree.Expression]]) -> bool:
    """Return whether a query has at most one group for a row of the outer one: it groups by equated values only."""
    return all(any(same_parts(key, inner) for inner, _ in pairs) for key in select.group_by)


def _of_no_rows(groups: Rows, *, has_groups: bool) -> Expression | None:
    """Return the value over no rows; None if it depends on a column of a row.

    `has_groups`: the query has GROUP BY, and so no result row.
    """
    project = groups.node
    assert isinstance(project, Project) and isinstance(project.value, StructOf)
    aggregate = project.input
    assert isinstance(aggregate, Aggregate)
    slots = {aggregate.aggregate_field(i): a.function for i, a in enumerate(aggregate.aggregates)}
    value = project.value.values[-1]
    if any(isinstance(part, Field) and part not in slots for part in parts_of(value)):
        return None

    if has_groups:
        return Literal(None, value.type)

    def emptied(part: Expression) -> Expression:
        if not isinstance(part, Field):
            return part
        return Literal(0 if slots[part] in _COUNTS else None, part.type)

    return Literal(None, value.type) if value in slots and slots[value] not in _COUNTS else rewrite(value, emptied)


def _joined(
    scalar: sql.Scalar, query_input: Input, groups: Rows, outer: Sequence[tree.Expression],
    beside: tuple[tree.Expression, ...], binder: SqlBinder, sources: Sources,
) -> Side | None:  # fmt: skip
    """Return the rows with their group, if there is one; None after an error."""
    constant = Column(_ROW, _ALL, Literal("all", data.STRING), True, listed=False)
    columns = (*(c for c in query_input.columns if c.name != TIME), constant)
    left = flat(
        Side(query_input.node, "TABLE", columns, (*query_input.labels, _ROW), query_input.key, query_input.key_format)
    )
    right_columns = tuple(replace(c, source=_LABEL, name=f" {i}") for i, c in enumerate(groups.columns))
    right = Side(groups.node, "TABLE", right_columns, (_LABEL,), groups.key, groups.node.relations[0].key.format)
    equal = tuple(
        tree.Binary("=", each, tree.Reference((_LABEL, f" {i}"), each.at), each.at) for i, each in enumerate(outer)
    )
    on = conjunction((*equal, *beside))
    join = sql.Join("LEFT", sql.QuerySource(scalar.query, None, scalar.at), on, scalar.at)
    return joined_sides(join, left, right, sources, binder.findings)


def _refuse(binder: SqlBinder, message: str, scalar: sql.Scalar, note: str | None, help: str) -> None:
    binder.findings.error("LSQ464", message, scalar.at, notes=(note,) if note else (), help=help)
