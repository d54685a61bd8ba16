"""A program that calls one function, to run its cases on any engine."""

from __future__ import annotations

from lsqlc.bind.own_function import OwnFunction
from lsqlc.plan.expression import Expression, Field, StructOf
from lsqlc.plan.nodes import Project, Scan, Sink
from lsqlc.plan.plan import Plan
from lsqlc.types import data
from lsqlc.types.record import Facet, Topic

CALLS, RESULTS = "calls", "results"
# A record must have a value, and a value must have a field.
_NOTHING = data.Field("none", data.BOOLEAN)


def plan_name(function: str) -> str:
    """Return the name of the plan of a function; no model can have such a name."""
    return f"{function}()"


def arguments_of(function: OwnFunction) -> data.Struct:
    """Return the type of a call's arguments, as one value."""
    return data.Struct(function.parameters or (_NOTHING,))


def plan_of(function: OwnFunction) -> Plan | None:
    """Return a plan that reads calls, and writes each with its result; None for a function with errors.

    A call is a record whose key is its number, and whose value has the arguments by name. A result has the number too,
    and a value with `arguments` and `result`.
    """
    body = function.body((True,) * len(function.parameters))
    if body is None:
        return None
    argument_type = arguments_of(function)
    key, value = Facet(data.INT, "int"), Facet(argument_type, "json")
    calls = Topic(CALLS, key, value)
    arguments = tuple(Field(0, "value", (f.name,), f.type, True) for f in argument_type.fields)
    values: tuple[Expression, ...] = (StructOf(tuple(f.name for f in argument_type.fields), arguments), body)
    result = StructOf(("arguments", "result"), values)
    number = Field(0, "key", (), data.INT, True)
    scan = Scan(calls, CALLS, "STREAM", key, value)
    project = Project(scan, number, result, "int", "json", False, RESULTS)
    topic = Topic(RESULTS, key, Facet(result.type, "json"))
    return Plan(plan_name(function.name), (Sink((project,), topic),))
