"""Comments that suppress findings: `-- lint: ignore LSQ805, LSQ820: the reason`.

After code, a comment applies to its line. On a separate line it applies to the next line with code, or to the whole
statement that begins there. `-- lint: ignore-file LSQ805` applies to the file. A comment that suppresses nothing is
reported. The text is read line by line, because a template is not a valid program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic, Severity, Span, did_you_mean
from lsqlc.lint.settings import is_rule, rules

_IGNORE = re.compile(r"(?:--|/\*|\{#)\s*lint:\s*ignore(?P<file>-file)?\b(?P<codes>[\s,]*\w+(?:\s*,\s*\w+)*)?")
_CODE = re.compile(r"\w+")
_COMMENT_ONLY = re.compile(r"\s*(?:--.*|/\*.*\*/\s*|\{#.*#\}\s*)?")
_END = re.compile(r";\s*(--|/\*|$)")

# The first and last line, from 1, both inclusive.
_Range = tuple[int, int]
# Path, code and lines.
_Scope = tuple[str, str, _Range]


@dataclass(frozen=True, slots=True)
class Ignored:
    """The findings that remain, the ignored ones, and findings about comments that suppress nothing."""

    remaining: tuple[Diagnostic, ...]
    ignored: tuple[Diagnostic, ...]
    idle: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class _Comment:
    """One code of a comment, with its span and its scope."""

    span: Span
    scope: _Scope

    @property
    def code(self) -> str:
        return self.scope[1]


def ignore(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> Ignored:
    """Remove the findings that comments ignore. `texts`: the files' texts by path. Errors are never ignored."""
    lines = {path: _lines(text) for path, text in texts.items() if "lint:" in text}
    comments = [c for path, each in lines.items() for c in _comments(path, each)]
    scopes = {c.scope for c in comments}
    used: set[_Scope] = set()
    remaining: list[Diagnostic] = []
    ignored: list[Diagnostic] = []
    for diagnostic in diagnostics:
        span = diagnostic.span
        if span is None or span.path not in lines or not is_rule(diagnostic.code):
            remaining.append(diagnostic)
            continue
        ranges = lines[span.path].ranges(span.line)
        applicable = scopes & {(span.path, diagnostic.code, each) for each in ranges}
        used |= applicable
        (ignored if applicable else remaining).append(diagnostic)
    idle = [_idle(c) for c in comments if c.scope not in used]
    return Ignored(tuple(remaining), tuple(ignored), tuple(idle))


def _idle(comment: _Comment) -> Diagnostic:
    titles = rules()
    if comment.code in titles:
        message, help = f"nothing here is reported as {comment.code}", "remove the comment, or the code from it"
    elif re.fullmatch(r"LSQ\d{3}", comment.code) and not is_rule(comment.code):
        message, help = f"{comment.code} cannot be ignored", "fix its cause"
    else:
        message = f"unknown finding '{comment.code}'" if comment.code else "this comment has no code"
        help = did_you_mean(comment.code, titles) or "write `-- lint: ignore LSQ820: the reason`"
    return Diagnostic("LSQ826", message, comment.span, help=help, severity=Severity.WARNING)


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a text.

    `statements`: per line, the range of its statement; None between statements. `following`: per line, the first later
    line with code; the line itself if there is none.
    """

    lines: tuple[str, ...]
    statements: tuple[_Range | None, ...]
    following: tuple[int, ...]

    def ranges(self, line: int) -> set[_Range]:
        """Return the scopes that cover a line: the line, its statement, and the file."""
        ranges = {(line, line), (1, len(self.lines))}
        statement = self.statements[line - 1] if line <= len(self.lines) else None
        return ranges | {statement} if statement else ranges

    def range_of(self, number: int, start: int) -> _Range:
        """Return the lines to which a comment applies. `start`: its offset in the line."""
        if self.lines[number - 1][:start].strip():
            return number, number
        first = self.following[number - 1]
        statement = self.statements[first - 1]
        return statement if statement and statement[0] == first else (first, first)


def _lines(text: str) -> _Lines:
    lines = text.split("\n")
    code = [not _COMMENT_ONLY.fullmatch(line) for line in lines]
    statements: list[_Range | None] = [None] * len(lines)
    start = None
    for number, line in enumerate(lines, 1):
        start = start or (number if code[number - 1] else None)
        is_end = (code[number - 1] and _ends(line)) or number == len(lines)
        if start is not None and is_end:
            statements[start - 1 : number] = [(start, number)] * (number - start + 1)
            start = None
    following = []
    after = None
    for number in range(len(lines), 0, -1):
        following.append(after or number)
        after = number if code[number - 1] else after
    return _Lines(tuple(lines), tuple(statements), tuple(reversed(following)))


def _ends(line: str) -> bool:
    """Return whether a statement ends in a line: only a comment follows the semicolon."""
    line = line.rstrip()
    return any(end[1] != "/*" or line.endswith("*/") for end in _END.finditer(line))


def _comments(path: str, text: _Lines) -> Iterator[_Comment]:
    for number, line in enumerate(text.lines, 1):
        for match in _IGNORE.finditer(line):
            applies_to = (1, len(text.lines)) if match["file"] else text.range_of(number, match.start())
            at = [code.span() for code in _CODE.finditer(line, *match.span("codes"))] if match["codes"] else []
            for start, end in at or [match.span()]:
                code = line[start:end].upper() if at else ""
                yield _Comment(Span(path, number, start + 1, number, end + 1), (path, code, applies_to))
