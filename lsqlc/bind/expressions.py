"""Expressions of the syntax to expressions of a plan: names resolved, types checked, conversions written out.

A part that is wrong is reported and becomes None, and its neighbours are still bound, so that one run shows all faults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.calls import bind_call
from lsqlc.bind.coerce import always_fits, coerce
from lsqlc.bind.findings import Findings
from lsqlc.bind.grouping import Grouping, is_aggregated
from lsqlc.bind.lenses.scope import Scope, visible_names
from lsqlc.bind.nullability import may_be_null, tested
from lsqlc.diagnostics import Diagnostic, did_you_mean
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import catalogue
from lsqlc.functions.forms import casts, operators
from lsqlc.plan.expression import (
    ArrayOf,
    Case,
    Cast,
    ElementAt,
    Expression,
    Field,
    Literal,
    Member,
    Operation,
    StructOf,
    joined,
)
from lsqlc.plan.sizes import MAX_PARTS, PER_CHARACTER, size
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.expressions import Chain, resolve
from lsqlc.syntax.lenses.printer import text_of
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct, unify

_INT_MAX = 2**31 - 1
_BIGINT_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Binder:
    """Binds expressions in one scope. `aliases` are names that stand for bound expressions (HAVING).

    `strict`: operands that may be null are refused, as the nullability document says. `table`: the rows come from a
    TABLE. `no_clock`: why a clock function cannot stand here, None where it can. `known`: what was tested for
    null.
    """

    scope: Scope
    findings: Findings
    grouping: Grouping | None = None
    aliases: tuple[tuple[str, Expression], ...] = ()
    strict: bool = False
    table: bool = False
    no_clock: str | None = None
    known: tuple[Expression, ...] = ()

    def bind(self, expression: tree.Expression) -> Expression | None:
        """The bound expression, or None after something in it was reported."""
        bound = self._bound(expression)
        if bound is not None and self._is_too_large(bound, expression.at):
            return None
        if bound is not None and self.findings.trace is not None:
            self.findings.trace.bound(expression.at, bound, grouped=self.grouping is not None)
        return bound

    def _bound(self, expression: tree.Expression) -> Expression | None:
        if isinstance(expression, tree.Hyphenated):
            return self.bind(self.unhyphenate(expression))
        aliased = self._aliased(expression)
        if aliased is not None:
            return aliased if is_aggregated(aliased) else self._not_aggregated(expression, aliased.type)
        if self.grouping and not isinstance(expression, tree.Literal):
            known = self._group_key(expression)
            if known is not None:
                return known
        match expression:
            case tree.Literal():
                return self._literal(expression)
            case tree.Reference():
                return self._reference(expression)
            case tree.Unary():
                return self._unary(expression)
            case tree.Binary():
                return self._binary(expression)
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
                return self._cast(expression)
            case tree.Case():
                return self._case(expression)
            case tree.ArrayLiteral():
                return self._array(expression)
            case tree.Index():
                return self._index(expression)
            case tree.Member():
                return self._member(expression)
            case tree.Call():
                return self._call(expression)
            case tree.Lambda():
                self.findings.error("LSQ388", "a lambda cannot stand here", expression.at,
                                    help="it is an argument of TRANSFORM, FILTER or REDUCE")  # fmt: skip
                return None

    def _is_too_large(self, bound: Expression, at: Extent) -> bool:
        limit = max(MAX_PARTS, PER_CHARACTER * (at[1] - at[0]))
        if size(bound, self.findings.sizes) <= limit:
            return False
        self.findings.error(
            "LSQ115",
            f"this expression would be made of more than {limit:,} parts",
            at,
            notes=("BETWEEN, CASE x WHEN and others use an operand more than once, and so all that is in it",),
            help="compute the operand in a statement before this one, under a name",
        )
        return True

    def condition(self, expression: tree.Expression, clause: str) -> Expression | None:
        """A bound boolean."""
        bound = self.bind(expression)
        if bound is not None and bound.type not in (data.BOOLEAN, data.NULL):
            self.findings.error("LSQ210", f"{clause} wants a condition, this is {bound.type}", expression.at)
            return None
        return bound

    def read(self, expression: tree.Expression) -> tree.Expression:
        """The expression itself, its hyphens told apart."""
        return self.unhyphenate(expression) if isinstance(expression, tree.Hyphenated) else expression

    def unhyphenate(self, expression: tree.Hyphenated) -> tree.Expression:
        """The expression with its names told from subtractions, as the scope says; NULL after an error was reported."""
        names = frozenset(name for name, _ in self.aliases)

        def split(chain: Chain) -> tuple[tuple[str, ...], int]:
            path, taken = self.scope.split(chain, names)
            if self.scope.is_ambiguous(chain, path[-1]):
                self.findings.error(
                    "LSQ205",
                    f"'{path[-1]}' is a column, and could be a subtraction as well",
                    chain.at,
                    help=f"write `{path[-1]}` for the column, or spaces around the minus",
                )
            return path, taken

        found = resolve(expression, self.findings.source, split)
        if isinstance(found, Diagnostic):
            self.findings.found.append(found)
            return tree.Literal(None, expression.at)
        return found

    def _group_key(self, expression: tree.Expression) -> Expression | None:
        """The field of the group's key that an expression equals, if it does."""
        assert self.grouping is not None
        if isinstance(expression, tree.Call) and catalogue.aggregate(expression.name.text):
            return None
        aside = Findings(self.findings.source, trace=self.findings.trace)
        quiet = replace(self, grouping=None, aliases=(), known=self.grouping.tested, findings=aside)
        bound = quiet.bind(expression)
        found = bound and self.grouping.part_of_key(bound)
        return self._not_aggregated(expression, found.type) if found and self.grouping.closed else found

    def _not_aggregated(self, expression: tree.Expression, type: DataType) -> Expression:
        """HAVING speaks of aggregated projections alone (the aggregations document, "Filtering aggregated queries")."""
        self.findings.error(
            "LSQ315",
            f"HAVING can use the aggregates of the SELECT only, and '{text_of(expression)}' is none",
            expression.at,
            help="a condition on what is grouped by stands in WHERE",
        )
        return Literal(None, type)

    def _aliased(self, expression: tree.Expression) -> Expression | None:
        """What a name of the SELECT list stands for."""
        if not isinstance(expression, tree.Reference):
            return None
        name = ".".join(expression.parts)
        return next((bound for alias, bound in self.aliases if alias == name), None)

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
            self.findings.error("LSQ211", "this number does not fit 64 bits", literal.at, help="write it with a point")
            return None
        return Literal(value, data.INT if -_INT_MAX - 1 <= value <= _INT_MAX else data.BIGINT)

    def _reference(self, reference: tree.Reference) -> Expression | None:
        found = self.scope.resolve(reference.parts, reference.at, self.findings)
        if found is None:
            return None
        if self.grouping:
            name = ".".join(reference.parts)
            self.findings.error(
                "LSQ311",
                f"'{name}' is neither grouped nor aggregated",
                reference.at,
                notes=("outside an aggregate, only the expressions of GROUP BY have one value for the whole group",),
                help=f"add it to GROUP BY, or aggregate it, as in LAST({name})",
            )
            return None
        return self._value_of_files(found)

    def _value_of_files(self, field: Field) -> Expression:
        """The whole value of a record of files is that of `*`, without what only a query by name gets."""
        relation = self.scope.relations[field.relation]
        if field.facet != "value" or field.path or not relation.files or not isinstance(field.type, Struct):
            return field
        names = visible_names(relation)
        if names == tuple(f.name for f in field.type.fields):
            return field
        fields = [f for name in names if (f := field.type.field(name))]
        values = tuple(Field(field.relation, "value", (f.name,), f.type, f.nullable) for f in fields)
        whole = StructOf(tuple(f.name for f in fields), values)
        if len(self.scope.relations) == 1:
            return whole
        # The other side of a join may have no record.
        there = Operation("IS NOT NULL", (field,), data.BOOLEAN, False)
        return Case(((there, whole),), coerce(Literal(None, data.NULL), whole.type), whole.type)

    def _unary(self, unary: tree.Unary) -> Expression | None:
        operand = self.bind(unary.operand)
        if operand is None:
            return None
        if unary.operator == "NOT":
            if operand.type not in (data.BOOLEAN, data.NULL):
                self.findings.error("LSQ210", f"NOT wants a condition, this is {operand.type}", unary.operand.at)
                return None
            return Operation("NOT", (operand,), data.BOOLEAN, operand.nullable)
        if not data.is_numeric(operand.type):
            self.findings.error("LSQ212", f"'-' wants a number, this is {operand.type}", unary.operand.at)
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
            if bound is not None and bound.type not in (data.BOOLEAN, data.NULL):
                self.findings.error("LSQ210", f"{logic.operator} wants conditions, this is {bound.type}", operand.at)
                bound = None
            if bound is None:
                complete = False
                continue
            parts.append(bound)
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

    def _operands(self, parts: Sequence[tree.Expression], *, compared: bool = False) -> tuple[Expression, ...] | None:
        """What an operator or a list stands between, bound; None after an error. `compared`: by a comparison."""
        bound = [self.bind(part) for part in parts]
        complete = tuple(part for part in bound if part is not None)
        return complete if len(complete) == len(bound) else None

    def _binary(self, binary: tree.Binary) -> Expression | None:
        parts = self._operands((binary.left, binary.right), compared=binary.operator in operators.COMPARISON)
        return self._operation(binary, *parts) if parts is not None else None

    def _operation(self, binary: tree.Binary, left: Expression, right: Expression) -> Expression | None:
        """An operator over its bound operands."""
        operator = binary.operator
        if not self.may_be_null((left, right), (binary.left.at, binary.right.at), f"'{operator}'"):
            return None
        if operator in operators.COMPARISON:
            pair = self._meet((left, right), binary.at, f"'{operator}' compares")
            return Operation(operator, pair, data.BOOLEAN, left.nullable or right.nullable) if pair else None
        type = operators.result_type(operator, left.type, right.type)
        if type is None:
            help = None
            if operator == "+" and data.STRING in (left.type, right.type):
                help = f"strings are joined by CONCAT({text_of(binary.left)}, {text_of(binary.right)})"
            message = f"'{operator}' wants two numbers, these are {left.type} and {right.type}"
            self.findings.error("LSQ212", message, binary.at, help=help)
            return None
        # Overflow and division by zero give null.
        return Operation(operator, (left, right), type, True)

    def _meet(self, parts: tuple[Expression, ...], at: Extent, what: str) -> tuple[Expression, ...] | None:
        """All parts converted to the type in which they meet."""
        common: DataType = data.NULL
        for part in parts:
            joined = unify(common, part.type)
            if joined is None:
                self.findings.error(
                    "LSQ213",
                    f"{what} {common} with {part.type}",
                    at,
                    notes=("numbers meet numbers; there is no other conversion that is not written",),
                    help=f"convert one side: CAST(... AS {common})",
                )
                return None
            common = joined
        return tuple(coerce(part, common) for part in parts)

    def may_be_null(self, parts: tuple[Expression, ...], places: tuple[Extent, ...], what: str) -> bool:
        """False after a nullable operand was refused, which only `nullability: strict` does."""
        if not self.strict:
            return True
        for part, at in zip(parts, places, strict=True):
            if may_be_null(part, self.known, self.grouping):
                self.findings.error(
                    "LSQ220",
                    f"{what} takes no operand that may be null",
                    at,
                    notes=("the project sets nullability: strict",),
                    help="give a default with COALESCE(x, default), or assert with AS_NON_NULLABLE(x)",
                )
                return False
        return True

    def _distinct(self, distinct: tree.Distinct) -> Expression | None:
        parts = self._operands((distinct.left, distinct.right), compared=True)
        if parts is None:
            return None
        compared = tree.Binary("=" if distinct.negated else "<>", distinct.left, distinct.right, distinct.at)
        comparison = self._operation(compared, *parts)
        nulls = [Operation("IS NULL", (part,), data.BOOLEAN, False) for part in parts]
        both, either = joined("AND", nulls), joined("OR", nulls)
        alike, apart = Literal(distinct.negated, data.BOOLEAN), Literal(not distinct.negated, data.BOOLEAN)
        return comparison and Case(((both, alike), (either, apart)), comparison, data.BOOLEAN)

    def _between(self, between: tree.Between) -> Expression | None:
        parts = self._operands((between.operand, between.low, between.high), compared=True)
        if parts is None:
            return None
        met = self._meet(parts, between.at, "BETWEEN compares")
        places = (between.operand.at, between.low.at, between.high.at)
        if met is None or not self.may_be_null(met, places, "BETWEEN"):
            return None
        operand, low, high = met
        nullable = any(p.nullable for p in met)
        inside = Operation(
            "AND",
            (
                Operation(">=", (operand, low), data.BOOLEAN, nullable),
                Operation("<=", (operand, high), data.BOOLEAN, nullable),
            ),
            data.BOOLEAN,
            nullable,
        )
        return Operation("NOT", (inside,), data.BOOLEAN, nullable) if between.negated else inside

    def _in(self, expression: tree.In) -> Expression | None:
        parts = self._operands((expression.operand, *expression.items))
        if parts is None:
            return None
        met = self._meet(parts, expression.at, "IN compares")
        places = (expression.operand.at, *(item.at for item in expression.items))
        if met is None or not self.may_be_null(met, places, "IN"):
            return None
        nullable = any(p.nullable for p in met)
        inside = Operation("IN", met, data.BOOLEAN, nullable)
        return Operation("NOT", (inside,), data.BOOLEAN, nullable) if expression.negated else inside

    def _like(self, like: tree.Like) -> Expression | None:
        operand, pattern = self.bind(like.operand), self.bind(like.pattern)
        if operand is None or pattern is None:
            return None
        for side, at in ((operand, like.operand.at), (pattern, like.pattern.at)):
            if side.type not in (data.STRING, data.NULL):
                self.findings.error("LSQ213", f"LIKE compares strings, this is {side.type}", at)
                return None
        if not self.may_be_null((operand, pattern), (like.operand.at, like.pattern.at), "LIKE"):
            return None
        nullable = operand.nullable or pattern.nullable
        escape = () if like.escape is None else (Literal(like.escape, data.STRING),)
        inside = Operation("LIKE", (operand, pattern, *escape), data.BOOLEAN, nullable)
        return Operation("NOT", (inside,), data.BOOLEAN, nullable) if like.negated else inside

    def _cast(self, cast: tree.Cast) -> Expression | None:
        operand = self.bind(cast.operand)
        if operand is None:
            return None
        if operand.type == cast.type or operand.type == data.NULL:
            return coerce(operand, cast.type)
        if not casts.castable(operand.type, cast.type):
            self.findings.error("LSQ214", f"{operand.type} cannot be cast to {cast.type}", cast.at)
            return None
        return Cast(operand, cast.type, operand.nullable or not always_fits(operand.type, cast.type))

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
        met = self._meet((*(r for r in results if r), otherwise), case.at, "the branches of CASE mix")
        if met is None:
            return None
        branches = tuple(zip((c for c in conditions if c), met[:-1], strict=True))
        return Case(branches, met[-1], met[-1].type)

    def _when(self, when: tree.Expression, subject: Expression | None) -> Expression | None:
        """The comparison of a CASE's subject with a value."""
        value = self.bind(when)
        pair = self._meet((subject, value), when.at, "CASE compares") if subject and value else None
        return Operation("=", pair, data.BOOLEAN, True) if pair else None

    def _knowing(self, condition: Expression | None, *, holds: bool) -> Binder:
        """The binder where a condition is known to be true, or not to be."""
        found = tested(condition, holds=holds) if condition and self.strict else ()
        return replace(self, known=(*self.known, *found)) if found else self

    def _array(self, array: tree.ArrayLiteral) -> Expression | None:
        if not array.items:
            self.findings.error("LSQ215", "an empty array has no type", array.at)
            return None
        items = self._operands(array.items)
        met = self._meet(items, array.at, "an array mixes") if items is not None else None
        return ArrayOf(met, data.Array(met[0].type)) if met else None

    def _index(self, index: tree.Index) -> Expression | None:
        array, place = self.bind(index.operand), self.bind(index.index)
        if array is None or place is None:
            return None
        if not isinstance(array.type, data.Array):
            self.findings.error("LSQ216", f"only an array has elements, this is {array.type}", index.operand.at)
            return None
        if not data.is_integer(place.type):
            self.findings.error("LSQ216", f"an index is an integer, this is {place.type}", index.index.at)
            return None
        if isinstance(place, Literal) and isinstance(place.value, int) and place.value < 0:
            self.findings.warn(
                "LSQ810",
                f"no element has the index {place.value}: this is always null",
                index.index.at,
                notes=("the first element has the index 0",),
                help="count from the end by SIZEOF: array[SIZEOF(array) - 1] is the last element",
            )
        return ElementAt(array, coerce(place, data.BIGINT), array.type.element)

    def _member(self, member: tree.Member) -> Expression | None:
        operand = self.bind(member.operand)
        if operand is None:
            return None
        found = operand.type.field(member.field.text) if isinstance(operand.type, Struct) else None
        if found is None:
            known = [f.name for f in operand.type.fields] if isinstance(operand.type, Struct) else []
            message = f"{operand.type} has no field '{member.field.text}'"
            self.findings.error("LSQ202", message, member.field.at, help=did_you_mean(member.field.text, known))
            return None
        return Member(operand, found.name, found.type, found.nullable or operand.nullable)

    def _call(self, call: tree.Call) -> Expression | None:
        return bind_call(self, call)


def _from_left(expression: Expression, operator: str) -> tuple[Expression, ...]:
    """The conditions that an operator joins two by two, from the left."""
    found: list[Expression] = []
    while isinstance(expression, Operation) and expression.operator == operator:
        expression, last = expression.operands
        found.append(last)
    return (expression, *reversed(found))
