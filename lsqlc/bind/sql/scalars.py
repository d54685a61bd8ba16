"""A query as a value: an aggregate over other rows, of all of them or of those that equal something of this row.

The groups of the values that it equates with the outer query are joined with the rows by LEFT JOIN; without such, all
its rows are one group. A row that meets no group has the value of the aggregates of no rows: COUNT is 0, and the others
are null.
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
from lsqlc.bind.sql.rows import Fed, Rows
from lsqlc.bind.sql.scope import TIME, Scope
from lsqlc.bind.sql.side import Side, flat
from lsqlc.bind.sql.single_rows import as_aggregate, is_single, value_of
from lsqlc.bind.sql.sources import Sources
from lsqlc.plan.expression import Case, Expression, Field, Literal, Operation, StructOf, rewrite
from lsqlc.plan.expression import walk as parts_of
from lsqlc.plan.nodes import Aggregate, Project
from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data

# What the groups, and the constant that all rows meet them by, are called in ON: no source has these names.
_LABEL, _ROW, _VALUES = " group", " row", " value"
_ALL = " all"
_COUNTS = ("COUNT", "COUNT_DISTINCT")


def with_scalars(scalars: Sequence[sql.Scalar], fed: Fed, binder: SqlBinder, sources: Sources) -> Fed | None:
    """The rows of FROM with the values of queries in expressions, as columns; None after an error."""
    for scalar in scalars:
        if fed.kind != "TABLE" and not _is_value(scalar):
            what = "records" if fed.kind == "RECORDS" else "a stream"
            _refuse(binder, f"a query cannot be a value in one of {what}", scalar,
                    "a record would have to be written again whenever the value changes",
                    "read a table, a topic with a key")  # fmt: skip
            return None
        binder = replace(binder, scope=Scope(fed.labels, fed.columns))
        found = _with_scalar(scalar, fed, binder, sources)
        if found is None:
            return None
        fed = found
    return fed


def _with_scalar(scalar: sql.Scalar, fed: Fed, binder: SqlBinder, sources: Sources) -> Fed | None:
    scalar, matched = counted(scalar)
    select = scalar.query.body
    if _is_value(scalar) and isinstance(select, sql.Select) and (plain := value_of(select)) is not None:
        value = binder.bind(plain)
        if value is None:
            return None
        return replace(fed, columns=(*fed.columns, Column(_VALUES, scalar.name, value, True, listed=False)))
    if isinstance(select, sql.Select) and is_single(select, scalar.query.withs, sources, binder.findings):
        select = as_aggregate(select)
        scalar = replace(scalar, query=replace(scalar.query, body=select))
    if not isinstance(select, sql.Select) or not _is_one_value(select):
        _refuse(binder, "a query as a value must be an aggregate without GROUP BY, and nothing else", scalar,
                "it must have one row, whatever it reads, as one of the row with a certain _key has",
                "write SELECT MAX(column) FROM ..., or join the query")  # fmt: skip
        return None
    split = Split(select, (), (), ())
    if select.where is not None and not scalar.query.withs:
        apart = split_outer(select, binder, sources)
        if apart is None:
            return None
        split = apart
    select, pairs = split.select, (*split.pairs, *matched, *scalar.pairs)
    if not _is_one_group(select, pairs):
        _refuse(binder, "a query as a value may have one row for each group", scalar,
                "it must have one row, whatever it reads",
                "group by what WHERE equates with the outer query, or aggregate the groups: MAX(...)")  # fmt: skip
        return None
    has_groups, select = bool(select.group_by), replace(select, group_by=())
    constant = tree.Literal("all", scalar.at)
    inner = tuple(one for one, _ in pairs) or (constant,)
    outer = tuple(other for _, other in pairs) or (tree.Reference((_ROW, _ALL), scalar.at),)
    groups = _groups(scalar, select, inner, sources)
    if groups is None:
        return None
    empty = _of_no_rows(groups, has_groups=has_groups)
    if empty is None:
        _refuse(binder, "a query as a value has columns in aggregates only", scalar, None, "aggregate them, as MAX(x)")
        return None
    joined = _joined(scalar, fed, groups, outer, split.beside, binder, sources)
    if joined is None:
        return None
    met, *_, value = (c.expression for c in joined.columns if c.source == _LABEL)
    if empty != Literal(None, value.type):
        missing = Operation("IS NULL", (met,), data.BOOLEAN, False)
        value = Case(((missing, empty),), value, value.type)
    column = Column(_VALUES, scalar.name, value, True, listed=False)
    kept = tuple(c for c in joined.columns if c.source not in (_LABEL, _ROW))
    depth, size = max(fed.depth, groups.depth) + 1, fed.size + groups.size + 1
    key = Field(0, "key", (), joined.node.relations[0].key.type, True)
    return Fed(
        joined.node, "TABLE", fed.labels, (*kept, column), key, fed.key_format, fed.near, (), depth, size, fed.unkeyed,
    )  # fmt: skip


def _is_value(scalar: sql.Scalar) -> bool:
    """Whether a query as a value is an expression of the row, which reads nothing else."""
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
    """The value of each group of what the query equates; None after an error."""
    keys = tuple(sql.Item(e, tree.Name(f"v{i}", e.at), e.at) for i, e in enumerate(inner))
    value = replace(select.items[0], alias=tree.Name("value", scalar.at))
    grouped = replace(select, items=(*keys, value), group_by=tuple(inner))
    return sources.query(replace(scalar.query, body=grouped), sources)


def _is_one_group(select: sql.Select, pairs: Sequence[tuple[tree.Expression, tree.Expression]]) -> bool:
    """Whether a query has one group at most for a row of the outer one: it groups by what it equates alone."""
    return all(any(same_parts(key, inner) for inner, _ in pairs) for key in select.group_by)


def _of_no_rows(groups: Rows, *, has_groups: bool) -> Expression | None:
    """The value where there is no row to aggregate; None if it needs a column of one. `has_groups`: the query has GROUP
    BY, and so no row.
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
    scalar: sql.Scalar, fed: Fed, groups: Rows, outer: Sequence[tree.Expression], beside: tuple[tree.Expression, ...],
    binder: SqlBinder, sources: Sources,
) -> Side | None:  # fmt: skip
    """The rows with the group that they meet, if there is one."""
    constant = Column(_ROW, _ALL, Literal("all", data.STRING), True, listed=False)
    columns = (*(c for c in fed.columns if c.name != TIME), constant)
    left = flat(Side(fed.node, "TABLE", columns, (*fed.labels, _ROW), fed.key, fed.key_format))
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
