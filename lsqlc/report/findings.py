"""All diagnostics of a build as one list, with paths relative to the repository."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import join, normpath
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, order

if TYPE_CHECKING:
    from lsqlc.golden.run import GoldenRun
    from lsqlc.project.build.compile import Compilation


def all_findings(
    compilation: Compilation | None, run: GoldenRun | None, diagnostics: Iterable[Diagnostic] = ()
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the compilation, of case files (`diagnostics`) and of golden tests, in order of
    position.
    """
    of_cases = (d for result in run.results for d in result.diagnostics) if run else ()
    return order((*(compilation.diagnostics if compilation else ()), *diagnostics, *of_cases))


def repository_path(path: str, prefix: str) -> str | None:
    """Return a path relative to the repository's root; None for text without a file and for files outside of the
    repository.

    `prefix`: the folder of the project in the repository, empty for the root.
    """
    if path.startswith("<"):
        return None
    normalized = normpath(join(prefix, path))
    return None if normalized.startswith(("../", "/")) else normalized


def details(diagnostic: Diagnostic) -> str:
    """Return message, notes and help as lines, for tools that print the position themselves."""
    help = [f"help: {diagnostic.help}"] if diagnostic.help else []
    return "\n".join([diagnostic.message, *(f"note: {note}" for note in diagnostic.notes), *help])
