"""Aggregates that are computed from all values of a group: one aggregate keeps them, and a function uses its array."""

from __future__ import annotations

from typing import Protocol

from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.functions import catalogue
from lsqlc.functions.signature import Aggregate
from lsqlc.functions.sql.value_aggregates import VALUE_AGGREGATES
from lsqlc.plan.expression import (
    ArrayOf,
    Call,
    Case,
    Cast,
    Expression,
    Field,
    Lambda,
    Literal,
    Member,
    Operation,
    StructOf,
    Variable,
)
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Struct

NAMES = frozenset(a.name for a in VALUE_AGGREGATES) - {"APPROX_COUNT_DISTINCT"}
_INNER = {"STDDEV": "STDDEV_SAMP", "STD": "STDDEV_SAMP", "VARIANCE": "VAR_SAMP"}
_PAIRED = ("CORR", "COVAR_POP", "COVAR_SAMP")
_LONGEST = 10_000


class GroupBinder(Protocol):
    """The methods of the query's binder that these aggregates need."""

    @property
    def findings(self) -> Findings: ...

    def slot(self, function: str, arguments: tuple[Expression, ...], type: DataType, nullable: bool) -> Field:
        """Return the field of an aggregate of the group."""


def bind_values(
    binder: GroupBinder, call: tree.Call, aggregate: Aggregate, arguments: tuple[Expression, ...], type: DataType
) -> Expression | None:
    """Return a call of one of NAMES over its bound arguments; None after an error. `type`: that of the call."""
    name, value = aggregate.name, arguments[0]
    base = name.removesuffix("_DISTINCT")
    if base in ("COLLECT_LIST", "ARRAY_AGG", "COLLECT_SET"):
        return _different(_values(binder, value), base == "COLLECT_SET" or base != name, type)
    if base in ("FIRST", "FIRST_VALUE", "ANY_VALUE", "LAST", "LAST_VALUE"):
        return _one(binder, arguments, last=base.startswith("LAST"))
    if base in ("MIN_BY", "MAX_BY"):
        return _by(binder, call, base, arguments, type)
    if base.startswith("BIT_"):
        return _inner(base, (_values(binder, value),), type)
    if base in ("MODE", "MODE_WITHIN_GROUP"):
        last = isinstance(arguments[-1], Literal) and arguments[-1].value is True and base != "MODE"
        return _inner("MODE", (_values(binder, value), Literal(last, data.BOOLEAN)), type)
    if base in ("LISTAGG", "STRING_AGG", "LISTAGG_WITHIN_GROUP"):
        return _joined(binder, base, arguments, distinct=base != name)
    if base in _PAIRED or base.startswith("REGR_"):
        pairs = _pairs(binder, tuple(coerce(a, data.DOUBLE) for a in arguments))
        return _inner("COUNTED" if base == "REGR_COUNT" else base, (pairs,), type)
    if "PERCENTILE" in base:
        return _percentile(binder, call, base, arguments, type)
    values = _values(binder, coerce(value, data.DOUBLE))
    if base == "MEDIAN":
        return _inner("PERCENTILE", (values, Literal(0.5, data.DOUBLE), Literal(False, data.BOOLEAN)), type)
    return _inner(_INNER.get(base, base), (values,), type)


def count_of_different(binder: GroupBinder, arguments: tuple[Expression, ...]) -> Expression:
    """Return COUNT(DISTINCT a, b): over the rows in which none of them is null."""
    pairs = _pairs(binder, arguments)
    return _inner("COUNTED", (_different(pairs, True, pairs.type),), data.BIGINT, nullable=False)


def _inner(name: str, arguments: tuple[Expression, ...], type: DataType, *, nullable: bool = True) -> Expression:
    return Call(f"inner.{name}", arguments, type, nullable and name != "COUNTED")


def _function(name: str, arguments: tuple[Expression, ...], type: DataType, *, nullable: bool = True) -> Expression:
    function = catalogue.scalar(name, "sql")
    assert function is not None, name
    return Call(catalogue.plan_name(function, "sql"), arguments, type, nullable)


def _values(binder: GroupBinder, value: Expression, order: str | None = None) -> Field:
    """Return all values of the group that are not null. `order`: the directions of the fields `o0`, `o1`, ... of
    structs.
    """
    more = () if order is None else (Literal(order, data.STRING),)
    return binder.slot("VALUES", (value, *more), Array(value.type), False)


def _pairs(binder: GroupBinder, values: tuple[Expression, ...]) -> Field:
    """Return structs `c0`, `c1`, ... of the rows in which none of these is null."""
    whole = StructOf(tuple(f"c{i}" for i in range(len(values))), values)
    condition: Expression | None = None
    for value in values:
        if value.nullable:
            some = Operation("IS NOT NULL", (value,), data.BOOLEAN, False)
            condition = some if condition is None else Operation("AND", (condition, some), data.BOOLEAN, False)
    return _values(binder, whole if condition is None else _only_if(condition, whole))


def _only_if(condition: Expression, value: Expression) -> Expression:
    return Case(((condition, value),), Literal(None, value.type), value.type)


def _different(values: Expression, distinct: bool, type: DataType) -> Expression:
    return _function("ARRAY_DISTINCT", (values,), type, nullable=False) if distinct else values


