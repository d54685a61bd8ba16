"""Lambdas in DuckDB's form: array indexes from 1, and no sorting by a lambda."""

from __future__ import annotations

from lsqlc.functions import catalogue
from lsqlc.plan import expression as ex
from lsqlc.types import data
from lsqlc.types.data import Struct

_INDEXED = ("sql.TRANSFORM", "sql.FILTER")


def arguments_of(call: ex.Call) -> tuple[ex.Expression, ...]:
    """Return the arguments of a call, with lambdas in DuckDB's form."""
    match call.function, call.arguments:
        case "ksql.REDUCE", (collection, start, step):
            return (collection, start, _over_pairs(step))
        case name, (array, ex.Lambda(parameters=(element, index), body=body)) if name in _INDEXED:
            return (array, ex.Lambda((element, index), ex.rewrite(body, lambda part: _from_zero(part, index))))
        case "sql.ARRAY_SORT", (array, ex.Lambda() as order):
            return (array, _ranked(array, order))
    return call.arguments


def _from_zero(part: ex.Expression, index: ex.Variable) -> ex.Expression:
    if part != index:
        return part
    one = ex.Literal(1, data.BIGINT)
    return ex.Cast(ex.Operation("-", (ex.Variable(index.name, data.BIGINT), one), data.BIGINT, False), data.INT, False)


def _ranked(array: ex.Expression, order: ex.Lambda) -> ex.Lambda:
    """Return a lambda from an element and its index to a struct: the number of smaller elements, the index, the
    element.
    """
    left, right = order.parameters
    before = ex.Operation("<", (order.body, ex.Literal(0, data.INT)), data.BOOLEAN, True)
    smaller = ex.Call("sql.FILTER", (array, ex.Lambda((left,), before)), array.type, True)
    size = catalogue.scalar("SIZE", "sql")
    assert size is not None
    rank = ex.Call(catalogue.plan_name(size, "sql"), (smaller,), data.INT, False)
    place = ex.Variable(f"p{right.name[1:]}", data.BIGINT, False)
    return ex.Lambda((right, place), ex.StructOf(("rank", "place", "element"), (rank, place, right)))


def _over_pairs(step: ex.Expression) -> ex.Lambda:
    """Return the lambda of a REDUCE over pairs of a state `s` and an element `e`. Its result is such a pair."""
    assert isinstance(step, ex.Lambda)
    state, element = step.parameters
    pair = Struct((data.Field("s", state.type), data.Field("e", element.type)))
    before, next = ex.Variable(f"a{state.name[1:]}", pair), ex.Variable(f"b{state.name[1:]}", pair)
    parts = {
        state.name: ex.Member(before, "s", state.type, True),
        element.name: ex.Member(next, "e", element.type, True),
    }

    def change(part: ex.Expression) -> ex.Expression:
        return parts.get(part.name, part) if isinstance(part, ex.Variable) else part

    none = ex.Literal(None, element.type)
    return ex.Lambda((before, next), ex.StructOf(("s", "e"), (ex.rewrite(step.body, change), none)))
