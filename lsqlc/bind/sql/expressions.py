"""From expressions of standard SQL to expressions of a plan.

The differences from the other dialects: `/` divides as DOUBLE or DECIMAL, DIV as BIGINT. Numbers with a point are
decimals. Names of columns are case-insensitive, and the catalogue has Spark's names. Errors that stop a query in
Spark's ANSI mode give null: an overflow, a division by zero, an invalid number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from msgspec import structs

from lsqlc.bind.calls import bind_arguments, result_type
from lsqlc.bind.coerce import always_fits, coerce, typed
from lsqlc.bind.expressions import Binder
from lsqlc.bind.sql import value_aggregates
from lsqlc.bind.sql.called import called
from lsqlc.bind.sql.casts import literal_fault, spark_cast
from lsqlc.bind.sql.coercion import UNMIXED, Unreadable, as_kind, common_type, converted
from lsqlc.bind.sql.conditions import WRITTEN_OUT, written_out
from lsqlc.bind.sql.day_times import moved_time, part_of_time, time_of
from lsqlc.bind.sql.grouping_sets import FUNCTIONS as GROUPING_FUNCTIONS
from lsqlc.bind.sql.grouping_sets import GroupingSets
from lsqlc.bind.sql.interval_casts import interval_of, number_of
from lsqlc.bind.sql.intervals import (
    INTERVAL,
    TAKE_NUMBERS,
    combined,
    days_moved,
    lengths,
    literal,
    may_be_held,
    moved,
    opposite,
    part_of,
    with_numbers,
)
from lsqlc.bind.sql.lambdas import bind_lambdas, of_each, takes_lambdas
from lsqlc.bind.sql.scope import Scope
from lsqlc.bind.sql.value_aggregates import bind_values, count_of_different
from lsqlc.bind.sql.windows import FUNCTIONS, GroupWindow
from lsqlc.diagnostics import did_you_mean
from lsqlc.diagnostics.source import Extent
from lsqlc.functions import calls, catalogue
from lsqlc.functions.forms import casts, operators
from lsqlc.functions.inner import bits
from lsqlc.functions.inner.overloads import OF_ARRAYS, OF_BYTES, of_types
from lsqlc.functions.signature import Aggregate, Function, Nulls
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
    Operation,
    StructOf,
)
from lsqlc.syntax import tree
from lsqlc.syntax.sql.foreign import function_advice
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

DIALECT = "sql"
_NUMBER = re.compile(r"(?=.*[0-9])[0-9]*\.[0-9]*")
# Aggregates with DISTINCT.
_OF_EXACT = ("SUM_DISTINCT", "AVG_DISTINCT")
_OF_VALUES = ("MIN", "MAX", "COUNT_DISTINCT", *_OF_EXACT)
_OF_INTERVALS = ("MIN", "MAX", "SUM", "AVG", "COUNT", "COUNT_DISTINCT", *_OF_EXACT)
_OF_TIMES = ("MIN", "MAX", "COUNT", "COUNT_DISTINCT")
# Functions whose result depends on the form of a value.
_OF_TEXTS = ("TO_JSON", "HASH", "XXHASH64", "FORMAT_STRING", "TYPEOF")
_COUNTED = (data.STRING, data.BOOLEAN, data.DATE, data.TIMESTAMP, data.NULL)
# The number of values of an integer with fewer bits than an INT.
NARROW = {"TINYINT": 1 << 8, "SMALLINT": 1 << 16}
_TIME_AND_TEXT = {data.TIMESTAMP, data.STRING}
_DIGITS: dict[DataType, int] = {data.INT: 10, data.BIGINT: 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlBinder(Binder):
    """A binder of expressions over the columns of a scope.

    `aliases`: the columns of the SELECT list by name, for HAVING. `window`: that of GROUP BY. `sets`: its grouping
    sets. `counted`: which rows aggregates are over, None for all. `variables`: the parameters of lambdas, in lower
    case, the innermost first.
    """

    scope: Scope
    aliases: tuple[tuple[str, tree.Expression], ...] = ()
    window: GroupWindow | None = None
    sets: GroupingSets | None = None
    counted: Expression | None = None
    variables: tuple[tuple[str, Expression], ...] = ()

    def reference(self, reference: tree.Reference) -> Expression | None:
        variable = next((e for name, e in self.variables if name == reference.parts[0].casefold()), None)
        if variable is not None:
            return self._part(variable, reference)
        column = self.scope.resolve(reference, self.findings)
        if column is None or self.grouping is None:
            return column
        # The name of a query as a value is not a name in the text.
        is_query = reference.parts[0].startswith(" ")
        name = "(SELECT ...)" if is_query else ".".join(reference.parts)
        self.findings.error(
            "LSQ311", f"'{name}' is neither grouped nor aggregated", reference.at,
            notes=("outside an aggregate, only the expressions of GROUP BY have one value for the whole group",),
            help=f"add it to GROUP BY, or aggregate it, as in MAX({name})",
        )  # fmt: skip
        return None

    def _part(self, variable: Expression, reference: tree.Reference) -> Expression | None:
        """Return the parameter of a lambda, or a field in it; None after an error."""
        at = reference.at
        for name in reference.parts[1:]:
            member = tree.Member(tree.Reference(reference.parts[:1], at), tree.Name(name, at), at)
            member_field = self.member_of(variable, member)
            if member_field is None:
                return None
            variable = member_field
        return variable

    def with_variables(self, variables: tuple[tuple[str, Expression], ...]) -> Self:
        """Return the binder of a lambda's body. `variables`: its parameters, which shadow those of this binder."""
        return replace(self, variables=(*variables, *self.variables), of_record=None)

    def named(self, expression: tree.Expression) -> Expression | None:
        """Return the expression of a name that is not a column: a bound of the window, or a column of the
        SELECT list.
        """
        if not isinstance(expression, tree.Reference) or self.grouping is None or self.scope.find(expression.parts):
            return None
        if self.window is not None and (bound := self.window.bound(expression.parts)) is not None:
            return bound
        if len(expression.parts) == 1:
            expression_of_alias = next(
                (e for n, e in self.aliases if n.casefold() == expression.parts[0].casefold()), None
            )
            if (
                expression_of_alias is None
                and self.sets is not None
                and expression.parts[0].casefold() == "grouping__id"
            ):
                return self.sets.id_of(self.grouping.key_field(self.sets.keys))
            return replace(self, aliases=()).bind(expression_of_alias) if expression_of_alias is not None else None
        return None

    def like_pattern(self, pattern: Expression, escape: str | None) -> Expression:
        """Return a pattern; one that is not a literal is null where Spark fails at its escape characters."""
        if escape is None or isinstance(pattern, Literal):
            return pattern
        return Call("inner.LIKE_PATTERN", (pattern, Literal(escape, data.STRING)), data.STRING, True)

    def text(self, expression: tree.Expression) -> str:
        return self.findings.source.text[slice(*expression.at)]

    def is_aggregate(self, call: tree.Call) -> bool:
        return catalogue.aggregate(call.name.text, DIALECT) is not None

    def argument_advice(self, function: str, argument: str) -> str | None:
        return None

    def binary(self, binary: tree.Binary) -> Expression | None:
        for time, length in ((binary.left, binary.right), (binary.right, binary.left)):
            is_first, moves = time is binary.left, lengths(length)
            if moves and (binary.operator == "+" or (binary.operator == "-" and is_first)) and not lengths(time):
                bound = self.bind(time)
                if bound is not None and (bound.type in (data.TIME, *data.INTERVALS) or data.is_numeric(bound.type)):
                    break
                for move in moves:
                    bound = bound and moved(bound, time.at, move, binary.operator, self.findings)
                return bound
        return Binder.binary(self, binary)

    def operation(self, binary: tree.Binary, left: Expression, right: Expression) -> Expression | None:
        if binary.operator in bits.OPERATORS:
            return self._of_bits(binary, left, right)
        if binary.operator in operators.ARITHMETIC or binary.operator == "DIV":
            if (date := days_moved(binary.operator, left, right)) is not None:
                return date
            if binary.operator == "-" and {left.type, right.type} in ({data.DATE, data.STRING}, _TIME_AND_TEXT):
                pair = self._compared((left, right), binary.at, "'-' mixes")
                return combined("-", pair[0], pair[1]) if pair is not None else None
            if (time := moved_time(binary.operator, left, right)) is not None:
                return time
            if (interval := combined(binary.operator, left, right)) is not None:
                return interval
            pair = self._as_numbers(left, right, binary.at)
            if pair is None:
                return None
            left, right = pair
        if binary.operator == "DIV":
            for side, at in ((left, binary.left.at), (right, binary.right.at)):
                if not data.is_integer(side.type) and not isinstance(side.type, Decimal) and side.type != data.NULL:
                    message = f"the operands of DIV must be integers or decimals, not {side.type}"
                    self.findings.error("LSQ212", message, at, help="write FLOOR(a / b), or cast them")
                    return None
            if not self.may_be_null((left, right), (binary.left.at, binary.right.at), "DIV"):
                return None
            if any(isinstance(side.type, Decimal) for side in (left, right)):
                return self._whole_quotient(left, right)
            return Operation("/", (coerce(left, data.BIGINT), coerce(right, data.BIGINT)), data.BIGINT, True)
        # The base class is explicit, because `super()` fails in a dataclass with slots.
        return Binder.operation(self, binary, left, right)

    def condition(self, expression: tree.Expression, clause: str) -> Expression | None:
        """Return a bound boolean; None after an error. A number in HAVING is true unless it is 0, as in Spark."""
        if clause == "HAVING":
            bound = self.bind(expression)
            if bound is None:
                return None
            if data.is_numeric(bound.type):
                truth = self._converted(bound, data.BOOLEAN)
                return truth and self.decide(truth)
        return Binder.condition(self, expression, clause)

    @property
    def conversions(self) -> str:
        return "a text is converted to a number, a date, a time or a boolean beside it, and a date to a time"

    def common_type(self, types: Sequence[DataType]) -> DataType | None:
        return common_type(types)

    def converted(self, expression: Expression, type: DataType, at: Extent) -> Expression | None:
        try:
            return converted(expression, type)
        except Unreadable as error:
            self._unreadable(error, at)
            return None

    def branch(self, expression: Expression, type: DataType, at: Extent) -> Expression | None:
        """Convert a text that is not the result in all rows. An invalid one stops Spark only as the result, and is null
        here.
        """
        try:
            return converted(expression, type)
        except Unreadable as error:
            self.findings.warn("LSQ478", f"{error}, and is null", at,
                               notes=("the other values have that type, which a text beside them takes",),
                               help="write a value of it, or convert the others: CAST(... AS STRING)")  # fmt: skip
            return Literal(None, type)

    def implicit(self, expression: Expression, kind: str, at: Extent) -> Expression | None:
        try:
            return as_kind(expression, kind)
        except Unreadable as error:
            self._unreadable(error, at)
            return None

    def _unreadable(self, error: Unreadable, at: Extent) -> None:
        help = "write a value of that type, or convert the other side: CAST(... AS STRING)"
        self.findings.error("LSQ492", str(error), at, help=help)

    def array(self, array: tree.ArrayLiteral) -> Expression | None:
        return Binder.array(self, array) if array.items else ArrayOf((), data.Array(data.NULL))

    def minus(self, operand: Expression) -> Expression | None:
        return opposite(operand) if operand.type in data.INTERVALS else None

    def compute(self, operation: Operation) -> Expression:
        """Return arithmetic with Spark's types.

        An integer literal next to a decimal has as many digits as its text, and the quotient of integers is a DOUBLE.
        """
        left, right = operation.operands
        if data.NULL in (left.type, right.type) and any(isinstance(o.type, Decimal) for o in (left, right)):
            left, right = typed(left, right.type), typed(right, left.type)
        exact = all(isinstance(o.type, Decimal) or data.is_integer(o.type) for o in (left, right))
        if exact and any(isinstance(o.type, Decimal) for o in (left, right)):
            left, right = _as_decimal(left), _as_decimal(right)
            assert isinstance(left.type, Decimal) and isinstance(right.type, Decimal)
            if operation.operator == "/":
                type: DataType | None = operators.quotient_type(left.type, right.type)
            else:
                type = operators.result_type(operation.operator, left.type, right.type)
            assert type is not None
            return structs.replace(operation, operands=(left, right), type=type)
        if operation.operator == "/":
            return Operation("/", (_as_double(left), _as_double(right)), data.DOUBLE, True)
        return operation

    def cast(self, cast: tree.Cast) -> Expression | None:
        operand = self.bind(cast.operand)
        if operand is None:
            return None
        fault = literal_fault(operand, cast.type, typed=cast.typed) if isinstance(operand, Literal) else None
        if fault is not None and operand.type != cast.type:
            self.findings.error("LSQ470", fault, cast.operand.at, help=f"write {cast.type} '2024-01-31'")
            return None
        result = self._converted(operand, cast.type)
        if result is None:
            self.findings.error("LSQ214", f"{operand.type} cannot be cast to {cast.type}", cast.at)
        return result

    def _converted(self, operand: Expression, type: DataType) -> Expression | None:
        """Return CAST of an expression; None if the types have none. Elements of arrays are converted one by one."""
        if operand.type in (type, data.NULL):
            return coerce(operand, type)
        if (spark_conversion := spark_cast(operand, type)) is not None:
            return spark_conversion
        if casts.castable(operand.type, type):
            if isinstance(operand, Literal) and isinstance(type, Decimal) and _holds(type, operand.value):
                return Cast(operand, type, False)
            return Cast(operand, type, operand.nullable or not always_fits(operand.type, type))
        if isinstance(operand.type, data.Array) and isinstance(type, data.Array):
            element = type.element
            return of_each(self, operand, lambda binder, part: binder._converted(part, element))
        return None

    def index(self, index: tree.Index) -> Expression | None:
        array, place = self.bind(index.operand), self.bind(index.index)
        if array is None or place is None:
            return None
        if isinstance(array.type, data.Map):
            name = tree.Name("ELEMENT_AT", index.at)
            return self.call(tree.Call(name, (index.operand, index.index), False, index.at))
        if not isinstance(array.type, data.Array):
            message = f"only an array or a map has elements here, not {array.type}"
            self.findings.error("LSQ216", message, index.operand.at)
            return None
        if not data.is_integer(place.type):
            self.findings.error("LSQ216", f"an index must be an integer, not {place.type}", index.index.at)
            return None
        return ElementAt(array, coerce(place, data.BIGINT), array.type.element)

    def _narrowed(self, call: tree.Call) -> Expression | None:
        """Return CAST to TINYINT or SMALLINT."""
        value = self.cast(tree.Cast(call.arguments[0], data.INT, call.at))
        half = NARROW[call.name.text] // 2
        if isinstance(value, Literal) and isinstance(value.value, int) and -half <= value.value < half:
            return value
        return value and Call(f"sql.{call.name.text}", (value,), data.INT, True)

    def _of_bits(self, binary: tree.Binary, left: Expression, right: Expression) -> Expression | None:
        if left.type == right.type == data.STRING:
            # A text is only converted next to an integer.
            self._report_not_whole(binary, left.type, binary.left.at)
            return None
        one, other = (self.implicit(s, "whole", at) for s, at in ((left, binary.left.at), (right, binary.right.at)))
        if one is None or other is None:
            return None
        for side, at in ((one, binary.left.at), (other, binary.right.at)):
            if not data.is_integer(side.type) and side.type != data.NULL:
                self._report_not_whole(binary, side.type, at)
                return None
        if not self.may_be_null((one, other), (binary.left.at, binary.right.at), f"'{binary.operator}'"):
            return None
        one, other = typed(one, data.INT), typed(other, data.INT)
        type = data.BIGINT if data.BIGINT in (one.type, other.type) else data.INT
        return Call(bits.OPERATORS[binary.operator], (one, other), type, one.nullable or other.nullable)

    def _report_not_whole(self, binary: tree.Binary, type: data.DataType, at: Extent) -> None:
        """Report an operand of bits that is not an integer."""
        message = f"the operands of '{binary.operator}' must be integers, not {type}"
        self.findings.error("LSQ212", message, at, help="convert it: CAST(... AS BIGINT)")

    def _whole_quotient(self, left: Expression, right: Expression) -> Expression:
        """Return DIV of decimals: without the remainder the dividend is a multiple, whose quotient is exact."""

        def computed(operator: str, one: Expression, other: Expression) -> Expression:
            type = operators.result_type(operator, one.type, other.type)
            assert type is not None
            return self.compute(Operation(operator, (one, other), type, True))

        rest = computed("%", left, right)
        return Cast(computed("/", computed("-", left, rest), right), data.BIGINT, True)

    def _as_numbers(self, left: Expression, right: Expression, at: Extent) -> tuple[Expression, Expression] | None:
        """Return the operands of arithmetic, a text next to a number as a number; None after an error."""
        number = right.type if left.type == data.STRING else left.type
        if data.STRING not in (left.type, right.type) or not data.is_numeric(number):
            return left, right
        common = common_type((left.type, right.type))
        assert common is not None
        one, other = self.converted(left, common, at), self.converted(right, common, at)
        return (one, other) if one is not None and other is not None else None

    def _null_if(self, call: tree.Call, value: Expression, other: Expression) -> Expression | None:
        """Return the first value, or null if the other one is equal in their common type."""
        pair = self._compared((value, other), call.at, "NULLIF compares")
        if pair is None:
            return None
        value = typed(value, pair[0].type)
        equal = Operation("=", pair, data.BOOLEAN, value.nullable or other.nullable)
        return Case(((equal, Literal(None, value.type)),), value, value.type)

    def _alike(
        self, call: tree.Call, function: Function, arguments: tuple[Expression, ...]
    ) -> tuple[Expression, ...] | None:
        """Return the arguments, converted to one type if the function requires it; None after an error."""
        literals = [a.value if isinstance(a, Literal) else None for a in arguments]
        if function.result([a.type for a in arguments], literals) is not None:
            return arguments
        several = [i for i in range(len(arguments)) if function.parameter(i).accepts == "any"]
        types = [arguments[i].type for i in several]
        common = common_type(types)
        if common is None or (function.name in UNMIXED and data.STRING in types):
            return arguments
        convert = self.branch if function.name in ("COALESCE", "NVL2") else self.converted
        parts = {i: convert(arguments[i], common, call.arguments[i].at) for i in several}
        complete = [parts.get(i, a) for i, a in enumerate(arguments)]
        return tuple(a for a in complete if a is not None) if all(a is not None for a in complete) else None

    def call(self, call: tree.Call) -> Expression | None:
        name = call.name.text
        if name in FUNCTIONS:
            return self._window(call)
        if name in GROUPING_FUNCTIONS:
            return self._grouping(call)
        if name == INTERVAL:
            return literal(call, self.findings)
        aggregate = catalogue.aggregate(name, DIALECT)
        if aggregate is not None:
            return self._aggregate(call, aggregate)
        if name in NARROW and len(call.arguments) == 1:
            return self._narrowed(call)
        if call.star and (function := catalogue.scalar(name, DIALECT)) is not None:
            bind_arguments(self, call, function)
            return None
        if takes_lambdas(call):
            return bind_lambdas(self, call)
        bound = None
        if name in ("TO_CHAR", "TO_VARCHAR"):
            bound = [self.bind(argument) for argument in call.arguments]
            call = _shown_call(call, bound)
            name, bound = call.name.text, bound[: len(call.arguments)]
        function = catalogue.scalar(name, DIALECT)
        if function is None:
            reason = catalogue.refused(name, DIALECT)
            if reason is not None:
                self.findings.error("LSQ207", f"{name} cannot be used here: {reason}", call.name.at)
            else:
                help = function_advice(name) or did_you_mean(name, self.findings.callable(catalogue.names(DIALECT)))
                help = help or "the functions are listed in docs/reference/sql-functions.md"
                self.findings.error("LSQ206", f"unknown function '{name}'", call.name.at, help=help)
            return None
        # Once: what is bound again at each level takes twice the time for each level.
        bound = [self.bind(argument) for argument in call.arguments] if bound is None else bound
        dialect = DIALECT
        if function.name == "ABS" and len(bound) == 1 and bound[0] is not None and bound[0].type in data.INTERVALS:
            return interval_of(called("ABS", (number_of(bound[0]),)), bound[0].type)
        if (
            function.name in ("HOUR", "MINUTE", "SECOND")
            and len(bound) == 1
            and (part := _part(function.name, bound[0]))
        ):
            return part
        if function.name in _OF_TEXTS:
            for part, argument in zip(bound, call.arguments, strict=True):
                owner = f"the argument of {function.name}"
                if part is not None and not may_be_held(part.type, owner, argument.at, self.findings):
                    return None
        if function.name in TAKE_NUMBERS:
            bound = with_numbers(bound)
        if call.arguments and (function.name in OF_BYTES or function.name in OF_ARRAYS):
            types = [part.type for part in bound if part is not None]
            other = of_types(function, types) if len(types) == len(bound) else None
            function, dialect = (other, "inner") if other is not None else (function, dialect)
        if function.name == "DATE_PART" and len(bound) == 2 and call.arguments and _is_null(call.arguments[0]):
            return Literal(None, data.INT)
        if function.name == "DATE_PART" and len(bound) == 2 and (part := _part_of_interval(call, bound[1])):
            return part
        if function.name == "ARRAY_JOIN" and bound and bound[0] is not None:
            # Elements of other types than STRING are converted, as Spark does.
            bound[0] = self._converted(bound[0], data.Array(data.STRING)) or bound[0]
        arguments = bind_arguments(self, call, function, bound)
        if function.name == "TIMESTAMP_SECONDS" and len(bound) == 1 and (time := _of_seconds(bound[0])):
            return time
        if arguments is not None and function.name == "NULLIF" and arguments[0].type != arguments[1].type:
            return self._null_if(call, *arguments)
        arguments = arguments and self._alike(call, function, arguments)
        if arguments is None:
            return None
        places = tuple(a.at for a in call.arguments)
        if not function.takes_null and not self.may_be_null(arguments, places, function.name):
            return None
        type = result_type(self, call, function, arguments)
        if type is None:
            return None
        literals = [a.value if isinstance(a, Literal) else None for a in arguments]
        nullable = calls.nullable(function, [a.type for a in arguments], [a.nullable for a in arguments], literals)
        return Call(catalogue.plan_name(function, dialect), arguments, type, nullable)

    def _window(self, call: tree.Call) -> Expression | None:
        """Return `window(...)` in the SELECT list: the struct of the bounds of the window in GROUP BY."""
        if self.window is not None and self.window.is_same(call):
            return StructOf(("start", "end"), (self.window.start, self.window.end))
        self.findings.error("LSQ458", f"{call.name.text.lower()}() is only allowed in GROUP BY", call.at,
                            help="in the SELECT list and in HAVING, repeat the window of GROUP BY")  # fmt: skip
        return None

    def _grouping(self, call: tree.Call) -> Expression | None:
        """Return `grouping(x)` or `grouping_id()` of the grouping sets of GROUP BY."""
        name = call.name.text.lower()
        if self.grouping is None or self.sets is None:
            self.findings.error("LSQ474", f"{name}() requires GROUP BY with ROLLUP, CUBE or GROUPING SETS", call.at,
                                help="it says which expressions of GROUP BY a group does not have")  # fmt: skip
            return None
        count = self.sets.keys
        bound = [self.bind(argument) for argument in call.arguments]
        if None in bound:
            return None
        places = [next((i for i in range(count) if self.grouping.key_field(i) == part), None)
                  for part in bound]  # fmt: skip
        number = self.grouping.key_field(count)
        if name == "grouping" and len(places) == 1 and places[0] is not None:
            return self.sets.grouping(places[0], number)
        if name == "grouping_id" and places in ([], list(range(count))):
            return self.sets.id_of(number)
        help = "its argument is one expression of GROUP BY"
        if name == "grouping_id":
            help = "without arguments, it is of all expressions of GROUP BY in their order"
        self.findings.error("LSQ474", f"{name}() has other arguments than GROUP BY", call.at, help=help)
        return None

    def _aggregate(self, call: tree.Call, aggregate: Aggregate) -> Expression | None:
        name = _shown(aggregate.name)
        if self.grouping is None:
            self.findings.error(
                "LSQ313", f"the aggregate {name} is not allowed here", call.at,
                help="aggregates are only allowed in the SELECT list and in HAVING of a query with GROUP BY",
            )  # fmt: skip
            return None
        if aggregate.name == "COUNT_DISTINCT" and len(call.arguments) > 1:
            several = [self.below_aggregate().bind(argument) for argument in call.arguments]
            bound = tuple(each for each in several if each is not None)
            return count_of_different(self, bound) if len(bound) == len(several) else None
        if call.star and name == "COUNT":
            return self.slot("COUNT", (), data.BIGINT, False)
        if name == "COUNT" and not call.arguments:
            self.findings.error("LSQ208", "COUNT takes '*' or 1 argument, not 0", call.at, help="its form is COUNT(*)")
            return None
        parts = [self.below_aggregate().bind(argument) for argument in call.arguments]
        if len(parts) == 1 and parts[0] is not None and parts[0].type in (data.TIME, *data.INTERVALS):
            of_interval = self._of_intervals(aggregate.name, parts[0])
            if of_interval is not None:
                return of_interval
        arguments = bind_arguments(self.below_aggregate(), call, aggregate, parts)
        if arguments is None:
            return None
        if aggregate.name in WRITTEN_OUT:
            return self.bind(written_out(call))
        if aggregate.name in _OF_EXACT and aggregate.result([arguments[0].type], [None]) is None:
            self.findings.error("LSQ209", f"{name} cannot take ({arguments[0].type})", call.at,
                                notes=("SUM(DISTINCT) takes integers and DECIMALs of at most 28 digits, AVG(DISTINCT) "
                                       "integers",),
                                help="group by the value in a query of its own, and aggregate that")  # fmt: skip
            return None
        type = result_type(self, call, aggregate, arguments)
        if type is None:
            return None
        if aggregate.name in value_aggregates.NAMES:
            return bind_values(self, call, aggregate, arguments, type)
        if aggregate.name in ("AVG", "AVG_DISTINCT") and isinstance(arguments[0].type, Decimal):
            return self._decimal_mean(aggregate.name, arguments, arguments[0].type)
        if aggregate.name == "APPROX_COUNT_DISTINCT":
            if not _is_counted(arguments[0].type):
                return count_of_different(self, arguments[:1])
            return self.slot("COUNT_DISTINCT", arguments[:1], type, False)
        if self.table and aggregate.name in _OF_VALUES and not _is_counted(arguments[0].type):
            self.findings.error("LSQ209", f"{name} of a table cannot take ({arguments[0].type})", call.at,
                                notes=("a value that leaves the table is taken back by a count of each value",),
                                help="take a part of it that is a number, a text, a date or a time")  # fmt: skip
            return None
        return self.slot(aggregate.name, arguments, type, aggregate.nulls is not Nulls.NEVER)

    def _of_intervals(self, name: str, interval: Expression) -> Expression | None:
        """Return an aggregate of intervals or times of day, of their numbers; None for one that takes any value."""
        if name not in (_OF_TIMES if interval.type == data.TIME else _OF_INTERVALS):
            return None
        number, type = (number_of(interval),), interval.type
        if type == data.TIME and not name.startswith("COUNT"):
            return time_of(self.slot(name, number, data.BIGINT, True))
        if name in ("AVG", "AVG_DISTINCT"):
            more = name.removeprefix("AVG")
            total = interval_of(self.slot(f"SUM{more}", number, data.BIGINT, True), type)
            return combined("/", total, self.slot(f"COUNT{more}", number, data.BIGINT, False))
        if name.startswith("COUNT"):
            return self.slot(name, number, data.BIGINT, False)
        return interval_of(self.slot(name, number, data.BIGINT, True), type)

    def _decimal_mean(self, name: str, arguments: tuple[Expression, ...], type: Decimal) -> Expression | None:
        """Return the mean of DECIMALs with Spark's type: with four places more."""
        more = name.removeprefix("AVG")
        total = self.slot(f"SUM{more}", arguments, Decimal(min(38, type.precision + 10), type.scale), True)
        count = self.slot(f"COUNT{more}", arguments, data.BIGINT, False)
        mean = Decimal(min(38, type.precision + 4), min(38, type.scale + 4))
        return Operation("/", (total, Cast(count, Decimal(20, 0), False)), mean, True)

    def slot(self, function: str, arguments: tuple[Expression, ...], type: DataType, nullable: bool) -> Field:
        """Return the field of an aggregate of the group."""
        assert self.grouping is not None
        if self.counted is not None:
            first = arguments[0] if arguments else Literal(1, data.INT)
            nothing = Literal(None, first.type)
            arguments = (Case(((self.counted, first),), nothing, first.type), *arguments[1:])
        slot = self.grouping.slot(Aggregation(function, arguments, type, nullable))
        assert slot is not None, "the list of aggregates stays open"
        return slot


