"""Arguments of functions and of aggregates: their number, and their types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lsqlc.bind.coerce import typed
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import kinds
from lsqlc.functions.signature import Aggregate, Function, Parameter
from lsqlc.plan.expression import Expression, Literal
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import DataType


class ArgumentBinder(Protocol):
    """The methods of a binder that the arguments of a call need."""

    @property
    def findings(self) -> Findings: ...

    def bind(self, expression: tree.Expression) -> Expression | None:
        """Return the bound expression; None after an error."""

    def implicit(self, expression: Expression, kind: str, at: Extent) -> Expression | None:
        """Return the argument as a parameter of a kind takes it; None after an error."""

    def argument_advice(self, function: str, argument: str) -> str | None:
        """Return the replacement of an argument, in its text, that a function does not take."""


def bind_arguments(
    binder: ArgumentBinder,
    call: tree.Call,
    function: Function | Aggregate,
    bound: Sequence[Expression | None] | None = None,
) -> tuple[Expression, ...] | None:
    """Return the bound and checked arguments; None after an error. A NULL without a type gets its parameter's type.
    `bound`: the arguments, if they are bound already.
    """
    if call.star:
        binder.findings.error("LSQ208", f"'*' can only be an argument of COUNT, not of {function.name}", call.at)
        return None
    count, most = len(call.arguments), function.most
    bound = [binder.bind(a) for a in call.arguments] if bound is None else bound
    if count < function.least or (most is not None and count > most):
        expected = str(function.least) if most == function.least else f"{function.least} to {most}"
        expected = f"at least {function.least}" if most is None else expected
        names = ", ".join(p.name for p in function.parameters)
        plural = "" if expected in ("1", "at least 1") else "s"
        message = f"{function.name} takes {expected} argument{plural}, not {count}"
        binder.findings.error("LSQ208", message, call.at, help=f"its form is {function.name}({names})")
        return None
    if any(b is None for b in bound):
        return None
    places = [a.at for a in call.arguments]
    bound = [b and binder.implicit(b, function.parameter(i).accepts, places[i]) for i, b in enumerate(bound)]
    arguments = [b for b in bound if b is not None]
    if len(arguments) < count:
        return None
    for i, argument in enumerate(arguments):
        parameter = function.parameter(i)
        if not _accepts(binder, function.name, parameter, argument, call.arguments[i].at):
            return None
    if not _named_apart(binder, call, function, arguments):
        return None
    accepted = [function.parameter(i).accepts for i in range(count)]
    return tuple(typed(a, _null_type(kind, accepted, arguments)) for kind, a in zip(accepted, arguments, strict=True))


def _null_type(kind: str, accepted: Sequence[str], arguments: Sequence[Expression]) -> DataType:
    """Return the type of a NULL as an argument of this kind: that of another argument of the kind, if there is one.

    `accepted`: the kinds of the parameters of all arguments.
    """
    if kind == "any":
        return data.NULL
    others = (a.type for k, a in zip(accepted, arguments, strict=True) if k == kind and a.type != data.NULL)
    return kinds.KINDS[kind].target or next(others, kinds.null_type(kind))


def _named_apart(
    binder: ArgumentBinder, call: tree.Call, function: Function | Aggregate, arguments: Sequence[Expression]
) -> bool:
    """Report two fields of a call whose names differ only in case; return whether there are none.

    Equal names are checked with the function's result.
    """
    names, checked = Taken(), set[str]()
    for i, argument in enumerate(arguments):
        if function.parameter(i).accepts != "field name" or not isinstance(argument, Literal):
            continue
        name = str(argument.value)
        if name not in checked and (message := names.add(name, "fields")):
            binder.findings.error("LSQ305", message, call.arguments[i].at, help="rename one")
            return False
        checked.add(name)
    return True


def result_type(
    binder: ArgumentBinder, call: tree.Call, function: Function | Aggregate, arguments: tuple[Expression, ...]
) -> DataType | None:
    """Return the type of the call; None after reporting arguments that do not agree with each other."""
    types = [a.type for a in arguments]
    type = function.result(types, [a.value if isinstance(a, Literal) else None for a in arguments])
    if type is None:
        type_list = ", ".join(map(str, types))
        binder.findings.error("LSQ209", f"{function.name} cannot take ({type_list})", call.at, help=function.doc)
    return type


def _accepts(binder: ArgumentBinder, name: str, parameter: Parameter, argument: Expression, at: Extent) -> bool:
    if parameter.literal and not (isinstance(argument, Literal) and (parameter.null or argument.value is not None)):
        binder.findings.error("LSQ209", f"'{parameter.name}' of {name} must be a literal", at)
        return False
    fault = kinds.literal_fault(parameter.accepts, argument.value) if isinstance(argument, Literal) else None
    if fault:
        binder.findings.error("LSQ217", f"'{parameter.name}' of {name}: {fault}", at)
        return False
    if argument.type == data.NULL or kinds.accepts(parameter.accepts, argument.type):
        return True
    expected = kinds.KINDS[parameter.accepts].words
    message = f"'{parameter.name}' of {name} must be {expected}, not {argument.type}"
    start, end = at
    binder.findings.error(
        "LSQ209", message, at, help=binder.argument_advice(name, binder.findings.source.text[start:end])
    )
    return False
