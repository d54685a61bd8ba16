"""GROUP BY, with ROLLUP, CUBE and GROUPING SETS as sets of expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

from sqlglot import exp

from lsqlc.syntax import tree
from lsqlc.syntax.sql.expressions import Expressions

# Each row is in one group of each set.
MAX_SETS = 256
_MANY = f"GROUP BY with more than {MAX_SETS} grouping sets"
_ANALYTICS = (exp.Rollup, exp.Cube, exp.GroupingSets)
# The indexes of expressions.
_Set = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A GROUP BY.

    `keys`: the expressions. `sets`: the indexes of those in each grouping set, none if there is one set of all. `all`:
    GROUP BY ALL.
    """

    keys: tuple[tree.Expression, ...] = ()
    sets: tuple[_Set, ...] = ()
    all: bool = False


def group_of(reader: Expressions, node: exp.Expr | None) -> Group:
    """Convert a GROUP BY; an empty group for None.

    Raises SyntaxFault for an unsupported node.
    """
    return _Sets(reader).group(node) if node is not None else Group()


class _Sets:
    """A collector of the expressions of one GROUP BY."""

    def __init__(self, reader: Expressions) -> None:
        self._reader = reader
        self._keys: list[tree.Expression] = []

    def group(self, node: exp.Expr) -> Group:
        reader, at = self._reader, self._reader.places.of(node)
        reader.only(node, "expressions", "all", "rollup", "cube", "grouping_sets")
        items = reader.listed(node.args.get("expressions"))
        words = ("rollup", "cube", "grouping_sets")
        behind = [each for word in words for each in reader.listed(node.args.get(word))]
        if node.args.get("all") and (items or behind):
            reader.refuse("GROUP BY ALL beside expressions", at)
        if len(behind) > 1:
            reader.refuse("a second list of grouping sets", at)
        sets = self._product([self._of(item) for item in items], at)
        if behind:
            # GROUP BY a, b WITH ROLLUP, or GROUP BY a, b GROUPING SETS (...), whose sets are of the expressions before.
            sets = self._behind(behind[0], len(items))
        elif not any(isinstance(item, _ANALYTICS) for item in items):
            sets = ()
        if sets and not self._keys:
            reader.refuse("GROUPING SETS without an expression", at, "leave GROUP BY out: all rows are one group")
        return Group(tuple(self._keys), tuple(sets), bool(node.args.get("all")))

    def _behind(self, node: exp.Expr, count: int) -> Sequence[_Set]:
        if isinstance(node, exp.GroupingSets):
            return self._of(node)
        self._reader.only(node)
        return self._analytic(node, [(number,) for number in range(count)])

    def _of(self, node: exp.Expr) -> Sequence[_Set]:
        """Return the sets of an item of GROUP BY."""
        if isinstance(node, (exp.Rollup, exp.Cube)):
            self._reader.only(node, "expressions")
            return self._analytic(node, [self._unit(part) for part in self._parts(node)])
        if isinstance(node, exp.GroupingSets):
            self._reader.only(node, "expressions")
            return [
                each
                for p in self._parts(node)
                for each in (self._of(p) if isinstance(p, _ANALYTICS) else [self._unit(p)])
            ]
        return [self._key(node)]

    def _unit(self, node: exp.Expr) -> _Set:
        """Return an expression, or several in parentheses, that are in a set together."""
        while isinstance(node, exp.Paren):
            self._reader.only(node, "this")
            node = node.this
        if isinstance(node, exp.Tuple):
            self._reader.only(node, "expressions")
            return tuple(chain.from_iterable(map(self._key, self._parts(node))))
        return self._key(node)

    def _parts(self, node: exp.Expr) -> Sequence[exp.Expr]:
        return self._reader.listed(node.args.get("expressions"))

    def _key(self, node: exp.Expr) -> _Set:
        self._keys.append(self._reader.expression(node))
        return (len(self._keys) - 1,)

    def _analytic(self, node: exp.Expr, units: Sequence[_Set]) -> Sequence[_Set]:
        if isinstance(node, exp.Rollup):
            return [tuple(chain.from_iterable(units[:count])) for count in range(len(units), -1, -1)]
        if 2 ** len(units) > MAX_SETS:
            self._reader.refuse(_MANY, self._reader.places.of(node), "write the sets that are needed: GROUPING SETS")
        sizes = range(len(units), -1, -1)
        return [tuple(chain.from_iterable(some)) for size in sizes for some in combinations(units, size)]

    def _product(self, items: Sequence[Sequence[_Set]], at: tuple[int, int]) -> Sequence[_Set]:
        """Return the sets of several items: the product of their sets."""
        total = 1
        for item in items:
            total *= len(item)
        if total > MAX_SETS:
            self._reader.refuse(_MANY, at, "write the sets that are needed: GROUPING SETS")
        return [tuple(chain.from_iterable(some)) for some in product(*items)]
