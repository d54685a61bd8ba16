"""What the SELECT list and the HAVING of an aggregated query may speak of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from lsqlc.plan.expression import Aggregation, Expression, Field, reads_value
from lsqlc.syntax import tree


@dataclass(slots=True)
class Grouping:
    """What an aggregated query may speak of: the group's key, and aggregates, which are gathered here.

    `closed`: no aggregate may be added any more (HAVING repeats those of the SELECT). `is_bare`: the key is the only
    group expression itself, not a struct. `tested`: what WHERE has tested for null, of the records before they are
    grouped. `calls`: those of aggregates, with their arguments; without after an error in one.
    """

    keys: tuple[Expression, ...]
    key_field: Callable[[int], Field]
    aggregates: list[Aggregation] = field(default_factory=list)
    closed: bool = False
    is_bare: bool = False
    tested: tuple[Expression, ...] = ()
    calls: list[tuple[tree.Call, tuple[Expression, ...]]] = field(default_factory=list)
    _places: dict[Aggregation, int] = field(default_factory=dict, repr=False)

    def part_of_key(self, expression: Expression) -> Expression | None:
        """The field of the group's key that an expression equals, or that it is a part of."""
        if expression in self.keys:
            return self.key_field(self.keys.index(expression))
        if not isinstance(expression, Field):
            return None
        for index, key in enumerate(self.keys):
            if isinstance(key, Field) and _holds(key, expression):
                whole = self.key_field(index)
                path = (*whole.path, *expression.path[len(key.path) :])
                return replace(whole, path=path, type=expression.type, nullable=expression.nullable)
        return None

    def slot(self, aggregation: Aggregation) -> Field | None:
        """The field that will hold the aggregate; None if it would be a new one and the list is closed."""
        index = self._places.get(aggregation)
        if index is None:
            if self.closed:
                return None
            index = self._places[aggregation] = len(self.aggregates)
            self.aggregates.append(aggregation)
        return Field(0, "value", (f"a{index}",), aggregation.type, aggregation.nullable)

    def aggregate_of(self, field: Field) -> Aggregation:
        """The aggregate that a field of the value holds (see `slot`)."""
        return self.aggregates[int(field.path[0].removeprefix("a"))]

    def key_of(self, field: Field) -> tuple[Expression, Field]:
        """The group expression that a field of the key holds, or a part of which it holds; and the field that holds
        the whole of the expression (see `part_of_key`).
        """
        wholes = ((key, self.key_field(index)) for index, key in enumerate(self.keys))
        return next((key, whole) for key, whole in wholes if _holds(whole, field))


def is_aggregated(projection: Expression) -> bool:
    """Whether a projection of an aggregated query has an aggregate in it: those alone are fields of the value."""
    return reads_value(projection)


def _holds(whole: Field, part: Field) -> bool:
    """Whether a field is the other one, or a field within it."""
    same = (whole.relation, whole.facet) == (part.relation, part.facet)
    return same and part.path[: len(whole.path)] == whole.path
