"""Application of fixes to a text."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import Fix


def apply_fixes(text: str, fixes: Iterable[Fix]) -> tuple[str, int]:
    """Return the text with the fixes applied, and their number.

    If fixes overlap, only the first is applied. A second run can apply the others.
    """
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits = sorted(
        {
            (starts[f.span.line - 1] + f.span.column - 1, starts[f.span.end_line - 1] + f.span.end_column - 1, f.text)
            for f in fixes
        }
    )
    parts, at, count = [], 0, 0
    for start, end, new in edits:
        if start < at:
            continue
        parts += [text[at:start], new]
        at = end
        count += 1
    return "".join([*parts, text[at:]]), count
