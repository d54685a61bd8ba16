"""From expressions of ksqlDB to expressions of a plan.

The differences from the Lenses language are names (see `ksql_scope`), indexes from 1, and `+` that joins strings.
Comparisons are never null, and NULL cannot be compared. There are lambdas, another catalogue of functions, and other
results of aggregates over no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from msgspec import structs

from lsqlc.bind.calls import bind_arguments, result_type
from lsqlc.bind.coerce import coerce
from lsqlc.bind.expressions import Binder
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.casts import castable, converted
from lsqlc.bind.ksql.comparisons import alike, decisive, known
from lsqlc.bind.ksql.decimals import in_decimals
from lsqlc.bind.ksql.lambdas import INVOCATIONS, bind_invocation
from lsqlc.bind.ksql.scope import TABLE_FUNCTIONS, Columns
from lsqlc.bind.ksql.statistics import STATISTICS, statistic
from lsqlc.diagnostics import did_you_mean
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import catalogue
from lsqlc.functions.signature import Aggregate, Function, Nulls
from lsqlc.plan.expression import (
    Aggregation,
    Call,
    Case,
    Cast,
    ElementAt,
    Expression,
    Field,
    Literal,
    Operation,
    StructOf,
)
from lsqlc.syntax import tree
from lsqlc.syntax.ksql.foreign import FUNCTIONS
from lsqlc.syntax.ksql.text import text_of
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct

DIALECT = "ksql"


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlBinder(Binder):
    """A binder of expressions over columns.

    `bounds`: the fields of WINDOWSTART and WINDOWEND, if they are in scope. `exploded`: the calls of EXPLODE in the
    SELECT list, each with its element. `variables`: the parameters of lambdas, the innermost first.
    """

    columns: Columns
    bounds: tuple[tuple[str, Field], ...] = ()
    exploded: tuple[tuple[tree.Call, Expression], ...] = ()
    variables: tuple[tuple[str, Expression], ...] = ()

    def reference(self, reference: tree.Reference) -> Expression | None:
        name = reference.parts[-1]
        if len(reference.parts) == 1:
            for parameter, meaning in self.variables:
                if parameter == name:
                    return meaning
        if self.grouping and reference.parts[:-1] in ((), *((label,) for label in self.columns.labels)):
            for bound, field in self.bounds:
                if bound == name:
                    return field
        column = self.columns.resolve(reference.parts, reference.at, self.findings)
        if column is None or self.grouping is None:
            return column.expression if column is not None else None
        text = ".".join(reference.parts)
        self.findings.error(
            "LSQ311",
            f"'{text}' is neither grouped nor aggregated",
            reference.at,
            notes=("outside an aggregate, only the expressions of GROUP BY have one value for the whole group",),
            help=f"add it to GROUP BY, or aggregate it, as in LATEST_BY_OFFSET({text})",
        )
        return None

    def text(self, expression: tree.Expression) -> str:
        return text_of(expression)

    def is_aggregate(self, call: tree.Call) -> bool:
        return catalogue.aggregate(call.name.text, DIALECT) is not None

    def argument_advice(self, function: str, argument: str) -> str | None:
        return None

    def decide(self, condition: Expression) -> Expression:
        """Return a condition in which null need not become false, because both are the same here."""
        return decisive(condition)

    def has_order(self, type: DataType) -> bool:
        """Booleans are not ordered either."""
        return type != data.BOOLEAN and not isinstance(type, Array | Map | Struct)

    def compare(self, comparison: Expression) -> Expression:
        """Return a comparison that is false for nulls."""
        return known(comparison)

    def compute(self, operation: Operation) -> Expression:
        return in_decimals(operation)

    def plus(self, left: Expression, right: Expression) -> Expression | None:
        """Return the concatenation of strings."""
        if {left.type, right.type} != {data.STRING}:
            return None
        return Call("CONCAT", (left, right), data.STRING, left.nullable or right.nullable)

    def with_variables(self, variables: tuple[tuple[str, Expression], ...]) -> Self:
        """Return the binder of a lambda's body. `variables`: its parameters, which shadow those of this binder."""
        no_clock = self.no_clock or "in a lambda"
        return replace(self, variables=(*variables, *self.variables), no_clock=no_clock, of_record=None)

    def may_compare(self, left: tree.Expression, right: tree.Expression, operator: str, at: Extent) -> bool:
        """Report a comparison with NULL; return whether there is none."""
        for side, other in ((left, right), (right, left)):
            if isinstance(side, tree.Literal) and side.value is None:
                test = "IS NULL" if operator == "=" else "IS NOT NULL"
                self.findings.error("LSQ369", "nothing can be compared with NULL", at,
                                    help=f"test for it: {text_of(other)} {test}")  # fmt: skip
                return False
        return True

    def operands(self, parts: Sequence[tree.Expression], *, compared: bool = False) -> tuple[Expression, ...] | None:
        """Bind operands. Literals take the type of the other parts; in a comparison, only that of times."""
        bound = {i: self.bind(part) for i, part in enumerate(parts) if not isinstance(part, tree.Literal)}
        others = [(parts[i], each.type) for i, each in bound.items() if each is not None]
        read = alike(parts, others[0] if others else None, times=compared)
        operands = [bound[i] if i in bound else self.bind(part) for i, part in enumerate(read)]
        complete = tuple(part for part in operands if part is not None)
        return complete if len(complete) == len(operands) else None

    def listed(self, items: tuple[tree.Expression, ...]) -> tuple[tree.Expression, ...]:
        """Return the list without NULLs, which equal nothing."""
        return tuple(i for i in items if not (isinstance(i, tree.Literal) and i.value is None))

    def may_match(self, like: tree.Like) -> bool:
        pattern = like.pattern.value if isinstance(like.pattern, tree.Literal) else None
        if like.escape and isinstance(pattern, str) and pattern.replace(like.escape * 2, "").endswith(like.escape):
            self.findings.error("LSQ389", f"the pattern ends with its escape character '{like.escape}'",
                                like.pattern.at, help=f"write it twice: {pattern}{like.escape}")  # fmt: skip
            return False
        return True

    def cast(self, cast: tree.Cast) -> Expression | None:
        operand = self.bind(cast.operand)
        if operand is None:
            return None
        if not castable(operand.type, cast.type):
            self.findings.error("LSQ214", f"{operand.type} cannot be cast to {cast.type}", cast.at)
            return None
        return converted(operand, cast.type, sum(not name for name, _ in self.variables))

    def index(self, index: tree.Index) -> Expression | None:
        collection, place = self.bind(index.operand), self.bind(index.index)
        if collection is None or place is None:
            return None
        if isinstance(collection.type, Map):
            if place.type != collection.type.key:
                message = f"a key of this map must be {collection.type.key}, not {place.type}"
                self.findings.error("LSQ216", message, index.index.at)
                return None
            return Call("ksql.MAP_VALUE", (collection, place), collection.type.value, True)
        if not isinstance(collection.type, Array):
            message = f"only an array or a map has elements, not {collection.type}"
            self.findings.error("LSQ216", message, index.operand.at)
            return None
        if not data.is_integer(place.type):
            self.findings.error("LSQ216", f"an index must be an integer, not {place.type}", index.index.at)
            return None
        return _element(collection, collection.type.element, coerce(place, data.BIGINT))

    def call(self, call: tree.Call) -> Expression | None:
        for one, element in self.exploded:
            if one is call:
                return element
        name = call.name.text
        if name == "STRUCT":
            return self._struct(call)
        if name in INVOCATIONS:
            return bind_invocation(self, call)
        aggregate = catalogue.aggregate(name, DIALECT)
        if aggregate is not None:
            return self._aggregate(call, aggregate)
        if name in TABLE_FUNCTIONS:
            message = f"{name} is only allowed in the SELECT list of a query over a STREAM, without GROUP BY"
            self.findings.error("LSQ382", message, call.at, help="use it in a separate stream first")
            return None
        function = catalogue.scalar(name, DIALECT)
        if function is None:
            reason = catalogue.refused(name, DIALECT)
            if reason is not None:
                self.findings.error("LSQ207", f"{name} cannot be used here: {reason}", call.name.at)
            else:
                instead = FUNCTIONS.get(name)
                help = (
                    f"write {instead}"
                    if instead
                    else did_you_mean(name, self.findings.callable(catalogue.names(DIALECT)))
                )
                self.findings.error("LSQ206", f"unknown function '{name}'", call.name.at, help=help)
            return None
        clock = not call.arguments and name in ("UNIX_TIMESTAMP", "UNIX_DATE")
        if (clock or function.of_record) and self.no_clock:
            self.findings.error("LSQ312", f"{function.name} is not allowed {self.no_clock}", call.at)
            return None
        if clock:
            return _now(function)
        arguments = bind_arguments(self, call, function)
        type = result_type(self, call, function, arguments) if arguments is not None else None
        return _called(function, arguments, type) if arguments is not None and type is not None else None

    def _struct(self, call: tree.Call) -> Expression | None:
        """Return `STRUCT(a := 1)`, whose arguments are alternating names and values."""
        names = tuple(str(n.value) for n in call.arguments[::2] if isinstance(n, tree.Literal))
        values = [self.bind(value) for value in call.arguments[1::2]]
        used_names = Taken()
        twice = next((m for n in names if (m := used_names.add(n, "fields"))), None)
        if not names or twice is not None:
            message = twice or "a STRUCT must have at least one field"
            self.findings.error("LSQ305" if twice else "LSQ208", message, call.at)
            return None
        if any(v is None for v in values):
            return None
        return StructOf(names, tuple(v for v in values if v is not None))

    def _aggregate(self, call: tree.Call, aggregate: Aggregate) -> Expression | None:
        name = aggregate.name
        if self.grouping is None:
            self.findings.error(
                "LSQ313",
                f"the aggregate {name} is not allowed here",
                call.at,
                help="aggregates are only allowed in the SELECT list and in HAVING of a query with GROUP BY",
            )
            for argument in call.arguments:
                self.bind(argument)
            return None
        self.grouping.calls.append((call, ()))
        if self.table and not aggregate.on_table:
            self.findings.error(
                "LSQ314",
                f"{name} cannot aggregate a TABLE",
                call.at,
                notes=(aggregate.why_not,),
                help="read the records as a STREAM: CREATE STREAM over the table's topic",
            )
            return None
        if call.star and name == "COUNT":
            return self._slot("COUNT", (), data.BIGINT, False)
        if name == "TOPK" and len(call.arguments) > 2:
            return self._largest_rows(call, aggregate)
        arguments = bind_arguments(self.below_aggregate(), call, aggregate)
        if arguments is not None:
            self.grouping.calls[-1] = (call, arguments)
        type = result_type(self, call, aggregate, arguments) if arguments is not None else None
        if arguments is None or type is None:
            return None
        if name in STATISTICS:
            return statistic(name, arguments, self._slot)
        is_zero_by_default = aggregate.name in ("SUM", "AVG")
        if not is_zero_by_default:
            return self._slot(name, arguments, type, aggregate.nulls is not Nulls.NEVER)
        # Over no value the sum is 0, and so is the mean.
        total_type = data.BIGINT if data.is_integer(type) else type
        total: Expression = self._slot(name, arguments, total_type, True)
        total = total if total_type == type else Cast(total, type, True)
        none = Operation("=", (self._slot("COUNT", arguments, data.BIGINT, False), Literal(0, data.BIGINT)),
                         data.BOOLEAN, False)  # fmt: skip
        zero = coerce(Literal(0, data.INT), type)
        return Case(((none, zero),), total, type)

    def _largest_rows(self, call: tree.Call, aggregate: Aggregate) -> Expression | None:
        """Bind TOPK with columns between the value and the number: rows as structs, with ksqlDB's names."""
        assert self.grouping is not None
        plain = structs.replace(call, arguments=(call.arguments[0], call.arguments[-1]))
        below = self.below_aggregate()
        bound = bind_arguments(below, plain, aggregate)
        columns = [below.bind(column) for column in call.arguments[1:-1]]
        type = result_type(self, plain, aggregate, bound) if bound is not None else None
        if bound is None or type is None or any(c is None for c in columns):
            return None
        value, size = bound
        names = ("sort_col", *(f"col{i}" for i in range(len(columns))))
        row = StructOf(names, (value, *(c for c in columns if c is not None)))
        self.grouping.calls[-1] = (call, (row, size))
        return self._slot("TOPK_ROWS", (row, size), Array(row.type), False)

    def _slot(self, function: str, arguments: tuple[Expression, ...], type: DataType, nullable: bool) -> Field:
        assert self.grouping is not None
        slot = self.grouping.slot(Aggregation(function, arguments, type, nullable))
        assert slot is not None, "the list of aggregates stays open"
        return slot


