"""`lsqlc debug`: checks of the installation, the project and the target."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import typer

from lsqlc import __version__
from lsqlc.cli import options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from lsqlc.tasks.debug import Check


def command(
    target: options.Target = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Check the installation, the project and the target."""
    with shell("debug", output, quiet) as sh:
        from lsqlc.tasks.debug import DebugRequest, checks

        request = DebugRequest(__version__, target, dict(os.environ))
        results = []
        find, open_project = partial(project.find, sh, project_dir), partial(project.opened_at, sh, vars={})
        for check in checks(request, find, open_project):
            results.append(check)
            if not sh.json:
                sh.result(_line(check))
        ok = all(check.ok for check in results)
        if sh.json:
            rows = [{"name": c.name, "ok": c.ok, "found": c.found, "help": c.help} for c in results]
            sh.document({"version": 1, "command": "debug", "ok": ok, "checks": rows})
        if not ok:
            raise typer.Exit(1)


def _line(check: Check) -> str:
    line = f"{'ok  ' if check.ok else 'fail'}  {check.name}: {check.found}"
    return f"{line}\n      help: {check.help}" if check.help else line
