"""Renaming of a query that a model defines by WITH. Names that other files use cannot be rename_edits."""

from __future__ import annotations

import re

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Edit
from lsqlc.editor.cursor_target import names, target_at, target_in_file
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.tokens import without_texts
from lsqlc.editor.view import View

_PLAIN = re.compile(r"[A-Za-z_]\w*")


def renamable(snapshot: Snapshot, path: str, offset: int) -> Extent | None:
    """Return the extent of the name at an offset, if it can be rename_edits."""
    query = _query(snapshot, path, offset)
    if query is None:
        return None
    view, name = query
    return next((at for at in _places(view, name) if at[0] <= offset <= at[1]), None)


def rename_edits(snapshot: Snapshot, path: str, offset: int, new: str) -> tuple[Edit, ...] | str:
    """Return the edits that rename the query at an offset, or the reason why it cannot be rename_edits."""
    query = _query(snapshot, path, offset)
    if query is None:
        return "only a query that the model defines by WITH can be rename_edits"
    view, name = query
    if not _PLAIN.fullmatch(new) or new.upper() in view.dialect.keywords().reserved:
        return f"'{new}' is not a valid name of a query"
    if any(kind in ("query", "topic", "alias") and other.text == new for kind, other in names(view)):
        return f"the model already names something '{new}'"
    places = _places(view, name)
    if any(view.raw[slice(*at)].strip('`"') != name for at in places):
        return f"'{name}' comes from a template in one of its places"
    return tuple(Edit(path, at, new) for at in places)


def _query(snapshot: Snapshot, path: str, offset: int) -> tuple[View, str] | None:
    """Return the view of a model, and the name of its own query at an offset.

    Streams of ksqlDB are excluded, because they are topics too.
    """
    match = target_in_file(snapshot, path, offset)
    if match is None or match[1].kind != "query" or match[0].dialect.declares_sources:
        return None
    view, target = match
    return (view, target.name) if view.dialect.outline().defined(view.program, target.name) else None


def _places(view: View, name: str) -> list[Extent]:
    """Return the occurrences of a query's name: its definition, sources, and qualifiers of columns."""
    extents = {name_.at for kind, name_ in names(view) if kind == "query" and name_.text == name}
    if not _aliased(view, name):
        before_dot = re.compile(rf"(?<![\w.`-])(?:{re.escape(name)}|`{re.escape(name)}`)(?=\s*\.)")
        for front in before_dot.finditer(without_texts(view.text)):
            target = target_at(view, front.start())
            # A column with fields may have the same name as a query.
            if target is None or target.kind != "column":
                extents.add(front.span())
    return sorted({view.outward(at) for at in extents})


def _aliased(view: View, name: str) -> bool:
    """Return whether another source has this name as its alias."""
    sources = [
        source for _, select_sources in view.dialect.outline().selects(view.program) for source in select_sources
    ]
    return any(source.label == name and source.name.text != name for source in sources)
