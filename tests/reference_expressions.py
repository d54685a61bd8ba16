"""The value of an expression in the reference, over plain Python values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from lsqlc.plan import expression as ex
from lsqlc.types import data
from tests.reference_functions import FUNCTIONS, NULL_FUNCTIONS, arithmetic, cast, fitting

# The key and the value of each relation of a node.
Facets = tuple[tuple[Any, Any], ...]


def evaluate(expression: ex.Expression, facets: Facets, time: int | None = None) -> Any:
    """The value of an expression over the relations of a row. `time`: the row's."""

    def of(part: ex.Expression) -> Any:
        return evaluate(part, facets, time)

    match expression:
        case ex.Literal(value=value):
            return value
        case ex.Field(relation=number, facet=facet, path=path):
            found = facets[number][0 if facet == "key" else 1]
            for name in path:
                found = None if found is None else found.get(name)
            return found
        case ex.Operation():
            return _operation(expression, _numbers([of(o) for o in expression.operands]))
        case ex.RecordTime():
            assert time is not None, "a row has a time"
            return time
        case ex.Call(function="COALESCE" | "ksql.IFNULL", arguments=arguments):
            return next((v for v in map(of, arguments) if v is not None), None)
        case ex.Call(function="MAX" | "ksql.GREATEST", arguments=arguments):
            return max((v for v in map(of, arguments) if v is not None), default=None)
        case ex.Call(function=name, arguments=arguments) if name in NULL_FUNCTIONS:
            return NULL_FUNCTIONS[name](*map(of, arguments))
        case ex.Call(function="IN_ARRAY", arguments=(element, array)):
            return _operation(ex.Operation("IN", (), data.BOOLEAN, True), [of(element), *(of(array) or [])])
        case ex.Call(function="ISNULL", arguments=(argument,)):
            return of(argument) is None
        case ex.Call(function="ksql.TRANSFORM", arguments=(elements, ex.Lambda() as step)):
            values = of(elements)
            return None if values is None else [of(_applied(step, value)) for value in values]
        case ex.Call(function="ksql.FILTER", arguments=(elements, ex.Lambda() as step)):
            values = of(elements)
            return None if values is None else [value for value in values if of(_applied(step, value)) is True]
        case ex.Call(function="ksql.REDUCE", arguments=(elements, state, ex.Lambda() as step)):
            values, found = of(elements), of(state)
            for value in values or []:
                found = of(_applied(step, found, value))
            return None if values is None else found
        case ex.Call(function=name, arguments=arguments) if name in FUNCTIONS:
            parts = _numbers([of(a) for a in arguments])
            return None if None in parts else FUNCTIONS[name](*parts)
        case ex.Cast(operand=operand, type=type):
            (value,) = _numbers([of(operand)])
            return None if value is None else cast(value, type)
        case ex.Case(branches=branches, otherwise=otherwise):
            return next((of(then) for when, then in branches if of(when) is True), of(otherwise))
        case ex.ArrayOf(items=items):
            return [of(i) for i in items]
        case ex.ElementAt(array=array, index=index):
            values, place = of(array), of(index)
            inside = values is not None and place is not None and 0 <= place < len(values)
            return values[place] if inside else None
        case ex.Member(operand=operand, name=name):
            whole = of(operand)
            return None if whole is None else whole.get(name)
        case ex.StructOf(names=names, values=values):
            return {n: of(v) for n, v in zip(names, values, strict=True)}
    raise AssertionError(f"no reference for {expression}")


def _numbers(values: list[Any]) -> list[Any]:
    """The values; what is not a number is only passed on."""
    assert not any(isinstance(v, float) and math.isnan(v) for v in values), "no reference for what is not a number"
    return values


def _applied(step: ex.Lambda, *values: Any) -> ex.Expression:
    """What a lambda says with values in place of its parameters."""
    given = {p.name: ex.Literal(value, p.type) for p, value in zip(step.parameters, values, strict=True)}

    return _given(step.body, given)


def _given(expression: ex.Expression, given: Mapping[str, ex.Expression]) -> ex.Expression:
    """The expression with values for variables; a lambda inside of it may have a parameter of the same name."""
    match expression:
        case ex.Variable(name=name):
            return given.get(name, expression)
        case ex.Lambda(parameters=parameters, body=body):
            own = {p.name for p in parameters}
            return replace(expression, body=_given(body, {n: v for n, v in given.items() if n not in own}))
    return ex.with_children(expression, tuple(_given(part, given) for part in ex.children(expression)))


def _operation(operation: ex.Operation, values: list[Any]) -> Any:
    """Three-valued logic; integers that do not fit their type are null."""
    operator = operation.operator
    if operator in ("IS NULL", "IS NOT NULL"):
        return (values[0] is None) == (operator == "IS NULL")
    if operator in ("AND", "OR"):
        decisive = operator == "OR"
        return decisive if decisive in values else None if None in values else not decisive
    if operator == "IN":
        tested, *items = values
        if tested is None:
            return None
        return True if tested in [i for i in items if i is not None] else None if None in items else False
    if None in values:
        return None
    if operator == "NOT":
        return not values[0]
    if len(values) == 1:
        assert operator == "NEGATE", f"no reference for {operator}"
        return fitting(-values[0], operation.type)
    if operator == "LIKE":
        return _like(*values)
    a, b = values
    comparisons = {"=": a == b, "<>": a != b}
    if operator in comparisons:
        return comparisons[operator]
    if operator in ("<", "<=", ">", ">="):
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
    return arithmetic(operator, a, b, operation.type)


def _like(text: str, pattern: str, escape: str | None = None) -> bool:
    """Whether a text is like a pattern; the character behind the escape stands for itself."""
    parts = re.findall(f"{re.escape(escape)}.|." if escape else ".", pattern, re.DOTALL)
    wanted = "".join({"%": ".*", "_": "."}.get(part, re.escape(part[-1])) for part in parts)
    return re.fullmatch(wanted, text, re.DOTALL) is not None
