"""Calls of functions and of aggregates, bound: the form of the call, and what each argument may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lsqlc.bind.field_names import clash
from lsqlc.diagnostics import did_you_mean
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import calls, catalogue, kinds
from lsqlc.functions.signature import Aggregate, Function, Nulls, Parameter
from lsqlc.plan.expression import Aggregation, Call, Expression, Literal
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.foreign import argument_advice, function_advice
from lsqlc.syntax.lenses.printer import text_of
from lsqlc.types import data
from lsqlc.types.data import DataType

if TYPE_CHECKING:
    from lsqlc.bind.expressions import Binder


def bind_call(binder: Binder, call: tree.Call) -> Expression | None:
    """A call of a scalar function, or of an aggregate where one may stand; None after an error."""
    name = call.name.text
    aggregate = catalogue.aggregate(name)
    if aggregate and (binder.grouping or catalogue.scalar(name) is None):
        return _aggregate(binder, call, aggregate)
    function = catalogue.scalar(name)
    if function is None:
        reason = catalogue.refused(name)
        if reason:
            binder.findings.error("LSQ207", f"{name.upper()} cannot be used here: {reason}", call.name.at)
        else:
            help = function_advice(name, [text_of(a) for a in call.arguments])
            help = help or did_you_mean(name, catalogue.names())
            binder.findings.error("LSQ206", f"unknown function '{name}'", call.name.at, help=help)
        return None
    if function.bare and not call.arguments:
        function = catalogue.planned(function.bare) or function
    if (function.clock or function.of_record) and binder.no_clock:
        binder.findings.error("LSQ312", f"{name.upper()} cannot stand {binder.no_clock}", call.at)
        return None
    arguments = bind_arguments(binder, call, function)
    if arguments is None:
        return None
    places = tuple(a.at for a in call.arguments)
    if not function.takes_null and not binder.may_be_null(arguments, places, function.name):
        return None
    type = result_type(binder, call, function, arguments)
    if type is None:
        return None
    nullable = calls.nullable(function, [a.type for a in arguments], [a.nullable for a in arguments])
    return Call(function.name, arguments, type, nullable)


def bind_arguments(binder: Binder, call: tree.Call, function: Function | Aggregate) -> tuple[Expression, ...] | None:
    """Bound and checked arguments, each converted to what its parameter accepts."""
    if call.star:
        binder.findings.error("LSQ208", f"'*' is an argument of COUNT alone, not of {function.name}", call.at)
        return None
    count, most = len(call.arguments), function.most
    if binder.grouping and count == 1 and catalogue.aggregate(f"{function.name}K"):
        help = f"that of a group is {function.name}K({text_of(call.arguments[0])}, 1)"
        binder.findings.error("LSQ208", f"{function.name} takes at least 2 arguments, not 1", call.at, help=help)
        return None
    bound = [binder.bind(a) for a in call.arguments]
    if count < function.least or (most is not None and count > most):
        wanted = str(function.least) if most == function.least else f"{function.least} to {most}"
        wanted = f"at least {function.least}" if most is None else wanted
        names = ", ".join(p.name for p in function.parameters)
        plural = "" if wanted in ("1", "at least 1") else "s"
        message = f"{function.name} takes {wanted} argument{plural}, not {count}"
        binder.findings.error("LSQ208", message, call.at, help=f"its form is {function.name}({names})")
        return None
    if any(b is None for b in bound):
        return None
    arguments = [b for b in bound if b is not None]
    for i, argument in enumerate(arguments):
        parameter = function.parameter(i)
        if not _accepts(binder, function.name, parameter, argument, call.arguments[i].at):
            return None
    return tuple(arguments) if _named_apart(binder, call, function, arguments) else None


def _named_apart(
    binder: Binder, call: tree.Call, function: Function | Aggregate, arguments: Sequence[Expression]
) -> bool:
    """Whether no two fields that a call names differ only in case; False after one was reported. Equal names are a
    matter of the function's result.
    """
    names: list[str] = []
    for i, argument in enumerate(arguments):
        if function.parameter(i).accepts != "field name" or not isinstance(argument, Literal):
            continue
        name = str(argument.value)
        if name not in names and (message := clash(name, names, "fields")):
            binder.findings.error("LSQ305", message, call.arguments[i].at, help="rename one")
            return False
        names.append(name)
    return True


def result_type(
    binder: Binder, call: tree.Call, function: Function | Aggregate, arguments: tuple[Expression, ...]
) -> DataType | None:
    """The type of the call; None after arguments that are legal each, but not together, were reported."""
    types = [a.type for a in arguments]
    type = function.result(types, [a.value if isinstance(a, Literal) else None for a in arguments])
    if type is None:
        listed = ", ".join(map(str, types))
        binder.findings.error("LSQ209", f"{function.name} cannot take ({listed})", call.at, help=function.doc)
    return type


def _accepts(binder: Binder, name: str, parameter: Parameter, argument: Expression, at: Extent) -> bool:
    if parameter.literal and not (isinstance(argument, Literal) and (parameter.null or argument.value is not None)):
        binder.findings.error("LSQ209", f"'{parameter.name}' of {name} must be a literal", at)
        return False
    fault = kinds.literal_fault(parameter.accepts, argument.value) if isinstance(argument, Literal) else None
    if fault:
        binder.findings.error("LSQ217", f"'{parameter.name}' of {name}: {fault}", at)
        return False
    if argument.type == data.NULL or kinds.accepts(parameter.accepts, argument.type):
        return True
    wanted = kinds.KINDS[parameter.accepts].words
    message = f"'{parameter.name}' of {name} is {wanted}, this is {argument.type}"
    start, end = at
    binder.findings.error("LSQ209", message, at, help=argument_advice(name, binder.findings.source.text[start:end]))
    return False


def _aggregate(binder: Binder, call: tree.Call, aggregate: Aggregate) -> Expression | None:
    name = aggregate.name
    if binder.grouping is None:
        binder.findings.error(
            "LSQ313",
            f"the aggregate {name} cannot stand here",
            call.at,
            help="aggregates stand in the SELECT list or the HAVING of a query with GROUP BY",
        )
        return None
    if binder.table and not aggregate.on_table:
        binder.findings.error(
            "LSQ314",
            f"{name} cannot aggregate a TABLE",
            call.at,
            notes=(aggregate.why_not,),
            help=f"read the source as a STREAM, where every record counts: SELECT STREAM {name}(...)",
        )
        return None
    inner = replace(binder, grouping=None, aliases=(), known=binder.grouping.tested)
    if call.star and name == "COUNT":
        arguments: tuple[Expression, ...] | None = ()
    elif name == "COUNT" and not call.arguments:
        binder.findings.error("LSQ208", "COUNT takes '*' or 1 argument, not 0", call.at, help="its form is COUNT(*)")
        return None
    else:
        arguments = bind_arguments(inner, call, aggregate)
    if arguments is None:
        return None
    type = result_type(binder, call, aggregate, arguments)
    if type is None:
        return None
    slot = binder.grouping.slot(Aggregation(name, arguments, type, aggregate.nulls is not Nulls.NEVER))
    if slot is None:
        binder.findings.error(
            "LSQ315",
            f"HAVING can repeat an aggregate of the SELECT only, and {text_of(call)} is none",
            call.at,
            help=f"add it to the SELECT list: {text_of(call)} AS name",
        )
    return slot
