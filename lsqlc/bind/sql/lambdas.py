"""Functions with lambdas, such as TRANSFORM(array, x -> x + 1).

A plan has lambdas over the elements of one array. Those of functions over two arrays, or over maps, are over pairs of
elements, and over the entries of a map. Variables are named by the depth of their lambda, so the names in a model do
not change the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self, TypeVar

from lsqlc.bind.coerce import coerce, typed
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.called import called
from lsqlc.plan.expression import Case, Expression, Lambda, Literal, Member, Operation, StructOf, Variable
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct, unify

# The maximum depth of nested lambdas: AGGREGATE may bind its own a second time, with the type of the state.
MAX_LAMBDAS = 8
_SORTED = "ARRAY_SORT(array, (a, b) -> CASE WHEN a < b THEN -1 WHEN a > b THEN 1 ELSE 0 END)"
FORMS: Mapping[str, str] = {
    "TRANSFORM": "TRANSFORM(array, x -> x + 1) or TRANSFORM(array, (x, i) -> x + i)",
    "FILTER": "FILTER(array, x -> x > 1) or FILTER(array, (x, i) -> i > 0)",
    "EXISTS": "EXISTS(array, x -> x > 1)",
    "FORALL": "FORALL(array, x -> x > 1)",
    "AGGREGATE": "AGGREGATE(array, 0, (s, x) -> s + x) or AGGREGATE(array, 0, (s, x) -> s + x, s -> s * 10)",
    "REDUCE": "REDUCE(array, 0, (s, x) -> s + x) or REDUCE(array, 0, (s, x) -> s + x, s -> s * 10)",
    "ZIP_WITH": "ZIP_WITH(array, array, (x, y) -> x + y)",
    "ARRAY_SORT": _SORTED,
    "MAP_FILTER": "MAP_FILTER(map, (k, v) -> v > 1)",
    "TRANSFORM_KEYS": "TRANSFORM_KEYS(map, (k, v) -> k + 1)",
    "TRANSFORM_VALUES": "TRANSFORM_VALUES(map, (k, v) -> v + 1)",
    "MAP_ZIP_WITH": "MAP_ZIP_WITH(map, map, (k, v, w) -> v + w)",
}


class LambdaBinder(Protocol):
    """The methods of a binder that lambdas need. `variables`: the parameters of outer lambdas."""

    @property
    def findings(self) -> Findings: ...
    @property
    def variables(self) -> tuple[tuple[str, Expression], ...]: ...

    def bind(self, expression: tree.Expression) -> Expression | None: ...
    def with_variables(self, variables: tuple[tuple[str, Expression], ...]) -> Self: ...


def takes_lambdas(call: tree.Call) -> bool:
    """Return whether a call is one of these functions. ARRAY_SORT(array) is not."""
    return call.name.text in FORMS and (call.name.text != "ARRAY_SORT" or len(call.arguments) > 1)


def bind_lambdas(binder: LambdaBinder, call: tree.Call) -> Expression | None:
    """Return a call of one of FORMS; None after an error."""
    lambdas = [a for a in call.arguments if isinstance(a, tree.Lambda)]
    first = call.arguments[: len(call.arguments) - len(lambdas)]
    values = [binder.bind(a) for a in first]
    if any(value is None for value in values):
        return None
    bound = [value for value in values if value is not None]
    name = "AGGREGATE" if call.name.text == "REDUCE" else call.name.text
    form = _BINDERS[name]
    if [type(a) for a in call.arguments[len(first) :]] != [tree.Lambda] * len(lambdas) or not form.fits(bound, lambdas):
        binder.findings.error("LSQ388", f"{call.name.text} requires other arguments", call.at,
                              help=f"its form is {FORMS[call.name.text]}")  # fmt: skip
        return None
    return form.bind(binder, call, bound, lambdas)


_Binder = TypeVar("_Binder", bound=LambdaBinder)


def of_each(
    binder: _Binder, array: Expression, convert: Callable[[_Binder, Expression], Expression | None]
) -> Expression | None:
    """Return an array of converted elements; None if there is no conversion, or arrays are nested too deep."""
    depth = _depth(binder)
    element = _element(array.type, depth)
    body = convert(binder.with_variables((("", element),)), element) if depth < MAX_LAMBDAS else None
    return body and called("TRANSFORM", (array, Lambda((element,), body)), Array(body.type))


class _Form:
    """The form of a call.

    `kinds`: the types of the arguments before the lambdas. `parameters`: the allowed numbers of parameters of each
    lambda.
    """

    def __init__(
        self, kinds: Sequence[type[Array] | type[Map] | None], parameters: Sequence[Sequence[int]],
        bind: Callable[[LambdaBinder, tree.Call, list[Expression], list[tree.Lambda]], Expression | None],
        least: int = 1,
    ) -> None:  # fmt: skip
        self._kinds, self._parameters, self.bind, self._least = kinds, parameters, bind, least

    def fits(self, values: Sequence[Expression], lambdas: Sequence[tree.Lambda]) -> bool:
        if len(values) != len(self._kinds) or not self._least <= len(lambdas) <= len(self._parameters):
            return False
        kinds = all(k is None or isinstance(v.type, k) for k, v in zip(self._kinds, values, strict=True))
        counts = zip(lambdas, self._parameters, strict=False)
        return kinds and all(len(each.parameters) in count for each, count in counts)


def _depth(binder: LambdaBinder) -> int:
    return sum(not name for name, _ in binder.variables)


def _element(type: DataType, depth: int) -> Variable:
    assert isinstance(type, Array)
    return Variable(f"e{depth}", type.element)


def _body(binder: LambdaBinder, lambda_: tree.Lambda, parts: Sequence[Expression]) -> Expression | None:
    """Return the body of a lambda whose parameters are these expressions; None after an error."""
    if _depth(binder) >= MAX_LAMBDAS:
        binder.findings.error("LSQ103", f"lambdas are nested more than {MAX_LAMBDAS} levels deep", lambda_.at,
                              help="compute the inner array in a query of its own in FROM")  # fmt: skip
        return None
    names = [p.text.casefold() for p in lambda_.parameters]
    twice = next((p for p in lambda_.parameters if names.count(p.text.casefold()) > 1), None)
    if twice is not None:
        binder.findings.error("LSQ388", f"two parameters of a lambda are named '{twice.text}'", twice.at,
                              help="give one another name")  # fmt: skip
        return None
    # One part has an empty name, which no program can use; it counts the lambdas.
    return binder.with_variables((*zip(names, parts, strict=True), ("", parts[0]))).bind(lambda_.body)


def _condition(
    binder: LambdaBinder, call: tree.Call, lambda_: tree.Lambda, parts: Sequence[Expression]
) -> Expression | None:
    body = _body(binder, lambda_, parts)
    if body is not None and body.type not in (data.BOOLEAN, data.NULL):
        message = f"the lambda of {call.name.text} must be a condition, not {body.type}"
        binder.findings.error("LSQ210", message, lambda_.body.at)
        return None
    return body and typed(body, data.BOOLEAN)


def _value(binder: LambdaBinder, lambda_: tree.Lambda, parts: Sequence[Expression]) -> Expression | None:
    body = _body(binder, lambda_, parts)
    if body is not None and body.type == data.NULL:
        binder.findings.error("LSQ368", "the elements would be NULL and have no type", lambda_.body.at,
                              help="say which: CAST(NULL AS STRING)")  # fmt: skip
        return None
    return body


def _indexed(binder: LambdaBinder, array: Expression, lambda_: tree.Lambda) -> tuple[Variable, ...]:
    """Return the variables of a lambda over an array: the element, and the index from 0 if there is a second
    parameter.
    """
    depth = _depth(binder)
    return (_element(array.type, depth), Variable(f"i{depth}", data.INT, False))[: len(lambda_.parameters)]


def _transform(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    variables = _indexed(binder, values[0], lambdas[0])
    body = _value(binder, lambdas[0], variables)
    return body and called("TRANSFORM", (values[0], Lambda(variables, body)), Array(body.type))


def _filter(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    variables = _indexed(binder, values[0], lambdas[0])
    body = _condition(binder, call, lambdas[0], variables)
    return body and called("FILTER", (values[0], Lambda(variables, body)), values[0].type)


def _tested(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    """Return EXISTS or FORALL; None after an error."""
    variable = _element(values[0].type, _depth(binder))
    body = _condition(binder, call, lambdas[0], (variable,))
    return body and called(call.name.text, (values[0], Lambda((variable,), body)), data.BOOLEAN)


def _aggregate(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    """Return AGGREGATE. Its state has one type: the common type of the first and each next state."""
    array, start = values
    depth = _depth(binder)
    element = _element(array.type, depth)

    def step(type: DataType) -> Expression | None:
        return _body(binder, lambdas[0], (Variable(f"s{depth}", type), element))

    body = step(start.type)
    common_type = unify(start.type, body.type) if body is not None else None
    if common_type is not None and common_type != start.type:
        body = step(common_type)
        common_type = unify(common_type, body.type) if body is not None else None
    if body is None:
        return None
    if common_type is None or common_type == data.NULL:
        message = f"the initial state of {call.name.text} is {start.type}, and the next one is {body.type}"
        binder.findings.error("LSQ388", message, lambdas[0].at, notes=("the type of the state must not change",),
                              help="convert the first or the lambda's result: CAST(... AS BIGINT)")  # fmt: skip
        return None
    state = Variable(f"s{depth}", common_type)
    steps = Lambda((state, element), coerce(body, common_type))
    if len(lambdas) == 1:
        return called("AGGREGATE", (array, coerce(start, common_type), steps), common_type)
    last = _value(binder, lambdas[1], (state,))
    return last and called("AGGREGATE", (array, coerce(start, common_type), steps, Lambda((state,), last)), last.type)


def _zip_with(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    one, other = values
    assert isinstance(one.type, Array) and isinstance(other.type, Array)
    pair = Struct((Field("0", one.type.element), Field("1", other.type.element)))
    variable = Variable(f"e{_depth(binder)}", pair)
    parts = (Member(variable, "0", one.type.element, True), Member(variable, "1", other.type.element, True))
    body = _value(binder, lambdas[0], parts)
    return body and called("ZIP_WITH", (one, other, Lambda((variable,), body)), Array(body.type))


def _array_sort(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    depth = _depth(binder)
    left = _element(values[0].type, depth)
    right = Variable(f"f{depth}", left.type)
    body = _body(binder, lambdas[0], (left, right))
    if body is not None and body.type != data.INT:
        message = f"the lambda of ARRAY_SORT must be an INT, negative, zero or positive, not {body.type}"
        binder.findings.error("LSQ388", message, lambdas[0].body.at, help=f"its form is {_SORTED}")
        return None
    if body is None:
        return None
    some = Operation("IS NOT NULL", (body,), data.BOOLEAN, False)
    order = Case(((some, body),), Literal(0, data.INT), data.INT)
    return called("ARRAY_SORT", (values[0], Lambda((left, right), order)), values[0].type)


def _entry(binder: LambdaBinder, map: Expression) -> tuple[Variable, Expression, Expression]:
    """Return the variable of an entry of a map, its key and its value."""
    assert isinstance(map.type, Map)
    entry = Struct((Field("key", map.type.key, False), Field("value", map.type.value)))
    variable = Variable(f"e{_depth(binder)}", entry)
    return variable, Member(variable, "key", map.type.key, False), Member(variable, "value", map.type.value, True)


def _map_filter(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    variable, key, value = _entry(binder, values[0])
    body = _condition(binder, call, lambdas[0], (key, value))
    return body and called("MAP_FILTER", (values[0], Lambda((variable,), body)), values[0].type)


def _transform_map(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    variable, key, value = _entry(binder, values[0])
    body = _value(binder, lambdas[0], (key, value))
    if body is None:
        return None
    of_keys = call.name.text == "TRANSFORM_KEYS"
    if of_keys and any(isinstance(part, Map) for part in data.parts(body.type)):
        binder.findings.error("LSQ388", f"a key of a map cannot be {body.type}", lambdas[0].body.at)
        return None
    entry = StructOf(("key", "value"), (body, value) if of_keys else (key, body))
    type = Map(entry.values[0].type, entry.values[1].type)
    return called(call.name.text, (values[0], Lambda((variable,), entry)), type)


def _map_zip_with(
    binder: LambdaBinder, call: tree.Call, values: list[Expression], lambdas: list[tree.Lambda]
) -> Expression | None:
    one, other = (v.type for v in values)
    assert isinstance(one, Map) and isinstance(other, Map)
    if one.key != other.key:
        binder.findings.error("LSQ388", f"the keys of the maps are {one.key} and {other.key}", call.at,
                              help="convert one of the maps with TRANSFORM_KEYS")  # fmt: skip
        return None
    variable = Variable(f"e{_depth(binder)}", one.key, False)
    values_of_key = [called("ELEMENT_AT", (v, variable), t.value) for v, t in zip(values, (one, other), strict=True)]
    body = _value(binder, lambdas[0], (variable, *values_of_key))
    if body is None:
        return None
    entry = StructOf(("key", "value"), (variable, body))
    return called("MAP_ZIP_WITH", (*values, Lambda((variable,), entry)), Map(one.key, body.type))


_BINDERS: Mapping[str, _Form] = {
    "TRANSFORM": _Form((Array,), ((1, 2),), _transform),
    "FILTER": _Form((Array,), ((1, 2),), _filter),
    "EXISTS": _Form((Array,), ((1,),), _tested),
    "FORALL": _Form((Array,), ((1,),), _tested),
    "AGGREGATE": _Form((Array, None), ((2,), (1,)), _aggregate),
    "ZIP_WITH": _Form((Array, Array), ((2,),), _zip_with),
    "ARRAY_SORT": _Form((Array,), ((2,),), _array_sort),
    "MAP_FILTER": _Form((Map,), ((2,),), _map_filter),
    "TRANSFORM_KEYS": _Form((Map,), ((2,),), _transform_map),
    "TRANSFORM_VALUES": _Form((Map,), ((2,),), _transform_map),
    "MAP_ZIP_WITH": _Form((Map, Map), ((3,),), _map_zip_with),
}
