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
# How the address of a broker on this machine begins.
_HERE = "127.0.0.1:"

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
    add_target: Annotated[
        str | None,
        typer.Option("--add-target", metavar="NAME", help="Add a target with this broker to profiles.yml."),
    ] = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Start the broker, if it does not run, and wait until it serves.

    It stays when this command has ended, and keeps its topics in .lsqlc/kafka until `down --clean`. Its jars are
    fetched once. With --add-target, profiles.yml gets a target that uses it; what is in the file stays as it is.
    """
    with shell("kafka up", output, quiet) as sh:
        from lsqlc.remote.server import detached

        root = project.find(sh, project_dir)
        folder = root / project.STATE_FOLDER / FOLDER
        if add_target is not None:
            # A target that is refused for any broker is refused before one starts.
            _extended(root, add_target, "127.0.0.1:1", (_HERE,))
        broker, started = detached.up(folder, dict(os.environ), port, _PORT, sh.say)
        added = add_target is not None and _add(root, add_target, broker.bootstrap)
        if sh.json:
            sh.document(_document("kafka up", folder, broker, started=started, target=add_target, added=added))
            return
        sh.say(f"a broker {'was started' if started else 'is already running'}: process {broker.pid}")
        if add_target is None:
            sh.result(_profile(broker.bootstrap))
            sh.say("`lsqlc kafka up --add-target kafka` adds this target to profiles.yml")
            return
        sh.say(f"the target '{add_target}' {'was added to' if added else 'is already in'} profiles.yml")
        sh.say(f"next: `lsqlc topics apply --target {add_target}`, `lsqlc run --target {add_target}`")


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
    """Return a profiles.yml with a target, or the lines for one."""
    from lsqlc.project.declared.new_target import kafka_target

    return f"targets:\n  {kafka_target('kafka', bootstrap)}"


def _add(root: Path, name: str, bootstrap: str) -> bool:
    """Add a target to profiles.yml; False if it is there already. Raises as `_extended`."""
    text = _extended(root, name, bootstrap, (bootstrap,))
    if text is not None:
        from lsqlc.project.declared.profiles import PROFILE_FILE

        try:
            (root / PROFILE_FILE).write_text(text, "utf-8", newline="")
        except OSError as error:
            message = f"{PROFILE_FILE} cannot be written: {(error.strerror or str(error)).lower()}"
            raise typer.BadParameter(message, param_hint="--add-target") from None
    return text is not None


def _extended(root: Path, name: str, bootstrap: str, same: tuple[str, ...]) -> str | None:
    """Return the text of profiles.yml with a target; None if it has one of that name whose brokers begin with one of
    `same`.

    Raises BadParameter for another target of that name, LsqlcError for a file or a name that cannot be read.
    """
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.project import files
    from lsqlc.project.declared.new_target import NotExtendedError, bootstrap_of, kafka_target, with_target
    from lsqlc.project.declared.profiles import PROFILE_FILE, read_target

    text = None
    if os.path.lexists(root / PROFILE_FILE):
        file = files.read(root, PROFILE_FILE)
        if file.text is None:
            raise LsqlcError(file.diagnostics)
        text = file.text
        if (brokers := bootstrap_of(text, name)) is not None and brokers.startswith(same):
            return None
    try:
        extended = with_target(text, name, kafka_target(name, bootstrap))
    except NotExtendedError as error:
        message = f"{PROFILE_FILE} stays as it is: {error}"
        raise typer.BadParameter(message, param_hint="--add-target") from None
    _, problems = read_target(extended, PROFILE_FILE, name, os.environ)
    if problems:
        raise LsqlcError(problems)
    return extended


def _document(name: str, folder: Path, broker: Any, **more: object) -> dict[str, Any]:
    running = {"process": broker.pid, "bootstrap": broker.bootstrap} if broker else {"process": None, "bootstrap": None}
    return {"version": 1, "command": name, "ok": True, **running, "folder": str(folder), **more}


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
