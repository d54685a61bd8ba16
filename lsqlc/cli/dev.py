"""`lsqlc dev`: after each save, what it does to the models, until Ctrl-C."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.collector import uncollected
from lsqlc.cli.shell import Shell, can_move, shell
from lsqlc.diagnostics.paint import Paint

if TYPE_CHECKING:
    from lsqlc.cli.dev_screen import Screen
    from lsqlc.connectors.transport import Transport
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.dev import Look
    from lsqlc.tasks.selection import ModelSelection

# Clears the screen and what was scrolled out of it, and moves to its start (ECMA-48, and xterm's 3 J).
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"


@dataclass(frozen=True, slots=True)
class DevOptions:
    """The size of the screens of `lsqlc dev`."""

    limit: Annotated[
        int, typer.Option("--limit", "-n", min=0, help="Sample records of each topic that are used; 0: all.")
    ] = 1000
    rows: Annotated[int, typer.Option("--rows", min=1, help="Rows of each model to show.")] = 10
    clear: Annotated[bool, typer.Option("--clear/--no-clear", help="Clear the screen after each save.")] = True


def command(selected: options.Selected, own: DevOptions, common: options.Common) -> None:
    """Watch the project. After each save compile the affected models and run their cases. Then show their results over
    the sample data, and the rows that have changed. All on DuckDB, without Spark. Ctrl-C ends.

    The sample data are seeds, and without a seed the records in the topics of the embedded target. A model without
    sample data shows the rows of its cases. Golden files are not written. With --quiet only saves with errors are
    shown, and the first one without; with --output json, one object for each save.
    """
    with shell("dev", common.output, common.quiet, lines=True) as sh:
        from lsqlc.tasks.selection import ModelSelection

        root = project.find(sh, common.project_dir)
        values = project.variables(sh, common.vars)
        selection = ModelSelection(selected.select or (), selected.exclude or ())
        try:
            watch(sh, Watch(root, values, selection, own.limit, own.rows, own.clear), time.sleep)
        except KeyboardInterrupt:
            # How it is meant to end. A terminal has shown ^C.
            sh.result("\n" if sys.stdout.isatty() else "")
            raise typer.Exit(0) from None


@dataclass(frozen=True, slots=True)
class Watch:
    """A project that is watched. `limit`: sample records of each topic; `rows`: of each model; `clear`: clear the
    screen after each save.
    """

    root: Path
    vars: Mapping[str, Any]
    selection: ModelSelection
    limit: int
    rows: int
    clear: bool


def watch(sh: Shell, request: Watch, pause: Callable[[float], None]) -> None:
    """Show the project, and again after each save, without end. `pause` waits for so many seconds."""
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.tasks.file_watch import Watched, changed, next_save, snapshot, watched

    root, clear = request.root, request.clear
    before: Look | None = None
    files: tuple[str, ...] = ()
    was_wrong = False
    watching = Watched()
    # The files to watch are only known after the project was read, and a save may happen in between.
    states = snapshot(root, Watched((".",)))
    while True:
        began = time.monotonic()
        try:
            with uncollected():
                workspace = project.opened_at(sh, root, request.vars)
                if watching != (watching := watched(workspace.project)):
                    # As they were before they were read, where that is known.
                    states = {path: states.get(path, state) for path, state in snapshot(root, watching).items()}
                screen = _looked(sh, request, workspace, before, files)
            _show(sh, replace(screen, seconds=time.monotonic() - began, was_wrong=was_wrong), clear=clear)
            before, was_wrong = screen.look, not screen.look.ok
        except LsqlcError as error:
            states = {path: states.get(path, state) for path, state in snapshot(root, watching).items()}
            was_wrong = True
            _show_broken(sh, error, files, clear=clear)
        current_states = next_save(states, partial(snapshot, root, watching), pause)
        files, states = changed(states, current_states), current_states


def _looked(sh: Shell, request: Watch, workspace: Workspace, before: Look | None, files: Sequence[str]) -> Screen:
    from lsqlc.cli.dev_screen import Screen
    from lsqlc.lower.duckdb import evaluate
    from lsqlc.tasks.dev import look
    from lsqlc.tasks.selection import compile_selection

    compilation = compile_selection(workspace, request.selection)
    log, problems = _log(workspace)
    current_look, affected = look(compilation, evaluate, log=log, limit=request.limit, before=before)
    sh.texts.update(current_look.read.texts)
    current_look = replace(current_look, problems=(*current_look.problems, *problems))
    return Screen(current_look, affected, files, 0.0, request.rows, is_first=before is None)


def _log(workspace: Workspace) -> tuple[Transport | None, tuple[Diagnostic, ...]]:
    """Return the topics of the target, if they are in folders. Errors of the target are only warnings, as no topic may
    be needed.
    """
    from lsqlc.diagnostics import LsqlcError, Severity
    from lsqlc.tasks.run_target import open_target

    try:
        target = workspace.target()
        if not target.capabilities.has_files:
            return None, ()
        log = open_target(workspace.root, target, project=workspace.project).log
    except LsqlcError as error:
        return None, tuple(replace(d, severity=Severity.WARNING) for d in error.diagnostics)
    return log, ()


def _show(sh: Shell, screen: Screen, *, clear: bool) -> None:
    from lsqlc.cli.dev_screen import saved

    name = screen.look.compilation.project.config.name
    if sh.json:
        sh.line(screen.data(name))
    elif sh.quiet and screen.look.ok and not screen.was_wrong:
        return
    elif screen.is_idle:
        sh.result(f"{saved(screen.files)}: no model is affected")
    else:
        _page(sh, screen.text(sh.texts, width=sh.width, paint=Paint(sh.result_colour)), clear=clear)
    sh.flush()


def _show_broken(sh: Shell, error: LsqlcError, files: Sequence[str], *, clear: bool) -> None:
    """Show the errors of a project that cannot be read at all. The next save may correct them."""
    from lsqlc.cli.dev_screen import broken_data, broken_text

    if sh.json:
        sh.line(broken_data(error.diagnostics, files))
    else:
        _page(sh, broken_text(error.diagnostics, files, sh.texts, Paint(sh.result_colour)), clear=clear)
    sh.flush()


def _page(sh: Shell, text: str, *, clear: bool) -> None:
    """Text in place of what a terminal shows; elsewhere behind it."""
    if clear and can_move(sys.stdout):
        sh.result(f"{_CLEAR}{text}")
    else:
        sh.result(f"{text}\n\n\n")