def _shown_call(call: tree.Call, bound: Sequence[Expression | None]) -> tree.Call:
    """Return TO_CHAR of a time or of bytes as a call of its specific function, any other call unchanged. `bound`: its
    bound arguments.
    """
    value = bound[0] if len(bound) == 2 else None
    form = call.arguments[-1] if call.arguments else None
    if value is not None and value.type in (data.DATE, data.TIMESTAMP):
        return structs.replace(call, name=tree.Name("DATE_FORMAT", call.name.at))
    word = form.value.lower() if isinstance(form, tree.Literal) and isinstance(form.value, str) else ""
    name = {"hex": "HEX", "base64": "BASE64", "utf-8": "DECODE"}.get(word)
    if value is None or value.type != data.BYTES or name is None:
        return call
    format_arguments = call.arguments if name == "DECODE" else call.arguments[:1]
    return structs.replace(call, name=tree.Name(name, call.name.at), arguments=format_arguments)


def _of_seconds(seconds: Expression | None) -> Expression | None:
    """Return the time of seconds with a fraction, as CAST does; None for whole seconds."""
    is_fraction = seconds is not None and data.is_numeric(seconds.type) and not data.is_integer(seconds.type)
    return spark_cast(seconds, data.TIMESTAMP) if seconds is not None and is_fraction else None


