"""ROLLUP, CUBE and GROUPING SETS: each row is in one group of each set.

A row becomes one for each set, with the grouping id of the set. The group has that id, and the expressions of which
those that are not in the set are null: a null of the data has another id than that of a set without its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsqlc.plan.expression import ArrayOf, Case, Expression, Field, Literal, Operation
from lsqlc.plan.nodes import Lateral, Node
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import Array

# What the part of the group that tells its sets apart is called.
ID_NAME = "grouping_id"
FUNCTIONS = ("GROUPING", "GROUPING_ID")


@dataclass(frozen=True, slots=True)
class GroupingSets:
    """`keys`: how many expressions there are; `sets`: the numbers of those in each set."""

    keys: int
    sets: tuple[frozenset[int], ...]

    def grouping_id(self, set: frozenset[int]) -> int:
        """A bit for each expression, the first one's the highest, which is 1 if the set does not have it."""
        return sum(1 << (self.keys - 1 - key) for key in range(self.keys) if key not in set)

    @property
    def numbers(self) -> tuple[int, ...]:
        """What tells the sets apart: their ids, or where two are the same, their positions."""
        ids = tuple(map(self.grouping_id, self.sets))
        return ids if len(set(ids)) == len(ids) else tuple(range(len(ids)))

    def expanded(self, node: Node) -> Node:
        """The rows of a node, each once for each set, the number of which is the last relation."""
        numbers = tuple(Literal(number, data.BIGINT) for number in self.numbers)
        return Lateral(node, ArrayOf(numbers, Array(data.BIGINT)), "")

    def parts(self, keys: Sequence[Expression], node: Node) -> tuple[Expression, ...]:
        """The parts of a group over the node that `expanded` gives: the keys, and the number of the set."""
        number = Field(len(node.relations) - 1, "value", (), data.BIGINT, True)
        return (*(self._where_in(key, i, number) for i, key in enumerate(keys)), number)

    def _where_in(self, key: Expression, index: int, number: Expression) -> Expression:
        """A key in the sets that have it; else null."""
        having = self._numbers(index)
        if len(having) == len(self.sets):
            return key
        missing = Literal(None, key.type)
        return Case(((_is_in(number, having), key),), missing, key.type) if having else missing

    def _numbers(self, index: int) -> list[int]:
        """The numbers of the sets that have a key."""
        return [number for number, each in zip(self.numbers, self.sets, strict=True) if index in each]

    def grouping(self, index: int, number: Expression) -> Expression:
        """Whether a key is not in the set of a group: 1 if so, else 0."""
        having = self._numbers(index)
        zero, one = Literal(0, data.INT), Literal(1, data.INT)
        return Case(((_is_in(number, having), zero),), one, data.INT) if having else one

    def id_of(self, number: Expression) -> Expression:
        """The grouping id of a group, by the number of its set."""
        if self.numbers == tuple(map(self.grouping_id, self.sets)):
            return number
        ids = tuple(map(self.grouping_id, self.sets))
        of_id = {id: [n for n, other in enumerate(ids) if other == id] for id in ids}
        branches = tuple((_is_in(number, numbers), Literal(id, data.BIGINT)) for id, numbers in of_id.items())
        return Case(branches, Literal(0, data.BIGINT), data.BIGINT)


def grouping_sets(
    sets: Sequence[Sequence[int]], parts: Sequence[tree.Expression], keys: Sequence[Expression]
) -> tuple[list[tree.Expression], tuple[Expression, ...], GroupingSets]:
    """The different keys, and the sets of them. `sets`: of the numbers of `keys`, some of which may be the same."""
    first = {i: keys.index(key) for i, key in enumerate(keys)}
    kept = sorted(set(first.values()))
    place = {number: i for i, number in enumerate(kept)}
    resolved = tuple(frozenset(place[first[number]] for number in each) for each in sets)
    return [parts[i] for i in kept], tuple(keys[i] for i in kept), GroupingSets(len(kept), resolved)


def _is_in(number: Expression, numbers: Sequence[int]) -> Expression:
    literals = tuple(Literal(each, data.BIGINT) for each in numbers)
    return Operation("IN", (number, *literals), data.BOOLEAN, False)
