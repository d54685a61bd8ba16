"""`COUNT(a, b)`: the number of rows in which no value is null."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree


def counted_rows(values: Sequence[tree.Expression], at: Extent) -> tree.Expression:
    """Return the counted expression for several values, which is null if one of them is."""
    no_null = tree.Logic("AND", tuple(tree.IsNull(value, True, at) for value in values), at)
    return tree.Case(None, ((no_null, tree.Literal(1, at)),), None, at)
