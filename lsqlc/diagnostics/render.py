"""Diagnostics as text, in the manner of rustc: message, place, source line, a caret under the very words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsqlc.diagnostics.diagnostic import Diagnostic, Severity, Span

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}


def render(diagnostic: Diagnostic, sources: Mapping[str, str], *, colour: bool = False) -> str:
    """The finding as several lines without a final newline. `sources`: path to the text that its spans speak of."""

    def paint(text: str, code: str) -> str:
        return f"\x1b[1;{code}m{text}\x1b[0m" if colour else text

    tone = _COLOURS[diagnostic.severity]
    lines = [f"{paint(f'{diagnostic.severity.value}[{diagnostic.code}]', tone)}: {diagnostic.message}"]
    margin = " "
    if diagnostic.span:
        span = diagnostic.span
        margin = " " * len(str(span.line))
        lines.append(f"{margin}--> {span.path}:{span.line}:{span.column}")
        lines += _excerpt(span, sources.get(span.path), margin, lambda text: paint(text, tone))
    lines += [f"{margin} = note: {note}" for note in diagnostic.notes]
    if diagnostic.help:
        lines.append(f"{margin} = help: " + diagnostic.help.replace("\n", f"\n{margin}         "))
    return "\n".join(lines)


def render_all(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], *, colour: bool = False) -> str:
    """Every finding, a blank line between two."""
    return "\n\n".join(render(d, sources, colour=colour) for d in diagnostics)


def _excerpt(span: Span, text: str | None, margin: str, paint) -> list[str]:  # type: ignore[no-untyped-def]
    if text is None:
        return []
    rows = text.split("\n")
    if not 1 <= span.line <= len(rows):
        return []
    row = rows[span.line - 1].rstrip("\r")
    end = span.end_column if span.end_line == span.line else len(row) + 1
    width = max(1, min(end, len(row) + 1) - span.column)
    # A tab stays a tab in the line of carets, so that both lines are shifted alike.
    indent = "".join("\t" if c == "\t" else " " for c in row[: span.column - 1])
    return [f"{margin} |", f"{span.line} | {row}", f"{margin} | {indent}{paint('^' * width)}"]
