"""Aggregates of standard SQL that are expressed by others, which every engine can retract over a TABLE."""

from __future__ import annotations

from lsqlc.syntax import tree

WRITTEN_OUT = ("MEAN", "TRY_AVG", "TRY_SUM", "COUNT_IF", "BOOL_AND", "EVERY", "BOOL_OR", "SOME", "ANY")


def written_out(call: tree.Call) -> tree.Expression:
    """Return the expression of a call of one of these with one argument."""
    (value,), at = call.arguments, call.at
    match call.name.text:
        case "MEAN" | "TRY_AVG":
            return _aggregate("AVG", value, call)
        case "TRY_SUM":
            return _aggregate("SUM", value, call)
        case "COUNT_IF":
            return _count_of(value, call)
        case "BOOL_AND" | "EVERY":
            none_false = tree.Binary("=", _count_of(tree.Unary("NOT", value, at), call), tree.Literal(0, at), at)
            return _unless_empty(none_false, value, call)
        case _:
            return _unless_empty(tree.Binary(">", _count_of(value, call), tree.Literal(0, at), at), value, call)


def _aggregate(name: str, value: tree.Expression, call: tree.Call) -> tree.Expression:
    return tree.Call(tree.Name(name, call.name.at), (value,), False, call.at)


def _count_of(condition: tree.Expression, call: tree.Call) -> tree.Expression:
    one = tree.Case(None, ((condition, tree.Literal(1, call.at)),), None, call.at)
    return _aggregate("COUNT", one, call)


def _unless_empty(result: tree.Expression, value: tree.Expression, call: tree.Call) -> tree.Expression:
    """Return a result that is null if all values are null."""
    some = tree.Binary(">", _aggregate("COUNT", value, call), tree.Literal(0, call.at), call.at)
    return tree.Case(None, ((some, result),), None, call.at)
