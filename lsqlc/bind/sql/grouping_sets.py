"""ROLLUP, CUBE and GROUPING SETS: each row is in one group of each set.

A row is repeated for each set, with the grouping ID of the set. The group consists of that ID and the expressions,
which are null if they are not in the set. So a null in the data differs from a column outside of the set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsqlc.plan.expression import ArrayOf, Case, Expression, Field, Literal, Operation
from lsqlc.plan.nodes import Lateral, Node
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import Array

# The name of the part of the group with the number of its set.
ID_NAME = "grouping_id"
FUNCTIONS = ("GROUPING", "GROUPING_ID")


@dataclass(frozen=True, slots=True)
class GroupingSets:
    """`keys`: the number of expressions. `sets`: the indexes of those in each set."""

    keys: int
    sets: tuple[frozenset[int], ...]

    def grouping_id(self, set: frozenset[int]) -> int:
        """Return a bit for each expression, the first one's is the highest: 1 if the set does not have it."""
        return sum(1 << (self.keys - 1 - key) for key in range(self.keys) if key not in set)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the sets: their grouping IDs, or if two are equal, their positions."""
        ids = tuple(map(self.grouping_id, self.sets))
        return ids if len(set(ids)) == len(ids) else tuple(range(len(ids)))

    def expanded(self, node: Node) -> Node:
        """Return the rows of a node, each repeated for each set, whose number is the last relation."""
        numbers = tuple(Literal(number, data.BIGINT) for number in self.numbers)
        return Lateral(node, ArrayOf(numbers, Array(data.BIGINT)), "")

    def parts(self, keys: Sequence[Expression], node: Node) -> tuple[Expression, ...]:
        """Return the parts of a group over the node of `expanded`: the keys, and the number of the set."""
        number = Field(len(node.relations) - 1, "value", (), data.BIGINT, True)
        return (*(self._where_in(key, i, number) for i, key in enumerate(keys)), number)

    def _where_in(self, key: Expression, index: int, number: Expression) -> Expression:
        """Return a key in the sets that have it; else null."""
        having = self._numbers(index)
        if len(having) == len(self.sets):
            return key
        missing = Literal(None, key.type)
        return Case(((_is_in(number, having), key),), missing, key.type) if having else missing

    def _numbers(self, index: int) -> list[int]:
        """Return the numbers of the sets that have a key."""
        return [number for number, each in zip(self.numbers, self.sets, strict=True) if index in each]

    def grouping(self, index: int, number: Expression) -> Expression:
        """Return 1 if a key is not in the set of a group, else 0."""
        having = self._numbers(index)
        zero, one = Literal(0, data.INT), Literal(1, data.INT)
        return Case(((_is_in(number, having), zero),), one, data.INT) if having else one

    def id_of(self, number: Expression) -> Expression:
        """Return the grouping ID of a group, by the number of its set."""
        if self.numbers == tuple(map(self.grouping_id, self.sets)):
            return number
        ids = tuple(map(self.grouping_id, self.sets))
        of_id = {id: [n for n, other in enumerate(ids) if other == id] for id in ids}
        branches = tuple((_is_in(number, numbers), Literal(id, data.BIGINT)) for id, numbers in of_id.items())
        return Case(branches, Literal(0, data.BIGINT), data.BIGINT)


def grouping_sets(
    sets: Sequence[Sequence[int]], parts: Sequence[tree.Expression], keys: Sequence[Expression]
) -> tuple[list[tree.Expression], tuple[Expression, ...], GroupingSets]:
    """Return the distinct keys, and the sets of them. `sets`: the indexes in `keys`, some of which may be equal."""
    first = {i: keys.index(key) for i, key in enumerate(keys)}
    distinct = sorted(set(first.values()))
    place = {number: i for i, number in enumerate(distinct)}
    resolved = tuple(frozenset(place[first[number]] for number in each) for each in sets)
    return [parts[i] for i in distinct], tuple(keys[i] for i in distinct), GroupingSets(len(distinct), resolved)


def _is_in(number: Expression, numbers: Sequence[int]) -> Expression:
    literals = tuple(Literal(each, data.BIGINT) for each in numbers)
    return Operation("IN", (number, *literals), data.BOOLEAN, False)
