"""Expressions of the syntax to expressions of a plan: names resolved, types checked, conversions written out.

A part that is wrong is reported and becomes None, and its neighbours are still bound, so that one run shows all faults.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from lsqlc.diagnostics import Diagnostic, did_you_mean
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import casts, catalogue, kinds, operators
from lsqlc.functions.signature import Aggregate, Function, Nulls, Parameter
from lsqlc.plan.expression import (
    Aggregation,
    ArrayOf,
    Call,
    Case,
    Cast,
    ElementAt,
    Expression,
    Field,
    Literal,
    Member,
    Operation,
)
from lsqlc.plan.report import Findings
from lsqlc.plan.scope import Scope
from lsqlc.syntax import tree
from lsqlc.syntax.expressions import Chain, resolve
from lsqlc.syntax.printer import text_of
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct, unify

_INT_MAX = 2**31 - 1
_BIGINT_MAX = 2**63 - 1


@dataclass(slots=True)
class Grouping:
    """What an aggregated query may speak of: the group's key, and aggregates, which are gathered here.

    `closed`: no aggregate may be added any more (HAVING repeats those of the SELECT).
    """

    keys: tuple[Expression, ...]
    key_field: Callable[[int], Field]
    aggregates: list[Aggregation] = field(default_factory=list)
    closed: bool = False

    def slot(self, aggregation: Aggregation) -> Field | None:
        """The field that will hold the aggregate; None if it would be a new one and the list is closed."""
        if aggregation not in self.aggregates:
            if self.closed:
                return None
            self.aggregates.append(aggregation)
        index = self.aggregates.index(aggregation)
        return Field(0, "value", (f"a{index}",), aggregation.type, aggregation.nullable)


@dataclass(frozen=True, slots=True)
class Binder:
    """Binds expressions in one scope. `aliases` are names that stand for bound expressions (HAVING).

    `strict`: operands that may be null are refused, as the nullability document says. `table`: the rows come from a
    TABLE. `no_clock`: why a clock function cannot stand here, None where it can.
    """

    scope: Scope
    findings: Findings
    grouping: Grouping | None = None
    aliases: tuple[tuple[str, Expression], ...] = ()
    strict: bool = False
    table: bool = False
    no_clock: str | None = None

    def bind(self, expression: tree.Expression) -> Expression | None:
        """The bound expression, or None after something in it was reported."""
        if isinstance(expression, tree.Hyphenated):
            return self.bind(self.unhyphenate(expression))
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
            case tree.IsNull(operand, negated):
                inner = self.bind(operand)
                operator = "IS NOT NULL" if negated else "IS NULL"
                return inner and Operation(operator, (inner,), data.BOOLEAN, False)
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

    def condition(self, expression: tree.Expression, clause: str) -> Expression | None:
        """A bound boolean."""
        bound = self.bind(expression)
        if bound is not None and bound.type not in (data.BOOLEAN, data.NULL):
            self.findings.error("LSQ210", f"{clause} wants a condition, this is {bound.type}", expression.at)
            return None
        return bound

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
        quiet = replace(self, grouping=None, aliases=(), findings=Findings(self.findings.source))
        bound = quiet.bind(expression)
        if bound is None or bound not in self.grouping.keys:
            return None
        return self.grouping.key_field(self.grouping.keys.index(bound))

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
        if self.aliases and len(reference.parts) == 1:
            for name, bound in self.aliases:
                if name == reference.parts[0]:
                    return bound
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
        return found

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
        return Operation("NEGATE", (operand,), operand.type, True)

    def _binary(self, binary: tree.Binary) -> Expression | None:
        left, right = self.bind(binary.left), self.bind(binary.right)
        if left is None or right is None:
            return None
        operator = binary.operator
        if operator in ("AND", "OR"):
            for side, at in ((left, binary.left.at), (right, binary.right.at)):
                if side.type not in (data.BOOLEAN, data.NULL):
                    self.findings.error("LSQ210", f"{operator} wants conditions, this is {side.type}", at)
                    return None
            return Operation(operator, (left, right), data.BOOLEAN, left.nullable or right.nullable)
        if not self._may_be_null((left, right), (binary.left.at, binary.right.at), f"'{operator}'"):
            return None
        if operator in ("=", "<>", "<", "<=", ">", ">="):
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

    def _may_be_null(self, parts: tuple[Expression, ...], places: tuple[Extent, ...], what: str) -> bool:
        """False after a nullable operand was refused, which only `nullability: strict` does."""
        if not self.strict:
            return True
        for part, at in zip(parts, places, strict=True):
            if part.nullable:
                self.findings.error(
                    "LSQ220",
                    f"{what} takes no operand that may be null",
                    at,
                    notes=("the project sets nullability: strict",),
                    help="give a default with COALESCE(x, default), or assert with AS_NON_NULLABLE(x)",
                )
                return False
        return True

    def _between(self, between: tree.Between) -> Expression | None:
        parts = tuple(self.bind(p) for p in (between.operand, between.low, between.high))
        if any(p is None for p in parts):
            return None
        met = self._meet(tuple(p for p in parts if p), between.at, "BETWEEN compares")
        if met is None:
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
        parts = [self.bind(p) for p in (expression.operand, *expression.items)]
        if any(p is None for p in parts):
            return None
        met = self._meet(tuple(p for p in parts if p), expression.at, "IN compares")
        if met is None:
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
        nullable = operand.nullable or pattern.nullable
        inside = Operation("LIKE", (operand, pattern), data.BOOLEAN, nullable)
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
        return Cast(operand, cast.type, operand.nullable or not _always_fits(operand.type, cast.type))

    def _case(self, case: tree.Case) -> Expression | None:
        subject = self.bind(case.operand) if case.operand else None
        conditions: list[Expression | None] = []
        for when, _ in case.branches:
            if case.operand is None:
                conditions.append(self.condition(when, "WHEN"))
                continue
            value = self.bind(when)
            pair = self._meet((subject, value), when.at, "CASE compares") if subject and value else None
            conditions.append(Operation("=", pair, data.BOOLEAN, True) if pair else None)
        results = [self.bind(then) for _, then in case.branches]
        otherwise = self.bind(case.otherwise) if case.otherwise else Literal(None, data.NULL)
        if otherwise is None or any(part is None for part in (*conditions, *results)):
            return None
        met = self._meet((*(r for r in results if r), otherwise), case.at, "the branches of CASE mix")
        if met is None:
            return None
        branches = tuple(zip((c for c in conditions if c), met[:-1], strict=True))
        return Case(branches, met[-1], met[-1].type)

    def _array(self, array: tree.ArrayLiteral) -> Expression | None:
        if not array.items:
            self.findings.error("LSQ215", "an empty array has no type", array.at)
            return None
        items = [self.bind(item) for item in array.items]
        if any(item is None for item in items):
            return None
        met = self._meet(tuple(item for item in items if item), array.at, "an array mixes")
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
        name = call.name.text
        aggregate = catalogue.aggregate(name)
        if aggregate and (self.grouping or catalogue.scalar(name) is None):
            return self._aggregate(call, aggregate)
        function = catalogue.scalar(name)
        if function is None:
            reason = catalogue.refused(name)
            if reason:
                self.findings.error("LSQ207", f"{name.upper()} cannot be used here: {reason}", call.name.at)
            else:
                help = did_you_mean(name, catalogue.names())
                self.findings.error("LSQ206", f"unknown function '{name}'", call.name.at, help=help)
            return None
        if function.clock and self.no_clock:
            self.findings.error("LSQ312", f"{function.name} cannot stand {self.no_clock}", call.at)
            return None
        arguments = self._arguments(call, function)
        if arguments is None:
            return None
        places = tuple(a.at for a in call.arguments)
        if function.nulls is Nulls.PROPAGATE and not self._may_be_null(arguments, places, function.name):
            return None
        type = self._result(call, function, arguments)
        if type is None:
            return None
        nullable = function.nulls is Nulls.MAY or (
            function.nulls is Nulls.PROPAGATE and any(a.nullable for a in arguments)
        )
        return Call(function.name, arguments, type, nullable)

    def _arguments(self, call: tree.Call, function: Function | Aggregate) -> tuple[Expression, ...] | None:
        """Bound and checked arguments, each converted to what its parameter accepts."""
        if call.star:
            self.findings.error("LSQ208", f"'*' is an argument of COUNT alone, not of {function.name}", call.at)
            return None
        bound = [self.bind(a) for a in call.arguments]
        count, most = len(bound), function.most
        if count < function.least or (most is not None and count > most):
            wanted = str(function.least) if most == function.least else f"{function.least} to {most}"
            wanted = f"at least {function.least}" if most is None else wanted
            names = ", ".join(p.name for p in function.parameters)
            plural = "" if wanted == "1" else "s"
            message = f"{function.name} takes {wanted} argument{plural}, not {count}"
            self.findings.error("LSQ208", message, call.at, help=f"its form is {function.name}({names})")
            return None
        if any(b is None for b in bound):
            return None
        arguments = [b for b in bound if b is not None]
        for i, argument in enumerate(arguments):
            parameter = function.parameter(i)
            if not self._accepts(function.name, parameter, argument, call.arguments[i].at):
                return None
        return tuple(arguments)

    def _result(
        self, call: tree.Call, function: Function | Aggregate, arguments: tuple[Expression, ...]
    ) -> DataType | None:
        """The type of the call; None after arguments that are legal each, but not together, were reported."""
        types = [a.type for a in arguments]
        type = function.result(types, [a.value if isinstance(a, Literal) else None for a in arguments])
        if type is None:
            listed = ", ".join(map(str, types))
            self.findings.error("LSQ209", f"{function.name} cannot take ({listed})", call.at, help=function.doc)
        return type

    def _accepts(self, name: str, parameter: Parameter, argument: Expression, at: Extent) -> bool:
        if parameter.literal and not isinstance(argument, Literal):
            self.findings.error("LSQ209", f"'{parameter.name}' of {name} must be a literal", at)
            return False
        if argument.type == data.NULL or kinds.accepts(parameter.accepts, argument.type):
            return True
        wanted = kinds.KINDS[parameter.accepts].words
        message = f"'{parameter.name}' of {name} is {wanted}, this is {argument.type}"
        self.findings.error("LSQ209", message, at)
        return False

    def _aggregate(self, call: tree.Call, aggregate: Aggregate) -> Expression | None:
        name = aggregate.name
        if self.grouping is None:
            self.findings.error(
                "LSQ313",
                f"the aggregate {name} cannot stand here",
                call.at,
                help="aggregates stand in the SELECT list or the HAVING of a query with GROUP BY",
            )
            return None
        if self.table and not aggregate.on_table:
            self.findings.error(
                "LSQ314",
                f"{name} cannot aggregate a TABLE",
                call.at,
                notes=(aggregate.why_not,),
                help=f"read the source as a STREAM, where every record counts: SELECT STREAM {name}(...)",
            )
            return None
        inner = replace(self, grouping=None, aliases=())
        if call.star and name == "COUNT":
            arguments: tuple[Expression, ...] | None = ()
        else:
            arguments = inner._arguments(call, aggregate)
        if arguments is None:
            return None
        type = self._result(call, aggregate, arguments)
        if type is None:
            return None
        slot = self.grouping.slot(Aggregation(name, arguments, type, aggregate.nulls is not Nulls.NEVER))
        if slot is None:
            self.findings.error(
                "LSQ315",
                f"HAVING can repeat an aggregate of the SELECT only, and {text_of(call)} is none",
                call.at,
                help=f"add it to the SELECT list: {text_of(call)} AS name",
            )
        return slot


def coerce(expression: Expression, type: DataType) -> Expression:
    """The expression as a value of `type`, which its own type meets."""
    if expression.type == type:
        return expression
    if isinstance(expression, Literal):
        if expression.value is None:
            return Literal(None, type)
        if type == data.DOUBLE and isinstance(expression.value, int):
            return Literal(float(expression.value), type)
        if type == data.BIGINT:
            return Literal(expression.value, type)
    return Cast(expression, type, expression.nullable)


def _always_fits(before: DataType, after: DataType) -> bool:
    """Whether every value of one type can be cast to the other."""
    return after == data.STRING or unify(before, after) == after
