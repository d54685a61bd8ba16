"""The group's key and the aggregates, which SELECT and HAVING of an aggregated query may use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from lsqlc.plan.expression import Aggregation, Expression, Field, reads_value, walk
from lsqlc.syntax import tree


@dataclass(slots=True)
class Grouping:
    """The group's key, and the aggregates, which are collected here.

    `closed`: no aggregate may be added (HAVING repeats those of the SELECT). `is_bare`: the key is the only group
    expression itself, not a struct. `tested`: the expressions over records that WHERE tested for null. `calls`: those
    of aggregates, with their arguments, except calls with an error.
    """

    keys: tuple[Expression, ...]
    key_field: Callable[[int], Expression]
    aggregates: list[Aggregation] = field(default_factory=list)
    closed: bool = False
    is_bare: bool = False
    tested: tuple[Expression, ...] = ()
    calls: list[tuple[tree.Call, tuple[Expression, ...]]] = field(default_factory=list)
    _places: dict[Aggregation, int] = field(default_factory=dict, repr=False)

    def part_of_key(self, expression: Expression) -> Expression | None:
        """Return the field of the group's key that an expression equals, or that contains it."""
        if expression in self.keys:
            return self.key_field(self.keys.index(expression))
        if not isinstance(expression, Field):
            return None
        for index, key in enumerate(self.keys):
            if isinstance(key, Field) and _holds(key, expression):
                whole = self.key_field(index)
                assert isinstance(whole, Field), "a struct is held as it is"
                path = (*whole.path, *expression.path[len(key.path) :])
                return replace(whole, path=path, type=expression.type, nullable=expression.nullable)
        return None

    def slot(self, aggregation: Aggregation) -> Field | None:
        """Return the field of an aggregate; None for a new one if the list is closed."""
        index = self._places.get(aggregation)
        if index is None:
            if self.closed:
                return None
            index = self._places[aggregation] = len(self.aggregates)
            self.aggregates.append(aggregation)
        return Field(0, "value", (f"a{index}",), aggregation.type, aggregation.nullable)

    def aggregate_of(self, field: Field) -> Aggregation:
        """Return the aggregate of a field of the value (see `slot`)."""
        return self.aggregates[int(field.path[0].removeprefix("a"))]

    def key_of(self, field: Field) -> tuple[Expression, Field]:
        """Return the group expression of a field of the key, and the field of the whole expression (see
        `part_of_key`).
        """
        parts = ((key, part) for index, key in enumerate(self.keys) for part in walk(self.key_field(index)))
        return next((key, part) for key, part in parts if isinstance(part, Field) and _holds(part, field))


def is_aggregated(projection: Expression) -> bool:
    """Return whether a projection of an aggregated query has an aggregate. Only those are fields of the value."""
    return reads_value(projection)


def _holds(whole: Field, part: Field) -> bool:
    """Return whether a field is the other one, or a field within it."""
    same = (whole.relation, whole.facet) == (part.relation, part.facet)
    return same and part.path[: len(whole.path)] == whole.path
