"""PIVOT as aggregates of the rows with each value, and UNPIVOT as the elements of an array of columns."""

from __future__ import annotations

from dataclasses import replace

from lsqlc.bind.coerce import coerce
from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.coercion import common_type, converted
from lsqlc.bind.sql.expressions import DIALECT, SqlBinder
from lsqlc.bind.sql.outputs import reference_of, rendered, unnamed
from lsqlc.bind.sql.rows import Input
from lsqlc.bind.sql.scope import Scope
from lsqlc.functions import catalogue
from lsqlc.plan.expression import ArrayOf, Expression, Field, Literal, Operation, StructOf, joined
from lsqlc.plan.nodes import Filter, Lateral, Node
from lsqlc.syntax import tree
from lsqlc.syntax.rewrite import rewrite
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.group_calls import filtered
from lsqlc.syntax.walk import walk
from lsqlc.types import data
from lsqlc.types.data import Array, Struct

# Aggregates that are null over no rows.
_NULL_OF_NONE = ("SUM", "AVG", "MIN", "MAX", "SUM_DISTINCT", "AVG_DISTINCT")
# Internal names of the columns of UNPIVOT, and of their source: no column has these names.
_NAME, _UNPIVOTED = " name", " unpivoted"


def with_pivot(
    select: sql.Select, query_input: Input, findings: Findings, *, strict: bool
) -> tuple[sql.Select, Input] | None:
    """Return a SELECT without its PIVOT or UNPIVOT, and its input; None after an error."""
    if isinstance(select.pivot, sql.Pivot):
        grouped = _pivoted(select, select.pivot, query_input, findings)
        return None if grouped is None else (grouped, query_input)
    if isinstance(select.pivot, sql.Unpivot):
        return _unpivoted(select, select.pivot, query_input, findings, strict=strict)
    return select, query_input


def _pivoted(select: sql.Select, pivot: sql.Pivot, query_input: Input, findings: Findings) -> sql.Select | None:
    scope = Scope(query_input.labels, query_input.columns)
    calls = [item.source for item in pivot.aggregates if not isinstance(item.source, tree.Wildcard)]
    if not all(any(_is_aggregate(part) for part in walk(call)) for call in calls):
        findings.error("LSQ472", "PIVOT takes aggregates", pivot.at, help="write PIVOT (SUM(x) FOR y IN (1, 2))")
        return None
    wrong = next((each for each in pivot.values if len(each.values) != len(pivot.among)), None)
    if wrong is not None:
        message = f"a value of PIVOT has {len(wrong.values)} parts, and FOR names {len(pivot.among)}"
        findings.error("LSQ472", message, wrong.at, help="write FOR (a, b) IN ((1, 2) AS name)")
        return None
    used: set[int] = set()
    for part in (part for each in (*calls, *pivot.among) for part in walk(each)):
        if isinstance(part, tree.Reference):
            if scope.resolve(part, findings) is None:
                return None
            used |= {id(scope.find(part.parts)[0][0])}
    group_columns = [column for column in query_input.columns if column.listed and id(column) not in used]
    groups = tuple(reference_of(column, scope, pivot.at) for column in group_columns)
    items = [sql.Item(r, tree.Name(c.name, pivot.at), pivot.at) for r, c in zip(groups, group_columns, strict=True)]
    for value in pivot.values:
        holds = _holds(pivot.among, value)
        for item, call in zip(pivot.aggregates, calls, strict=True):
            own = item.alias.text if item.alias is not None else item.name and rendered(item.name, scope)
            if own is None:
                unnamed(item, "name", findings)
                return None
            name = value.name if len(calls) == 1 else f"{value.name}_{own}"
            items.append(sql.Item(_of_rows(call, holds), tree.Name(name, value.at), item.at))
    return replace(select, items=tuple(items), group_by=groups, pivot=None)


def _is_aggregate(part: tree.Expression) -> bool:
    return isinstance(part, tree.Call) and catalogue.aggregate(part.name.text, DIALECT) is not None


def _holds(among: tuple[tree.Expression, ...], value: sql.Pivoted) -> tree.Expression:
    """Return the condition that a row belongs to a value."""
    parts = tuple(
        tree.IsNull(one, False, value.at)
        if isinstance(other, tree.Literal) and other.value is None
        else tree.Binary("=", one, other, value.at)
        for one, other in zip(among, value.values, strict=True)
    )
    return parts[0] if len(parts) == 1 else tree.Logic("AND", parts, value.at)


