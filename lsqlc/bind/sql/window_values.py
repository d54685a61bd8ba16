"""The values of calls with OVER, as expressions over the rows of a partition, which are an ordered array.

Each row has a position, which counts from 1. Values that all rows share are computed once (`window_rows.WITH`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsqlc.bind.coerce import coerce
from lsqlc.bind.sql.called import called
from lsqlc.functions.inner import window_rows
from lsqlc.plan.expression import (
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
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Struct, unify

PLACES = ("ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE")
SHIFTED = ("LAG", "LEAD")
VALUES = ("FIRST_VALUE", "LAST_VALUE", "NTH_VALUE")
TOTALS = ("COUNT", "SUM", "AVG", "MIN", "MAX", "COLLECT_LIST")
_ELEMENT, _PARTITION, _ITEM = "window_row", "window_partition", "window_item"
_EXTREMES = {"MIN": window_rows.FRAME_MIN, "MAX": window_rows.FRAME_MAX}


@dataclass(frozen=True, slots=True)
class _Partition:
    """The inputs of a call: the row, whose position counts from 1, and all rows of its partition in order.

    `columns`: by name, an argument of a call over all these rows, as an array. `orders`: the keys of their order, also
    as an array. `bounds`: the types of the values of each row.
    """

    row: Variable
    rows: Expression
    columns: Mapping[str, Expression]
    orders: Expression | None
    bounds: Mapping[str, DataType]

    @property
    def place(self) -> Expression:
        return Member(self.row, "rank", data.INT, False)

    @property
    def size(self) -> Expression:
        return Call(window_rows.FRAME_SIZE, (self.rows,), data.INT, False)

    def column(self, number: int, value: Expression) -> Expression:
        """Return the first argument of a call, `value`, over all rows. A constant is the same in each."""
        column = self.columns.get(f"x{number}_0")
        if column is not None:
            return column
        constant = Lambda((Variable(_ITEM, data.NULL),), value)
        return Call(window_rows.EACH, (self.rows, constant), Array(value.type), False)

    def peer(self, function: str) -> Expression:
        """Return the position of the first or the last row that is equal to the row in the order; without an order all
        are.
        """
        if self.orders is None:
            return _int(1) if function == window_rows.FIRST_PEER else self.size
        assert isinstance(self.orders.type, Array)
        return Call(function, (self.orders, _order_of(self.row, self.orders.type.element)), data.INT, False)


def computed_rows(
    calls: Sequence[sql.WindowCall], arguments: Sequence[tuple[Expression, ...]], rows: Field, element: Struct,
    row_values: Mapping[str, Expression], orders: int,
) -> Expression:  # fmt: skip
    """Return an array of the rows of a partition, each with the values of the calls."""
    item = Variable(_ITEM, element)

    def over_rows(value: Expression) -> Expression:
        return Call(window_rows.EACH, (rows, Lambda((item,), value)), Array(value.type), False)

    # A bound of a frame depends only on the row.
    shared = {name: over_rows(_of_row(item, name, e.type)) for name, e in row_values.items() if name.startswith("x")}
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
    columns = {n: of_partition(n) for n in shared if n in row_values}
    types = {name: e.type for name, e in row_values.items()}
    context = _Partition(row, rows, columns, of_partition("orders") if orders else None, types)
    values = []
    for number, (call, call_arguments) in enumerate(zip(calls, arguments, strict=True)):
        values.append(_value(call, number, call_arguments, context))
    names = ("row", *(call.name.strip() for call in calls))
    computed_row = StructOf(names, (Member(row, "row", element.fields[1].type, False), *values))
    each: Expression = Call(window_rows.EACH, (rows, Lambda((row,), computed_row)), Array(computed_row.type), False)
    if whole is None or partition is None:
        return each
    return Call(window_rows.WITH, (whole, Lambda((partition,), each)), each.type, False)


def _value(
    call: sql.WindowCall, number: int, call_arguments: Sequence[Expression], partition: _Partition
) -> Expression:
    """Return the value of a call in one row."""
    name = call.function.name.text
    if name in PLACES:
        return _place(name, call_arguments, partition)
    if name in SHIFTED:
        return _shifted(name, call.ignores_nulls, number, call_arguments, partition)
    start, end = _bounds(call, number, partition)
    if not call_arguments:
        frame = Call(window_rows.FRAME, (partition.rows, start, end), partition.rows.type, False)
        return Cast(Call(window_rows.FRAME_SIZE, (frame,), data.INT, False), data.BIGINT, False)
    argument = partition.column(number, call_arguments[0])
    values: Expression = Call(window_rows.FRAME, (argument, start, end), argument.type, False)
    assert isinstance(values.type, Array)
    type = values.type.element
    if name in TOTALS or call.ignores_nulls:
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
            return Call(_EXTREMES[name], (values,), type, True)
        case "COLLECT_LIST":
            return values
        case "FIRST_VALUE":
            return ElementAt(values, _int(0), type)
        case "LAST_VALUE":
            return ElementAt(values, _minus(count, 1), type)
    assert name == "NTH_VALUE", f"{name} has no value"
    (_, nth) = call_arguments
    assert isinstance(nth, Literal) and isinstance(nth.value, int)
    return ElementAt(values, _int(nth.value - 1), type)


def _mean(values: Expression, count: Expression, type: DataType) -> Expression:
    total = Call(window_rows.FRAME_SUM, (values,), window_rows.total_type(type), True)
    if isinstance(type, Decimal):
        mean = Decimal(min(38, type.precision + 4), min(38, type.scale + 4))
        return Operation("/", (total, Cast(count, Decimal(20, 0), False)), mean, True)
    as_double = total if total.type == data.DOUBLE else Cast(total, data.DOUBLE, True)
    return Operation("/", (as_double, Cast(count, data.DOUBLE, False)), data.DOUBLE, True)


def _place(name: str, call_arguments: Sequence[Expression], partition: _Partition) -> Expression:
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
    buckets = call_arguments[0]
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
    name: str, ignores_nulls: bool, number: int, call_arguments: Sequence[Expression], partition: _Partition
) -> Expression:  # fmt: skip
    """Return LAG or LEAD: the value of the row at this distance before or after, or the default if there is none."""
    type = call_arguments[0].type
    offset = call_arguments[1].value if len(call_arguments) > 1 and isinstance(call_arguments[1], Literal) else 1
    assert isinstance(offset, int)
    behind = offset if name == "LEAD" else -offset
    default = Literal(None, type) if len(call_arguments) < 3 else _own(call_arguments[2], f"x{number}_2", partition)
    place = partition.place
    values = partition.column(number, call_arguments[0])
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


def _bounds(call: sql.WindowCall, number: int, partition: _Partition) -> tuple[Expression, Expression]:
    """Return the positions of the first and of the last row of the frame of a call."""
    frame = call.frame or sql.Frame(False, None, 0 if call.order else None)
    if frame.rows:
        start = _int(1) if frame.start is None else _plus(partition.place, frame.start)
        end = partition.size if frame.end is None else _plus(partition.place, frame.end)
        return start, end
    start = _int(1) if frame.start is None else partition.peer(window_rows.FIRST_PEER)
    end = partition.size if frame.end is None else partition.peer(window_rows.LAST_PEER)
    if frame.low is not None:
        start = _within(call.order[0], f"low{number}", start, partition, is_start=True)
    if frame.high is not None:
        end = _within(call.order[0], f"high{number}", end, partition, is_start=False)
    return start, end


def _within(order: sql.Ordered, name: str, peer: Expression, partition: _Partition, *, is_start: bool) -> Expression:
    """Return the position of the first or last row whose order value is not before, or not after, a value of the row.

    It is computed from the number of rows before it. For a row without a value it is that of its peers, `peer`.
    """
    assert partition.orders is not None and isinstance(partition.orders.type, Array)
    element = partition.orders.type.element
    assert isinstance(element, Struct)
    own = _of_row(partition.row, "o0", element.fields[0].type)
    bound = _of_row(partition.row, name, partition.bounds[name])
    item = Variable(_ITEM, element)
    value: Expression = Member(item, "o0", element.fields[0].type, True)
    sign = (">" if order.descending else "<") + ("" if is_start else "=")
    common_type = unify(value.type, bound.type)
    if common_type is not None and common_type != value.type:
        value, bound = coerce(value, common_type), coerce(bound, common_type)
    before: Expression = Operation(sign, (value, bound), data.BOOLEAN, True)
    if order.nulls_first:
        is_null = Operation("IS NULL", (Member(item, "o0", element.fields[0].type, True),), data.BOOLEAN, False)
        before = Operation("OR", (is_null, before), data.BOOLEAN, True)
    rows = called("FILTER", (partition.orders, Lambda((item,), before)), partition.orders.type)
    count = Call(window_rows.FRAME_SIZE, (rows,), data.INT, False)
    is_known = Operation("IS NOT NULL", (own,), data.BOOLEAN, False)
    return Case(((is_known, _plus(count, 1) if is_start else count),), peer, data.INT)


def _own(value: Expression, name: str, partition: _Partition) -> Expression:
    """Return an argument in the row itself."""
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
