"""From expressions of the syntax to expressions of a plan: types are checked, conversions made explicit, names
resolved.

An erroneous part is reported and becomes None, and the parts next to it are still bound, so that one run shows all
errors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from lsqlc.bind.coerce import coerce, typed
from lsqlc.bind.findings import Findings
from lsqlc.bind.grouping import Grouping
from lsqlc.bind.nullability import may_be_null, tested
from lsqlc.bind.own_calls import bind_own_call
from lsqlc.diagnostics import did_you_mean
from lsqlc.diagnostics.source import Extent
from lsqlc.functions.forms import operators
from lsqlc.functions.results import common
from lsqlc.plan.expression import (
    ArrayOf,
    Case,
    Expression,
    Literal,
    Member,
    Operation,
    joined,
)
from lsqlc.plan.sizes import MAX_PARTS, PER_CHARACTER, size
from lsqlc.syntax import tree
from lsqlc.syntax.walk import walk
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, Primitive, Struct

_INT_MAX = 2**31 - 1
_BIGINT_MAX = 2**63 - 1
# By the identity of an expression, which is kept too: the bound expression, None after an error.
OfRecord = dict[int, tuple[tree.Expression, Expression | None]]


@dataclass(frozen=True, slots=True)
class Binder(ABC):
    """A binder of expressions. A dialect overrides the methods for its names and rules.

    `strict`: nullable operands are refused (see `nullability`). `table`: the rows come from a TABLE. `no_clock`:
    why clock functions are not allowed, None if they are. `not_null`: the expressions that were tested for null.
    `of_record`: in a query with GROUP BY, the expressions bound over a record, for comparison with the group's key.
    It is None if an expression has other meanings elsewhere.
    """

    findings: Findings
    grouping: Grouping | None = None
    strict: bool = False
    table: bool = False
    no_clock: str | None = None
    not_null: tuple[Expression, ...] = ()
    of_record: OfRecord | None = None

    @abstractmethod
    def reference(self, reference: tree.Reference) -> Expression | None:
        """Return the field of a name; None after an error."""

    @abstractmethod
    def call(self, call: tree.Call) -> Expression | None:
        """Return a bound call of a function or an aggregate; None after an error."""

    @abstractmethod
    def is_aggregate(self, call: tree.Call) -> bool:
        """Return whether a call in an aggregated query is one of an aggregate."""

    @abstractmethod
    def cast(self, cast: tree.Cast) -> Expression | None:
        """Return a bound conversion; None after an error."""

    @abstractmethod
    def index(self, index: tree.Index) -> Expression | None:
        """Return a bound element of a collection; None after an error."""

    @abstractmethod
    def text(self, expression: tree.Expression) -> str:
        """Return the dialect's text of an expression."""

    def unhyphenate(self, expression: tree.Hyphenated) -> tree.Expression:
        """Return the expression with names and subtractions resolved; NULL after an error."""
        raise AssertionError("only the names of the Lenses language have hyphens")

    def named(self, expression: tree.Expression) -> Expression | None:
        """Return the field that an expression as a whole names, before its parts are bound; None for most
        expressions.
        """
        return None

    def key_part(self, expression: tree.Expression, part: Expression) -> Expression:
        """Return the bound expression of a part of the group's key."""
        return part

    def operands(self, parts: Sequence[tree.Expression], *, compared: bool = False) -> tuple[Expression, ...] | None:
        """Return the bound operands of an operator or a list; None after an error. `compared`: by a comparison."""
        bound = [self.bind(part) for part in parts]
        complete = tuple(part for part in bound if part is not None)
        return complete if len(complete) == len(bound) else None

    def may_compare(self, left: tree.Expression, right: tree.Expression, operator: str, at: Extent) -> bool:
        """Report operands that cannot be compared; return whether they can."""
        return True

    def may_match(self, like: tree.Like) -> bool:
        """Report a pattern that matches nothing; return whether it is valid."""
        return True

    def like_pattern(self, pattern: Expression, escape: str | None) -> Expression:
        """Return the pattern of LIKE in the form of the plan."""
        return pattern

    def has_order(self, type: DataType) -> bool:
        """Return whether the values of a type are ordered."""
        return operators.comparable(type, ordered=True)

    def may_order(self, type: DataType, what: str, at: Extent) -> bool:
        """Report a type whose values have no order; return whether it has one. `what`: the construct that compares
        them.
        """
        if self.has_order(type):
            return True
        self.findings.error("LSQ390", f"{what} cannot order values of the type {type}", at,
                            help="compare them with = or <>, or compare parts of them")  # fmt: skip
        return False

    def compare(self, comparison: Expression) -> Expression:
        """Return the dialect's form of a comparison, which may differ for null operands."""
        return comparison

    @property
    def conversions(self) -> str:
        """The implicit conversions of the dialect, as a note."""
        return "only numbers are converted implicitly: use CAST"

    def common_type(self, types: Sequence[DataType]) -> DataType | None:
        """Return the common type of several types; None if they have none."""
        return common(types, ())

    def converted(self, expression: Expression, type: DataType, at: Extent) -> Expression | None:
        """Return a value converted to the common type; None after an error."""
        return coerce(expression, type)

    def branch(self, expression: Expression, type: DataType, at: Extent) -> Expression | None:
        """Return the same for a value that is the result in some rows only."""
        return self.converted(expression, type, at)

    def implicit(self, expression: Expression, kind: str, at: Extent) -> Expression | None:
        """Return an operand or argument, converted for an operator or a parameter of a kind (`kinds.KINDS`); None after
        an error.
        """
        return expression

    def plus(self, left: Expression, right: Expression) -> Expression | None:
        """Return a sum of anything but numbers; None if `+` has no other meaning."""
        return None

    def minus(self, operand: Expression) -> Expression | None:
        """Return the negation of anything but a number; None if `-` has no other meaning."""
        return None

    def compute(self, operation: Operation) -> Expression:
        """Return an operation on numbers with the dialect's type."""
        return operation

    def listed(self, items: tuple[tree.Expression, ...]) -> tuple[tree.Expression, ...]:
        """Return the items of IN that a value can equal."""
        return items

    def decide(self, condition: Expression) -> Expression:
        """Return a condition for which false and null are the same, as in WHERE."""
        return condition

    def below_aggregate(self) -> Self:
        """Return the binder of an aggregate's arguments, which are over a record, not over the group."""
        not_null = self.grouping.tested if self.grouping else ()
        return replace(self, grouping=None, not_null=not_null, of_record=None)

    def beside(self, of_record: OfRecord | None) -> Self:
        """Return a binder of the same names that reports nothing. It keeps each result in `of_record`."""
        return replace(self, findings=self.findings.aside(traced=True), of_record=of_record)

    def bind(self, expression: tree.Expression) -> Expression | None:
        """Return the bound expression, or None after reporting an error in it."""
        cache = self.of_record if self.grouping is None else None
        if cache is not None and id(expression) in cache:
            return cache[id(expression)][1]
        bound = self._bound(expression)
        bound = bound and self.checked(bound, expression.at)
        if cache is not None:
            cache[id(expression)] = (expression, bound)
        return bound

    def checked(self, bound: Expression, at: Extent) -> Expression | None:
        """Return the bound expression, traced; None after reporting that it is too large."""
        if self._is_too_large(bound, at):
            return None
        if self.findings.trace is not None:
            self.findings.trace.bound(at, bound, grouped=self.grouping is not None)
        return bound

    def _bound(self, expression: tree.Expression) -> Expression | None:
        if isinstance(expression, tree.Hyphenated):
            return self.bind(self.unhyphenate(expression))
        meaning = self.named(expression)
        if meaning is not None:
            return meaning
        if self.grouping and not isinstance(expression, tree.Literal):
            key_field = self._group_key(expression)
            if key_field is not None:
                return key_field
        match expression:
            case tree.Literal():
                return self._literal(expression)
            case tree.Reference():
                return self.reference(expression)
            case tree.Unary():
                return self._unary(expression)
            case tree.Binary():
                return self.binary(expression)
            case tree.Logic():
                return self._logic(expression)
            case tree.IsNull(operand, negated):
                inner = self.bind(operand)
                operator = "IS NOT NULL" if negated else "IS NULL"
                return inner and Operation(operator, (inner,), data.BOOLEAN, False)
            case tree.Distinct():
                return self._distinct(expression)
            case tree.Between():
                return self._between(expression)
            case tree.In():
                return self._in(expression)
            case tree.Like():
                return self._like(expression)
            case tree.Cast():
                return self.cast(expression)
            case tree.Case():
                return self._case(expression)
            case tree.ArrayLiteral():
                return self.array(expression)
            case tree.Index():
                return self.index(expression)
            case tree.Member():
                return self._member(expression)
            case tree.Call():
                own = self.findings.functions.get(expression.name.text.upper())
                return bind_own_call(self, expression, own) if own else self.call(expression)
            case tree.Lambda():
                self.findings.error("LSQ388", "a lambda is not allowed here", expression.at,
                                    help="it must be an argument of TRANSFORM, FILTER or REDUCE")  # fmt: skip
                return None

    def _is_too_large(self, bound: Expression, at: Extent) -> bool:
        limit = max(MAX_PARTS, PER_CHARACTER * (at[1] - at[0]))
        if size(bound, self.findings.sizes) <= limit:
            return False
        self.findings.error(
            "LSQ115",
            f"this expression has more than {limit:,} parts",
            at,
            notes=("BETWEEN, CASE x WHEN and others use an operand more than once, with everything in it",),
            help="compute the operand in a separate statement before this one",
        )
        return True

    def condition(self, expression: tree.Expression, clause: str) -> Expression | None:
        """Return a bound boolean; None after an error."""
        bound = self.bind(expression)
        if bound is not None and bound.type not in (data.BOOLEAN, data.NULL):
            self.findings.error("LSQ210", f"{clause} must be a condition, not {bound.type}", expression.at)
            return None
        return None if bound is None else self.decide(typed(bound, data.BOOLEAN))

    def read(self, expression: tree.Expression) -> tree.Expression:
        """Return the expression itself, with its hyphens resolved."""
        return self.unhyphenate(expression) if isinstance(expression, tree.Hyphenated) else expression

    def _group_key(self, expression: tree.Expression) -> Expression | None:
        """Return the field of the group's key that an expression equals, or None."""
        assert self.grouping is not None
        if any(isinstance(part, tree.Call) and self.is_aggregate(part) for part in walk(expression)):
            return None
        bound = self.below_aggregate().beside(self.of_record).bind(expression)
        part = bound and self.grouping.part_of_key(bound)
        return part and self.key_part(expression, part)

    def _literal(self, literal: tree.Literal) -> Expression | None:
        value = literal.value
        if value is None:
            return Literal(None, data.NULL)
        if isinstance(value, bool):
            return Literal(value, data.BOOLEAN)
        if isinstance(value, str):
            return Literal(value, data.STRING)
        if isinstance(value, float):
            return Literal(value, data.DOUBLE)
        if not -_BIGINT_MAX - 1 <= value <= _BIGINT_MAX:
            self.findings.error(
                "LSQ211", "this number does not fit into 64 bits", literal.at, help="write it with a decimal point"
            )
            return None
        return Literal(value, data.INT if -_INT_MAX - 1 <= value <= _INT_MAX else data.BIGINT)

    def _unary(self, unary: tree.Unary) -> Expression | None:
        operand = self.bind(unary.operand)
        kind = "boolean" if unary.operator == "NOT" else "number"
        operand = operand and self.implicit(operand, kind, unary.operand.at)
        if operand is None:
            return None
        if unary.operator == "NOT":
            if operand.type not in (data.BOOLEAN, data.NULL):
                self.findings.error(
                    "LSQ210", f"the operand of NOT must be a condition, not {operand.type}", unary.operand.at
                )
                return None
            return Operation("NOT", (typed(operand, data.BOOLEAN),), data.BOOLEAN, operand.nullable)
        if (other := self.minus(operand)) is not None:
            return other
        if not data.is_numeric(operand.type):
            self.findings.error("LSQ212", f"the operand of '-' must be a number, not {operand.type}", unary.operand.at)
            return None
        if not self.may_be_null((operand,), (unary.operand.at,), "'-'"):
            return None
        return Operation("NEGATE", (operand,), operand.type, True)

    def _logic(self, logic: tree.Logic) -> Expression | None:
        key_condition, rest = self._grouped_condition(logic)
        parts = [] if key_condition is None else [key_condition]
        binder, complete = self, True
        for operand in rest:
            bound = binder.bind(operand)
            bound = bound and self.implicit(bound, "boolean", operand.at)
            if bound is not None and bound.type not in (data.BOOLEAN, data.NULL):
                self.findings.error(
                    "LSQ210", f"the operands of {logic.operator} must be conditions, not {bound.type}", operand.at
                )
                bound = None
            if bound is None:
                complete = False
                continue
            parts.append(typed(bound, data.BOOLEAN))
            # If this operand decides, the later ones are not evaluated.
            binder = binder._knowing(bound, holds=logic.operator == "AND")
        return joined(logic.operator, parts) if complete else None

    def _grouped_condition(self, logic: tree.Logic) -> tuple[Expression | None, tuple[tree.Expression, ...]]:
        """Return the field of the group's key that the first operands equal, or None, and the other operands."""
        keys = self.grouping.keys if self.grouping else ()
        counts = {len(_from_left(key, logic.operator)) for key in keys}
        for count in sorted(counts, reverse=True):
            if 1 < count < len(logic.operands):
                first = tree.Logic(logic.operator, logic.operands[:count], logic.at)
                if (key_field := self._group_key(first)) is not None:
                    return key_field, logic.operands[count:]
        return None, logic.operands

    def binary(self, binary: tree.Binary) -> Expression | None:
        """Return a bound operator; None after an error."""
        compared = binary.operator in operators.COMPARISON
        if compared and not self.may_compare(binary.left, binary.right, binary.operator, binary.at):
            return None
        parts = self.operands((binary.left, binary.right), compared=compared)
        return self.operation(binary, *parts) if parts is not None else None

    def operation(self, binary: tree.Binary, left: Expression, right: Expression) -> Expression | None:
        """Return an operator over its bound operands; None after an error."""
        operator = binary.operator
        if not self.may_be_null((left, right), (binary.left.at, binary.right.at), f"'{operator}'"):
            return None
        if operator in operators.COMPARISON:
            pair = self._compared((left, right), binary.at, f"'{operator}' compares")
            if pair and operator not in ("=", "<>") and not self.may_order(pair[0].type, f"'{operator}'", binary.at):
                return None
            nullable = left.nullable or right.nullable
            return self.compare(Operation(operator, pair, data.BOOLEAN, nullable)) if pair else None
        if operator == "+" and (other := self.plus(left, right)) is not None:
            return other
        type = operators.result_type(operator, left.type, right.type)
        if type is None:
            help = None
            sides = ((binary.left, left.type), (binary.right, right.type))
            castable = all(isinstance(type, Primitive | Decimal) for _, type in sides)
            if operator == "+" and data.STRING in (left.type, right.type) and castable:
                texts = (self.text(e) if t == data.STRING else f"CAST({self.text(e)} AS STRING)" for e, t in sides)
                help = f"write CONCAT({', '.join(texts)})"
            message = f"the operands of '{operator}' must be numbers, not {left.type} and {right.type}"
            self.findings.error("LSQ212", message, binary.at, help=help)
            return None
        # Overflow and division by zero give null.
        return self.compute(Operation(operator, (left, right), type, True))

    def _meet(
        self, parts: tuple[Expression, ...], at: Extent, what: str, *, branches: bool = False
    ) -> tuple[Expression, ...] | None:
        """Return all parts converted to their common type. `branches`: one of them is the result."""
        shared: DataType = data.NULL
        # Each type once: a list of IN has thousands of values, and few types.
        types: dict[DataType, None] = {}
        for part in parts:
            if part.type in types:
                continue
            types[part.type] = None
            joined = self.common_type(list(types))
            if joined is None:
                self.findings.error(
                    "LSQ213",
                    f"{what} {shared} with {part.type}",
                    at,
                    notes=(self.conversions,),
                    help=f"convert one side: CAST(... AS {shared})",
                )
                return None
            shared = joined
        convert = self.branch if branches else self.converted
        converted = [convert(part, shared, at) for part in parts]
        complete = tuple(part for part in converted if part is not None)
        return complete if len(complete) == len(parts) else None

    def _compared(self, parts: tuple[Expression, ...], at: Extent, what: str) -> tuple[Expression, ...] | None:
        """Return all parts converted to their common type, whose values can be compared."""
        operands = self._meet(parts, at, what)
        if operands is None or operators.comparable(operands[0].type, ordered=False):
            return operands
        self.findings.error("LSQ213", f"{what} no values of the type {operands[0].type}", at,
                            help="compare parts of them, such as the value of a key")  # fmt: skip
        return None

    def may_be_null(self, parts: tuple[Expression, ...], places: tuple[Extent, ...], what: str) -> bool:
        """Report a nullable operand with `nullability: strict`; return whether there is none."""
        if not self.strict:
            return True
        for part, at in zip(parts, places, strict=True):
            if may_be_null(part, self.not_null, self.grouping):
                self.findings.error(
                    "LSQ220",
                    f"the operand of {what} must not be nullable",
                    at,
                    notes=("the project sets nullability: strict",),
                    help="give a default with COALESCE(x, default), or assert with AS_NON_NULLABLE(x)",
                )
                return False
        return True

    def _distinct(self, distinct: tree.Distinct) -> Expression | None:
        operator = "=" if distinct.negated else "<>"
        if not self.may_compare(distinct.left, distinct.right, operator, distinct.at):
            return None
        parts = self.operands((distinct.left, distinct.right), compared=True)
        if parts is None:
            return None
        compared = tree.Binary(operator, distinct.left, distinct.right, distinct.at)
        comparison = self.operation(compared, *parts)
        nulls = [Operation("IS NULL", (part,), data.BOOLEAN, False) for part in parts]
        both, either = joined("AND", nulls), joined("OR", nulls)
        alike, apart = Literal(distinct.negated, data.BOOLEAN), Literal(not distinct.negated, data.BOOLEAN)
        return comparison and Case(((both, alike), (either, apart)), comparison, data.BOOLEAN)

    def _between(self, between: tree.Between) -> Expression | None:
        parts = self.operands((between.operand, between.low, between.high), compared=True)
        if parts is None:
            return None
        operands = self._compared(parts, between.at, "BETWEEN compares")
        places = (between.operand.at, between.low.at, between.high.at)
        if operands is None or not self.may_be_null(operands, places, "BETWEEN"):
            return None
        if not self.may_order(operands[0].type, "BETWEEN", between.at):
            return None
        operand, low, high = operands
        nullable = any(p.nullable for p in operands)
        from_low = Operation(">=", (operand, low), data.BOOLEAN, nullable)
        to_high = Operation("<=", (operand, high), data.BOOLEAN, nullable)
        inside = self.compare(Operation("AND", (from_low, to_high), data.BOOLEAN, nullable))
        return _negation(inside) if between.negated else inside

    def _in(self, expression: tree.In) -> Expression | None:
        items = self.listed(expression.items)
        parts = self.operands((expression.operand, *items))
        if parts is None:
            return None
        inside: Expression = Literal(False, data.BOOLEAN)
        if items:
            operands = self._compared(parts, expression.at, "IN compares")
            places = (expression.operand.at, *(item.at for item in items))
            if operands is None or not self.may_be_null(operands, places, "IN"):
                return None
            inside = self.compare(Operation("IN", operands, data.BOOLEAN, any(p.nullable for p in operands)))
        return _negation(inside) if expression.negated else inside

    def _like(self, like: tree.Like) -> Expression | None:
        if not self.may_match(like):
            return None
        operand, pattern = self.bind(like.operand), self.bind(like.pattern)
        operand = operand and self.implicit(operand, "string", like.operand.at)
        pattern = pattern and self.implicit(pattern, "string", like.pattern.at)
        if operand is None or pattern is None:
            return None
        for side, at in ((operand, like.operand.at), (pattern, like.pattern.at)):
            if side.type not in (data.STRING, data.NULL):
                self.findings.error("LSQ213", f"LIKE compares strings, not {side.type}", at)
                return None
        if not self.may_be_null((operand, pattern), (like.operand.at, like.pattern.at), "LIKE"):
            return None
        operand, pattern = typed(operand, data.STRING), typed(pattern, data.STRING)
        escape = () if like.escape is None else (Literal(like.escape, data.STRING),)
        pattern = self.like_pattern(pattern, like.escape)
        nullable = operand.nullable or pattern.nullable
        inside = Operation("LIKE", (operand, pattern, *escape), data.BOOLEAN, nullable)
        return _negation(inside) if like.negated else inside

    def _case(self, case: tree.Case) -> Expression | None:
        subject = self.bind(case.operand) if case.operand else None
        conditions: list[Expression | None] = []
        results: list[Expression | None] = []
        # The binder knows that the conditions of earlier branches are not true.
        binder = self
        for when, then in case.branches:
            condition = binder._when(when, subject) if case.operand else binder.condition(when, "WHEN")
            conditions.append(condition)
            results.append(binder._knowing(condition, holds=True).bind(then))
            binder = binder._knowing(condition, holds=False)
        otherwise = binder.bind(case.otherwise) if case.otherwise else Literal(None, data.NULL)
        if otherwise is None or any(part is None for part in (*conditions, *results)):
            return None
        values = self._meet((*(r for r in results if r), otherwise), case.at, "the branches of CASE mix", branches=True)
        if values is None:
            return None
        branches = tuple(zip((c for c in conditions if c), values[:-1], strict=True))
        return Case(branches, values[-1], values[-1].type)

    def _when(self, when: tree.Expression, subject: Expression | None) -> Expression | None:
        """Return the comparison of a CASE's subject with a value; None after an error."""
        value = self.bind(when)
        pair = self._compared((subject, value), when.at, "CASE compares") if subject and value else None
        return Operation("=", pair, data.BOOLEAN, True) if pair else None

    def _knowing(self, condition: Expression | None, *, holds: bool) -> Self:
        """Return the binder for parts where a condition is true, or is not true."""
        not_null = tested(condition, holds=holds) if condition and self.strict else ()
        return replace(self, not_null=(*self.not_null, *not_null)) if not_null else self

    def array(self, array: tree.ArrayLiteral) -> Expression | None:
        """Return a bound array of some items; None after an error."""
        if not array.items:
            self.findings.error("LSQ215", "an empty array has no type", array.at)
            return None
        items = self.operands(array.items)
        elements = self._meet(items, array.at, "an array mixes") if items is not None else None
        return ArrayOf(elements, data.Array(elements[0].type)) if elements else None

    def _member(self, member: tree.Member) -> Expression | None:
        operand = self.bind(member.operand)
        return operand and self.member_of(operand, member)

    def member_of(self, operand: Expression, member: tree.Member) -> Expression | None:
        """Return a field of a struct; None after reporting that there is none."""
        struct_field = operand.type.field(member.field.text) if isinstance(operand.type, Struct) else None
        if struct_field is None:
            field_names = [f.name for f in operand.type.fields] if isinstance(operand.type, Struct) else []
            message = f"{operand.type} has no field '{member.field.text}'"
            self.findings.error("LSQ202", message, member.field.at, help=did_you_mean(member.field.text, field_names))
            return None
        return Member(operand, struct_field.name, struct_field.type, struct_field.nullable or operand.nullable)


def _negation(condition: Expression) -> Expression:
    return Operation("NOT", (condition,), data.BOOLEAN, condition.nullable)


def _from_left(expression: Expression, operator: str) -> tuple[Expression, ...]:
    """Return the conditions that an operator joins in pairs, from the left."""
    conditions: list[Expression] = []
    while isinstance(expression, Operation) and expression.operator == operator:
        expression, last = expression.operands
        conditions.append(last)
    return (expression, *reversed(conditions))
