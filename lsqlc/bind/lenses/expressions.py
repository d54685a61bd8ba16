"""Binding of expressions of the Lenses language: names in the sources of a query, names of the SELECT list in HAVING,
and hyphens in names or as a minus.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from lsqlc.bind.coerce import always_fits, coerce
from lsqlc.bind.expressions import Binder
from lsqlc.bind.grouping import is_aggregated
from lsqlc.bind.lenses.calls import bind_call
from lsqlc.bind.lenses.scope import Scope, visible_names
from lsqlc.diagnostics import Diagnostic
from lsqlc.functions import catalogue
from lsqlc.functions.forms import casts
from lsqlc.plan.expression import Case, Cast, ElementAt, Expression, Field, Literal, Operation, StructOf
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.expressions import Chain, resolve
from lsqlc.syntax.lenses.foreign import argument_advice
from lsqlc.syntax.lenses.printer import text_of
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct


@dataclass(frozen=True, slots=True, kw_only=True)
class LensesBinder(Binder):
    """A binder of expressions in one scope. `aliases`: the names of bound expressions, for HAVING."""

    scope: Scope
    aliases: tuple[tuple[str, Expression], ...] = ()

    def reference(self, reference: tree.Reference) -> Expression | None:
        field = self.scope.resolve(reference.parts, reference.at, self.findings)
        if field is None:
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
        return self._value_of_files(field)

    def _value_of_files(self, field: Field) -> Expression:
        """Return the whole value of a record of files, as `*` does: without fields that only a reference by
        name adds.
        """
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

    def call(self, call: tree.Call) -> Expression | None:
        return bind_call(self, call)

    def is_aggregate(self, call: tree.Call) -> bool:
        return catalogue.aggregate(call.name.text) is not None

    def text(self, expression: tree.Expression) -> str:
        return text_of(expression)

    def argument_advice(self, function: str, argument: str) -> str | None:
        return argument_advice(function, argument)

    def below_aggregate(self) -> Self:
        assert self.grouping is not None
        return replace(self, grouping=None, aliases=(), not_null=self.grouping.tested, of_record=None)

    def named(self, expression: tree.Expression) -> Expression | None:
        """Return the expression of a name in the SELECT list."""
        if not self.aliases or not isinstance(expression, tree.Reference):
            return None
        name = ".".join(expression.parts)
        bound = next((bound for alias, bound in self.aliases if alias == name), None)
        if bound is None or is_aggregated(bound):
            return bound
        return self._not_aggregated(expression, bound.type)

    def key_part(self, expression: tree.Expression, part: Expression) -> Expression:
        closed = self.grouping is not None and self.grouping.closed
        return self._not_aggregated(expression, part.type) if closed else part

    def _not_aggregated(self, expression: tree.Expression, type: DataType) -> Expression:
        """Report an expression of HAVING that is not an aggregated projection (see docs/reference/lenses.md)."""
        self.findings.error(
            "LSQ315",
            f"HAVING can use the aggregates of the SELECT only, and '{text_of(expression)}' is none",
            expression.at,
            help="a condition on an expression of GROUP BY belongs in WHERE",
        )
        return Literal(None, type)

    def unhyphenate(self, expression: tree.Hyphenated) -> tree.Expression:
        """Return the expression with names and subtractions resolved by the scope; NULL after an error."""
        names = frozenset(name for name, _ in self.aliases)

        def split(chain: Chain) -> tuple[tuple[str, ...], int]:
            path, count = self.scope.split(chain, names)
            if self.scope.is_ambiguous(chain, path[-1]):
                self.findings.error(
                    "LSQ205",
                    f"'{path[-1]}' is a column, but can also be read as a subtraction",
                    chain.at,
                    help=f"write `{path[-1]}` for the column, or spaces around the minus",
                )
            return path, count

        resolved = resolve(expression, self.findings.source, split)
        if isinstance(resolved, Diagnostic):
            self.findings.found.append(resolved)
            return tree.Literal(None, expression.at)
        return resolved

    def cast(self, cast: tree.Cast) -> Expression | None:
        operand = self.bind(cast.operand)
        if operand is None:
            return None
        if operand.type == cast.type or operand.type == data.NULL:
            return coerce(operand, cast.type)
        if not casts.castable(operand.type, cast.type):
            self.findings.error("LSQ214", f"{operand.type} cannot be cast to {cast.type}", cast.at)
            return None
        return Cast(operand, cast.type, operand.nullable or not always_fits(operand.type, cast.type))

    def index(self, index: tree.Index) -> Expression | None:
        array, place = self.bind(index.operand), self.bind(index.index)
        if array is None or place is None:
            return None
        if not isinstance(array.type, data.Array):
            self.findings.error("LSQ216", f"only an array has elements, not {array.type}", index.operand.at)
            return None
        if not data.is_integer(place.type):
            self.findings.error("LSQ216", f"an index must be an integer, not {place.type}", index.index.at)
            return None
        if isinstance(place, Literal) and isinstance(place.value, int) and place.value < 0:
            self.findings.warn(
                "LSQ810",
                f"no element has the index {place.value}: this is always null",
                index.index.at,
                notes=("the first element has the index 0",),
                help="use SIZEOF to count from the end: array[SIZEOF(array) - 1] is the last element",
            )
        return ElementAt(array, coerce(place, data.BIGINT), array.type.element)
