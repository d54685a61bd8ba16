"""IN (SELECT ...), EXISTS and their negations in WHERE, over tables.

The distinct values of the query are groups, and rows are joined with the group of their values. IN and EXISTS keep the
rows with a group, NOT IN and NOT EXISTS those without. A row matches at most one group, and keeps its key. The values
that EXISTS equates with the outer query are columns of the group. For another comparison, a group has the least and the
greatest compared value: `y < x` is true for one value if it is for the least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from lsqlc.bind.columns import Column
from lsqlc.bind.nullability import may_hold_null, tested
from lsqlc.bind.sql.conjuncts import conjunction
from lsqlc.bind.sql.correlation import Split, is_grouped, split_outer, with_name
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.joins import joined_sides
from lsqlc.bind.sql.rows import Input, Rows
from lsqlc.bind.sql.scalars import with_scalars
from lsqlc.bind.sql.scope import TIME, Scope
from lsqlc.bind.sql.side import Side, flat
from lsqlc.bind.sql.sources import Sources
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression, Field, Operation, StructOf, rewrite
from lsqlc.plan.expression import walk as parts_of
from lsqlc.plan.nodes import Filter, Project
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.membership import exists, member
from lsqlc.types import data

# The name of the groups in ON: no source has this name.
_LABEL = " tested"


@dataclass(frozen=True, slots=True)
class Asked:
    """The requirement of a condition on a query: it has a row with these values.

    `outer`: the values of the tested row. `inner`: the expressions that the query equates with them. `beside`:
    conditions on the tested row alone. `compared`: another comparison, the query's side on the left, whose least and
    greatest values are the last columns of the query.
    """

    query: sql.Query
    outer: tuple[tree.Expression, ...]
    inner: tuple[tree.Expression, ...]
    beside: tuple[tree.Expression, ...] = ()
    compared: tree.Binary | None = None


def bind_tests(tests: Sequence[sql.Test], query_input: Input, binder: SqlBinder, sources: Sources) -> Input | None:
    """Return the rows that satisfy conditions on queries; None after an error."""
    if query_input.kind != "TABLE":
        what = "records" if query_input.kind == "RECORDS" else "a stream"
        _refuse(binder, f"{_word(tests[0])} cannot be a condition on {what}", tests[0].at,
                "a record would have to be written once the query has a row for it",
                "read a table, a topic with a key, or join the stream with a table")  # fmt: skip
        return None
    each = [_asked(test, binder, sources) for test in tests]
    # The null tests of WHERE hold for the input rows.
    nulls = [_may_meet_nulls(a, test, binder, sources) for a, test in zip(each, tests, strict=True) if a is not None]
    if None in each or None in nulls:
        return None
    for number, (test, requirement) in enumerate(zip(tests, each, strict=True)):
        assert requirement is not None
        result = (
            _by_counts(test, number, query_input, binder, sources)
            if nulls[number] or not requirement.outer
            else satisfying(requirement, query_input, binder, sources, negated=test.negated, at=test.at)
        )
        if result is None:
            return None
        query_input = result
        binder = replace(binder, scope=Scope(query_input.labels, query_input.columns), not_null=())
    return query_input


def _by_counts(test: sql.Test, number: int, query_input: Input, binder: SqlBinder, sources: Sources) -> Input | None:
    """Return the rows that satisfy a condition on the numbers of rows of its query; None after an error."""
    scalars: list[sql.Scalar] = []

    def keep(query: sql.Query, counted_rows: sql.Counted, at: Extent) -> tree.Expression:
        scalars.append(sql.Scalar(query, f" test {number} {len(scalars)}", at, counted_rows))
        return tree.Reference((scalars[-1].name,), at)

    if test.operand is None:
        holds = exists(test.query, test.at, keep)
    else:
        holds = member(test.operand, test.query, test.at, keep, decided=not test.negated)
    valued = with_scalars(scalars, query_input, binder, sources)
    if valued is None:
        return None
    condition = tree.Unary("NOT", holds, test.at) if test.negated else holds
    scope = Scope(valued.labels, valued.columns)
    bound = replace(binder, scope=scope, not_null=()).condition(condition, "WHERE")
    if bound is None:
        return None
    columns = [c for c in query_input.columns if c.name != TIME]
    row_columns = tuple(c for c in valued.columns if not c.name.startswith(f" test {number} "))
    return replace(
        valued,
        node=Filter(valued.node, bound),
        columns=row_columns,
        not_null=_carried(query_input.not_null, columns, row_columns),
    )


def satisfying(
    requirement: Asked, query_input: Input, binder: SqlBinder, sources: Sources, *, negated: bool, at: Extent
) -> Input | None:
    """Return the rows for which a query satisfies the requirement, or with `negated` does not; None after an error.

    `at`: the extent of the condition.
    """
    groups = _groups(requirement, sources)
    if groups is None:
        return None
    if len(groups.columns) - 2 * (requirement.compared is not None) != len(requirement.outer):
        _columns(binder, requirement.query.at, len(requirement.outer), len(groups.columns))
        return None
    columns = tuple(c for c in query_input.columns if c.name != TIME)
    left = Side(query_input.node, "TABLE", columns, query_input.labels, query_input.key, query_input.key_format)
    left = flat(left) if len(query_input.node.relations) > 1 else left
    right_columns = tuple(replace(c, source=_LABEL, name=f" {i}") for i, c in enumerate(groups.columns))
    right = Side(groups.node, "TABLE", right_columns, (_LABEL,), groups.key, groups.node.relations[0].key.format)
    pairs = zip(requirement.outer, right_columns, strict=False)
    equal = tuple(tree.Binary("=", outer, _named(column, outer.at), outer.at) for outer, column in pairs)
    source = sql.QuerySource(requirement.query, None, at)
    join = sql.Join("LEFT" if negated else "INNER", source, conjunction((*equal, *requirement.beside)), at)
    joined = joined_sides(join, left, right, sources, binder.findings)
    if joined is None:
        return None
    row_columns = tuple(c for c in joined.columns if c.source != _LABEL)
    node = joined.node
    if requirement.compared is not None:
        scope = Scope((*query_input.labels, _LABEL), joined.columns)
        holds = _of_bounds(requirement.compared, right_columns)
        # For a null, neither the comparison nor its negation is true: a negated condition keeps the row.
        kept_if = tree.Case(None, ((holds, tree.Literal(False, at)),), tree.Literal(True, at), at) if negated else holds
        condition = replace(binder, scope=scope, not_null=()).bind(kept_if)
        if condition is None:
            return None
        node = Filter(node, condition)
    elif negated:
        # The values of a group with a match are not null.
        group_value = next(c for c in joined.columns if c.source == _LABEL)
        node = Filter(node, Operation("IS NULL", (group_value.expression,), data.BOOLEAN, False))
    depth, size = max(query_input.depth, groups.depth) + 1, query_input.size + groups.size + 1
    not_null = _carried(query_input.not_null, columns, row_columns)
    return Input(
        node, "TABLE", query_input.labels, row_columns, left.key, left.key_format, query_input.near, not_null,
        depth, size, query_input.unkeyed,
    )  # fmt: skip


def _of_bounds(compared: tree.Binary, columns: Sequence[Column]) -> tree.Expression:
    """Return the condition that a comparison is true for a value of a group.

    The last columns of the group are the least and the greatest value.
    """
    at = compared.at
    least, greatest = (structs.replace(compared, left=_named(column, at)) for column in columns[-2:])
    match compared.operator:
        case "<" | "<=":
            return least
        case ">" | ">=":
            return greatest
    return tree.Logic("OR", (least, greatest), at)


def _named(column: Column, at: Extent) -> tree.Reference:
    return tree.Reference((_LABEL, column.name), at)


def _carried(
    not_null: Sequence[Expression], before: Sequence[Column], after: Sequence[Column]
) -> tuple[Expression, ...]:
    """Return the tested expressions over the columns after a join."""
    now = {old.expression: new.expression for old, new in zip(before, after, strict=True)}
    parts = {k: [part for part in parts_of(k) if isinstance(part, Field)] for k in not_null}
    return tuple(rewrite(k, lambda part: now.get(part, part)) for k in not_null if all(p in now for p in parts[k]))


def _asked(test: sql.Test, binder: SqlBinder, sources: Sources) -> Asked | None:
    """Return the requirement of a condition on its query; None after an error."""
    select = test.query.body
    split = None
    if isinstance(select, sql.Select) and not test.query.withs and select.where is not None:
        split = split_outer(select, binder, sources, compares=True)
        if split is None:
            return None
        select = split.select
    pairs = split.pairs if split is not None else ()
    refers = split is not None and (pairs or split.beside or split.compared)
    if refers and isinstance(select, sql.Select) and is_grouped(select):
        _refuse(binder, "a query with groups cannot refer to the outer one", test.at, None,
                "group in a query of its own, and join it")  # fmt: skip
        return None
    if test.operand is None:
        if not pairs:
            # All rows of the query have the same relation to a row.
            return Asked(test.query, (), ())
        assert split is not None
        return of_pairs(split, test.query.at)
    if split is None or not refers:
        return Asked(with_name(test.query), test.operands, ())
    values = [item.source for item in split.select.items if not isinstance(item.source, tree.Wildcard)]
    if len(values) != len(test.operands) or len(values) < len(split.select.items):
        _columns(binder, test.query.at, len(test.operands), len(split.select.items))
        return None
    compared = tuple(zip(values, test.operands, strict=True))
    return of_pairs(replace(split, pairs=(*compared, *pairs)), test.query.at)


def of_pairs(split: Split, at: Extent) -> Asked:
    """Return the distinct values that a query equates with the outer one. `at`: the extent of the query."""
    inner, outer = tuple(a for a, _ in split.pairs), tuple(b for _, b in split.pairs)
    items = tuple(sql.Item(e, tree.Name(f"v{i}", e.at), e.at) for i, e in enumerate(inner))
    compared = split.compared[0] if split.compared else None
    select = replace(split.select, items=items, distinct=True)
    if compared is not None:
        values = tuple(
            sql.Item(tree.Call(tree.Name(word, compared.left.at), (compared.left,), False, compared.left.at),
                     tree.Name(word, compared.left.at), compared.left.at)
            for word in ("MIN", "MAX")
        )  # fmt: skip
        select = replace(split.select, items=(*items, *values), distinct=False, group_by=inner)
    return Asked(sql.Query((), select, at), outer, inner, split.beside, compared)


def _groups(requirement: Asked, sources: Sources) -> Rows | None:
    """Return the distinct values of a query; None after an error."""
    if requirement.inner:
        return sources.query(requirement.query, sources)
    rows = sources.query(requirement.query, sources)
    names = [c.name.casefold() for c in rows.columns] if rows is not None else []
    if rows is None or (
        rows.kind == "TABLE" and rows.group is not None and [n.casefold() for n in rows.group] == names
    ):
        return rows
    at = requirement.query.at
    star = sql.Item(tree.Wildcard((), at), None, at)
    every = sql.Select((star,), True, sql.QuerySource(requirement.query, None, at), (), None, (), None, at, at)
    return sources.query(sql.Query((), every, at), sources)


def _may_meet_nulls(requirement: Asked, test: sql.Test, binder: SqlBinder, sources: Sources) -> bool | None:
    """Return whether a condition is NOT IN with a side that may be null; None after an error.

    For a null it is neither true nor false, unless the query has no rows.
    """
    if test.operand is None or not test.negated:
        return False
    rows = sources.query(requirement.query, sources)
    bound = [binder.bind(operand) for operand in test.operands]
    operands = [operand for operand in bound if operand is not None]
    if rows is None or len(operands) < len(bound):
        return None
    if len(rows.columns) < len(operands):
        _columns(binder, requirement.query.at, len(operands), len(rows.columns))
        return None
    may = [may_hold_null(o, binder.not_null) or may_have_null(rows, number) for number, o in enumerate(operands)]
    if any(may) and test.more:
        _refuse(binder, "NOT IN of several columns requires that none of them may be null", test.at,
                "of a null, it is neither true nor false",
                "add IS NOT NULL for each on both sides, or write NOT EXISTS")  # fmt: skip
        return None
    return any(may)


def may_have_null(rows: Rows, number: int = 0) -> bool:
    """Return whether a column of a query, by default the first one, may be null."""
    node, column = rows.node, rows.columns[number].expression
    if not isinstance(node, Project) or not isinstance(node.value, StructOf):
        return may_hold_null(column)
    conditions, below = [], node.input
    while isinstance(below, Filter):
        conditions.append(below.condition)
        below = below.input
    not_null = tuple(part for condition in conditions for part in tested(condition, holds=True))
    return may_hold_null(node.value.values[number], not_null)


def _columns(binder: SqlBinder, at: Extent, expected: int, count: int) -> None:
    what = f"{expected} column{'s' * (expected != 1)}"
    _refuse(binder, f"the query of IN must have {what}, not {count}", at, None, "select the values only")


def _refuse(binder: SqlBinder, message: str, at: Extent, note: str | None, help: str) -> None:
    binder.findings.error("LSQ460", message, at, notes=(note,) if note else (), help=help)


def _word(test: sql.Test) -> str:
    return "EXISTS" if test.operand is None else "IN (SELECT ...)"
