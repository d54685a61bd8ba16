"""The types of the columns that a model projects, to be shown behind their names."""

from __future__ import annotations

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view
from lsqlc.syntax.outline import OutlinedColumn

# A type that is longer is cut: a hover has all of it.
_LONGEST = 40


def inlays(snapshot: Snapshot, path: str, within: Extent) -> tuple[tuple[int, str], ...]:
    """Return offsets in a model's file, between two others, with the type to show there, in order."""
    seen = view(snapshot, path)
    if seen is None:
        return ()
    found = set()
    for statement in seen.dialect.outline().statements(seen.program):
        if statement.kind == "source":
            # A source that a program declares says its types itself.
            continue
        for column in statement.columns:
            type = _type(seen, column)
            end = seen.outward(column.name_at)[1]
            if type is not None and within[0] <= end <= within[1]:
                found.add((end, type))
    return tuple(sorted(found))


def _type(seen: View, column: OutlinedColumn) -> str | None:
    """Return the type of the expression that a column is made of: the longest one that begins it."""
    stop = column.at[1] if column.at == column.name_at else column.name_at[0]
    spans = [at for at in seen.trace.expressions if at[0] == column.at[0] and at[1] <= stop]
    if not spans:
        return None
    text = str(seen.trace.expressions[max(spans)].expression.type)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
