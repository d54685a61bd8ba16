"""Document symbols: the queries and targets of a model, each with its columns."""

from __future__ import annotations

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Symbol
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view_of
from lsqlc.syntax.outline import OutlinedStatement


def symbols(snapshot: Snapshot, path: str) -> tuple[Symbol, ...]:
    """Return the symbols of a model's file, in order; empty for other files."""
    view = view_of(snapshot, path)
    if view is None:
        return ()
    statements = view.dialect.outline().statements(view.program)
    return tuple(sorted((_symbol(view, s) for s in statements), key=lambda symbol: symbol.whole))


def _symbol(view: View, statement: OutlinedStatement) -> Symbol:
    columns = tuple(
        Symbol(c.name or "?", "column", c.detail, _whole(view, c.at, c.name_at), view.outward(c.name_at))
        for c in statement.columns
    )
    return Symbol(
        statement.name or view.target_of(statement.target), statement.kind, statement.detail,
        _whole(view, statement.at, statement.name_at), view.outward(statement.name_at), columns,
    )  # fmt: skip


def _whole(view: View, one: Extent, other: Extent) -> Extent:
    """Return the smallest extent that contains two extents."""
    first, second = view.outward(one), view.outward(other)
    return min(first[0], second[0]), max(first[1], second[1])
