"""Diagnostics as text in the style of rustc: message, position, source line, and a caret under the span.

Quoted text is escaped by `visible`, because it may come from an untrusted pull request. Only the part of a long line
around the span is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from lsqlc.diagnostics.diagnostic import Diagnostic, Severity, Span
from lsqlc.diagnostics.visible import visible, visible_line

# Characters of a source line that are printed at most, and how many of them before the span.
_WIDEST = 160
_BEFORE = 60
_ELLIPSIS = "..."
_COMMANDS = ("::", "##[")
_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}


def render(diagnostic: Diagnostic, sources: Mapping[str, str], *, colour: bool = False) -> str:
    """Return the diagnostic as several lines without a final newline. `sources`: the texts of files by path."""

    def paint(text: str, code: str) -> str:
        return f"\x1b[1;{code}m{text}\x1b[0m" if colour else text

    tone = _COLOURS[diagnostic.severity]
    lines = [f"{paint(f'{diagnostic.severity.value}[{diagnostic.code}]', tone)}: {_continued(diagnostic.message, '')}"]
    margin = " "
    if diagnostic.span:
        span = diagnostic.span
        margin = " " * len(str(span.line))
        lines.append(f"{margin}--> {visible_line(span.path)}:{span.line}:{span.column}")
        lines += _excerpt(span, sources.get(span.path), margin, lambda text: paint(text, tone))
    lines += [f"{margin} = note: {_continued(note, f'{margin}         ')}" for note in diagnostic.notes]
    if diagnostic.help:
        lines.append(f"{margin} = help: {_continued(diagnostic.help, f'{margin}         ')}")
    return "\n".join(lines)


def render_all(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], *, colour: bool = False) -> str:
    """Return all diagnostics, separated by blank lines."""
    return "\n\n".join(render(d, sources, colour=colour) for d in diagnostics)


def _excerpt(span: Span, text: str | None, margin: str, paint: Callable[[str], str]) -> list[str]:
    rows = _rows(text) if text is not None else []
    if not 1 <= span.line <= len(rows):
        return []
    row = rows[span.line - 1].rstrip("\r")
    end = span.end_column if span.end_line == span.line else len(row) + 1
    row, start, stop = _window(row, span.column - 1, min(end - 1, len(row)))
    # A tab stays a tab in the line of carets, so that both lines are indented equally.
    indent = "".join("\t" if c == "\t" else " " for c in row[:start])
    carets = "^" * max(1, stop - start)
    return [f"{margin} |", f"{span.line} | {visible(row)}", f"{margin} | {indent}{paint(carets)}"]


@lru_cache(maxsize=4)
def _rows(text: str) -> list[str]:
    """Return the lines of a text. Cached, because many diagnostics may refer to one text."""
    return text.split("\n")


def _window(row: str, start: int, stop: int) -> tuple[str, int, int]:
    """Return the printed part of a line, and the start and stop of the span in it.

    A long line is cut to the part around `start`, with an ellipsis on each side that is cut.
    """
    if len(row) <= _WIDEST:
        return row, start, stop
    first = max(0, min(start - _BEFORE, len(row) - _WIDEST))
    last = min(first + _WIDEST, len(row))
    before, behind = _ELLIPSIS if first else "", _ELLIPSIS if last < len(row) else ""
    excerpt = f"{before}{row[first:last]}{behind}"
    shift = len(before) - first
    return excerpt, start + shift, min(stop, last) + shift


def _continued(text: str, indent: str) -> str:
    """Indent the following lines of a text. A bar precedes a line that GitHub Actions would run as a command."""
    first, *rest = visible(text).split("\n")
    return "\n".join(
        [first, *(f"{indent}{'| ' if line.lstrip().startswith(_COMMANDS) else ''}{line}" for line in rest)]
    )
