"""Inlay hints: the types of the columns that a model projects."""

from __future__ import annotations

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view_of
from lsqlc.syntax.outline import OutlinedColumn

# Characters. Longer types are cut; the hover has the whole type.
_LONGEST = 40


def inlays(snapshot: Snapshot, path: str, within: Extent) -> tuple[tuple[int, str], ...]:
    """Return the types of columns with their offsets in a model's file, between two offsets, in order."""
    view = view_of(snapshot, path)
    if view is None:
        return ()
    types = set()
    for statement in view.dialect.outline().statements(view.program):
        if statement.kind == "source":
            # The declaration of a source contains its types.
            continue
        for column in statement.columns:
            type = _type(view, column)
            end = view.outward(column.name_at)[1]
            if type is not None and within[0] <= end <= within[1]:
                types.add((end, type))
    return tuple(sorted(types))


def _type(view: View, column: OutlinedColumn) -> str | None:
    """Return the type of a column: that of the longest expression at its start."""
    stop = column.at[1] if column.at == column.name_at else column.name_at[0]
    spans = [at for at in view.trace.expressions if at[0] == column.at[0] and at[1] <= stop]
    if not spans:
        return None
    text = str(view.trace.expressions[max(spans)].expression.type)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
