"""IGNORE NULL UPDATES: a null in a change keeps the value of the row, also in a struct."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from lsqlc.plan.expression import Case, Expression, Field, Literal, Member, Operation, StructOf
from lsqlc.types import data
from lsqlc.types.data import Struct

TRUE, FALSE = Literal(True, data.BOOLEAN), Literal(False, data.BOOLEAN)


def filled(value: Expression, newest: Callable[[Expression], Expression]) -> Expression:
    """Return the value of a column of a row after its changes.

    `value`: the column in a change. `newest`: returns the last value of an expression over changes that is not null, or
    null if that is before a deletion.
    """
    if not isinstance(value.type, Struct):
        return newest(value)
    fields = parts_of(value)
    whole = StructOf(tuple(f.name for f in value.type.fields), tuple(filled(field, newest) for field in fields))
    if not value.nullable:
        return whole
    present = newest(Case(((is_not_null(value), TRUE),), Literal(None, data.BOOLEAN), data.BOOLEAN))
    return Case(((is_not_null(present), whole),), Literal(None, whole.type), whole.type)


def parts_of(value: Expression) -> tuple[Expression, ...]:
    """Return the fields of a struct."""
    assert isinstance(value.type, Struct)
    if isinstance(value, StructOf):
        return value.values
    if isinstance(value, Field):
        return tuple(
            structs.replace(value, path=(*value.path, f.name), type=f.type, nullable=value.nullable or f.nullable)
            for f in value.type.fields
        )
    return tuple(Member(value, f.name, f.type, value.nullable or f.nullable) for f in value.type.fields)


def is_not_null(value: Expression) -> Expression:
    return Operation("IS NOT NULL", (value,), data.BOOLEAN, False)


def is_true(condition: Expression) -> Expression:
    """Return a condition that is never null."""
    return Case(((condition, TRUE),), FALSE, data.BOOLEAN) if condition.nullable else condition
