"""What a stage says about its input: frozen data, with the place it speaks of.

A stage never raises for bad input and never prints. It returns diagnostics, and `render` (or a report) shows them.
`LsqlcError` carries diagnostics through code that has nothing left to return, such as the public API.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

# Characters of a message, and of a note or a help, which can be a corrected statement.
_LONGEST_MESSAGE = 500
_LONGEST_HELP = 2_000


class Severity(Enum):
    """How bad it is: an error stops the model, a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a file. Lines and columns count from 1, in code points; the end is exclusive.

    `path` is what the user would type: relative to the project, or a name in angle brackets for text without a file.
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
    """An edit that mends the finding: the text that replaces the span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` is `LSQ` and three digits and has a page; `message` is one clause in lower case.

    `notes` say why, `help` says what to write instead. What is longer than anybody reads has its middle left out.
    """

    code: str
    message: str
    span: Span | None = None
    notes: tuple[str, ...] = ()
    help: str | None = None
    severity: Severity = Severity.ERROR
    fix: Fix | None = None

    def __post_init__(self) -> None:
        # They quote the text, which may be of any length.
        object.__setattr__(self, "message", _shortened(self.message, _LONGEST_MESSAGE))
        object.__setattr__(self, "notes", tuple([_shortened(note, _LONGEST_HELP) for note in self.notes]))
        if self.help:
            object.__setattr__(self, "help", _shortened(self.help, _LONGEST_HELP))

    @property
    def line(self) -> int | None:
        """Line of the first character, from 1; None where the finding has no place."""
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
        # Half of a surrogate pair, which no terminal and no file takes.
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} ... {text[-half:]}"


class LsqlcError(Exception):
    """Bad input, with all that was found wrong with it."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n".join(_one_line(d) for d in self.diagnostics))


def _one_line(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    place = f"{span.path}:{span.line}:{span.column}: " if span else ""
    return f"{place}{diagnostic.severity.value}[{diagnostic.code}]: {diagnostic.message}"


def errors(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return those that stop a model."""
    return tuple(d for d in diagnostics if d.is_error)


_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """By file and place, so that a run prints the same text every time; those without a place come first."""
    return tuple(
        sorted(
            dict.fromkeys(diagnostics),
            key=lambda d: (d.span.path, d.span.line, d.span.column, d.code) if d.span else ("", 0, 0, d.code),
        )
    )


def by_severity(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return errors first, then warnings, then notes, such as those on what was skipped because of the errors; those of
    one severity stay in their order.
    """
    return tuple(sorted(diagnostics, key=lambda d: _SEVERITIES.index(d.severity)))
