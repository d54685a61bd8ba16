"""IN (SELECT ...) and EXISTS as values: conditions on the number of rows of the query.

`x IN (SELECT y ...)` is true if a row has the value, and false if the query has no rows. Otherwise it is null if `x` or
a row is null, and false if none is.
"""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql

# Keeps a query as a value, and returns the name of the value.
Keep = Callable[[sql.Query, sql.Counted, Extent], tree.Expression]


def exists(query: sql.Query, at: Extent, keep: Keep) -> tree.Expression:
    """Return whether a query has a row."""
    return _some(keep(query, sql.Counted("rows"), at), at)


def member(operand: tree.Expression, query: sql.Query, at: Extent, keep: Keep, *, decided: bool) -> tree.Expression:
    """Return whether a value is in a query. `decided`: false and null are the same, as in WHERE."""
    matches = _some(keep(query, sql.Counted("equal", operand), at), at)
    if decided:
        return matches
    rows, nulls = keep(query, sql.Counted("rows"), at), _some(keep(query, sql.Counted("nulls"), at), at)
    unknown = tree.Logic("OR", (tree.IsNull(operand, False, at), nulls), at)
    false, true = (tree.Literal(value, at) for value in (False, True))
    none = tree.Binary("=", rows, tree.Literal(0, at), at)
    return tree.Case(None, ((matches, true), (none, false), (unknown, tree.Literal(None, at))), false, at)


def _some(count: tree.Expression, at: Extent) -> tree.Expression:
    return tree.Binary(">", count, tree.Literal(0, at), at)
