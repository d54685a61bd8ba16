"""Renaming a query that a model reads by name: a WITH. What other files name as well is not renamed."""

from __future__ import annotations

import re

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Edit
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.spots import found_at, names, spot_at
from lsqlc.editor.tokens import without_texts
from lsqlc.editor.view import View

_PLAIN = re.compile(r"[A-Za-z_]\w*")


def renamable(snapshot: Snapshot, path: str, offset: int) -> Extent | None:
    """Return the name at an offset of a file, if it can be renamed."""
    found = _query(snapshot, path, offset)
    if found is None:
        return None
    seen, name = found
    return next((at for at in _places(seen, name) if at[0] <= offset <= at[1]), None)


def renamed(snapshot: Snapshot, path: str, offset: int, new: str) -> tuple[Edit, ...] | str:
    """Return the edits that give the name at an offset another one, or why there are none."""
    found = _query(snapshot, path, offset)
    if found is None:
        return "only a query that the model defines by WITH can be renamed"
    seen, name = found
    if not _PLAIN.fullmatch(new) or new.upper() in seen.dialect.keywords().reserved:
        return f"'{new}' is not a valid name of a query"
    if any(kind in ("query", "topic", "alias") and other.text == new for kind, other in names(seen)):
        return f"the model already names something '{new}'"
    places = _places(seen, name)
    if any(seen.raw[slice(*at)].strip('`"') != name for at in places):
        return f"'{name}' comes from a template in one of its places"
    return tuple(Edit(path, at, new) for at in places)


def _query(snapshot: Snapshot, path: str, offset: int) -> tuple[View, str] | None:
    """Return the view of a model, and the query of its own that is named at an offset.

    Streams of ksqlDB are topics too.
    """
    found = found_at(snapshot, path, offset)
    if found is None or found[1].kind != "query" or found[0].dialect.declares_sources:
        return None
    seen, spot = found
    return (seen, spot.name) if seen.dialect.outline().defined(seen.program, spot.name) else None


def _places(seen: View, name: str) -> list[Extent]:
    """Where a query is named: its definition, sources, and in front of columns."""
    found = {name_.at for kind, name_ in names(seen) if kind == "query" and name_.text == name}
    if not _aliased(seen, name):
        before_dot = re.compile(rf"(?<![\w.`-])(?:{re.escape(name)}|`{re.escape(name)}`)(?=\s*\.)")
        for front in before_dot.finditer(without_texts(seen.text)):
            spot = spot_at(seen, front.start())
            # A column that has fields may be called as a query is.
            if spot is None or spot.kind != "column":
                found.add(front.span())
    return sorted({seen.outward(at) for at in found})


def _aliased(seen: View, name: str) -> bool:
    """Return whether some source is another one, called so."""
    sources = [source for _, found in seen.dialect.outline().selects(seen.program) for source in found]
    return any(source.label == name and source.name.text != name for source in sources)
