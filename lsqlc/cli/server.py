"""`lsqlc server`: a Spark server that runs between commands, and the archive with which servers start faster."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc import __version__
from lsqlc.cli import options
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from lsqlc.remote.server.background_server import BackgroundServer

# Minutes without a use.
_IDLE = 30
_MEMORY = 2048

command = typer.Typer(
    help="Keep a Spark server on this machine between commands.", no_args_is_help=True, rich_markup_mode=None
)


@command.command("start")
def start(
    idle: Annotated[
        int, typer.Option("--idle", min=1, metavar="MINUTES", help="The server ends after so long without a use.")
    ] = _IDLE,
    memory: Annotated[int, typer.Option("--memory", min=1024, metavar="MB", help="Its heap.")] = _MEMORY,
    kafka: Annotated[
        bool, typer.Option("--kafka", help="With the connector for Kafka, which is downloaded once.")
    ] = False,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Start the server, if it does not run, and wait until it serves.

    Commands that would start an embedded server use it, in any project, as long as it has what they need: `run`, `test
    --engine spark` and `deploy`. It listens on this machine only, and takes no other user.
    """
    with shell("server start", output, quiet) as sh:
        from lsqlc.cli.live import busy
        from lsqlc.remote.server import background_server
        from lsqlc.remote.server.jars import jars

        environment = dict(os.environ)
        jar_files = jars("spark-kafka", environment, sh.say) if kafka else ()
        request = background_server.StartRequest(memory, idle * 60.0, time.time(), kafka, jar_files)
        with busy(sh, "starting the Spark server"):
            folder = background_server.folder_of(environment, __version__)
            server, started = background_server.start(folder, environment, request)
        if sh.json:
            sh.document({"version": 1, "command": "server start", "ok": True, "started": started, **_data(server)})
        else:
            sh.say(f"a Spark server {'was started' if started else 'is already running'}: process {server.pid}")
            sh.say(f"it ends after {server.idle / 60:g} minutes without a use, or with `lsqlc server stop`")


@command.command("prepare")
def prepare(
    kafka: Annotated[
        bool, typer.Option("--kafka", help="With the connector for Kafka, which is downloaded once.")
    ] = False,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Make the archive of Java's classes with which Spark servers of this installation start faster.

    A small project is run on a server of its own. The classes that it loaded are written to the user's cache, about 250
    MB. This takes up to two minutes, once for each version of Spark and of Java. If the archive is there, nothing
    happens; the one before it is removed.
    """
    with shell("server prepare", output, quiet) as sh:
        from lsqlc.cli.live import busy
        from lsqlc.remote.server.jars import jars
        from lsqlc.tasks.prepare import prepare as make

        environment = dict(os.environ)
        if kafka:
            jars("spark-kafka", environment, sh.say)
        with busy(sh, "preparing the archive of Java's classes", log=False):
            archive = make(environment, sh.say)
        if sh.json:
            sh.document(
                {
                    "version": 1, "command": "server prepare", "ok": True, "made": archive.made,
                    "path": str(archive.path), "size": archive.size, "kafka": archive.kafka,
                }
            )  # fmt: skip
        else:
            sh.say(
                f"the archive {'was made' if archive.made else 'is already there'}: '{archive.path}', {archive.text}"
            )


@command.command("stop")
def stop(output: options.Output = "text", quiet: options.Quiet = False) -> None:
    """Stop the server, and wait until it has ended.

    Also those of other installations of lsqlc that this user has started. If none is running, nothing happens.
    """
    with shell("server stop", output, quiet) as sh:
        from lsqlc.remote.server import background_server

        servers = background_server.all_running(dict(os.environ))
        for server in servers:
            background_server.stop(server)
            sh.say(f"the Spark server of process {server.pid} has ended")
        if sh.json:
            processes = [server.pid for server in servers]
            sh.document({"version": 1, "command": "server stop", "ok": True, "processes": processes})
        elif not servers:
            sh.say("no Spark server is running")


@command.command("status")
def status(output: options.Output = "text", quiet: options.Quiet = False) -> None:
    """Show the running servers. The exit code is 1 if commands of this installation cannot use any of them."""
    with shell("server status", output, quiet) as sh:
        from lsqlc.remote.server import background_server

        environment = dict(os.environ)
        servers = background_server.all_running(environment)
        own = background_server.folder_of(environment, __version__) if servers else None
        if sh.json:
            data = [{**_data(server), "own": server.folder == own} for server in servers]
            sh.document({"version": 1, "command": "server status", "ok": True, "servers": data})
        for server in servers if not sh.json else ():
            sh.result(_text(server, own=server.folder == own))
        if not servers:
            sh.say("no Spark server is running")
        if not any(server.folder == own and server.serves for server in servers):
            raise typer.Exit(1)


def _text(server: BackgroundServer, *, own: bool) -> str:
    minutes = (time.time() - server.began) / 60
    states = [
        *([] if own else ["of another installation"]),
        *([] if server.serves else ["does not answer"]),
        f"{server.memory} MB",
        *(["with the connector for Kafka"] if server.kafka else []),
        f"running for {minutes:.0f} minutes",
        f"used by {server.uses} command{'s' * (server.uses != 1)}",
        f"ends after {server.idle / 60:g} minutes without a use",
    ]
    return f"process {server.pid} on port {server.port}: {', '.join(states)}"


def _data(server: BackgroundServer) -> dict[str, Any]:
    """Return a server as JSON-ready data, without its token."""
    return {
        "process": server.pid,
        "port": server.port,
        "serves": server.serves,
        "uses": server.uses,
        "memory_mb": server.memory,
        "kafka": server.kafka,
        "idle_seconds": server.idle,
        "folder": str(server.folder),
    }


@command.command("python")
def python(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that does not exist yet.")],
    program: Annotated[
        str, typer.Option("--python", metavar="PATH", help="The Python on the machine of the server.")
    ] = "/usr/bin/python3",
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Write a program for Spark servers of your own that they take for Python, whose workers come up at once.

    Spark gives a worker ten seconds, and no setting changes that; on a busy server its imports may take them. With
    PYSPARK_PYTHON=FOLDER/python in the environment of the server, workers are forks of one process that has done the
    imports. The folder has two files, and may be copied to where the server and its executors run: Linux only.
    """
    with shell("server python", output, quiet) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.remote.server.warm_python import write_portable

        try:
            program_path = write_portable(folder, program)
        except OSError as error:
            message = f"the program cannot be written: {error.strerror or error}"
            help = "name a folder that does not exist yet, in one that can be written to"
            raise LsqlcError([Diagnostic("LSQ816", message, notes=(f"'{folder}'",), help=help)]) from None
        if sh.json:
            sh.document({"version": 1, "command": "server python", "ok": True, "program": str(program_path)})
        else:
            sh.say(f"set PYSPARK_PYTHON={program_path.absolute()} in the environment of the server")
