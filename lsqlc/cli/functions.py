"""`lsqlc functions`: the project's own functions, and which code in Python may run."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import shell


def command(
    action: Annotated[Literal["list", "lock"], typer.Argument(help="The action.")],
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """List the project's own functions, or allow code in Python to run.

    list: the functions with their types, and their files. lock: write the hashes of the files in Python into the lock
    file. Code that has another hash does not run: review the files before.
    """
    with shell("functions", output, quiet) as sh:
        loaded = project.opened(sh, project_dir, vars).project
        if action == "list":
            from lsqlc.report.function_report import function_data, function_text

            if sh.json:
                data = function_data(loaded.functions)
                sh.document({"version": 1, "command": "functions", "ok": True, "functions": data})
            elif loaded.functions:
                sh.result(function_text(loaded.functions, sh.width))
            else:
                sh.say("the project has no functions of its own")
            return
        from lsqlc.tasks.function_lock import lock_functions

        locked = lock_functions(loaded)
        changes = {"added": locked.added, "changed": locked.changed, "removed": locked.removed}
        if sh.json:
            sh.document({"version": 1, "command": "functions", "ok": True, **{k: list(v) for k, v in changes.items()}})
            return
        lines = [f"{word}: {path}" for word, paths in changes.items() for path in paths]
        sh.say("\n".join(lines) if lines else "the lock file is up to date")
