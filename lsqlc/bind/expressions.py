"""Expressions of the syntax to expressions of a plan: types checked, conversions written out, names as a dialect
resolves them.

A part that is wrong is reported and becomes None, and its neighbours are still bound, so that one run shows all faults.
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
# By the identity of an expression, which is kept with what it is: None after an error.
OfRecord = dict[int, tuple[tree.Expression, Expression | None]]


@dataclass(frozen=True, slots=True)
class Binder(ABC):
    """Binds expressions; a dialect's binder knows its names, and how it differs, by the methods that it overrides.

    `strict`: operands that may be null are refused, as the nullability document says. `table`: the rows come from a
    TABLE. `no_clock`: why a clock function cannot stand here, None where it can. `known`: what was tested for
    null. `of_record`: in a query with GROUP BY, what its expressions are of a record, to be compared with the group's
    key; None where an expression has other meanings in other places.
    """

    findings: Findings
    grouping: Grouping | None = None
    strict: bool = False
    table: bool = False
    no_clock: str | None = None
    known: tuple[Expression, ...] = ()
    of_record: OfRecord | None = None

    @abstractmethod
    def reference(self, reference: tree.Reference) -> Expression | None:
        """What a name stands for; None after an error."""

    @abstractmethod
    def call(self, call: tree.Call) -> Expression | None:
        """A bound call of a function or an aggregate; None after an error."""

    @abstractmethod
    def is_aggregate(self, call: tree.Call) -> bool:
        """Whether a call in an aggregated query is of an aggregate."""

    @abstractmethod
    def cast(self, cast: tree.Cast) -> Expression | None:
        """A bound conversion; None after an error."""

    @abstractmethod
    def index(self, index: tree.Index) -> Expression | None:
        """A bound element of a collection; None after an error."""

    @abstractmethod
    def text(self, expression: tree.Expression) -> str:
        """An expression as the dialect writes it."""

    def unhyphenate(self, expression: tree.Hyphenated) -> tree.Expression:
        """The expression with its names told from subtractions; NULL after an error was reported."""
        raise AssertionError("only the names of the Lenses language have hyphens")

    def named(self, expression: tree.Expression) -> Expression | None:
        """What an expression as a whole is a name for, before its parts are looked at; None for most."""
        return None

    def key_part(self, expression: tree.Expression, part: Expression) -> Expression:
        """What an expression that equals a part of the group's key is."""
        return part

    def operands(self, parts: Sequence[tree.Expression], *, compared: bool = False) -> tuple[Expression, ...] | None:
        """What an operator or a list stands between, bound; None after an error. `compared`: by a comparison."""
        bound = [self.bind(part) for part in parts]
        complete = tuple(part for part in bound if part is not None)
        return complete if len(complete) == len(bound) else None

    def may_compare(self, left: tree.Expression, right: tree.Expression, operator: str, at: Extent) -> bool:
        """False after operands that nothing compares were reported."""
        return True

    def may_match(self, like: tree.Like) -> bool:
        """False after a pattern that matches nothing was reported."""
        return True

    def like_pattern(self, pattern: Expression, escape: str | None) -> Expression:
        """The pattern of LIKE as it is matched."""
        return pattern

    def has_order(self, type: DataType) -> bool:
        """Whether of two values of a type one is the smaller one."""
        return operators.comparable(type, ordered=True)

    def may_order(self, type: DataType, what: str, at: Extent) -> bool:
        """Whether values of a type have an order. False after one that has none was reported. `what` compares them."""
        if self.has_order(type):
            return True
        self.findings.error("LSQ390", f"{what} cannot order values of the type {type}", at,
                            help="compare them with = or <>, or compare parts of them")  # fmt: skip
        return False

    def compare(self, comparison: Expression) -> Expression:
        """What a comparison is where an operand is null."""
        return comparison

    @property
    def conversions(self) -> str:
        """What the dialect converts by itself, as a note."""
        return "only numbers are converted implicitly: use CAST"

    def common_type(self, types: Sequence[DataType]) -> DataType | None:
        """The type in which values of several types meet; None where they do not."""
        return common(types, ())

    def converted(self, expression: Expression, type: DataType, at: Extent) -> Expression | None:
        """A value as one of the type in which it meets others; None after an error."""
        return coerce(expression, type)

    def branch(self, expression: Expression, type: DataType, at: Extent) -> Expression | None:
        """The same of a value that is the result in some rows only."""
        return self.converted(expression, type, at)

    def implicit(self, expression: Expression, kind: str, at: Extent) -> Expression | None:
        """An operand or an argument as what an operator or a parameter of a kind (`kinds.KINDS`) takes, if the dialect
        converts it to that; None after an error.
        """
        return expression

    def plus(self, left: Expression, right: Expression) -> Expression | None:
        """A sum that is not one of numbers; None where `+` has no other meaning."""
        return None

    def minus(self, operand: Expression) -> Expression | None:
        """The opposite of what is not a number; None where `-` has no other meaning."""
        return None

    def compute(self, operation: Operation) -> Expression:
        """An operation on numbers, as the dialect types it."""
        return operation

    def listed(self, items: tuple[tree.Expression, ...]) -> tuple[tree.Expression, ...]:
        """The items of IN that anything can be equal to."""
        return items

    def decide(self, condition: Expression) -> Expression:
        """A condition where false and null are the same, as in WHERE."""
        return condition

    def below_aggregate(self) -> Self:
        """The binder of an aggregate's arguments, which are of a record, not of the group."""
        known = self.grouping.tested if self.grouping else ()
        return replace(self, grouping=None, known=known, of_record=None)

    def beside(self, of_record: OfRecord | None) -> Self:
        """A binder of the same names whose findings are not reported. It keeps each result in `of_record`."""
        return replace(self, findings=self.findings.aside(traced=True), of_record=of_record)

    def bind(self, expression: tree.Expression) -> Expression | None:
        """The bound expression, or None after something in it was reported."""
        kept = self.of_record if self.grouping is None else None
        if kept is not None and id(expression) in kept:
            return kept[id(expression)][1]
        bound = self._bound(expression)
        bound = bound and self.checked(bound, expression.at)
        if kept is not None:
            kept[id(expression)] = (expression, bound)
        return bound

    def checked(self, bound: Expression, at: Extent) -> Expression | None:
        """What was bound, traced; None after it was reported as too large."""
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
            known = self._group_key(expression)
            if known is not None:
                return known
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
        """A bound boolean."""
        bound = self.bind(expression)
        if bound is not None and bound.type not in (data.BOOLEAN, data.NULL):
            self.findings.error("LSQ210", f"{clause} must be a condition, not {bound.type}", expression.at)
            return None
        return None if bound is None else self.decide(typed(bound, data.BOOLEAN))

    def read(self, expression: tree.Expression) -> tree.Expression:
        """The expression itself, its hyphens told apart."""
        return self.unhyphenate(expression) if isinstance(expression, tree.Hyphenated) else expression

    def _group_key(self, expression: tree.Expression) -> Expression | None:
        """The field of the group's key that an expression equals, if it does."""
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
        known, rest = self._grouped_condition(logic)
        parts = [] if known is None else [known]
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
            # Where this one decides, those behind it do not count.
            binder = binder._knowing(bound, holds=logic.operator == "AND")
        return joined(logic.operator, parts) if complete else None

    def _grouped_condition(self, logic: tree.Logic) -> tuple[Expression | None, tuple[tree.Expression, ...]]:
        """The field of the group's key that the first operands are, if they are, and the other operands."""
        keys = self.grouping.keys if self.grouping else ()
        counts = {len(_from_left(key, logic.operator)) for key in keys}
        for count in sorted(counts, reverse=True):
            if 1 < count < len(logic.operands):
                first = tree.Logic(logic.operator, logic.operands[:count], logic.at)
                if (known := self._group_key(first)) is not None:
                    return known, logic.operands[count:]
        return None, logic.operands

    def binary(self, binary: tree.Binary) -> Expression | None:
        """An operator, bound; None after an error."""
        compared = binary.operator in operators.COMPARISON
        if compared and not self.may_compare(binary.left, binary.right, binary.operator, binary.at):
            return None
        parts = self.operands((binary.left, binary.right), compared=compared)
        return self.operation(binary, *parts) if parts is not None else None

    def operation(self, binary: tree.Binary, left: Expression, right: Expression) -> Expression | None:
        """An operator over its bound operands."""
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
        """All parts converted to the type in which they meet. `branches`: one of them is the result."""
        met: DataType = data.NULL
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
                    f"{what} {met} with {part.type}",
                    at,
                    notes=(self.conversions,),
                    help=f"convert one side: CAST(... AS {met})",
                )
                return None
            met = joined
        convert = self.branch if branches else self.converted
        converted = [convert(part, met, at) for part in parts]
        complete = tuple(part for part in converted if part is not None)
        return complete if len(complete) == len(parts) else None

    def _compared(self, parts: tuple[Expression, ...], at: Extent, what: str) -> tuple[Expression, ...] | None:
        """All parts converted to the type in which they meet, and whose values can be compared."""
        met = self._meet(parts, at, what)
        if met is None or operators.comparable(met[0].type, ordered=False):
            return met
        self.findings.error("LSQ213", f"{what} no values of the type {met[0].type}", at,
                            help="compare parts of them, such as the value of a key")  # fmt: skip
        return None

    def may_be_null(self, parts: tuple[Expression, ...], places: tuple[Extent, ...], what: str) -> bool:
        """False after a nullable operand was refused, which only `nullability: strict` does."""
        if not self.strict:
            return True
        for part, at in zip(parts, places, strict=True):
            if may_be_null(part, self.known, self.grouping):
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
        met = self._compared(parts, between.at, "BETWEEN compares")
        places = (between.operand.at, between.low.at, between.high.at)
        if met is None or not self.may_be_null(met, places, "BETWEEN"):
            return None
        if not self.may_order(met[0].type, "BETWEEN", between.at):
            return None
        operand, low, high = met
        nullable = any(p.nullable for p in met)
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
            met = self._compared(parts, expression.at, "IN compares")
            places = (expression.operand.at, *(item.at for item in items))
            if met is None or not self.may_be_null(met, places, "IN"):
                return None
            inside = self.compare(Operation("IN", met, data.BOOLEAN, any(p.nullable for p in met)))
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
        # What is known from here on: the conditions of earlier branches did not hold.
        binder = self
        for when, then in case.branches:
            condition = binder._when(when, subject) if case.operand else binder.condition(when, "WHEN")
            conditions.append(condition)
            results.append(binder._knowing(condition, holds=True).bind(then))
            binder = binder._knowing(condition, holds=False)
        otherwise = binder.bind(case.otherwise) if case.otherwise else Literal(None, data.NULL)
        if otherwise is None or any(part is None for part in (*conditions, *results)):
            return None
        met = self._meet((*(r for r in results if r), otherwise), case.at, "the branches of CASE mix", branches=True)
        if met is None:
            return None
        branches = tuple(zip((c for c in conditions if c), met[:-1], strict=True))
        return Case(branches, met[-1], met[-1].type)

    def _when(self, when: tree.Expression, subject: Expression | None) -> Expression | None:
        """The comparison of a CASE's subject with a value."""
        value = self.bind(when)
        pair = self._compared((subject, value), when.at, "CASE compares") if subject and value else None
        return Operation("=", pair, data.BOOLEAN, True) if pair else None

    def _knowing(self, condition: Expression | None, *, holds: bool) -> Self:
        """The binder where a condition is known to be true, or not to be."""
        found = tested(condition, holds=holds) if condition and self.strict else ()
        return replace(self, known=(*self.known, *found)) if found else self

    def array(self, array: tree.ArrayLiteral) -> Expression | None:
        """A bound array of some items; None after an error."""
        if not array.items:
            self.findings.error("LSQ215", "an empty array has no type", array.at)
            return None
        items = self.operands(array.items)
        met = self._meet(items, array.at, "an array mixes") if items is not None else None
        return ArrayOf(met, data.Array(met[0].type)) if met else None

    def _member(self, member: tree.Member) -> Expression | None:
        operand = self.bind(member.operand)
        return operand and self.member_of(operand, member)

    def member_of(self, operand: Expression, member: tree.Member) -> Expression | None:
        """A field of a struct; None after it was reported that there is none."""
        found = operand.type.field(member.field.text) if isinstance(operand.type, Struct) else None
        if found is None:
            known = [f.name for f in operand.type.fields] if isinstance(operand.type, Struct) else []
            message = f"{operand.type} has no field '{member.field.text}'"
            self.findings.error("LSQ202", message, member.field.at, help=did_you_mean(member.field.text, known))
            return None
        return Member(operand, found.name, found.type, found.nullable or operand.nullable)


def _negation(condition: Expression) -> Expression:
    return Operation("NOT", (condition,), data.BOOLEAN, condition.nullable)


def _from_left(expression: Expression, operator: str) -> tuple[Expression, ...]:
    """The conditions that an operator joins two by two, from the left."""
    found: list[Expression] = []
    while isinstance(expression, Operation) and expression.operator == operator:
        expression, last = expression.operands
        found.append(last)
    return (expression, *reversed(found))
