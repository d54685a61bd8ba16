"""The normal form of a plan: plans with the same normal form give the same rows.

Each rule replaces an expression or a node by one that means the same under its condition. Which of several errors ends
a query can differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from operator import is_, itemgetter

from msgspec import structs

from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.fingerprint import expression_key
from lsqlc.plan.plan import Plan
from lsqlc.types import data

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_REVERSED = {">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the normal form.

    `statement` and `condition`: what it replaces, and when, for people. `step`: returns the replacement of an operation
    whose parts are in normal form; None if the rule does not apply.
    """

    name: str
    statement: str
    condition: str
    step: Callable[[ex.Operation], ex.Expression | None]


def _operation(operator: str, operands: tuple[ex.Expression, ...], like: ex.Operation) -> ex.Operation:
    return ex.Operation(operator, operands, like.type, like.nullable)


def _order_of_logic(operation: ex.Operation) -> ex.Expression | None:
    if operation.operator not in ("AND", "OR"):
        return None
    parts = _flat(operation, operation.operator)
    if any(_may_fail(part) for part in parts):
        return None
    # Equality would take 0.0 for -0.0, whose texts differ.
    keyed = sorted(((expression_key(part), part) for part in parts), key=itemgetter(0))
    unique = [
        part
        for number, (key, part) in enumerate(keyed)
        if not number or keyed[number - 1][0] != key or any(isinstance(each, ex.Call) for each in ex.walk(part))
    ]
    return _changed(operation, ex.joined("AND" if operation.operator == "AND" else "OR", unique))


def _may_fail(expression: ex.Expression) -> bool:
    """Return whether a function of the project is called, whose error for one record ends a query.

    A condition before it can keep such records from it.
    """
    return any(isinstance(part, ex.PythonCall | ex.ServerCall) for part in ex.walk(expression))


def _flat(expression: ex.Expression, operator: str) -> list[ex.Expression]:
    """Return the parts that an operator combines, at all levels."""
    parts, pending = list[ex.Expression](), [expression]
    while pending:
        part = pending.pop()
        if isinstance(part, ex.Operation) and part.operator == operator:
            pending += part.operands
        else:
            parts.append(part)
    return parts


def _order_of_equality(operation: ex.Operation) -> ex.Expression | None:
    if operation.operator not in ("=", "<>"):
        return None
    return _changed(operation, _sorted(operation))


def _order_of_sum(operation: ex.Operation) -> ex.Expression | None:
    numbers = all(data.is_numeric(operand.type) for operand in operation.operands)
    if operation.operator not in ("+", "*") or not numbers:
        return None
    return _changed(operation, _sorted(operation))


def _sorted(operation: ex.Operation) -> ex.Operation:
    return _operation(operation.operator, tuple(sorted(operation.operands, key=expression_key)), operation)


def _direction(operation: ex.Operation) -> ex.Expression | None:
    if operation.operator not in _REVERSED:
        return None
    return _operation(_REVERSED[operation.operator], operation.operands[::-1], operation)


def _not_of_comparison(operation: ex.Operation) -> ex.Expression | None:
    inner = _negated(operation)
    if inner is None or inner.operator not in _NEGATED:
        return None
    return _operation(_NEGATED[inner.operator], inner.operands, inner)


def _not_of_null(operation: ex.Operation) -> ex.Expression | None:
    inner = _negated(operation)
    if inner is None or inner.operator not in ("IS NULL", "IS NOT NULL"):
        return None
    return _operation("IS NOT NULL" if inner.operator == "IS NULL" else "IS NULL", inner.operands, inner)


def _not_of_logic(operation: ex.Operation) -> ex.Expression | None:
    inner = _negated(operation)
    if inner is None or inner.operator not in ("AND", "OR", "NOT"):
        return None
    if inner.operator == "NOT":
        return inner.operands[0]
    parts = [ex.Operation("NOT", (part,), data.BOOLEAN, part.nullable) for part in inner.operands]
    return ex.joined("OR" if inner.operator == "AND" else "AND", parts)


def _negated(operation: ex.Operation) -> ex.Operation | None:
    """Return the operation that NOT negates; None for other operations."""
    inner = operation.operands[0] if operation.operator == "NOT" else None
    return inner if isinstance(inner, ex.Operation) else None


def _order_of_in(operation: ex.Operation) -> ex.Expression | None:
    value, *items = operation.operands
    if operation.operator != "IN" or not all(isinstance(item, ex.Literal) for item in items):
        return None
    # By their texts, because 0.0 equals -0.0.
    unique = {expression_key(item): item for item in items}
    return _changed(operation, _operation("IN", (value, *map(unique.__getitem__, sorted(unique))), operation))


