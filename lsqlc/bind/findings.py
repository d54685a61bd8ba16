"""Diagnostics of the binder, collected in order. Extents of the syntax become spans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import Diagnostic, Fix, Severity
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.plan.sizes import Sizes


@dataclass(slots=True)
class Findings:
    """The diagnostics of one program so far.

    `trace`: the meaning of its words, for an editor. `sizes`: those of the bound expressions. `functions`: the
    project's own, which expressions may call. `inlined`: the number of parts of the bodies that replaced calls.
    """

    source: SourceText
    found: list[Diagnostic] = field(default_factory=list)
    trace: Trace | None = None
    sizes: Sizes = field(default_factory=dict)
    functions: OwnFunctions = field(default_factory=dict)
    inlined: int = 0
    _errors: int = 0
    _read: int = 0

    def aside(self, *, traced: bool = False) -> Findings:
        """Return a separate collection for the same text, which is not reported. `traced`: the trace is filled
        nevertheless.
        """
        return Findings(self.source, trace=self.trace if traced else None, functions=self.functions)

    def callable(self, built_in: Iterable[str]) -> tuple[str, ...]:
        """Return the names that can be called: those of the dialect, and of the project's own functions."""
        return (*built_in, *(f.name for f in self.functions.values()))

    def error(
        self, code: str, message: str, at: Extent, *, notes: tuple[str, ...] = (), help: str | None = None
    ) -> None:
        self.found.append(Diagnostic(code, message, self.source.span(at), notes=notes, help=help))

    def warn(
        self,
        code: str,
        message: str,
        at: Extent,
        *,
        notes: tuple[str, ...] = (),
        help: str | None = None,
        fix: str | None = None,
        fix_at: Extent | None = None,
    ) -> None:
        """Add a warning. `fix`: the text that replaces `fix_at`, or the extent of the warning."""
        edit = Fix(self.source.span(fix_at or at), fix) if fix is not None else None
        self.found.append(Diagnostic(code, message, self.source.span(at), notes, help, Severity.WARNING, edit))

    @property
    def has_errors(self) -> bool:
        return self.error_count > 0

    @property
    def error_count(self) -> int:
        """The number of errors so far. Diagnostics are only ever added, so each is counted once."""
        self._errors += sum(d.is_error for d in self.found[self._read :])
        self._read = len(self.found)
        return self._errors
