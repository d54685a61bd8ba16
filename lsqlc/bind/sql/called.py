"""Calls of functions of the catalogue that the binder adds."""

from __future__ import annotations

from lsqlc.functions import catalogue
from lsqlc.plan.expression import Call, Expression
from lsqlc.types.data import DataType


def called(
    name: str, arguments: tuple[Expression, ...], type: DataType | None = None, *, nullable: bool = True
) -> Call:
    """Return a call of a function of standard SQL. `type` is None for the function's type with these arguments."""
    function = catalogue.scalar(name, "sql")
    assert function is not None, name
    if type is None:
        type = function.result([argument.type for argument in arguments], [None] * len(arguments))
    assert type is not None, name
    return Call(catalogue.plan_name(function, "sql"), arguments, type, nullable)
