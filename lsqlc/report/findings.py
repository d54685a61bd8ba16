"""All diagnostics of a build as one list, with their paths as the repository's tools name them."""

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
    """What the compilation, the case files (`diagnostics`) and the golden tests found, in order of place."""
    of_cases = (d for result in run.results for d in result.diagnostics) if run else ()
    return order((*(compilation.diagnostics if compilation else ()), *diagnostics, *of_cases))


def repository_path(path: str, prefix: str) -> str | None:
    """Return a finding's path from the repository's root on; `prefix`: the project's folder there, empty if it is the
    root. None for text without a file, such as an option's, and for files outside the repository.
    """
    if path.startswith("<"):
        return None
    found = normpath(join(prefix, path))
    return None if found.startswith(("../", "/")) else found


def details(diagnostic: Diagnostic) -> str:
    """Return message, notes and help as lines, for tools that show the place themselves."""
    help = [f"help: {diagnostic.help}"] if diagnostic.help else []
    return "\n".join([diagnostic.message, *(f"note: {note}" for note in diagnostic.notes), *help])
