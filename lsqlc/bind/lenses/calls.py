"""Binding of calls of functions and of aggregates in the Lenses language."""

from __future__ import annotations

from typing import Protocol, Self

from lsqlc.bind.calls import ArgumentBinder, bind_arguments, result_type
from lsqlc.bind.grouping import Grouping
from lsqlc.diagnostics import did_you_mean
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import calls, catalogue
from lsqlc.functions.signature import Aggregate, Nulls
from lsqlc.plan.expression import Aggregation, Call, Expression, Literal
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.foreign import function_advice


class CallBinder(ArgumentBinder, Protocol):
    """The methods of a binder that a call needs (see `bind.expressions.Binder`)."""

    @property
    def grouping(self) -> Grouping | None: ...
    @property
    def table(self) -> bool: ...
    @property
    def no_clock(self) -> str | None: ...

    def below_aggregate(self) -> Self: ...
    def may_be_null(self, parts: tuple[Expression, ...], places: tuple[Extent, ...], what: str) -> bool: ...
    def text(self, expression: tree.Expression) -> str: ...


def bind_call(binder: CallBinder, call: tree.Call) -> Expression | None:
    """Return a call of a scalar function, or of an aggregate if one is allowed; None after an error."""
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
            help = function_advice(name, [binder.text(a) for a in call.arguments])
            help = help or did_you_mean(name, binder.findings.callable(catalogue.names()))
            binder.findings.error("LSQ206", f"unknown function '{name}'", call.name.at, help=help)
        return None
    if function.bare and not call.arguments:
        function = catalogue.planned(function.bare) or function
    if (function.clock or function.of_record) and binder.no_clock:
        binder.findings.error("LSQ312", f"{name.upper()} is not allowed {binder.no_clock}", call.at)
        return None
    if binder.grouping and not call.star and len(call.arguments) == 1 and catalogue.aggregate(f"{function.name}K"):
        help = f"that of a group is {function.name}K({binder.text(call.arguments[0])}, 1)"
        binder.findings.error("LSQ208", f"{function.name} takes at least 2 arguments, not 1", call.at, help=help)
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
    literals = [a.value if isinstance(a, Literal) else None for a in arguments]
    nullable = calls.nullable(function, [a.type for a in arguments], [a.nullable for a in arguments], literals)
    return Call(function.name, arguments, type, nullable)


def _aggregate(binder: CallBinder, call: tree.Call, aggregate: Aggregate) -> Expression | None:
    name = aggregate.name
    if binder.grouping is None:
        binder.findings.error(
            "LSQ313",
            f"the aggregate {name} is not allowed here",
            call.at,
            help="aggregates are only allowed in the SELECT list and in HAVING of a query with GROUP BY",
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
    inner = binder.below_aggregate()
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
            f"HAVING can repeat an aggregate of the SELECT only, and {binder.text(call)} is none",
            call.at,
            help=f"add it to the SELECT list: {binder.text(call)} AS name",
        )
    return slot
