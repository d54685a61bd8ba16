"""Diagnostics as text, in the manner of rustc: message, place, source line, a caret under the very words.

What they quote may come from somebody else's pull request: characters that would steer a terminal, or turn the order of
what it shows, are pictured (U+001B as U+241B), each by one, so that carets stay right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from lsqlc.diagnostics.diagnostic import Diagnostic, Severity, Span

_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    **dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
}
_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}


def render(diagnostic: Diagnostic, sources: Mapping[str, str], *, colour: bool = False) -> str:
    """The finding as several lines without a final newline. `sources`: path to the text that its spans speak of."""

    def paint(text: str, code: str) -> str:
        return f"\x1b[1;{code}m{text}\x1b[0m" if colour else text

    tone = _COLOURS[diagnostic.severity]
    lines = [f"{paint(f'{diagnostic.severity.value}[{diagnostic.code}]', tone)}: {_safe(diagnostic.message)}"]
    margin = " "
    if diagnostic.span:
        span = diagnostic.span
        margin = " " * len(str(span.line))
        lines.append(f"{margin}--> {_safe(span.path)}:{span.line}:{span.column}")
        lines += _excerpt(span, sources.get(span.path), margin, lambda text: paint(text, tone))
    lines += [f"{margin} = note: {_safe(note)}" for note in diagnostic.notes]
    if diagnostic.help:
        lines.append(f"{margin} = help: " + _safe(diagnostic.help).replace("\n", f"\n{margin}         "))
    return "\n".join(lines)


def render_all(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], *, colour: bool = False) -> str:
    """Every finding, a blank line between two."""
    return "\n\n".join(render(d, sources, colour=colour) for d in diagnostics)


def _excerpt(span: Span, text: str | None, margin: str, paint: Callable[[str], str]) -> list[str]:
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
    return [f"{margin} |", f"{span.line} | {_safe(row)}", f"{margin} | {indent}{paint('^' * width)}"]


def _safe(text: str) -> str:
    return text.translate(_PICTURES)
