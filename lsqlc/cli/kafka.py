"""`lsqlc kafka`: a broker on this machine for the project."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

# In the folder of the project's state.
FOLDER = "kafka"
# Where clients look for Kafka when nobody says otherwise.
_PORT = 9092

command = typer.Typer(
    help="Run a Kafka broker for the project on this machine.", no_args_is_help=True, rich_markup_mode=None
)


@command.command("up")
def up(
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, metavar="PORT", help="0: any free port. By default the last one used, or 9092."
        ),
    ] = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Start the broker, if it does not run, and wait until it serves.

    It stays when this command has ended, and keeps its topics in .lsqlc/kafka until `down --clean`. Its jars are
    fetched once.
    """
    with shell("kafka up", output, quiet) as sh:
        from lsqlc.remote.server import detached

        folder = _folder(sh, project_dir)
        broker, started = detached.up(folder, dict(os.environ), port, _PORT, sh.say)
        if sh.json:
            sh.document(_document("kafka up", folder, broker, started=started))
        else:
            sh.say(f"a broker {'was started' if started else 'is already running'}: process {broker.pid}")
            sh.result(_profile(broker.bootstrap))


@command.command("down")
def down(
    clean: Annotated[bool, typer.Option("--clean", help="Also remove its topics, with all records.")] = False,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Stop the broker, and wait until it has ended.

    Its topics are kept for the next `up`. If no broker is running, nothing happens.
    """
    with shell("kafka down", output, quiet) as sh:
        from lsqlc.remote.server import detached

        folder = _folder(sh, project_dir)
        broker = detached.down(folder)
        removed = _remove(folder) if clean else False
        if sh.json:
            process = broker.pid if broker else None
            sh.document({"version": 1, "command": "kafka down", "ok": True, "process": process, "removed": removed})
        sh.say(f"the broker of process {broker.pid} has ended" if broker else "no broker of this project is running")
        if removed:
            sh.say(f"removed {project.STATE_FOLDER}/{FOLDER}/")


@command.command("status")
def status(
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show whether the broker runs and answers, and where; the exit code is 1 if not."""
    with shell("kafka status", output, quiet) as sh:
        from lsqlc.remote.server import detached
        from lsqlc.remote.server.broker_process import answers

        folder = _folder(sh, project_dir)
        broker = detached.running(folder)
        serves = broker is not None and answers(broker.port)
        if sh.json:
            sh.document(_document("kafka status", folder, broker, serves=serves))
        elif broker is None:
            sh.say("no broker of this project is running")
        else:
            sh.say(f"a broker is running{'' if serves else ', and does not answer'}: process {broker.pid}")
            sh.result(_profile(broker.bootstrap))
        if not serves:
            raise typer.Exit(1)


def _folder(sh: Shell, project_dir: Path | None) -> Path:
    return project.find(sh, project_dir) / project.STATE_FOLDER / FOLDER


def _profile(bootstrap: str) -> str:
    """The lines for a target in profiles.yml."""
    return f"kafka:\n  bootstrap: {bootstrap}"


def _document(name: str, folder: Path, broker: Any, **more: object) -> dict[str, Any]:
    known = {"process": broker.pid, "bootstrap": broker.bootstrap} if broker else {"process": None, "bootstrap": None}
    return {"version": 1, "command": name, "ok": True, **known, "folder": str(folder), **more}


def _remove(folder: Path) -> bool:
    from lsqlc.diagnostics import Diagnostic, LsqlcError

    if not folder.is_dir():
        return False
    try:
        shutil.rmtree(folder)
    except OSError as error:
        message = f"cannot remove '{error.filename}': {(error.strerror or str(error)).lower()}"
        raise LsqlcError(
            [Diagnostic("LSQ034", message, help="check the permissions of the folder, and try again")]
        ) from None
    return True
