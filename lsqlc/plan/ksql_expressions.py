"""Expressions of ksqlDB to expressions of a plan.

What differs from the Lenses language: names (see `ksql_scope`), indexes from 1, `+` that joins strings, no comparison
with NULL, the catalogue of functions, and what its aggregates give for no value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from lsqlc.diagnostics import did_you_mean
from lsqlc.functions import catalogue
from lsqlc.functions.signature import Aggregate, Function, Nulls
from lsqlc.plan.bind_calls import bind_arguments, result_type
from lsqlc.plan.bind_expressions import Binder
from lsqlc.plan.coerce import coerce
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
from lsqlc.plan.ksql_scope import SYSTEM, Columns
from lsqlc.plan.report import Findings
from lsqlc.plan.scope import Scope
from lsqlc.syntax import tree
from lsqlc.syntax.ksql_text import text_of
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map

DIALECT = "ksql"
NO_COLUMNS = Columns((), ())


@dataclass(frozen=True, slots=True)
class KsqlBinder(Binder):
    """Binds expressions over columns. `bounds`: the fields that WINDOWSTART and WINDOWEND stand for, where they do.
    `exploded`: the calls of EXPLODE in the SELECT list, each with the element that stands for it.
    """

    columns: Columns = NO_COLUMNS
    bounds: tuple[tuple[str, Field], ...] = ()
    exploded: tuple[tuple[tree.Call, Expression], ...] = ()

    def _reference(self, reference: tree.Reference) -> Expression | None:
        name = reference.parts[-1]
        if self.grouping and len(reference.parts) == 1:
            for bound, field in self.bounds:
                if bound == name:
                    return field
        found = self.columns.resolve(reference.parts, reference.at, self.findings)
        if found is None or self.grouping is None:
            return found.expression if found is not None else None
        text = ".".join(reference.parts)
        self.findings.error(
            "LSQ311",
            f"'{text}' is neither grouped nor aggregated",
            reference.at,
            notes=("outside an aggregate, only the expressions of GROUP BY have one value for the whole group",),
            help=f"add it to GROUP BY, or aggregate it, as in LATEST_BY_OFFSET({text})",
        )
        return None

    def _binary(self, binary: tree.Binary) -> Expression | None:
        comparison = binary.operator in ("=", "<>", "<", "<=", ">", ">=")
        for side, other in ((binary.left, binary.right), (binary.right, binary.left)):
            if comparison and isinstance(side, tree.Literal) and side.value is None:
                test = "IS NULL" if binary.operator == "=" else "IS NOT NULL"
                self.findings.error("LSQ369", "nothing can be compared with NULL", binary.at,
                                    help=f"test for it: {text_of(other)} {test}")  # fmt: skip
                return None
        if binary.operator == "+":
            quiet = replace(self, findings=Findings(self.findings.source))
            left, right = quiet.bind(binary.left), quiet.bind(binary.right)
            if left is not None and right is not None and {left.type, right.type} == {data.STRING}:
                joined = self.bind(binary.left), self.bind(binary.right)
                assert joined[0] is not None and joined[1] is not None
                return Call("CONCAT", (joined[0], joined[1]), data.STRING, left.nullable or right.nullable)
        return Binder._binary(self, _timed(self, binary) if comparison else binary)

    def _index(self, index: tree.Index) -> Expression | None:
        collection, place = self.bind(index.operand), self.bind(index.index)
        if collection is None or place is None:
            return None
        if isinstance(collection.type, Map):
            if place.type != collection.type.key:
                message = f"a key of this map is {collection.type.key}, this is {place.type}"
                self.findings.error("LSQ216", message, index.index.at)
                return None
            return Call("ksql.MAP_VALUE", (collection, place), collection.type.value, True)
        if not isinstance(collection.type, Array):
            message = f"only an array or a map has elements, this is {collection.type}"
            self.findings.error("LSQ216", message, index.operand.at)
            return None
        if not data.is_integer(place.type):
            self.findings.error("LSQ216", f"an index is an integer, this is {place.type}", index.index.at)
            return None
        return _element(collection, collection.type.element, coerce(place, data.BIGINT))

    def _call(self, call: tree.Call) -> Expression | None:
        for known, element in self.exploded:
            if known is call:
                return element
        name = call.name.text
        if name == "STRUCT":
            return self._struct(call)
        aggregate = catalogue.aggregate(name, DIALECT)
        if aggregate is not None:
            return self._aggregate(call, aggregate)
        if name == "EXPLODE":
            self.findings.error("LSQ382", "EXPLODE stands in the SELECT list of a query over a STREAM", call.at)
            return None
        function = catalogue.scalar(name, DIALECT)
        if function is None:
            help = did_you_mean(name, catalogue.names(DIALECT))
            self.findings.error("LSQ206", f"unknown function '{name}'", call.name.at, help=help)
            return None
        if function.clock and self.no_clock:
            self.findings.error("LSQ312", f"{function.name} cannot stand {self.no_clock}", call.at)
            return None
        arguments = bind_arguments(self, call, function)
        type = result_type(self, call, function, arguments) if arguments is not None else None
        return _called(function, arguments, type) if arguments is not None and type is not None else None

    def _struct(self, call: tree.Call) -> Expression | None:
        """`STRUCT(a := 1)`, whose arguments are names and values in turn."""
        names = tuple(str(n.value) for n in call.arguments[::2] if isinstance(n, tree.Literal))
        values = [self.bind(value) for value in call.arguments[1::2]]
        twice = next((n for n in names if names.count(n) > 1), None)
        if not names or twice is not None:
            message = f"two fields are named '{twice}'" if twice else "a STRUCT has at least one field"
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
                f"the aggregate {name} cannot stand here",
                call.at,
                help="aggregates stand in the SELECT list or the HAVING of a query with GROUP BY",
            )
            for argument in call.arguments:
                self.bind(argument)
            return None
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
        inner = replace(self, grouping=None)
        arguments = bind_arguments(inner, call, aggregate)
        type = result_type(self, call, aggregate, arguments) if arguments is not None else None
        if arguments is None or type is None:
            return None
        counted = aggregate.name in ("SUM", "AVG")
        if not counted:
            return self._slot(name, arguments, type, aggregate.nulls is not Nulls.NEVER)
        # No value sums up to 0, and has a mean of 0.
        total_type = data.BIGINT if data.is_integer(type) else type
        total: Expression = self._slot(name, arguments, total_type, True)
        total = total if total_type == type else Cast(total, type, True)
        none = Operation("=", (self._slot("COUNT", arguments, data.BIGINT, False), Literal(0, data.BIGINT)),
                         data.BOOLEAN, False)  # fmt: skip
        zero = coerce(Literal(0, data.INT), type)
        return Case(((none, zero),), total, type)

    def _slot(self, function: str, arguments: tuple[Expression, ...], type: DataType, nullable: bool) -> Field:
        assert self.grouping is not None
        slot = self.grouping.slot(Aggregation(function, arguments, type, nullable))
        assert slot is not None, "the list of aggregates stays open"
        return slot


def _called(function: Function, arguments: tuple[Expression, ...], type: DataType) -> Expression:
    nullable = function.nulls is Nulls.MAY
    if function.nulls is Nulls.PROPAGATE:
        nullable = any(a.nullable for a in arguments)
    elif function.nulls is Nulls.ALL:
        nullable = all(a.nullable for a in arguments)
    return Call(catalogue.plan_name(function, DIALECT), arguments, type, nullable)


def _element(array: Expression, type: DataType, place: Expression) -> Expression:
    """The element at a place from 1; a negative one counts from the end."""
    zero, one = Literal(0, data.BIGINT), Literal(1, data.BIGINT)
    if isinstance(place, Literal) and isinstance(place.value, int) and place.value > 0:
        return ElementAt(array, Literal(place.value - 1, data.BIGINT), type)
    size = Cast(Call("SIZEOF", (array,), data.INT, True), data.BIGINT, True)
    ahead = ElementAt(array, Operation("-", (place, one), data.BIGINT, True), type)
    behind = ElementAt(array, Operation("+", (size, place), data.BIGINT, True), type)
    is_ahead = Operation(">", (place, zero), data.BOOLEAN, place.nullable)
    is_behind = Operation("<", (place, zero), data.BOOLEAN, place.nullable)
    return Case(((is_ahead, ahead), (is_behind, behind)), Literal(None, type), type)


def _timed(binder: KsqlBinder, binary: tree.Binary) -> tree.Binary:
    """A comparison of a time with a string literal, the literal read as that time."""
    quiet = replace(binder, findings=Findings(binder.findings.source))
    sides = [binary.left, binary.right]
    for i, (literal, other) in enumerate(((binary.left, binary.right), (binary.right, binary.left))):
        if isinstance(literal, tree.Literal) and isinstance(literal.value, str):
            bound = quiet.bind(other)
            millis = _milliseconds(literal.value) if isinstance(other, tree.Reference) else None
            if bound is not None and bound.type in (data.TIMESTAMP, data.DATE):
                sides[i] = tree.Cast(literal, bound.type, literal.at)
            elif millis is not None and isinstance(other, tree.Reference) and other.parts[-1] in SYSTEM:
                sides[i] = tree.Literal(millis, literal.at)
    return replace(binary, left=sides[0], right=sides[1])


def _milliseconds(text: str) -> int | None:
    """An ISO date and time, in UTC unless it says otherwise, as epoch milliseconds; None for another text."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return round(time.timestamp() * 1000)


def binder(columns: Columns, findings: Findings, *, table: bool = False, strict: bool = False) -> KsqlBinder:
    """A binder over columns. `table`: the rows come from a TABLE."""
    no_clock = "on a TABLE" if table else None
    return KsqlBinder(Scope(()), findings, table=table, strict=strict, no_clock=no_clock, columns=columns)
