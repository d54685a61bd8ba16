"""The key of groups and of rows under a declared key: a struct of its columns, or the one column as it is.

A record without a key cannot be written to a table. So that the group of NULL is there as in any SQL, one column that
may be null is a struct of that column.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from lsqlc.bind.coerce import always_fits
from lsqlc.bind.findings import Findings
from lsqlc.bind.storage import format_of, struct_format
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import catalogue
from lsqlc.functions.signature import Nulls
from lsqlc.plan.expression import Call, Case, Cast, Expression, Operation
from lsqlc.types.record import Facet

# struct: of one column too, in a query that another one reads; nullable: one column is bare where it is never null;
# bare: one column is bare, and rows where it is null are left out.
KeyStyle = Literal["struct", "nullable", "bare"]
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "AND", "OR", "NOT", "IS NULL", "IS NOT NULL")


def key_names_of(
    names: Sequence[str], keys: Sequence[Expression], style: KeyStyle, at: Extent, findings: Findings,
    known: Collection[Expression] = (),
) -> tuple[str, ...]:  # fmt: skip
    """The names of the columns of a key that is a struct; none for a bare one, which is reported if it may be null.

    `known`: expressions that were tested for null.
    """
    if len(names) > 1 or style == "struct":
        return tuple(names)
    (key,) = keys
    if not may_hold_null(key, known):
        return ()
    if style == "nullable":
        return tuple(names)
    findings.warn("LSQ831", f"rows whose '{names[0]}' is null are not in this view", at,
                  notes=("it is the key of the view, and a row without a key cannot be written",),
                  help=f"remove key_format='bare', or add WHERE {names[0]} IS NOT NULL")  # fmt: skip
    return ()


def group_format(keys: Sequence[Expression], key_names: Sequence[str], near: Facet) -> str:
    """The storage format of a key."""
    return struct_format(near) if key_names else format_of(keys[0].type, near)


def may_hold_null(expression: Expression, known: Collection[Expression] = ()) -> bool:
    """Return whether a value may be null: also where an operation fails on a value, which no declaration shows."""

    def of(part: Expression) -> bool:
        return may_hold_null(part, known)

    if expression in known or not expression.nullable:
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
