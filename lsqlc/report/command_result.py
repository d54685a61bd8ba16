"""The result of a command, from which all of its reports are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic

if TYPE_CHECKING:
    from lsqlc.golden.run import GoldenRun
    from lsqlc.project.build.compile import Compilation


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a build, a test or a run.

    `diagnostics`: in addition to those of the compilation and the run of the golden tests. `started`: an ISO date-time.
    `uncovered`: the models without a case.
    """

    compilation: Compilation | None
    run: GoldenRun | None = None
    diagnostics: Sequence[Diagnostic] = ()
    started: str | None = None
    seconds: float | None = None
    uncovered: Sequence[str] = ()