def _each(values: Expression, field: str) -> Expression:
    """Return a field of each of some structs."""
    assert isinstance(values.type, Array) and isinstance(values.type.element, Struct)
    struct_field = values.type.element.field(field)
    assert struct_field is not None
    row = Variable("e0", values.type.element)
    extract = Lambda((row,), Member(row, field, struct_field.type, True))
    return _function("TRANSFORM", (values, extract), Array(struct_field.type), nullable=False)


def _one(binder: GroupBinder, arguments: tuple[Expression, ...], *, last: bool) -> Expression:
    """Return FIRST(value, ignores nulls, condition)."""
    value = arguments[0]
    ignores = len(arguments) > 1 and isinstance(arguments[1], Literal) and arguments[1].value is True
    whole: Expression = StructOf(("c0",), (value,))
    if ignores:
        whole = _only_if(Operation("IS NOT NULL", (value,), data.BOOLEAN, False), whole)
    if len(arguments) > 2:
        whole = _only_if(arguments[2], whole)
    values = _values(binder, whole)
    assert isinstance(values.type, Array)
    place = Literal(-1 if last else 1, data.INT)
    element = _function("ELEMENT_AT", (values, place), values.type.element)
    return Member(element, "c0", value.type, True)


def _by(
    binder: GroupBinder, call: tree.Call, name: str, arguments: tuple[Expression, ...], type: DataType
) -> Expression | None:
    value, order = arguments[:2]
    has_order = Operation("IS NOT NULL", (order,), data.BOOLEAN, False)
    if len(arguments) == 2:
        pairs = StructOf(("c0", "c1"), (order, value))
        return _inner(name, (_values(binder, _only_if(has_order, pairs) if order.nullable else pairs),), type)
    count = arguments[2].value if isinstance(arguments[2], Literal) else None
    if not isinstance(count, int) or not 1 <= count <= _LONGEST:
        binder.findings.error("LSQ217", f"'n' of {name} must be a number from 1 to {_LONGEST:,}", call.arguments[2].at)
        return None
    rows = StructOf(("o0", "value"), (order, value))
    mark = "DESC NULLS LAST" if name == "MAX_BY" else "ASC NULLS LAST"
    values = _each(_values(binder, _only_if(has_order, rows) if order.nullable else rows, mark), "value")
    return _unless_empty(values, _function("SLICE", (values, Literal(1, data.INT), Literal(count, data.INT)), type))


def _joined(binder: GroupBinder, base: str, arguments: tuple[Expression, ...], *, distinct: bool) -> Expression:
    """Return LISTAGG(text, separator, order, keys)."""
    text = arguments[0]
    separator = arguments[1] if len(arguments) > 1 else Literal("", data.STRING)
    if separator.nullable:
        separator = Literal("", data.STRING)
    if base == "LISTAGG_WITHIN_GROUP":
        marks, keys = arguments[2], arguments[3:]
        assert isinstance(marks, Literal)
        row = StructOf((*(f"o{i}" for i in range(len(keys))), "value"), (*keys, text))
        has_text = Operation("IS NOT NULL", (text,), data.BOOLEAN, False)
        values: Expression = _values(binder, _only_if(has_text, row) if text.nullable else row, str(marks.value))
        values = _each(values, "value")
    else:
        values = _values(binder, text)
    whole = Array(data.STRING)
    joined = _function("ARRAY_JOIN", (_different(values, distinct, whole), separator), data.STRING)
    return _unless_empty(values, joined)


def _unless_empty(values: Expression, result: Expression) -> Expression:
    count = _inner("COUNTED", (values,), data.BIGINT)
    return _only_if(Operation(">", (count, Literal(0, data.BIGINT)), data.BOOLEAN, False), result)


def _percentile(
    binder: GroupBinder, call: tree.Call, name: str, arguments: tuple[Expression, ...], type: DataType
) -> Expression | None:
    percentage = _constant(arguments[1])
    if percentage is None:
        displayed_name = name.removesuffix("_WITHIN_GROUP")
        message = f"'percentage' of {displayed_name} must be a number from 0 to 1, or an array of such"
        binder.findings.error("LSQ217", message, call.arguments[1].at)
        return None
    last = arguments[-1]
    descending = name.endswith("_WITHIN_GROUP") and isinstance(last, Literal) and last.value is True
    order = Literal(descending, data.BOOLEAN)
    if name in ("PERCENTILE_APPROX", "APPROX_PERCENTILE"):
        return _inner("RANKED", (_values(binder, arguments[0]), percentage, order), type)
    value = coerce(arguments[0], data.DOUBLE)
    if name == "PERCENTILE" and len(arguments) > 2:
        pairs = _pairs(binder, (coerce(arguments[2], data.BIGINT), value))
        repeated = _inner("REPEATED", (pairs,), Array(data.DOUBLE), nullable=False)
        return _inner("PERCENTILE", (repeated, percentage, order), type)
    function = "RANKED" if name == "PERCENTILE_DISC_WITHIN_GROUP" else "PERCENTILE"
    return _inner(function, (_values(binder, value), percentage, order), type)


def _constant(expression: Expression) -> Expression | None:
    """Return a percentage, or an array of them, as DOUBLEs; None for any other expression."""
    if isinstance(expression, ArrayOf):
        items = [_constant(item) for item in expression.items]
        numbers = tuple(item for item in items if isinstance(item, Literal))
        return ArrayOf(numbers, Array(data.DOUBLE)) if len(numbers) == len(items) else None
    while isinstance(expression, Cast):
        expression = expression.operand
    value = expression.value if isinstance(expression, Literal) else None
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return Literal(number, data.DOUBLE) if 0 <= number <= 1 else None
