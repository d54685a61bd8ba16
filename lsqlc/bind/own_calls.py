"""Calls of the project's own functions: their arguments are checked, and the body replaces the call.

The plan does not contain the function. So lineage, both engines and descriptions of changes need no support for
functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal as Number
from typing import Protocol

from msgspec.structs import replace

from lsqlc.bind.coerce import coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.own_function import OwnFunction
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import (
    MAX_LEVELS,
    Cast,
    Expression,
    Field,
    Lambda,
    Literal,
    Member,
    PythonCall,
    StructOf,
    Variable,
)
from lsqlc.plan.sharing import depth, distinct, rewrite_shared
from lsqlc.plan.sizes import MAX_PARTS, size
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, equal_but_for_nulls, unify

_NUMBERED = re.compile(r"([a-z]+)(\d+)")


class CallBinder(Protocol):
    """The methods of a binder that a call needs (see `bind.expressions.Binder`)."""

    @property
    def findings(self) -> Findings: ...
    @property
    def strict(self) -> bool: ...

    def bind(self, expression: tree.Expression) -> Expression | None: ...
    def may_be_null(self, parts: tuple[Expression, ...], places: tuple[Extent, ...], what: str) -> bool: ...


def bind_own_call(binder: CallBinder, call: tree.Call, function: OwnFunction) -> Expression | None:
    """Return the body of a function over the arguments of a call; None after an error."""
    arguments = _arguments(binder, call, function)
    if arguments is None:
        return None
    places = tuple(a.at for a in call.arguments)
    if binder.strict and not function.takes_null() and not binder.may_be_null(arguments, places, function.name):
        return None
    body = function.body(tuple(a.nullable for a in arguments))
    if body is None:
        message = f"the function '{function.name}' cannot be called, because its declaration has errors"
        binder.findings.error("LSQ487", message, call.name.at, notes=(f"it is declared in '{function.path}'",))
        return None
    if _is_too_much(binder.findings, size(body, binder.findings.sizes), call.at):
        return None
    result = inlined(body, function.parameters, arguments)
    if any(isinstance(p, PythonCall) and _in_lambda(p) for p in distinct(result)):
        message = f"the function '{function.name}' runs Python code, which is not allowed in a lambda"
        binder.findings.error("LSQ494", message, call.at, help="pass the whole array to a function in Python")
        return None
    if depth(result) > MAX_LEVELS:
        message = f"with the body of '{function.name}', this expression has more than {MAX_LEVELS} levels"
        binder.findings.error("LSQ103", message, call.at, help="compute a part of it in a separate statement first")
        return None
    return result


def _is_too_much(findings: Findings, parts: int, at: Extent) -> bool:
    """Report the first call beyond the limit on the parts of all inlined bodies, which takes too long; return whether
    it is reached.
    """
    before = findings.inlined
    findings.inlined += parts
    if before <= MAX_PARTS < findings.inlined:
        message = f"the bodies of the functions that are called have more than {MAX_PARTS:,} parts"
        findings.error("LSQ115", message, at, help="compute a part of it in a separate statement before this one")
    return findings.inlined > MAX_PARTS


def fitted(argument: Expression, type: DataType) -> Expression | None:
    """Return an argument or a result as a value of a declared type; None if that needs a CAST."""
    if argument.type == type or equal_but_for_nulls(argument.type, type):
        return argument
    if unify(type, argument.type) == type:
        return coerce(argument, type)
    if isinstance(argument, Literal) and isinstance(type, Decimal):
        return _decimal(argument.value, type)
    return None


def inlined(body: Expression, parameters: Sequence[data.Field], arguments: Sequence[Expression]) -> Expression:
    """Return a body with its parameters replaced by the arguments."""
    argument_of = {p.name: a for p, a in zip(parameters, arguments, strict=True)}
    body = _apart(body, arguments)

    def change(part: Expression) -> Expression:
        if not isinstance(part, Field):
            return part
        if not part.path:
            return StructOf(tuple(argument_of), tuple(argument_of.values()))
        result = argument_of[part.path[0]]
        return _member(result, part) if len(part.path) > 1 else result

    return rewrite_shared(body, change)


def _arguments(binder: CallBinder, call: tree.Call, function: OwnFunction) -> tuple[Expression, ...] | None:
    findings, count = binder.findings, len(function.parameters)
    # All are bound, so that one run shows the errors of all.
    bound = [binder.bind(a) for a in call.arguments]
    if call.star or len(bound) != count:
        actual = "'*'" if call.star else str(len(bound))
        plural = "" if count == 1 else "s"
        findings.error("LSQ208", f"{function.name} takes {count} argument{plural}, not {actual}", call.at,
                       help=f"it is declared as {function.signature}")  # fmt: skip
        return None
    values: list[Expression] = []
    for part, argument, parameter in zip(call.arguments, bound, function.parameters, strict=True):
        if argument is None:
            continue
        value = fitted(argument, parameter.type)
        if value is None:
            message = f"'{parameter.name}' of {function.name} must be {parameter.type}, not {argument.type}"
            findings.error("LSQ209", message, part.at, help=f"convert it: CAST(... AS {parameter.type})")
            continue
        values.append(value)
    return tuple(values) if len(values) == count else None


def _in_lambda(call: PythonCall) -> bool:
    """Return whether an argument depends on the element of an array, for which engines call it one by one."""
    bound = {v.name for p in distinct(call) if isinstance(p, Lambda) for v in p.parameters}
    return any(isinstance(p, Variable) and p.name not in bound for p in distinct(call))


def _decimal(value: object, type: Decimal) -> Expression | None:
    """Return the literal of a number as a DECIMAL that represents it exactly; None if there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = Number(repr(value))
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        return None
    digits = len(number.as_tuple().digits)
    if -exponent > type.scale or digits + exponent > type.precision - type.scale:
        return None
    return Cast(Literal(f"{number:f}", data.STRING), type, False)


def _member(value: Expression, part: Field) -> Expression:
    """Return the nested field of the argument that replaces a parameter."""
    nullable = value.nullable or part.nullable
    path = part.path[1:]
    if isinstance(value, Field):
        return replace(value, path=(*value.path, *path), type=part.type, nullable=nullable)
    for i, name in enumerate(path):
        assert isinstance(value.type, data.Struct)
        field = value.type.field(name)
        assert field is not None
        last = i == len(path) - 1
        value = Member(value, name, part.type if last else field.type, nullable)
    return value


def _apart(body: Expression, arguments: Sequence[Expression]) -> Expression:
    """Return the body with the variables of its lambdas renumbered, so that none has the name of one in the
    arguments.
    """
    if not any(isinstance(part, Lambda) for part in distinct(body)):
        return body
    parts = [part for argument in arguments for part in distinct(argument)]
    variables = [v for p in parts for v in (p.parameters if isinstance(p, Lambda) else (p,))]
    names = [v.name for v in variables if isinstance(v, Variable)]
    used_numbers = [int(m[2]) + 1 for name in names if (m := _NUMBERED.fullmatch(name))]
    if not used_numbers:
        return body
    by = max(used_numbers)

    def renamed(variable: Variable) -> Variable:
        match = _NUMBERED.fullmatch(variable.name)
        return replace(variable, name=f"{match[1]}{int(match[2]) + by}") if match else variable

    def change(part: Expression) -> Expression:
        if isinstance(part, Variable):
            return renamed(part)
        return replace(part, parameters=tuple(map(renamed, part.parameters))) if isinstance(part, Lambda) else part

    return rewrite_shared(body, change)