def _of_rows(call: tree.Expression, holds: tree.Expression) -> tree.Expression:
    """Return an aggregate over the rows for which a condition is true, null if there are none."""

    def change(part: tree.Expression) -> tree.Expression | None:
        if not isinstance(part, tree.Call) or not _is_aggregate(part):
            return None
        return filtered(part, holds, part.at)

    filtered_call: tree.Expression = rewrite(call, change)
    if isinstance(call, tree.Call) and call.name.text in _NULL_OF_NONE:
        return filtered_call
    count = tree.Call(tree.Name("COUNT", call.at), (), True, call.at)
    some = tree.Binary(">", filtered(count, holds, call.at), tree.Literal(0, call.at), call.at)
    return tree.Case(None, ((some, filtered_call),), None, call.at)


def _unpivoted(
    select: sql.Select, unpivot: sql.Unpivot, query_input: Input, findings: Findings, *, strict: bool
) -> tuple[sql.Select, Input] | None:  # fmt: skip
    scope = Scope(query_input.labels, query_input.columns)
    binder = SqlBinder(findings, scope=scope, strict=strict)
    width = len(unpivot.targets)
    rows: list[tuple[Expression, ...]] = []
    used: set[int] = set()
    for each in unpivot.columns:
        if len(each.values) != width:
            message = f"a row of UNPIVOT has {len(each.values)} columns, and the list of names {width}"
            findings.error("LSQ472", message, each.at, help="write UNPIVOT ((x, y) FOR name IN ((a, b), (c, d)))")
            return None
        bound = [binder.bind(value) for value in each.values]
        values = tuple(value for value in bound if value is not None)
        if len(values) < width:
            return None
        used |= {id(scope.find(v.parts)[0][0]) for v in each.values if isinstance(v, tree.Reference)}
        rows.append(values)
    types = [common_type([row[i].type for row in rows]) for i in range(width)]
    if None in types:
        type_list = " and ".join(dict.fromkeys(str(row[types.index(None)].type) for row in rows))
        findings.error(
            "LSQ472", f"the columns of UNPIVOT are {type_list}", unpivot.at, help="convert them with CAST before"
        )
        return None
    column_types = [each for each in types if each is not None]
    names = (_NAME, *(f"c{i}" for i in range(width)))
    elements = []
    for each, row in zip(unpivot.columns, rows, strict=True):
        values = tuple(coerce(converted(v, t), t) for v, t in zip(row, column_types, strict=True))
        elements.append(StructOf(names, (Literal(each.name, data.STRING), *values)))
    of = (data.Field(_NAME, data.STRING), *(data.Field(n, t) for n, t in zip(names[1:], column_types, strict=True)))
    number = len(query_input.node.relations)
    node: Node = Lateral(query_input.node, ArrayOf(tuple(elements), Array(Struct(of))), _UNPIVOTED)
    fields = [Field(number, "value", (f.name,), f.type, f.name != _NAME) for f in of]
    if not unpivot.nulls:
        some = [Operation("IS NOT NULL", (field,), data.BOOLEAN, False) for field in fields[1:]]
        node = Filter(node, joined("OR", some))
    new_names = (unpivot.name, *unpivot.targets)
    columns = tuple(Column(_UNPIVOTED, n.text, field, False) for n, field in zip(new_names, fields, strict=True))
    old_columns = tuple(replace(c, listed=c.listed and id(c) not in used) for c in query_input.columns)
    key, key_format = query_input.key, query_input.key_format
    if query_input.kind == "TABLE":
        label = query_input.labels[0] or "row"
        part = unpivot.name.text if unpivot.name.text.casefold() != label.casefold() else f"{label}_column"
        key, key_format = StructOf((label, part), (query_input.key, fields[0])), "json"
    labels = (*query_input.labels, _UNPIVOTED)
    return replace(select, pivot=None), replace(
        query_input,
        node=node,
        labels=labels,
        columns=(*old_columns, *columns),
        key=key,
        key_format=key_format,
        constants=None,
    )
