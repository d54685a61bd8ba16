"""`lsqlc stop`: stop the project's run."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

_POLL_SECONDS = 0.1


def command(
    wait: Annotated[
        float, typer.Option("--wait", min=0, metavar="SECONDS", help="Seconds to wait for the run to end.")
    ] = 60.0,
    target: options.Target = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Stop the project's run after its current batches, and wait until it has ended; a detached one on its server.
    Nothing is lost: the next run continues from there. If no run is active, nothing happens.
    """
    with shell("stop", output, quiet) as sh:
        from lsqlc.cli.placed import run_folder
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.remote.run.locks import holder

        root = project.find(sh, project_dir)
        folder = run_folder(root, target)
        process = holder(folder)
        stopped = None
        if not process:
            stopped = _stop_detached(sh, root, target)
            if stopped is None:
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
            document = {"version": 1, "command": "stop", "ok": True, "process": process or None}
            sh.document(document if stopped is None else {**document, "detached": {"stopped": stopped}})


def _stop_detached(sh: Shell, root: Path, target: str | None) -> int | None:
    """Stop the detached run on a target, which is the one of the last run here without a name; how many queries it had,
    None if there is no such run.
    """
    from lsqlc.cli.placed import run_folder
    from lsqlc.cli.watch import read_status
    from lsqlc.project.declared.profiles import named_target
    from lsqlc.remote.run.locks import run_lock
    from lsqlc.tasks.detached import queries_text, read_detached, stop_detached
    from lsqlc.tasks.run_target import open_target

    status = read_status(run_folder(root, target))
    target_name = target or (status.target if status and status.state == "detached" else None)
    place = open_target(root, named_target(root, target_name, os.environ))
    name = project.config(sh, root).name
    if place.target.type == "embedded" or read_detached(place, name) is None:
        return None
    with run_lock(place.state), place.lease(name):
        run = read_detached(place, name)
        if run is None:
            return None
        stopped = stop_detached(place, name, run, lambda diagnostic: sh.show([diagnostic]))
    sh.say(f"stopped the detached run on the server '{run.server}': {queries_text(stopped)}")
    return stopped
