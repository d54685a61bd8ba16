"""Which operands the strict check refuses: those that are declared nullable (LANGUAGE.md, "Types and scalars").

An operation that fails on a value gives null in any mode, which no declaration shows: `a + b` of two fields that are
never null passes the check, although a sum may overflow. COALESCE passes it whatever it falls back to, as the
nullability document says, and so does what a CASE has tested for null.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lsqlc.functions import catalogue
from lsqlc.functions.signature import Nulls
from lsqlc.plan.expression import (
    Aggregation,
    ArrayOf,
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
    RecordTime,
    StructOf,
    Variable,
)
from lsqlc.types.data import DataType, Struct

# Nobody verifies that one of its arguments is never null (the nullability document).
_TRUSTED = "COALESCE"


def may_be_null(
    expression: Expression, known: Collection[Expression] = (), aggregates: Sequence[Aggregation] = ()
) -> bool:
    """Whether an operand counts as nullable. `known` are expressions that were tested; `aggregates` what the fields
    `a0`, `a1`, ... of an aggregated query stand for.
    """

    def of(part: Expression) -> bool:
        return may_be_null(part, known, aggregates)

    if expression in known:
        return False
    match expression:
        case Literal(value=value):
            return value is None
        case Field():
            slot = _slot(expression, aggregates)
            return any(map(of, slot.arguments)) and slot.nullable if slot else expression.nullable
        case Operation(operator="IS NULL" | "IS NOT NULL") | ArrayOf() | StructOf() | RecordTime():
            return False
        case Variable() | Lambda():
            return expression.nullable
        case Operation(operands=operands):
            return any(map(of, operands))
        case Call(function=name, arguments=arguments):
            return _call(name, [of(a) for a in arguments])
        case Cast(operand=operand):
            return of(operand)
        case Case():
            return _case(expression, known, aggregates)
        case ElementAt(array=array, index=index):
            return of(array) or of(index)
        case Member(operand=operand, name=name):
            return of(operand) or _has_nullable(operand.type, name)
    raise AssertionError(f"no nullability of {type(expression).__name__}")


def _case(case: Case, known: Collection[Expression], aggregates: Sequence[Aggregation]) -> bool:
    """Whether any result may be null, given what its condition and the earlier ones have tested."""
    for condition, result in case.branches:
        if may_be_null(result, (*known, *tested(condition, holds=True)), aggregates):
            return True
        known = (*known, *tested(condition, holds=False))
    return may_be_null(case.otherwise, known, aggregates)


def _has_nullable(type: DataType, name: str) -> bool:
    """Whether a field of a struct that is there may be null."""
    return isinstance(type, Struct) and any(f.nullable for f in type.fields if f.name == name)


def _call(name: str, arguments: list[bool]) -> bool:
    function = catalogue.planned(name)
    assert function is not None
    if function.takes_null:
        return function.nulls is Nulls.MAY or (function.nulls is Nulls.ALL and name != _TRUSTED and all(arguments))
    return function.nulls is not Nulls.NEVER and any(arguments)


def _slot(field: Field, aggregates: Sequence[Aggregation]) -> Aggregation | None:
    names = [f"a{i}" for i in range(len(aggregates))]
    return aggregates[names.index(field.path[0])] if field.facet == "value" and field.path[0] in names else None


def tested(condition: Expression, *, holds: bool) -> tuple[Expression, ...]:
    """What is not null where a condition is true, or (`holds` False) where it is false."""
    match condition:
        case Operation(operator="IS NOT NULL" | "IS NULL" as operator, operands=(operand,)):
            return (operand,) if holds == (operator == "IS NOT NULL") else ()
        case Call(function="ISNOTNULL" | "ISNULL" as name, arguments=(operand,)):
            return (operand,) if holds == (name == "ISNOTNULL") else ()
        case Operation(operator="NOT", operands=(inner,)):
            return tested(inner, holds=not holds)
        case Operation(operator="AND" | "OR" as operator, operands=(left, right)) if holds == (operator == "AND"):
            return (*tested(left, holds=holds), *tested(right, holds=holds))
    return ()
