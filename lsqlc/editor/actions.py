"""Fixes that an editor can make: those that findings carry, the name that was meant, an ignoring comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Action, Edit
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.text import Lines
from lsqlc.lint import apply_fixes, is_rule

_MEANT = re.compile(r"did you mean '([^']+)'\?")
_QUOTED = re.compile(r"'([^']+)'")
_BARE = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*")


def fixes(snapshot: Snapshot, path: str, at: Extent) -> tuple[tuple[Diagnostic, Action], ...]:
    """What can be done about the findings that touch an extent of a file, each with its finding."""
    text = snapshot.texts.get(path)
    if text is None:
        return ()
    lines = Lines(text)
    found: list[tuple[Diagnostic, Action]] = []
    for diagnostic in snapshot.findings.get(path, ()):
        if diagnostic.span is None or diagnostic.span.path != path:
            continue
        start, end = lines.extent(diagnostic.span)
        if start <= at[1] and at[0] <= end:
            found += [(diagnostic, action) for action in _of(snapshot, diagnostic, path, lines)]
    return tuple(found)


def fix_all(snapshot: Snapshot, path: str) -> Action | None:
    """Return all fixes of a file that findings carry, as one edit; None if there is none."""
    text = snapshot.texts.get(path)
    edits = [d.fix for d in snapshot.findings.get(path, ()) if d.fix and d.fix.span.path == path]
    if text is None or not edits:
        return None
    mended, count = apply_fixes(text, edits)
    title = f"lsqlc: apply {count} fix{'es' * (count != 1)}"
    return Action(title, (Edit(path, (0, len(text)), mended),))


def _of(snapshot: Snapshot, diagnostic: Diagnostic, path: str, lines: Lines) -> Iterator[Action]:
    fix = diagnostic.fix
    if fix is not None and fix.span.path in snapshot.texts:
        there = Lines(snapshot.texts[fix.span.path]).extent(fix.span)
        title = diagnostic.help or ("remove it" if not fix.text else f"write {' '.join(fix.text.split())}")
        yield Action(title, (Edit(fix.span.path, there, fix.text),), diagnostic.code, preferred=True)
    else:
        yield from _meant(diagnostic, path, lines)
    if is_rule(diagnostic.code) and not diagnostic.is_error and path.endswith(".sql"):
        yield _ignored(diagnostic, path, lines)


def _meant(diagnostic: Diagnostic, path: str, lines: Lines) -> Iterator[Action]:
    """Yield the wrong name replaced by the one that the help asks about."""
    meant = _MEANT.search(diagnostic.help or "")
    if meant is None or diagnostic.span is None:
        return
    start, end = lines.extent(diagnostic.span)
    words = lines.text[start:end]
    for wrong in _QUOTED.findall(diagnostic.message):
        places = [m.span() for m in re.finditer(rf"(?<![\w.-]){re.escape(wrong)}(?![\w-])", words)]
        # Behind a source's name and a dot it is a column; before one, the source.
        places = places or [m.span() for m in re.finditer(rf"(?<!\w){re.escape(wrong)}(?!\w)", words)]
        if len(places) == 1:
            first, last = start + places[0][0], start + places[0][1]
            name = meant[1]
            if path.endswith(".sql") and not _BARE.fullmatch(name) and lines.text[first - 1 : first] not in "'\"`":
                name = f"`{name}`"
            title = f"write '{meant[1]}'"
            yield Action(title, (Edit(path, (first, last), name),), diagnostic.code, preferred=True)
            return


def _ignored(diagnostic: Diagnostic, path: str, lines: Lines) -> Action:
    """Return the comment that ignores a finding, at the end of its line."""
    assert diagnostic.span is not None
    row = lines.offset(diagnostic.span.line + 1, 1) if diagnostic.span.line < lines.text.count("\n") + 1 else None
    end = row - 1 if row is not None else len(lines.text)
    while end and lines.text[end - 1] in " \t\r":
        end -= 1
    comment = f"  -- lint: ignore {diagnostic.code}"
    return Action(f"ignore {diagnostic.code} in this line", (Edit(path, (end, end), comment),), diagnostic.code)
