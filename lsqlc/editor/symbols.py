"""The outline of a model: its queries and targets, each with the columns that it projects."""

from __future__ import annotations

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Symbol
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view
from lsqlc.syntax.outline import OutlinedStatement


def symbols(snapshot: Snapshot, path: str) -> tuple[Symbol, ...]:
    """Return the outline of a model's file, in order; empty for any other file."""
    seen = view(snapshot, path)
    if seen is None:
        return ()
    statements = seen.dialect.outline().statements(seen.program)
    return tuple(sorted((_symbol(seen, s) for s in statements), key=lambda symbol: symbol.whole))


def _symbol(seen: View, statement: OutlinedStatement) -> Symbol:
    columns = tuple(
        Symbol(c.name or "?", "column", c.detail, _whole(seen, c.at, c.name_at), seen.outward(c.name_at))
        for c in statement.columns
    )
    return Symbol(
        statement.name or seen.target_of(statement.target), statement.kind, statement.detail,
        _whole(seen, statement.at, statement.name_at), seen.outward(statement.name_at), columns,
    )  # fmt: skip


def _whole(seen: View, one: Extent, other: Extent) -> Extent:
    """Return all from the first to the last of two pieces, which holds both."""
    first, second = seen.outward(one), seen.outward(other)
    return min(first[0], second[0]), max(first[1], second[1])