def _is_null(part: tree.Expression) -> bool:
    return isinstance(part, tree.Literal) and part.value is None


def _part(name: str, time: Expression | None) -> Expression | None:
    """Return HOUR, MINUTE or SECOND of a time of day; None for any other value."""
    if time is None or time.type != data.TIME:
        return None
    part = part_of_time(name, time)
    return part and Cast(part, data.INT, True)


def _part_of_interval(call: tree.Call, interval: Expression | None) -> Expression | None:
    """Return a part of an interval; None for a part that it does not have, or for another value."""
    part = call.arguments[0]
    if interval is None or not isinstance(part, tree.Literal) or not isinstance(part.value, str):
        return None
    if interval.type == data.TIME:
        return part_of_time(part.value.removesuffix("s"), interval)
    return part_of(part.value, interval) if interval.type in data.INTERVALS else None


def _shown(name: str) -> str:
    """Return the name of an aggregate in a text."""
    return f"{name.removesuffix('_DISTINCT')}(DISTINCT)" if name.endswith("_DISTINCT") else name


def _is_counted(type: DataType) -> bool:
    """Return whether the values in a group of a TABLE can be counted individually."""
    return data.is_numeric(type) or type in _COUNTED


def _holds(type: Decimal, value: object) -> bool:
    """Return whether a text is a number with a point that a type represents exactly."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return False
    whole, _, places = value.partition(".")
    return len(whole.lstrip("0")) <= type.precision - type.scale and len(places) <= type.scale


def _as_double(side: Expression) -> Expression:
    return coerce(side, data.DOUBLE) if data.is_numeric(side.type) or side.type == data.NULL else side


def _as_decimal(side: Expression) -> Expression:
    """Return an integer next to a decimal as a decimal."""
    if isinstance(side.type, Decimal):
        return side
    digits = _DIGITS[side.type]
    if isinstance(side, Literal) and isinstance(side.value, int):
        digits = len(str(abs(side.value)))
    return Cast(side, Decimal(digits, 0), side.nullable)
