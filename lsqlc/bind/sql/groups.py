"""GROUP BY, HAVING and the aggregates: a TABLE whose key is the group.

In a query that another one reads, the group is a struct, which exists even if its only part is null. In the result, one
column that is never null is the key itself (see `group_keys`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from msgspec import structs

from lsqlc.bind.findings import Findings
from lsqlc.bind.grouping import Grouping
from lsqlc.bind.limits import Limits
from lsqlc.bind.sql.conditions import WRITTEN_OUT
from lsqlc.bind.sql.expressions import DIALECT, SqlBinder
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.grouping_sets import ID_NAME, grouping_sets
from lsqlc.bind.sql.interval_casts import restored, stored
from lsqlc.bind.sql.outputs import Listed, outputs, project
from lsqlc.bind.sql.rows import Input, Output, Rows
from lsqlc.bind.sql.windows import GroupWindow, bound_window, is_window
from lsqlc.functions import catalogue
from lsqlc.plan.expression import Aggregation, Cast, Expression, Field, Literal, RecordTime
from lsqlc.plan.nodes import ALL_ROWS, Aggregate, EventTime, Filter, Node
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk
from lsqlc.types import data
from lsqlc.types.data import DataType, Map

# Aggregates of one value that ignore rows with a null value.
_SKIPPING = frozenset(
    ("COUNT", "SUM", "AVG", "MIN", "MAX", "COUNT_DISTINCT", "SUM_DISTINCT", "AVG_DISTINCT", *WRITTEN_OUT)
)


def calls_aggregate(expression: tree.Expression) -> bool:
    """Return whether an aggregate function is called anywhere in it."""
    return any(map(is_aggregate, walk(expression)))


def is_aggregate(part: object) -> bool:
    """Return whether a part of an expression is a call of an aggregate function."""
    return isinstance(part, tree.Call) and catalogue.aggregate(part.name.text, DIALECT) is not None


def bind_grouped(
    select: sql.Select, items: Sequence[Listed], query_input: Input, binder: SqlBinder, limits: Limits, *,
    style: KeyStyle, beside: Sequence[tree.Expression] = (),
) -> Rows | None:  # fmt: skip
    """Return the rows of a query with GROUP BY, or of all rows as one group; None after an error.

    `style`: that of their key. `beside`: further columns after the SELECT list, with the names in scope of HAVING (see
    `beside_name`).
    """
    findings = binder.findings
    group_by = select.group_by
    if select.group_all:
        group_by = tuple(source for _, source, _ in items if not calls_aggregate(source))
    expressions = list(group_by) if select.group_all else [_meant(item, items, binder) for item in group_by]
    windows = [item for item in expressions if is_window(item)]
    parts = [item for item in expressions if not is_window(item)]
    node, window, sets = query_input.node, None, None
    if windows:
        names = [name for name, source, item in items if item.alias is not None and is_window(source)]
        window = _window(windows, names, query_input, limits, findings)
        timed_node = _timed(window, node, binder) if window is not None else None
        if timed_node is None:
            return None
        node = timed_node
    bound = [binder.bind(part) for part in parts]
    keys = tuple(key for key in bound if key is not None)
    if len(keys) < len(parts) or not all(_groups(key, part, findings) for key, part in zip(keys, parts, strict=True)):
        return None
    if select.grouping_sets:
        if windows:
            findings.error("LSQ450", "grouping sets beside a window are not supported in models of the dialect sql",
                           windows[0].at, help="group by the window alone, and that in a query around it")  # fmt: skip
            return None
        parts, keys, sets = grouping_sets(select.grouping_sets, parts, keys)
        node = sets.expanded(node)
    if not keys:
        # All records, or those of a window, are one group.
        parts, keys = [tree.Literal(ALL_ROWS, select.items_at)], (Literal(ALL_ROWS, data.STRING),)
    key_names = _key_names(keys, parts, items, binder) if group_by else (ALL_ROWS,)
    if sets is not None:
        # The set of a group is a part of its key.
        key_names = (*key_names, unused(ID_NAME, key_names))
        struct_names = key_names
    else:
        struct_names = key_names_of(key_names, keys, style, parts[0].at, findings, query_input.not_null)
    is_bare = not struct_names
    group = tuple(map(stored, keys if sets is None else sets.parts(keys, node)))
    format = group_format(group, struct_names, query_input.near)
    format = f"{window.window.format}[{format}]" if window is not None else format
    # An aggregate without GROUP BY is one row, also without input rows.
    total = not group_by
    draft = Aggregate(
        node, group, struct_names, format, (), window.window if window else None,
        keeps_empty=total and query_input.kind == "TABLE", total=total,
    )  # fmt: skip

    def key_field(number: int) -> Expression:
        part = draft.key_field(number)
        return restored(part, keys[number].type) if number < len(keys) else part

    grouping = Grouping(keys, key_field, is_bare=is_bare, tested=(*binder.not_null, *(keys if is_bare else ())))
    grouped = replace(binder, grouping=grouping, not_null=(), of_record={}, window=window, sets=sets)
    output_columns = outputs(items, grouped)
    aliases = tuple((name, source) for name, source, item in items if item.alias is not None)
    of_having = replace(grouped, aliases=aliases)
    having = None if select.having is None else of_having.condition(select.having, "HAVING")
    values = [of_having.bind(each) for each in beside]
    if output_columns is None or (select.having is not None and having is None) or None in values:
        return None
    output_columns += [Output(beside_name(i), v, beside[i].at) for i, v in enumerate(values) if v is not None]
    aggregates = tuple(grouping.aggregates) or (Aggregation("COUNT", (), data.BIGINT, False),)
    groups = structs.replace(draft, aggregates=aggregates)
    result: Node = groups if having is None else Filter(groups, having)
    key = Field(0, "key", (), groups.key_type, True)
    # A group that is not in the SELECT list is part of the key nevertheless.
    group_names = None if window is not None else key_names if group_by else ()
    table = replace(query_input, node=groups, kind="TABLE", unkeyed=False)
    return project(output_columns, result, table, key=key, key_format=format, group=group_names)


def is_total(select: sql.Select) -> bool:
    """Return whether all rows of a query are one group: it has aggregates and no GROUP BY."""
    calls = [calls_aggregate(i.source) for i in select.items if not isinstance(i.source, tree.Wildcard)]
    if select.group_all:
        return len(calls) == len(select.items) and all(calls)
    return not select.group_by and (any(calls) or (select.having is not None and calls_aggregate(select.having)))


def skips_nulls(select: sql.Select) -> bool:
    """Return whether all aggregates of a query ignore a row with nulls."""
    parts = (*(i.source for i in select.items if not isinstance(i.source, tree.Wildcard)), select.having)
    calls = [p for part in parts if part is not None for p in walk(part) if isinstance(p, tree.Call)]
    aggregates = [catalogue.aggregate(call.name.text, DIALECT) for call in calls]
    return all(each.name in _SKIPPING for each in aggregates if each is not None)


def beside_name(number: int) -> str:
    """Return the name of a column after the SELECT list; no name in a text equals it."""
    return f" of {number}"


def _meant(item: tree.Expression, items: Sequence[Listed], binder: SqlBinder) -> tree.Expression:
    """Return the expression of an item of GROUP BY: a position or a name of the SELECT list, or itself."""
    if isinstance(item, tree.Literal) and isinstance(item.value, int) and not isinstance(item.value, bool):
        if 1 <= item.value <= len(items):
            return items[item.value - 1][1]
        binder.findings.error("LSQ201", f"the SELECT list has no column {item.value}", item.at,
                              help=f"it has {len(items)}; a number in GROUP BY is a position in it")  # fmt: skip
        return tree.Literal("", item.at)
    if isinstance(item, tree.Reference) and len(item.parts) == 1 and not binder.scope.find(item.parts):
        name = item.parts[0].casefold()
        return next((source for n, source, i in items if i.alias is not None and n.casefold() == name), item)
    return item


def _groups(key: Expression, part: tree.Expression, findings: Findings) -> bool:
    """Report an expression that cannot be a group; return whether it can."""
    if key.type == data.NULL or any(isinstance(p, Map) for p in data.parts(key.type)):
        message = f"the expression is {key.type}, which cannot be compared"
        findings.error("LSQ456", message, part.at, help="group by a part of it, or leave it out")
        return False
    return True


def _key_names(
    keys: Sequence[Expression], parts: Sequence[tree.Expression], items: Sequence[Listed], binder: SqlBinder
) -> tuple[str, ...]:
    """Return the names of the group's columns: those of the SELECT list, else their own, with a number if needed."""
    aside = binder.beside({})
    name_of: dict[Expression, str] = {}
    for name, source, _ in items:
        bound = None if calls_aggregate(source) or is_window(source) else aside.bind(source)
        if bound is not None:
            name_of.setdefault(bound, name)
    names: list[str] = []
    for key, part in zip(keys, parts, strict=True):
        own = name_of.get(key) or (part.parts[-1] if isinstance(part, tree.Reference) else "part")
        names.append(unused(own, names))
    return tuple(names)


