"""`COUNT(a, b)`: the number of rows of which no value is null."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree


def counted_rows(values: Sequence[tree.Expression], at: Extent) -> tree.Expression:
    """Return what is counted of several values: something that is null where one of them is."""
    known = tree.Logic("AND", tuple(tree.IsNull(value, True, at) for value in values), at)
    return tree.Case(None, ((known, tree.Literal(1, at)),), None, at)
