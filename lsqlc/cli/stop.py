"""`lsqlc stop`: stop the project's run."""

from __future__ import annotations

import os
import signal
import time
from typing import Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import shell

_POLL_SECONDS = 0.1


def command(
    wait: Annotated[
        float, typer.Option("--wait", min=0, metavar="SECONDS", help="Seconds to wait for the run to end.")
    ] = 60.0,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Stop the project's run after its current batches, and wait until it has ended. Nothing is lost: the next run
    continues from there. If no run is active, nothing happens.
    """
    with shell("stop", output, quiet) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.remote.run.locks import holder

        folder = project.find(sh, project_dir) / project.STATE_FOLDER
        process = holder(folder)
        if not process:
            sh.say("this project is not being run")
        else:
            try:
                os.kill(process, signal.SIGTERM)
            except ProcessLookupError:
                # It has ended in between.
                pass
            except PermissionError:
                message = f"the run of process {process} belongs to another user"
                raise LsqlcError([Diagnostic("LSQ668", message, help="stop it as that user")]) from None
            deadline = time.monotonic() + wait
            while holder(folder) == process:
                if time.monotonic() >= deadline:
                    message = f"the run of process {process} has not ended within {wait:g} seconds"
                    help = f"it has been signalled; wait for it, or end it immediately with `kill {process}`"
                    raise LsqlcError([Diagnostic("LSQ668", message, help=help)])
                time.sleep(_POLL_SECONDS)
            sh.say(f"the run of process {process} has ended")
        if sh.json:
            sh.document({"version": 1, "command": "stop", "ok": True, "process": process or None})
