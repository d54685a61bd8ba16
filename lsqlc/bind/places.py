"""Where the expressions of a plan are in the text of its program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsqlc.bind.trace import Trace
from lsqlc.diagnostics.source import Extent
from lsqlc.plan import expression as ex
from lsqlc.plan.nodes import Relation

_Shape = tuple[Any, ...]


class Places:
    """The extents of the expressions of a program, from its trace.

    An expression is found by its operators and names: a plan numbers the relations of a query in another way.
    """

    def __init__(self, trace: Trace) -> None:
        self._named: dict[_Shape, Extent] = {}
        self._nameless: dict[_Shape, Extent] = {}
        queries = sorted(trace.queries.items(), key=lambda query: query[0][1] - query[0][0])
        for at, expression in sorted(trace.every, key=lambda each: each[0]):
            relations = next((q.relations for span, q in queries if span[0] <= at[0] and at[1] <= span[1]), ())
            names = ("",) if expression.grouped else tuple(relation.name for relation in relations)
            self._named.setdefault(_shape(expression.expression, names), at)
            self._nameless.setdefault(_shape(expression.expression, ()), at)

    def find(self, expression: ex.Expression, relations: Sequence[Relation]) -> Extent | None:
        """Return the first extent of an expression over relations; None if the text does not have it."""
        at = self._named.get(_shape(expression, tuple(relation.name for relation in relations)))
        return at if at is not None else self._nameless.get(_shape(expression, ()))


def _shape(expression: ex.Expression, names: tuple[str, ...]) -> _Shape:
    """Return what tells expressions apart, without their types. `names`: of the relations, or nothing."""
    parts = tuple(_shape(part, names) for part in ex.children(expression))
    match expression:
        case ex.Literal(value=value, type=type):
            return ("literal", repr(value), str(type))
        case ex.Field(relation=relation, facet=facet, path=path):
            name = names[relation] if relation < len(names) else ""
            return ("field", name, facet, path)
        case ex.Operation(operator=name) | ex.Call(function=name) | ex.PythonCall(function=name):
            return (name, *parts)
        case ex.ServerCall(function=name) | ex.Member(name=name) | ex.Variable(name=name):
            return (name, *parts)
        case ex.StructOf(names=fields):
            return ("struct", fields, *parts)
        case ex.Cast(type=type):
            return ("cast", str(type), *parts)
        case ex.Lambda(parameters=parameters):
            return ("lambda", tuple(p.name for p in parameters), *parts)
        case _:
            return (expression.__class__.__name__, *parts)
