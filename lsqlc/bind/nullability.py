"""The operands that the strict check refuses: those that are declared nullable.

See docs/reference/lenses.md, "Types and nulls".

An operation that fails on a value gives null in any mode, which no declaration shows. So `a + b` of two fields that are
never null passes the check, although a sum may overflow. COALESCE passes it with any arguments, and so does an
expression that a CASE has tested for null. An element of an array cannot be declared NOT NULL, and is always nullable.

After GROUP BY a field stands for an aggregate or for a part of the group, which is checked instead.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from lsqlc.bind.coerce import always_fits
from lsqlc.bind.grouping import Grouping
from lsqlc.functions import catalogue
from lsqlc.functions.signature import Nulls
from lsqlc.plan.expression import (
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
    PythonCall,
    RecordTime,
    ServerCall,
    StructOf,
    Variable,
)
from lsqlc.types.data import DataType, Struct

# It passes the check without a proof that one of its arguments is never null.
_TRUSTED = "COALESCE"
# The function of `a[i]`.
_ELEMENT = "ELEMENT_OF"
# Operators whose result is null only if an operand is.
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "AND", "OR", "NOT", "IS NULL", "IS NOT NULL")


def may_be_null(expression: Expression, not_null: Collection[Expression] = (), group: Grouping | None = None) -> bool:
    """Return whether an operand counts as nullable.

    `not_null`: expressions that were tested for null. `group`: the meaning of the fields of an aggregated query.
    """

    def of(part: Expression) -> bool:
        return may_be_null(part, not_null, group)

    if expression in not_null:
        return False
    match expression:
        case Literal(value=value):
            return value is None
        case Field():
            return _of_group(expression, group) if group else expression.nullable
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
            return _case(expression, not_null, group)
        case ElementAt() | PythonCall() | ServerCall():
            return True
        case Member(operand=operand, name=name):
            return of(operand) or _has_nullable(operand.type, name)
    raise AssertionError(f"no nullability of {type(expression).__name__}")


def _case(case: Case, not_null: Collection[Expression], group: Grouping | None) -> bool:
    """Return whether any result may be null, after the tests of its condition and the earlier ones."""
    for condition, result in case.branches:
        if may_be_null(result, (*not_null, *tested(condition, holds=True)), group):
            return True
        not_null = (*not_null, *tested(condition, holds=False))
    return may_be_null(case.otherwise, not_null, group)


def _has_nullable(type: DataType, name: str) -> bool:
    """Return whether a field of a struct that is not null may be null."""
    return isinstance(type, Struct) and any(f.nullable for f in type.fields if f.name == name)


def _call(name: str, arguments: list[bool]) -> bool:
    function = catalogue.planned(name)
    assert function is not None
    if name == _ELEMENT:
        return True
    if function.takes_null:
        return function.nulls is Nulls.MAY or (function.nulls is Nulls.ALL and name != _TRUSTED and all(arguments))
    return function.nulls is not Nulls.NEVER and any(arguments)


def _of_group(field: Field, group: Grouping) -> bool:
    """Return whether a field after GROUP BY counts as nullable: an aggregate, the group, or a part of the group."""
    if field.facet == "value":
        aggregation = group.aggregate_of(field)
        return aggregation.nullable and any(may_be_null(a, group.tested) for a in aggregation.arguments)
    key, whole = group.key_of(field)
    path = field.path[len(whole.path) :]
    if not path and group.is_bare:
        # Records whose group is null are dropped.
        return False
    if path and isinstance(key, Field):
        key = replace(key, path=(*key.path, *path), type=field.type, nullable=field.nullable)
    return may_be_null(key, group.tested)


def tested(condition: Expression, *, holds: bool) -> tuple[Expression, ...]:
    """Return the expressions that are not null if a condition is true, or (`holds` False) if it is false."""
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


def may_hold_null(expression: Expression, not_null: Collection[Expression] = ()) -> bool:
    """Return whether a value may be null, also because an operation fails on a value, which no declaration shows."""

    def of(part: Expression) -> bool:
        return may_hold_null(part, not_null)

    if expression in not_null or not expression.nullable:
        return False
    match expression:
        case Call(function=name, arguments=arguments):
            function = catalogue.planned(name)
            passes = function is not None and function.nulls is Nulls.PROPAGATE
            return not passes or any(map(of, arguments))
        case Cast(operand=operand, type=type) if always_fits(operand.type, type):
            return of(operand)
        case Operation(operator=operator, operands=operands) if operator in _COMPARISONS:
            return any(map(of, operands))
        case Case(branches=branches, otherwise=otherwise):
            return of(otherwise) or any(of(result) for _, result in branches)
    return True
