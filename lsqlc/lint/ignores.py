"""Comments that suppress findings: `-- lint: ignore LSQ805, LSQ820: the reason`.

After code, it applies to its line; on a separate line, to the next one with code, and if a statement begins there, to
the whole statement. `-- lint: ignore-file LSQ805` applies to the file. A comment that suppresses nothing is itself
reported. The text is read by its lines, since that of a template is no program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic, Severity, Span, did_you_mean
from lsqlc.lint.settings import is_rule, rules

_IGNORE = re.compile(r"(?:--|/\*|\{#)\s*lint:\s*ignore(?P<file>-file)?\b(?P<codes>[\s,]*\w+(?:\s*,\s*\w+)*)?")
_COMMENT_ONLY = re.compile(r"\s*(?:--.*|/\*.*\*/\s*|\{#.*#\}\s*)?")
_ENDS = re.compile(r";\s*(?:--.*|/\*.*\*/\s*)?$")


@dataclass(frozen=True, slots=True)
class Ignored:
    """What is left of some findings, what was ignored, and findings about comments that ignore nothing."""

    kept: tuple[Diagnostic, ...]
    ignored: tuple[Diagnostic, ...]
    idle: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class _Comment:
    """One code of a comment, its place, and the lines that it is for; from 1, both inclusive."""

    code: str
    span: Span
    first: int
    last: int


def ignore(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> Ignored:
    """Take out the findings that comments ignore. `texts`: the files' texts by path. Errors are never ignored."""
    comments = {path: _comments(path, text) for path, text in texts.items() if "lint:" in text}
    used: set[_Comment] = set()
    kept: list[Diagnostic] = []
    ignored: list[Diagnostic] = []
    for diagnostic in diagnostics:
        span = diagnostic.span
        found = [
            c
            for c in (comments.get(span.path, ()) if span and is_rule(diagnostic.code) else ())
            if span and c.code == diagnostic.code and c.first <= span.line <= c.last
        ]
        used.update(found)
        (ignored if found else kept).append(diagnostic)
    idle = [_idle(c) for each in comments.values() for c in each if c not in used]
    return Ignored(tuple(kept), tuple(ignored), tuple(idle))


def _idle(comment: _Comment) -> Diagnostic:
    known = rules()
    if comment.code in known:
        message, help = f"nothing here is reported as {comment.code}", "remove the comment, or the code from it"
    elif re.fullmatch(r"LSQ\d{3}", comment.code) and not is_rule(comment.code):
        message, help = f"{comment.code} cannot be ignored", "fix its cause"
    else:
        message = f"unknown finding '{comment.code}'" if comment.code else "this comment has no code"
        help = did_you_mean(comment.code, known) or "write `-- lint: ignore LSQ820: the reason`"
    return Diagnostic("LSQ826", message, comment.span, help=help, severity=Severity.WARNING)


def _comments(path: str, text: str) -> tuple[_Comment, ...]:
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines, 1):
        for match in _IGNORE.finditer(line):
            first, last = _scope(lines, number, match.start(), whole=bool(match["file"]))
            for code in re.findall(r"\w+", match["codes"] or "") or [""]:
                column = line.index(code, match.start()) if code else match.start()
                span = Span(path, number, column + 1, number, column + 1 + len(code or match[0]))
                found.append(_Comment(code.upper(), span, first, last))
    return tuple(found)


def _scope(lines: list[str], number: int, start: int, *, whole: bool) -> tuple[int, int]:
    """The first and last line that a comment at an offset of a line is for."""
    if whole:
        return 1, len(lines)
    if lines[number - 1][:start].strip():
        return number, number
    code = (n for n in range(number + 1, len(lines) + 1) if not _COMMENT_ONLY.fullmatch(lines[n - 1]))
    first = next(code, number)
    before = next((n for n in range(number - 1, 0, -1) if not _COMMENT_ONLY.fullmatch(lines[n - 1])), None)
    if before is not None and not _ENDS.search(lines[before - 1].rstrip()):
        return first, first
    last = next((n for n in range(first, len(lines) + 1) if _ENDS.search(lines[n - 1].rstrip())), len(lines))
    return first, last
