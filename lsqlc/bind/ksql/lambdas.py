"""TRANSFORM, FILTER and REDUCE of ksqlDB, with their lambdas.

A lambda of a plan takes one element of an array. A map is the array of its entries, structs of `key` and `value`. So
the parameters of a lambda over a map are the two fields of one variable. Variables are named by the depth of their
lambda, so the names in a program do not change the plan.
"""

from __future__ import annotations

from typing import Protocol, Self

from lsqlc.bind.coerce import coerce, typed
from lsqlc.bind.findings import Findings
from lsqlc.plan.expression import Call, Expression, Lambda, Member, StructOf, Variable
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct, unify

INVOCATIONS = ("TRANSFORM", "FILTER", "REDUCE")
# The maximum depth of nested lambdas: REDUCE may bind its own a second time, with the type of the state.
MAX_LAMBDAS = 8
# The form of each over an array and over a map.
_FORMS = {
    "TRANSFORM": ("TRANSFORM(array, x => x + 1)", "TRANSFORM(map, (k, v) => k, (k, v) => v + 1)"),
    "FILTER": ("FILTER(array, x => x > 1)", "FILTER(map, (k, v) => v > 1)"),
    "REDUCE": ("REDUCE(array, 0, (s, x) => s + x)", "REDUCE(map, 0, (s, k, v) => s + v)"),
}


class LambdaBinder(Protocol):
    """The methods of a binder that lambdas need. `variables`: the parameters of outer lambdas."""

    @property
    def findings(self) -> Findings: ...
    @property
    def variables(self) -> tuple[tuple[str, Expression], ...]: ...

    def bind(self, expression: tree.Expression) -> Expression | None: ...
    def with_variables(self, variables: tuple[tuple[str, Expression], ...]) -> Self: ...


def bind_invocation(binder: LambdaBinder, call: tree.Call) -> Expression | None:
    """Return a call of one of INVOCATIONS; None after an error."""
    collection = binder.bind(call.arguments[0]) if call.arguments else None
    if call.arguments and collection is None:
        return None
    type = collection.type if collection is not None else data.NULL
    lambdas = _lambdas(call, type)
    if collection is None or lambdas is None:
        forms = _FORMS[call.name.text]
        form = forms[1] if isinstance(type, Map) else forms[0] if isinstance(type, Array) else " or ".join(forms)
        binder.findings.error("LSQ388", f"{call.name.text} requires a collection and matching lambdas", call.at,
                              help=f"its form is {form}")  # fmt: skip
        return None
    if call.name.text == "FILTER":
        return _filter(binder, collection, lambdas[0])
    if call.name.text == "TRANSFORM":
        return _transform(binder, collection, lambdas)
    return _reduce(binder, collection, call.arguments[1], lambdas[0])


def _lambdas(call: tree.Call, type: DataType) -> tuple[tree.Lambda, ...] | None:
    """Return the lambdas of a call, in the number and with the parameters for a collection of this type, or None."""
    if not isinstance(type, Array | Map):
        return None
    name, over_map = call.name.text, isinstance(type, Map)
    before = 2 if name == "REDUCE" else 1
    count = 2 if name == "TRANSFORM" and over_map else 1
    parameters = 1 + over_map + (name == "REDUCE")
    lambda_arguments = call.arguments[before:]
    lambdas = tuple(a for a in lambda_arguments if isinstance(a, tree.Lambda) and len(a.parameters) == parameters)
    whole = len(lambdas) == len(lambda_arguments) == count
    return lambdas if whole and not isinstance(call.arguments[before - 1], tree.Lambda) else None


def _element(type: DataType) -> DataType:
    if isinstance(type, Map):
        return Struct((Field("key", type.key, False), Field("value", type.value)))
    assert isinstance(type, Array)
    return type.element