def _now(function: Function) -> Expression:
    """Return the time of evaluation, converted by a function."""
    now: Expression = Call("NOW", (), data.TIMESTAMP, False)
    if function.name == "UNIX_TIMESTAMP":
        return Cast(now, data.BIGINT, False)
    return _called(function, (Call("EXTRACT_DATE", (now,), data.DATE, False),), data.INT)


def _called(function: Function, arguments: tuple[Expression, ...], type: DataType) -> Expression:
    nullable = function.nulls in (Nulls.MAY, Nulls.SIZED)
    if function.nulls is Nulls.PROPAGATE:
        nullable = any(a.nullable for a in arguments)
    elif function.nulls is Nulls.ALL:
        nullable = all(a.nullable for a in arguments)
    return Call(catalogue.plan_name(function, DIALECT), arguments, type, nullable)


def _element(array: Expression, type: DataType, place: Expression) -> Expression:
    """Return the element at a position from 1; a negative one counts from the end."""
    zero, one = Literal(0, data.BIGINT), Literal(1, data.BIGINT)
    if isinstance(place, Literal) and isinstance(place.value, int) and place.value > 0:
        return ElementAt(array, Literal(place.value - 1, data.BIGINT), type)
    size = Cast(Call("SIZEOF", (array,), data.INT, True), data.BIGINT, True)
    ahead = ElementAt(array, Operation("-", (place, one), data.BIGINT, True), type)
    behind = ElementAt(array, Operation("+", (size, place), data.BIGINT, True), type)
    is_ahead = Operation(">", (place, zero), data.BOOLEAN, place.nullable)
    is_behind = Operation("<", (place, zero), data.BOOLEAN, place.nullable)
    return Case(((is_ahead, ahead), (is_behind, behind)), Literal(None, type), type)


def binder(columns: Columns, findings: Findings, *, table: bool = False) -> KsqlBinder:
    """Return a binder over columns. `table`: the rows come from a TABLE."""
    return KsqlBinder(findings, table=table, no_clock="on a TABLE" if table else None, columns=columns)