def _in_of_one(operation: ex.Operation) -> ex.Expression | None:
    if operation.operator != "IN" or len(operation.operands) != 2:
        return None
    return _operation("=", operation.operands, operation)


def _changed(before: ex.Expression, after: ex.Expression) -> ex.Expression | None:
    return None if after == before else after


_ALWAYS = "always"
RULES = (
    Rule("NOT of AND, OR and NOT", "NOT (a AND b) is NOT a OR NOT b; NOT NOT a is a", _ALWAYS, _not_of_logic),
    Rule("NOT of a comparison", "NOT (a < b) is a >= b", "values of one type, which have a total order; NaN is the "
         "greatest number", _not_of_comparison),
    Rule("NOT of IS NULL", "NOT (a IS NULL) is a IS NOT NULL", _ALWAYS, _not_of_null),
    Rule("IN with one item", "a IN (b) is a = b", _ALWAYS, _in_of_one),
    Rule("order of IN", "the items of IN are sorted, each once", "all items are literals", _order_of_in),
    Rule("direction of a comparison", "a > b is b < a, and a >= b is b <= a", _ALWAYS, _direction),
    Rule("order of an equality", "the operands of = and <> are sorted", _ALWAYS, _order_of_equality),
    Rule("order of a sum or product", "the operands of a + b and a * b are sorted",
         "numbers; not the parts of a longer sum", _order_of_sum),
    Rule("order of AND and OR", "the conditions that AND or OR combines are sorted, each once",
         "none calls a function of the project; one with a call of any other function is not left out",
         _order_of_logic),
)  # fmt: skip
_ORDERS = RULES[6:]
FILTERS = Rule(
    "a filter above a filter", "two filters, one above the other, are one filter with AND",
    "none calls a function of the project", lambda _: None,
)  # fmt: skip
ALL_RULES = (*RULES, FILTERS)


def normal_form(plan: Plan, names: Collection[str] | None = None) -> tuple[Plan, tuple[str, ...]]:
    """Return the normal form of a plan, and the names of the rules that were used. `names`: rules; None for all."""
    form = _Form(frozenset(rule.name for rule in ALL_RULES) if names is None else frozenset(names), set())
    sinks = tuple(structs.replace(sink, inputs=tuple(map(form.node, sink.inputs))) for sink in plan.sinks)
    return replace(plan, sinks=sinks), tuple(rule.name for rule in ALL_RULES if rule.name in form.used)


@dataclass(frozen=True, slots=True)
class _Form:
    """The rules that may be used, and those that were."""

    names: frozenset[str]
    used: set[str]

    def node(self, node: nodes.Node) -> nodes.Node:
        node = nodes.with_inputs(node, tuple(map(self.node, nodes.inputs(node))))
        if isinstance(node, nodes.Filter) and isinstance(node.input, nodes.Filter) and FILTERS.name in self.names:
            node = self._one_filter(node, node.input)
        before = {name: getattr(node, name) for name in node.__struct_fields__}
        after = {name: self._value(value) for name, value in before.items()}
        return structs.replace(node, **{name: value for name, value in after.items() if value is not before[name]})

    def _one_filter(self, upper: nodes.Filter, lower: nodes.Filter) -> nodes.Filter:
        if _may_fail(lower.condition) or _may_fail(upper.condition):
            return upper
        self.used.add(FILTERS.name)
        return nodes.Filter(lower.input, ex.joined("AND", (lower.condition, upper.condition)))

    def _value(self, value: object) -> object:
        """Return the normal form of an expression, or of those in a tuple. Other values are returned unchanged."""
        if isinstance(value, tuple):
            parts = tuple(map(self._value, value))
            return value if all(map(is_, parts, value)) else parts
        if isinstance(value, ex.Aggregation):
            arguments = self._value(value.arguments)
            return value if arguments is value.arguments else structs.replace(value, arguments=arguments)
        return ex.rewrite(value, self._step) if isinstance(value, ex.Expression) else value

    def _step(self, expression: ex.Expression) -> ex.Expression:
        if not isinstance(expression, ex.Operation):
            return expression
        for rule in RULES:
            after = rule.step(expression) if rule.name in self.names else None
            if after is not None:
                self.used.add(rule.name)
                # Some rules make new operations, such as NOT of the parts of an AND. The order of parts is last.
                return after if rule in _ORDERS else ex.rewrite(after, self._step)
        return expression
