"""Calls with OVER: the rows of a partition are kept as an array in order, from which the value of each is computed.

Calls with one PARTITION BY and ORDER BY share an array. Each of its elements becomes a row again, under the key that it
had, with the values of the calls as columns more. Rows that are equal in the order come in that of their keys. A
partition is computed again when one of its rows changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import msgspec

from lsqlc.bind.coerce import coerce
from lsqlc.bind.columns import Column
from lsqlc.bind.sql.correlation import is_grouped
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.rows import Fed
from lsqlc.bind.sql.scope import Scope
from lsqlc.functions.inner import window_rows
from lsqlc.plan.expression import (
    Aggregation,
    Call,
    Case,
    Cast,
    ElementAt,
    Expression,
    Field,
    Lambda,
    Literal,
    Member,
    Operation,
    StructOf,
    Variable,
)
from lsqlc.plan.nodes import Aggregate, Lateral
from lsqlc.syntax import tree
from lsqlc.syntax.rewrite import rewrite
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct

# The source of the columns that calls make: no name of a text is it.
_LABEL = " window"
_ELEMENT, _PARTITION, _ITEM = "window_row", "window_partition", "window_item"
_PLACES = ("ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE")
_SHIFTED = ("LAG", "LEAD")
_VALUES = ("FIRST_VALUE", "LAST_VALUE", "NTH_VALUE")
_TOTALS = ("COUNT", "SUM", "AVG", "MIN", "MAX")
_COMPARED = (data.STRING, data.BOOLEAN, data.DATE, data.TIMESTAMP, data.BYTES, data.TIME)


def over_groups(select: sql.Select) -> sql.Select:
    """Return a SELECT with groups and calls with OVER as one over a query of the groups: the calls are over these."""
    is_ranked = select.ranking is not None and select.ranking.word == "ROW_NUMBER"
    if not (select.windows or is_ranked) or not is_grouped(select):
        return select
    inner: list[sql.Item] = []
    groups = tuple(_meant(each, select.items) for each in select.group_by)
    grouped_names = {each.parts[-1].casefold() for each in groups if isinstance(each, tree.Reference)}
    aliases = {item.alias.text.casefold() for item in select.items if item.alias is not None} - grouped_names

    def change(expression: tree.Expression) -> tree.Expression | None:
        if isinstance(expression, tree.Literal) or _is_call(expression) or _is_one_of(expression, aliases):
            return expression
        if any(_is_call(part) or _is_one_of(part, aliases) for part in walk(expression)):
            return None
        inner.append(sql.Item(expression, tree.Name(f" e{len(inner)}", expression.at), expression.at))
        return tree.Reference((f" e{len(inner) - 1}",), expression.at)

    def outside(expression: Any) -> Any:
        """The expression over the columns of the inner query."""
        return rewrite(expression, change)

    def ordered(part: sql.Ordered) -> sql.Ordered:
        return replace(part, value=outside(part.value))

    items: list[sql.Item] = []
    for item in select.items:
        if isinstance(item.source, tree.Wildcard) or any(map(_is_call, walk(item.source))):
            source = item.source if isinstance(item.source, tree.Wildcard) else outside(item.source)
            items.append(replace(item, source=source))
            continue
        name = (
            item.alias.text if item.alias else item.source.parts[-1] if isinstance(item.source, tree.Reference) else ""
        )
        if not name:
            items.append(replace(item, source=outside(item.source)))
            continue
        inner.append(item)
        items.append(sql.Item(tree.Reference((name,), item.at), tree.Name(name, item.at), item.at))
    windows = tuple(
        replace(
            call,
            function=msgspec.structs.replace(call.function, arguments=outside(call.function.arguments)),
            partition=outside(call.partition),
            order=tuple(map(ordered, call.order)),
        )
        for call in select.windows
    )
    ranking = select.ranking and replace(
        select.ranking,
        partition=outside(select.ranking.partition),
        order=tuple(map(ordered, select.ranking.order)),
    )
    qualify = select.qualify and outside(select.qualify)
    grouped = replace(
        select, items=tuple(inner), group_by=groups, distinct=False, windows=(), ranking=None, qualify=None
    )
    source = sql.QuerySource(sql.Query((), grouped, select.at), None, select.at)
    return sql.Select(
        tuple(items), select.distinct, source, (), None, (), None, select.at, select.items_at,
        ranking=ranking, windows=windows, qualify=qualify,
    )  # fmt: skip


def with_window_calls(select: sql.Select, fed: Fed, binder: SqlBinder) -> Fed | None:
    """Return the rows of FROM and WHERE with the values of the calls with OVER as columns; None after an error."""
    if fed.kind != "TABLE":
        what = "records" if fed.kind == "RECORDS" else "a stream"
        binder.findings.error("LSQ462", f"OVER cannot be computed over {what}", select.windows[0].at,
                              notes=("a record that comes later would change the rows of those before it",),
                              help="read a table, a topic with a key")  # fmt: skip
        return None
    pending = list(select.windows)
    while pending:
        first = pending[0]
        together = [call for call in pending if _same_order(call, first)]
        pending = [call for call in pending if not _same_order(call, first)]
        used = _names(select, pending)
        binder = replace(binder, scope=Scope(fed.labels, fed.columns), known=fed.known)
        computed = _with_calls(together, fed, binder, used)
        if computed is None:
            return None
        fed = computed
    return fed


def qualified(select: sql.Select, scope: Scope) -> tree.Expression | None:
    """Return the condition of QUALIFY, where names of the SELECT list that no column has stand for what they name."""
    if select.qualify is None:
        return None
    named = {item.alias.text.casefold(): item.source for item in select.items if item.alias is not None}

    def change(expression: tree.Expression) -> tree.Expression | None:
        if not isinstance(expression, tree.Reference) or len(expression.parts) > 1 or scope.find(expression.parts):
            return None
        source = named.get(expression.parts[0].casefold())
        return None if isinstance(source, tree.Wildcard) else source

    result: tree.Expression = rewrite(select.qualify, change)
    return result


@dataclass(frozen=True, slots=True)
class _Partition:
    """What the value of a call is computed from: the row, whose place counts from 1, and all rows of its partition in
    order. `columns`: an argument of a call over all these rows, an array, by its name; `orders`: what they are ordered
    by, likewise.
    """

    row: Variable
    rows: Expression
    columns: Mapping[str, Expression]
    orders: Expression | None

    @property
    def place(self) -> Expression:
        return Member(self.row, "rank", data.INT, False)

    @property
    def size(self) -> Expression:
        return Call(window_rows.FRAME_SIZE, (self.rows,), data.INT, False)

    def peer(self, function: str) -> Expression:
        """The place of the first or the last row that is equal to the row in the order; without an order all are."""
        if self.orders is None:
            return _int(1) if function == window_rows.FIRST_PEER else self.size
        assert isinstance(self.orders.type, Array)
        return Call(function, (self.orders, _order_of(self.row, self.orders.type.element)), data.INT, False)


def _with_calls(
    calls: Sequence[sql.WindowCall], fed: Fed, binder: SqlBinder, used: frozenset[str] | None
) -> Fed | None:
    """The rows with the values of calls that have one PARTITION BY and one ORDER BY."""
    first = calls[0]
    keys = [binder.bind(part) for part in first.partition]
    order = [binder.bind(part.value) for part in first.order]
    arguments = [_arguments(call, binder) for call in calls]
    if None in keys or None in order or None in arguments:
        return None
    places = (*(part.at for part in first.partition), *(part.value.at for part in first.order))
    for value, at in zip((*keys, *order), places, strict=True):
        assert value is not None
        if value.type == data.NULL or any(isinstance(part, Map) for part in data.parts(value.type)):
            binder.findings.error("LSQ456", f"the expression is {value.type}, which cannot be compared", at,
                                  help="use a part of it")  # fmt: skip
            return None
    kept = [c for c in fed.columns if used is None or c.name.casefold() in used or c.name.startswith(" ")]
    names, values = ["k"], [fed.key]
    for number, column in enumerate(kept):
        names.append(f"c{number}")
        values.append(column.expression)
    listed: dict[str, Expression] = {}
    for number, of_call in enumerate(arguments):
        assert of_call is not None
        for index, argument in enumerate(of_call):
            if not isinstance(argument, Literal):
                listed[f"x{number}_{index}"] = argument
    for number, value in enumerate(order):
        assert value is not None
        names.append(f"o{number}")
        values.append(value)
    row = StructOf((*names, *listed), (*values, *listed.values()))
    marks = ",".join(
        f"{'DESC' if o.descending else 'ASC'} NULLS {'FIRST' if o.nulls_first else 'LAST'}" for o in first.order
    )
    element = Struct((data.Field("rank", data.INT, False), data.Field("row", row.type, False)))
    every = (row, _int(0), Literal(marks, data.STRING))
    partition = tuple(key for key in keys if key is not None) or (Literal("all", data.STRING),)
    kept_rows = Aggregation("FIRST_ROWS", every, Array(element), False)
    groups = Aggregate(fed.node, partition, tuple(f"p{i}" for i in range(len(partition))), "json", (kept_rows,), None)
    computed = _computed(calls, arguments, groups.aggregate_field(0), element, listed, len(order), binder)
    if computed is None:
        return None
    laid = Lateral(groups, computed, "")
    assert isinstance(computed.type, Array) and isinstance(computed.type.element, Struct)
    types = {field.name: field for field in computed.type.element.fields}
    columns = [
        replace(c, expression=Field(1, "value", ("row", f"c{i}"), c.expression.type, c.expression.nullable))
        for i, c in enumerate(kept)
    ]
    for call in calls:
        name = call.name.strip()
        value = Field(1, "value", (name,), types[name].type, types[name].nullable)
        columns.append(Column(_LABEL, call.name, value, False, listed=False))
    key = Field(1, "value", ("row", "k"), fed.key.type, True)
    return replace(
        fed, node=laid, labels=fed.labels, columns=tuple(columns), key=key, known=(), depth=fed.depth + 1,
        size=fed.size + 1,
    )  # fmt: skip


def _arguments(call: sql.WindowCall, binder: SqlBinder) -> tuple[Expression, ...] | None:
    """The arguments of a call, bound; None after an error."""
    name, given, findings = call.function.name.text, call.function.arguments, binder.findings
    known = (*_PLACES, *_SHIFTED, *_VALUES, *_TOTALS)
    if name not in known:
        shown = f"{name.removesuffix('_DISTINCT')}(DISTINCT ...)" if name.endswith("_DISTINCT") else name
        findings.error("LSQ462", f"{shown} cannot be called with OVER", call.at,
                       notes=(f"with OVER there are {', '.join(known)}",),
                       help="use GROUP BY in a query of its own, and join it")  # fmt: skip
        return None
    if not call.order and name in (*_PLACES, *_SHIFTED):
        findings.error("LSQ462", f"{name} requires ORDER BY", call.at,
                       help="say which rows come first: ORDER BY column DESC")  # fmt: skip
        return None
    if call.frame is not None and name in (*_PLACES, *_SHIFTED):
        findings.error("LSQ462", f"{name} takes no frame", call.at, help="leave out ROWS or RANGE")
        return None
    if call.function.star:
        return ()
    most = {"NTILE": 1, "LAG": 3, "LEAD": 3, "NTH_VALUE": 2}.get(name, 0 if name in _PLACES else 1)
    if not (0 if name in _PLACES else 1) <= len(given) <= most:
        findings.error("LSQ208", f"{name} takes {most} argument{'s' * (most != 1)}, not {len(given)}", call.at)
        return None
    bound = [binder.bind(argument) for argument in given]
    if None in bound:
        return None
    result = [each for each in bound if each is not None]
    counted = 0 if name == "NTILE" else 1
    if len(result) > counted:
        argument, at = result[counted], given[counted].at
        number = argument.value if isinstance(argument, Literal) else None
        if not isinstance(number, int) or (name in ("NTILE", "NTH_VALUE") and number < 1):
            findings.error("LSQ209", f"the number of rows of {name} must be a literal", at,
                           help=f"write a number: {name}({'4' if name == 'NTILE' else 'x, 2'})")  # fmt: skip
            return None
    if name in ("SUM", "AVG") and not data.is_numeric(result[0].type) and result[0].type != data.NULL:
        findings.error("LSQ209", f"'value' of {name} must be a number, not {result[0].type}", given[0].at)
        return None
    if name in ("MIN", "MAX") and not (data.is_numeric(result[0].type) or result[0].type in _COMPARED):
        findings.error("LSQ209", f"{name} cannot take ({result[0].type})", given[0].at)
        return None
    if len(result) == 3:
        result[2] = coerce(result[2], result[0].type)
        if result[2].type != result[0].type:
            findings.error("LSQ209", f"the default of {name} must be {result[0].type}, not {result[2].type}",
                           given[2].at)  # fmt: skip
            return None
    if result and result[0].type == data.NULL:
        findings.error("LSQ459", "NULL has no type here", given[0].at, help="say which: CAST(NULL AS STRING)")
        return None
    return tuple(result)


def _computed(
    calls: Sequence[sql.WindowCall], arguments: Sequence[tuple[Expression, ...] | None], rows: Field, element: Struct,
    listed: Mapping[str, Expression], orders: int, binder: SqlBinder,
) -> Expression | None:  # fmt: skip
    """An array of the rows of a partition, each with the values of the calls."""
    item = Variable(_ITEM, element)

    def over_rows(value: Expression) -> Expression:
        return Call(window_rows.EACH, (rows, Lambda((item,), value)), Array(value.type), False)

    shared = {name: over_rows(_of_row(item, name, e.type)) for name, e in listed.items()}
    if orders:
        row_type = element.fields[1].type
        assert isinstance(row_type, Struct)
        kinds = [row_type.field(f"o{i}") for i in range(orders)]
        parts = tuple(_of_row(item, f"o{i}", kind.type) for i, kind in enumerate(kinds) if kind is not None)
        shared["orders"] = over_rows(StructOf(tuple(f"o{i}" for i in range(orders)), parts))
    whole = StructOf(tuple(shared), tuple(shared.values())) if shared else None
    partition = Variable(_PARTITION, whole.type) if whole is not None else None

    def of_partition(name: str) -> Expression:
        assert partition is not None
        return Member(partition, name, shared[name].type, False)

    row = Variable(_ELEMENT, element)
    context = _Partition(row, rows, {n: of_partition(n) for n in listed}, of_partition("orders") if orders else None)
    values = []
    for number, (call, given) in enumerate(zip(calls, arguments, strict=True)):
        assert given is not None
        values.append(_value(call, number, given, context))
    names = ("row", *(call.name.strip() for call in calls))
    made = StructOf(names, (Member(row, "row", element.fields[1].type, False), *values))
    each: Expression = Call(window_rows.EACH, (rows, Lambda((row,), made)), Array(made.type), False)
    if whole is None or partition is None:
        return each
    return Call(window_rows.WITH, (whole, Lambda((partition,), each)), each.type, False)


def _value(call: sql.WindowCall, number: int, given: Sequence[Expression], partition: _Partition) -> Expression:
    """The value of a call in one row."""
    name = call.function.name.text
    if name in _PLACES:
        return _place(name, given, partition)
    if name in _SHIFTED:
        return _shifted(name, call.ignores_nulls, number, given, partition)
    start, end = _bounds(call, partition)
    argument = partition.columns.get(f"x{number}_0")
    if argument is None and given:
        # A constant: the same in each row.
        argument = Call(
            window_rows.EACH, (partition.rows, Lambda((Variable(_ITEM, data.NULL),), given[0])), Array(given[0].type),
            False,
        )  # fmt: skip
    if argument is None:
        frame = Call(window_rows.FRAME, (partition.rows, start, end), partition.rows.type, False)
        return Cast(Call(window_rows.FRAME_SIZE, (frame,), data.INT, False), data.BIGINT, False)
    values: Expression = Call(window_rows.FRAME, (argument, start, end), argument.type, False)
    assert isinstance(values.type, Array)
    type = values.type.element
    if name in _TOTALS or call.ignores_nulls:
        values = Call(window_rows.PRESENT, (values,), values.type, False)
    count = Call(window_rows.FRAME_SIZE, (values,), data.INT, False)
    match name:
        case "COUNT":
            return Cast(count, data.BIGINT, False)
        case "SUM":
            return Call(window_rows.FRAME_SUM, (values,), window_rows.total_type(type), True)
        case "AVG":
            return _mean(values, count, type)
        case "MIN" | "MAX":
            return Call(getattr(window_rows, f"FRAME_{name}"), (values,), type, True)
        case "FIRST_VALUE":
            return ElementAt(values, _int(0), type)
        case "LAST_VALUE":
            return ElementAt(values, _minus(count, 1), type)
    assert name == "NTH_VALUE", f"{name} has no value"
    (_, nth) = given
    assert isinstance(nth, Literal) and isinstance(nth.value, int)
    return ElementAt(values, _int(nth.value - 1), type)


def _mean(values: Expression, count: Expression, type: DataType) -> Expression:
    total = Call(window_rows.FRAME_SUM, (values,), window_rows.total_type(type), True)
    as_double = total if total.type == data.DOUBLE else Cast(total, data.DOUBLE, True)
    return Operation("/", (as_double, Cast(count, data.DOUBLE, False)), data.DOUBLE, True)


def _place(name: str, given: Sequence[Expression], partition: _Partition) -> Expression:
    place, first = partition.place, partition.peer(window_rows.FIRST_PEER)
    match name:
        case "ROW_NUMBER":
            return place
        case "RANK":
            return first
        case "DENSE_RANK":
            assert partition.orders is not None
            return Call(window_rows.DISTINCT_BEFORE, (partition.orders, first), data.INT, False)
        case "PERCENT_RANK":
            before = Cast(_minus(first, 1), data.DOUBLE, False)
            others = Cast(_minus(partition.size, 1), data.DOUBLE, False)
            alone = Operation("<", (partition.size, _int(2)), data.BOOLEAN, False)
            share = Operation("/", (before, others), data.DOUBLE, True)
            return Case(((alone, Literal(0.0, data.DOUBLE)),), share, data.DOUBLE)
        case "CUME_DIST":
            last = partition.peer(window_rows.LAST_PEER)
            parts = (Cast(last, data.DOUBLE, False), Cast(partition.size, data.DOUBLE, False))
            return Operation("/", parts, data.DOUBLE, True)
    assert name == "NTILE", f"{name} is not a place"
    # The first `size % n` buckets have one row more than the others.
    buckets = given[0]
    index = _minus(place, 1)
    small = Operation("/", (partition.size, buckets), data.INT, True)
    rest = Operation("%", (partition.size, buckets), data.INT, True)
    large = Operation("+", (small, _int(1)), data.INT, True)
    in_large = Operation("*", (rest, large), data.INT, True)
    early = Operation("+", (Operation("/", (index, large), data.INT, True), _int(1)), data.INT, True)
    behind = Operation("/", (Operation("-", (index, in_large), data.INT, True), small), data.INT, True)
    late = Operation("+", (Operation("+", (behind, rest), data.INT, True), _int(1)), data.INT, True)
    return Case(((Operation("<", (index, in_large), data.BOOLEAN, True), early),), late, data.INT)


def _shifted(
    name: str, ignores_nulls: bool, number: int, given: Sequence[Expression], partition: _Partition
) -> Expression:  # fmt: skip
    """LAG and LEAD: the value of the row so many rows before or behind, the default where there is none."""
    type = given[0].type
    offset = given[1].value if len(given) > 1 and isinstance(given[1], Literal) else 1
    assert isinstance(offset, int)
    behind = offset if name == "LEAD" else -offset
    default = Literal(None, type) if len(given) < 3 else _own(given[2], f"x{number}_2", partition)
    place = partition.place
    values = partition.columns.get(f"x{number}_0")
    if values is None:
        values = Call(
            window_rows.EACH, (partition.rows, Lambda((Variable(_ITEM, data.NULL),), given[0])), Array(type), False
        )
    index: Expression
    if ignores_nulls and behind != 0:
        start, end = (_plus(place, 1), partition.size) if behind > 0 else (_int(1), _minus(place, 1))
        frame = Call(window_rows.FRAME, (values, start, end), values.type, False)
        values = Call(window_rows.PRESENT, (frame,), values.type, False)
        length = Call(window_rows.FRAME_SIZE, (values,), data.INT, False)
        index = _int(behind - 1) if behind > 0 else _plus(length, behind)
        size: Expression = length
    else:
        index, size = _plus(place, behind - 1), partition.size
    inside = Operation(
        "AND",
        (
            Operation(">=", (index, _int(0)), data.BOOLEAN, False),
            Operation("<", (index, size), data.BOOLEAN, False),
        ),
        data.BOOLEAN,
        False,
    )
    return Case(((inside, ElementAt(values, index, type)),), default, type)


def _bounds(call: sql.WindowCall, partition: _Partition) -> tuple[Expression, Expression]:
    """The places of the first and of the last row of the frame of a call."""
    frame = call.frame or sql.Frame(False, None, 0 if call.order else None)
    if frame.rows:
        start = _int(1) if frame.start is None else _plus(partition.place, frame.start)
        end = partition.size if frame.end is None else _plus(partition.place, frame.end)
        return start, end
    start = _int(1) if frame.start is None else partition.peer(window_rows.FIRST_PEER)
    end = partition.size if frame.end is None else partition.peer(window_rows.LAST_PEER)
    return start, end


def _own(value: Expression, name: str, partition: _Partition) -> Expression:
    """An argument in the row itself."""
    return value if isinstance(value, Literal) else _of_row(partition.row, name, value.type)


def _of_row(row: Variable, name: str, type: DataType) -> Expression:
    assert isinstance(row.type, Struct)
    return Member(Member(row, "row", row.type.fields[1].type, False), name, type, True)


def _order_of(row: Variable, type: DataType) -> Expression:
    assert isinstance(type, Struct)
    return StructOf(tuple(f.name for f in type.fields), tuple(_of_row(row, f.name, f.type) for f in type.fields))


def _int(value: int) -> Literal:
    return Literal(value, data.INT)


def _plus(value: Expression, number: int) -> Expression:
    return Operation("+", (value, _int(number)), data.INT, False) if number else value


def _minus(value: Expression, number: int) -> Expression:
    return _plus(value, -number)


def _same_order(one: sql.WindowCall, other: sql.WindowCall) -> bool:
    return _shape(one.partition) == _shape(other.partition) and _shape(one.order) == _shape(other.order)


def _shape(value: object) -> object:
    """A part of the syntax without its places in the text."""
    names: tuple[str, ...] = ()
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif is_dataclass(value):
        names = tuple(f.name for f in fields(value))
    if names:
        return (type(value).__name__, *(_shape(getattr(value, name)) for name in names if name != "at"))
    return tuple(map(_shape, value)) if isinstance(value, tuple) else value


def _names(select: sql.Select, pending: Sequence[sql.WindowCall]) -> frozenset[str] | None:
    """The parts of names, in lower case, that the SELECT list, QUALIFY and further calls have; None: all are used."""
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


def _is_one_of(expression: tree.Expression, names: Set[str]) -> bool:
    """Whether an expression is one of these names, in lower case."""
    return (
        isinstance(expression, tree.Reference)
        and len(expression.parts) == 1
        and (expression.parts[0].casefold() in names)
    )


def _is_call(expression: tree.Expression) -> bool:
    """Whether an expression stands for a call with OVER."""
    return isinstance(expression, tree.Reference) and expression.parts[0].startswith(" w")


def _meant(item: tree.Expression, items: Sequence[sql.Item]) -> tree.Expression:
    """An item of GROUP BY; a position of the SELECT list as what stands there."""
    match item:
        case tree.Literal(value=int(number)) if not isinstance(number, bool) and 1 <= number <= len(items):
            source = items[number - 1].source
            return item if isinstance(source, tree.Wildcard) else source
    return item
