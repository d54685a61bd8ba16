"""Code actions: fixes of diagnostics, "did you mean" replacements, and comments that ignore a diagnostic."""

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
    """Return the code actions for the diagnostics that overlap an extent, each with its diagnostic."""
    text = snapshot.texts.get(path)
    if text is None:
        return ()
    lines = Lines(text)
    actions: list[tuple[Diagnostic, Action]] = []
    for diagnostic in snapshot.findings.get(path, ()):
        if diagnostic.span is None or diagnostic.span.path != path:
            continue
        start, end = lines.extent(diagnostic.span)
        if start <= at[1] and at[0] <= end:
            actions += [(diagnostic, action) for action in _of(snapshot, diagnostic, path, lines)]
    return tuple(actions)


def fix_all(snapshot: Snapshot, path: str) -> Action | None:
    """Return all fixes of a file as one edit; None if there are none."""
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
    """Yield an edit that replaces the misspelled name by the one in the help."""
    suggestion = _MEANT.search(diagnostic.help or "")
    if suggestion is None or diagnostic.span is None:
        return
    start, end = lines.extent(diagnostic.span)
    words = lines.text[start:end]
    for wrong in _QUOTED.findall(diagnostic.message):
        places = [m.span() for m in re.finditer(rf"(?<![\w.-]){re.escape(wrong)}(?![\w-])", words)]
        # A match after a dot is a column of the source, before a dot the source.
        places = places or [m.span() for m in re.finditer(rf"(?<!\w){re.escape(wrong)}(?!\w)", words)]
        if len(places) == 1:
            first, last = start + places[0][0], start + places[0][1]
            name = suggestion[1]
            if path.endswith(".sql") and not _BARE.fullmatch(name) and lines.text[first - 1 : first] not in "'\"`":
                name = f"`{name}`"
            title = f"write '{suggestion[1]}'"
            yield Action(title, (Edit(path, (first, last), name),), diagnostic.code, preferred=True)
            return


def _ignored(diagnostic: Diagnostic, path: str, lines: Lines) -> Action:
    """Return the edit that adds a comment to the line of a diagnostic, which ignores it."""
    assert diagnostic.span is not None
    row = lines.offset(diagnostic.span.line + 1, 1) if diagnostic.span.line < lines.text.count("\n") + 1 else None
    end = row - 1 if row is not None else len(lines.text)
    while end and lines.text[end - 1] in " \t\r":
        end -= 1
    comment = f"  -- lint: ignore {diagnostic.code}"
    return Action(f"ignore {diagnostic.code} in this line", (Edit(path, (end, end), comment),), diagnostic.code)