def _bound(
    binder: LambdaBinder, lambda_: tree.Lambda, type: DataType, state: DataType | None = None
) -> tuple[tuple[Variable, ...], Expression] | None:
    """Return the variables of a lambda over a collection, and its body; None after an error."""
    depth = sum(not name for name, _ in binder.variables)
    if depth == MAX_LAMBDAS:
        binder.findings.error("LSQ103", f"lambdas are nested more than {MAX_LAMBDAS} levels deep", lambda_.at,
                              help="compute the inner collection in a separate stream first")  # fmt: skip
        return None
    variable = Variable(f"e{depth}", _element(type))
    parts: list[Expression] = [variable]
    if isinstance(type, Map):
        parts = [Member(variable, "key", type.key, False), Member(variable, "value", type.value, True)]
    variables: tuple[Variable, ...] = (variable,)
    if state is not None:
        total = Variable(f"s{depth}", state)
        parts, variables = [total, *parts], (total, variable)
    names = tuple(p.text for p in lambda_.parameters)
    twice = next((p for p in lambda_.parameters if names.count(p.text) > 1), None)
    if twice is not None:
        binder.findings.error("LSQ388", f"two parameters of a lambda are named '{twice.text}'", twice.at,
                              help="give one another name")  # fmt: skip
        return None
    # The element has an empty name, which no program can use; it counts the lambdas.
    body = binder.with_variables((*zip(names, parts, strict=True), ("", variable))).bind(lambda_.body)
    return (variables, body) if body is not None else None


def _filter(binder: LambdaBinder, collection: Expression, lambda_: tree.Lambda) -> Expression | None:
    bound = _bound(binder, lambda_, collection.type)
    if bound is None:
        return None
    variables, body = bound
    if body.type not in (data.BOOLEAN, data.NULL):
        binder.findings.error("LSQ210", f"the lambda of FILTER must be a condition, not {body.type}", lambda_.body.at)
        return None
    condition = Lambda(variables, typed(body, data.BOOLEAN))
    return Call("ksql.FILTER", (collection, condition), collection.type, True)


def _transform(binder: LambdaBinder, collection: Expression, lambdas: tuple[tree.Lambda, ...]) -> Expression | None:
    results = [_bound(binder, each, collection.type) for each in lambdas]
    bodies = tuple(f[1] for f in results if f is not None)
    variables = next((f[0] for f in results if f is not None), ())
    if len(bodies) < len(lambdas):
        return None
    for each, body in zip(lambdas, bodies, strict=True):
        if body.type == data.NULL:
            binder.findings.error("LSQ368", "the elements would be NULL and have no type", each.body.at,
                                  help="say which: CAST(NULL AS STRING)")  # fmt: skip
            return None
    if isinstance(collection.type, Map):
        if isinstance(bodies[0].type, Array | Map | Struct):
            binder.findings.error("LSQ388", f"a key of a map must be primitive, not {bodies[0].type}",
                                  lambdas[0].body.at)  # fmt: skip
            return None
        entry = StructOf(("key", "value"), bodies)
        type: DataType = Map(bodies[0].type, bodies[1].type)
        return Call("ksql.TRANSFORM", (collection, Lambda(variables, entry)), type, True)
    return Call("ksql.TRANSFORM", (collection, Lambda(variables, bodies[0])), Array(bodies[0].type), True)


def _reduce(
    binder: LambdaBinder, collection: Expression, start: tree.Expression, lambda_: tree.Lambda
) -> Expression | None:
    """Return REDUCE. Its state has one type: the common type of the first and each next state."""
    initial = binder.bind(start)
    bound = _bound(binder, lambda_, collection.type, initial.type) if initial is not None else None
    if initial is None or bound is None:
        return None
    common_type = unify(initial.type, bound[1].type)
    if common_type is not None and common_type != initial.type:
        bound = _bound(binder, lambda_, collection.type, common_type)
        common_type = unify(common_type, bound[1].type) if bound is not None else None
    if bound is None:
        return None
    variables, body = bound
    if common_type is None or common_type == data.NULL or common_type != variables[0].type:
        message = f"the initial state of REDUCE is {initial.type}, and the next one is {body.type}"
        binder.findings.error("LSQ388", message, lambda_.at,
                              notes=("the type of the state must not change",),
                              help="convert the first or the lambda's result: CAST(... AS BIGINT)")  # fmt: skip
        return None
    return Call(
        "ksql.REDUCE",
        (collection, coerce(initial, common_type), Lambda(variables, coerce(body, common_type))),
        common_type,
        True,
    )