def unused(name: str, names: Sequence[str]) -> str:
    """Return a name, with a number if it is one of others."""
    used_names = {each.casefold() for each in names}
    return next(n for i in count() if (n := f"{name}_{i}" if i else name).casefold() not in used_names)


def _window(
    windows: Sequence[tree.Expression], names: Sequence[str], query_input: Input, limits: Limits, findings: Findings
) -> GroupWindow | None:
    first = windows[0]
    if len(windows) > 1:
        message = "GROUP BY with several windows is not supported in models of the dialect sql"
        findings.error("LSQ450", message, windows[1].at, help="remove one")
        return None
    if query_input.kind == "TABLE":
        findings.error("LSQ324", "a TABLE cannot be aggregated in windows", first.at,
                       notes=("a table is the latest state of its keys, not events in time",),
                       help="read the records of the topic: FROM STREAM(...)")  # fmt: skip
        return None
    assert isinstance(first, tree.Call)
    return bound_window(first, names, limits.grace, findings)


def _timed(window: GroupWindow, node: Node, binder: SqlBinder) -> Node | None:
    """Return the records with the time of the window; None after an error."""
    source = window.call.arguments[0]
    time = binder.bind(source)
    if time is None:
        return None
    if time == Cast(RecordTime(), data.TIMESTAMP, False):
        return node
    if time.type != data.TIMESTAMP:
        findings_help = f"convert it: CAST({binder.text(source)} AS TIMESTAMP)"
        binder.findings.error("LSQ209", f"the time of a window must be a TIMESTAMP, not {time.type}", source.at,
                              help=findings_help if _is_castable(time.type) else None)  # fmt: skip
        return None
    return EventTime(node, Cast(time, data.BIGINT, time.nullable), passes_over=True)


def _is_castable(type: DataType) -> bool:
    return type in (data.DATE, data.STRING, data.BIGINT)
