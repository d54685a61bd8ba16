"""Diagnostics: messages about input, with their positions, as frozen data.

A stage never raises for bad input and never prints. It returns diagnostics, which `render` or a report prints.
`LsqlcError` carries diagnostics through code that cannot return a value, such as the public API.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

# Characters. A note or a help can be a corrected statement, and may be longer.
_LONGEST_MESSAGE = 500
_LONGEST_HELP = 2_000


class Severity(Enum):
    """The severity of a diagnostic: only an error stops the model."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a file. Lines and columns count from 1, in code points; the end is exclusive.

    `path` is relative to the project, or a name in angle brackets for text without a file.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`, in the same file."""
        return Span(self.path, self.line, self.column, other.end_line, other.end_column)


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that fixes a problem: `text` replaces the span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic. `code` is `LSQ` and three digits and has a page. `message` is one clause in lower case.

    `notes` give the reason, `help` says what to write instead. The middle of very long texts is cut out.
    """

    code: str
    message: str
    span: Span | None = None
    notes: tuple[str, ...] = ()
    help: str | None = None
    severity: Severity = Severity.ERROR
    fix: Fix | None = None

    def __post_init__(self) -> None:
        # Messages quote text of any length.
        object.__setattr__(self, "message", _shortened(self.message, _LONGEST_MESSAGE))
        object.__setattr__(self, "notes", tuple([_shortened(note, _LONGEST_HELP) for note in self.notes]))
        if self.help:
            object.__setattr__(self, "help", _shortened(self.help, _LONGEST_HELP))

    @property
    def line(self) -> int | None:
        """Line of the first character, from 1; None if the diagnostic has no span."""
        return self.span.line if self.span else None

    @property
    def column(self) -> int | None:
        """Column of the first character, from 1, in code points."""
        return self.span.column if self.span else None

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR


def _shortened(text: str, longest: int) -> str:
    if not text.isascii():
        # Terminals and files reject halves of surrogate pairs.
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} ... {text[-half:]}"


class LsqlcError(Exception):
    """Bad input, with all diagnostics about it."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n".join(_one_line(d) for d in self.diagnostics))


def _one_line(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    place = f"{span.path}:{span.line}:{span.column}: " if span else ""
    return f"{place}{diagnostic.severity.value}[{diagnostic.code}]: {diagnostic.message}"


def errors(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that stop a model."""
    return tuple(d for d in diagnostics if d.is_error)


_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort diagnostics by file and position, those without a span first, and drop duplicates."""
    return tuple(
        sorted(
            dict.fromkeys(diagnostics),
            key=lambda d: (d.span.path, d.span.line, d.span.column, d.code) if d.span else ("", 0, 0, d.code),
        )
    )


def by_severity(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return errors first, then warnings, then notes. The order within a severity is kept."""
    return tuple(sorted(diagnostics, key=lambda d: _SEVERITIES.index(d.severity)))
