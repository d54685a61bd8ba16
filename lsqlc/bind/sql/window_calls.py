"""Calls with OVER: the rows of a partition are kept as an ordered array, from which their values are computed.

Calls with one PARTITION BY and ORDER BY share an array. Each of its elements becomes a row again, with its original
key, and with the values of the calls as further columns. Rows that are equal in the order are ordered by their keys. A
partition is computed again when one of its rows changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.coerce import coerce
from lsqlc.bind.columns import Column
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.interval_casts import interval_of, number_of
from lsqlc.bind.sql.rows import Input
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.window_values import PLACES, SHIFTED, TOTALS, VALUES, computed_rows
from lsqlc.plan.expression import (
    Aggregation,
    Expression,
    Field,
    Literal,
    StructOf,
)
from lsqlc.plan.nodes import Aggregate, Lateral
from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.rewrite import rewrite
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct

# The source of the columns of calls: no name in a text equals it.
_LABEL = " window"
# Functions that are computed as another one: BOOL_AND is the minimum of the conditions.
_OTHER_NAMES = {
    "BOOL_AND": "MIN", "EVERY": "MIN", "BOOL_OR": "MAX", "SOME": "MAX", "ANY": "MAX", "COUNT_IF": "COUNT",
    "MEAN": "AVG", "TRY_AVG": "AVG", "TRY_SUM": "SUM", "ARRAY_AGG": "COLLECT_LIST",
}  # fmt: skip
# The calls that are computed from the numbers of intervals.
_OF_INTERVALS = ("MIN", "MAX", "SUM")
_COMPARED = (data.STRING, data.BOOLEAN, data.DATE, data.TIMESTAMP, data.BYTES, data.TIME)


def with_window_calls(select: sql.Select, query_input: Input, binder: SqlBinder) -> Input | None:
    """Return the rows of FROM and WHERE with the values of the calls with OVER as columns; None after an error."""
    if query_input.kind != "TABLE":
        what = "records" if query_input.kind == "RECORDS" else "a stream"
        binder.findings.error("LSQ462", f"OVER cannot be computed over {what}", select.windows[0].at,
                              notes=("a record that comes later would change the rows of those before it",),
                              help="read a table, a topic with a key")  # fmt: skip
        return None
    pending = list(select.windows)
    while pending:
        first = pending[0]
        together = [call for call in pending if same_parts(_order(call), _order(first))]
        pending = [call for call in pending if call not in together]
        used = _names(select, pending)
        binder = replace(binder, scope=Scope(query_input.labels, query_input.columns), not_null=query_input.not_null)
        computed = _with_calls(together, query_input, binder, used)
        if computed is None:
            return None
        query_input = computed
    return query_input


def qualified(select: sql.Select, scope: Scope) -> tree.Expression | None:
    """Return the condition of QUALIFY, with names of the SELECT list that are not columns replaced by their
    expressions.
    """
    if select.qualify is None:
        return None
    expression_of = {item.alias.text.casefold(): item.source for item in select.items if item.alias is not None}

    def change(expression: tree.Expression) -> tree.Expression | None:
        if not isinstance(expression, tree.Reference) or len(expression.parts) > 1 or scope.find(expression.parts):
            return None
        source = expression_of.get(expression.parts[0].casefold())
        return None if isinstance(source, tree.Wildcard) else source

    result: tree.Expression = rewrite(select.qualify, change)
    return result


def _with_calls(
    calls: Sequence[sql.WindowCall], query_input: Input, binder: SqlBinder, used: frozenset[str] | None
) -> Input | None:
    """Return the rows with the values of calls that have one PARTITION BY and one ORDER BY; None after an error."""
    calls = [replace(call, function=_written_out(call.function)) for call in calls]
    first = calls[0]
    keys = [binder.bind(part) for part in first.partition]
    order = [binder.bind(part.value) for part in first.order]
    bound = [_arguments(call, binder) for call in calls]
    arguments = [each for each in bound if each is not None]
    interval_types = [_interval_type(call, binder) for call in calls]
    if None in keys or None in order or len(arguments) < len(bound):
        return None
    places = (*(part.at for part in first.partition), *(part.value.at for part in first.order))
    for value, at in zip((*keys, *order), places, strict=True):
        assert value is not None
        if value.type == data.NULL or any(isinstance(part, Map) for part in data.parts(value.type)):
            binder.findings.error("LSQ456", f"the expression is {value.type}, which cannot be compared", at,
                                  help="use a part of it")  # fmt: skip
            return None
    row_columns = [
        c for c in query_input.columns if used is None or c.name.casefold() in used or c.name.startswith(" ")
    ]
    names, values = ["k"], [query_input.key]
    for number, column in enumerate(row_columns):
        names.append(f"c{number}")
        values.append(column.expression)
    row_values: dict[str, Expression] = {}
    for number, of_call in enumerate(arguments):
        for index, argument in enumerate(of_call):
            if not isinstance(argument, Literal):
                row_values[f"x{number}_{index}"] = argument
    if not all(_with_bounds(call, number, row_values, binder) for number, call in enumerate(calls)):
        return None
    for number, value in enumerate(order):
        assert value is not None
        names.append(f"o{number}")
        values.append(value)
    row = StructOf((*names, *row_values), (*values, *row_values.values()))
    marks = ",".join(part.mark for part in first.order)
    element = Struct((data.Field("rank", data.INT, False), data.Field("row", row.type, False)))
    every = (row, Literal(0, data.INT), Literal(marks, data.STRING))
    partition = tuple(key for key in keys if key is not None) or (Literal("all", data.STRING),)
    kept_rows = Aggregation("FIRST_ROWS", every, Array(element), False)
    groups = Aggregate(
        query_input.node, partition, tuple(f"p{i}" for i in range(len(partition))), "json", (kept_rows,), None
    )
    computed = computed_rows(calls, arguments, groups.aggregate_field(0), element, row_values, len(order))
    computed_row = Lateral(groups, computed, "")
    assert isinstance(computed.type, Array) and isinstance(computed.type.element, Struct)
    types = {field.name: field for field in computed.type.element.fields}
    columns = [
        replace(c, expression=Field(1, "value", ("row", f"c{i}"), c.expression.type, c.expression.nullable))
        for i, c in enumerate(row_columns)
    ]
    for call, interval in zip(calls, interval_types, strict=True):
        name = call.name.strip()
        computed_value = Field(1, "value", (name,), types[name].type, types[name].nullable)
        converted = computed_value if interval is None else interval_of(computed_value, interval)
        columns.append(Column(_LABEL, call.name, converted, False, listed=False))
    key = Field(1, "value", ("row", "k"), query_input.key.type, True)
    return replace(
        query_input, node=computed_row, labels=query_input.labels, columns=tuple(columns), key=key, not_null=(),
        depth=query_input.depth + 1, size=query_input.size + 1,
    )  # fmt: skip


def _interval_type(call: sql.WindowCall, binder: SqlBinder) -> DataType | None:
    """Return the type of a call that is computed from the numbers of intervals; None for any other call."""
    if call.function.name.text not in _OF_INTERVALS or not call.function.arguments:
        return None
    argument = replace(binder, findings=binder.findings.aside()).bind(call.function.arguments[0])
    return argument.type if argument is not None and argument.type in data.INTERVALS else None


def _written_out(call: tree.Call) -> tree.Call:
    """Return the equivalent call of an aggregate of conditions, or of an alias."""
    if len(call.arguments) != 1:
        return call
    name, (value,), at = call.name.text, call.arguments, call.at
    other = _OTHER_NAMES.get(name)
    if other is None:
        return call
    aggregated: tree.Expression = value
    if name == "COUNT_IF":
        aggregated = tree.Case(None, ((value, tree.Literal(1, at)),), None, at)
    elif other in ("MIN", "MAX"):
        is_false = tree.Unary("NOT", value, at)
        branches = ((value, tree.Literal(True, at)), (is_false, tree.Literal(False, at)))
        aggregated = tree.Case(None, branches, None, at)
    return tree.Call(tree.Name(other, call.name.at), (aggregated,), False, at)


def _with_bounds(call: sql.WindowCall, number: int, row_values: dict[str, Expression], binder: SqlBinder) -> bool:
    """Add the bounds of a RANGE frame with distances to the values of the row; return False after an error."""
    bounds = (call.frame.low, call.frame.high) if call.frame is not None else ()
    for name, bound in zip(("low", "high"), bounds, strict=False):
        if bound is None:
            continue
        value, key = binder.bind(bound), binder.bind(call.order[0].value)
        if value is None or key is None:
            return False
        are_numbers = data.is_numeric(value.type) and data.is_numeric(key.type)
        if not are_numbers and (value.type != key.type or key.type not in (data.DATE, data.TIMESTAMP)):
            binder.findings.error("LSQ462", f"the distance of a frame does not fit an order by {key.type}", call.at,
                                  help="write a number, or of a time an INTERVAL")  # fmt: skip
            return False
        row_values[f"{name}{number}"] = value
    return True


def _arguments(call: sql.WindowCall, binder: SqlBinder) -> tuple[Expression, ...] | None:
    """Return the bound arguments of a call; None after an error."""
    name, call_arguments, findings = call.function.name.text, call.function.arguments, binder.findings
    function_names = (*PLACES, *SHIFTED, *VALUES, *TOTALS)
    if name not in function_names:
        displayed_name = f"{name.removesuffix('_DISTINCT')}(DISTINCT ...)" if name.endswith("_DISTINCT") else name
        findings.error("LSQ462", f"{displayed_name} cannot be called with OVER", call.at,
                       notes=(f"with OVER there are {', '.join(function_names)}",),
                       help="use GROUP BY in a query of its own, and join it")  # fmt: skip
        return None
    if not call.order and name in (*PLACES, *SHIFTED):
        findings.error("LSQ462", f"{name} requires ORDER BY", call.at,
                       help="say which rows come first: ORDER BY column DESC")  # fmt: skip
        return None
    if call.frame is not None and name in (*PLACES, *SHIFTED):
        findings.error("LSQ462", f"{name} takes no frame", call.at, help="leave out ROWS or RANGE")
        return None
    if call.function.star and name == "COUNT":
        return ()
    if call.function.star:
        findings.error("LSQ208", f"'*' can only be an argument of COUNT, not of {name}", call.at)
        return None
    most = {"NTILE": 1, "LAG": 3, "LEAD": 3, "NTH_VALUE": 2}.get(name, 0 if name in PLACES else 1)
    if not (0 if name in PLACES else 1) <= len(call_arguments) <= most:
        findings.error("LSQ208", f"{name} takes {most} argument{'s' * (most != 1)}, not {len(call_arguments)}", call.at)
        return None
    bound = [binder.bind(argument) for argument in call_arguments]
    if None in bound:
        return None
    result = [each for each in bound if each is not None]
    offset_index = 0 if name == "NTILE" else 1
    if len(result) > offset_index:
        argument, at = result[offset_index], call_arguments[offset_index].at
        number = argument.value if isinstance(argument, Literal) else None
        if not isinstance(number, int) or (name in ("NTILE", "NTH_VALUE") and number < 1):
            findings.error("LSQ209", f"the number of rows of {name} must be a literal", at,
                           help=f"write a number: {name}({'4' if name == 'NTILE' else 'x, 2'})")  # fmt: skip
            return None
    if name in _OF_INTERVALS and result[0].type in data.INTERVALS:
        return (number_of(result[0]), *result[1:])
    if name in ("SUM", "AVG") and not data.is_numeric(result[0].type) and result[0].type != data.NULL:
        findings.error("LSQ209", f"'value' of {name} must be a number, not {result[0].type}", call_arguments[0].at)
        return None
    if name in ("MIN", "MAX") and not (data.is_numeric(result[0].type) or result[0].type in _COMPARED):
        findings.error("LSQ209", f"{name} cannot take ({result[0].type})", call_arguments[0].at)
        return None
    if len(result) == 3:
        types = (result[0].type, result[2].type)
        if not all(map(data.is_numeric, types)) and binder.common_type(types) != types[0]:
            findings.error("LSQ209", f"the default of {name} must be {result[0].type}, not {result[2].type}",
                           call_arguments[2].at)  # fmt: skip
            return None
        result[2] = coerce(result[2], types[0])
    if result and result[0].type == data.NULL:
        findings.error("LSQ459", "NULL has no type here", call_arguments[0].at, help="say which: CAST(NULL AS STRING)")
        return None
    return tuple(result)


def _names(select: sql.Select, pending: Sequence[sql.WindowCall]) -> frozenset[str] | None:
    """Return the parts of names, in lower case, in the SELECT list, QUALIFY and further calls; None if all are used."""
    if any(isinstance(item.source, tree.Wildcard) for item in select.items):
        return None
    expressions: list[tree.Expression] = [
        item.source for item in select.items if not isinstance(item.source, tree.Wildcard)
    ]
    for call in pending:
        expressions += (*call.function.arguments, *call.partition, *(part.value for part in call.order))
    if select.qualify is not None:
        expressions.append(select.qualify)
    return frozenset(
        part.casefold()
        for expression in expressions
        for each in walk(expression)
        if isinstance(each, tree.Reference)
        for part in each.parts
    )


def _order(call: sql.WindowCall) -> tuple[object, ...]:
    """Return the PARTITION BY and the ORDER BY of a call."""
    return call.partition, call.order
