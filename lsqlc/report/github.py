"""Diagnostics as workflow commands of GitHub Actions, which annotate the lines of a pull request.

A command is one line, `::error file=...,line=...::message`. Characters that would end it are escaped: `%`, carriage
return and line feed everywhere, `:` and `,` in properties too. Other control characters are replaced by symbols,
because the log also prints the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lsqlc.diagnostics import Diagnostic, Severity, listing
from lsqlc.diagnostics.visible import visible
from lsqlc.golden.show import plural
from lsqlc.report.findings import details, repository_path

# GitHub annotates this many diagnostics of each kind per step, and silently drops others.
_SHOWN = 10
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_NAMED = 5


def annotation_lines(diagnostics: Iterable[Diagnostic], *, prefix: str = "") -> Iterator[str]:
    """Yield the commands, errors first. If a kind has more than ten, the tenth counts the rest and names their files.

    `prefix`: the folder of the project in the repository, empty for the root.
    """
    all_diagnostics = tuple(diagnostics)
    for severity, kind in _KINDS.items():
        own = [d for d in all_diagnostics if d.severity is severity]
        annotated = own if len(own) <= _SHOWN else own[: _SHOWN - 1]
        for diagnostic in annotated:
            yield _line(kind, _properties(diagnostic, prefix), details(diagnostic))
        if len(own) > len(annotated):
            yield _line(kind, [("title", "lsqlc")], _rest(own[len(annotated) :], severity, prefix))


def _properties(diagnostic: Diagnostic, prefix: str) -> Iterator[tuple[str, str]]:
    span = diagnostic.span
    path = repository_path(span.path, prefix) if span else None
    if span and path:
        yield "file", path
        yield "line", str(span.line)
        # GitHub accepts columns only for a range within one line.
        if span.line == span.end_line:
            yield "col", str(span.column)
            yield "endColumn", str(span.end_column)
        yield "endLine", str(span.end_line)
    yield "title", f"lsqlc {diagnostic.code}"


def _rest(diagnostics: Sequence[Diagnostic], severity: Severity, prefix: str) -> str:
    paths = {repository_path(d.span.path, prefix) or d.span.path for d in diagnostics if d.span}
    where = f", in {listing(paths, _NAMED)}" if paths else ""
    return f"and {plural(len(diagnostics), f'more {severity.value}')}{where}; the log has all of them"


def _line(kind: str, properties: Iterable[tuple[str, str]], message: str) -> str:
    return f"::{kind} {','.join(f'{name}={_property(value)}' for name, value in properties)}::{_data(message)}"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
