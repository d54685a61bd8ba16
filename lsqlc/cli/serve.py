"""`lsqlc serve`: the current rows of TABLEs over HTTP."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc import __version__
from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell
from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from lsqlc.serve.http.server import Listening
    from lsqlc.serve.service import Limits, Service

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the service listens."""

    host: Annotated[
        str, typer.Option("--host", help="The address to listen at; one that others reach needs --token-env.")
    ] = LOOPBACK
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0: any free port.")] = 8590
    token_env: Annotated[
        str | None,
        typer.Option("--token-env", metavar="VARIABLE", help="The environment variable with the token of clients."),
    ] = None


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """The limits of the service."""

    max_rows: Annotated[int, typer.Option("--max-rows", min=1, help="The most rows of an answer.")] = 10_000
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds of a query, and of a wait for a record.")
    ] = 30.0
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="Memory of tables and queries together, such as 4GB."),
    ] = None
    queries: Annotated[int, typer.Option("--queries", min=1, max=64, help="Queries at the same time.")] = 4


@dataclass(frozen=True, slots=True)
class ServeOptions(options.Selected):
    """The tables of the service."""

    topic: Annotated[
        list[str] | None,
        typer.Option(
            "--topic",
            metavar="NAME",
            help="One or several: a topic with a key, as a table of its newest records.",
        ),
    ] = None
    interval: Annotated[
        float, typer.Option("--interval", min=0.05, help="Seconds between two looks for new records.")
    ] = 0.5
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="NAME",
            help="The target of profiles.yml to use.",
            autocompletion=completing.targets,
        ),
    ] = None


def command(own: ServeOptions, address: Address, limits: LimitOptions, common: options.Common) -> None:
    """Answer queries over the current rows of TABLEs, by HTTP, until Ctrl-C.

    The rows of the TABLEs that the selected models write, and of the topics of --topic, are kept in memory, and follow
    their topics. Answers say which records they include. Nothing is written. The topics are read from their beginnings
    at each start. Without --host only this machine reaches the service.
    """
    with shell("serve", common.output, common.quiet, lines=True) as sh:
        from lsqlc.diagnostics.extras import require

        require("starlette", "uvicorn")
        from lsqlc.serve.http.server import Listening

        listening = Listening(address.host, address.port, _token(address), __version__)
        workspace = project.opened(sh, common.project_dir, common.vars)
        with project.keeping_texts(sh):
            from lsqlc.serve.service import Limits, ServiceRequest, following, open_service
            from lsqlc.serve.tables import Wanted
            from lsqlc.tasks.selection import ModelSelection, sound_selection

            selection = ModelSelection(own.select or (), own.exclude or ())
            models = sound_selection(workspace, selection).selected
            request = ServiceRequest(Wanted(models, tuple(own.topic or ())), own.target, _limits(limits, Limits()))
            with open_service(workspace, request, time.time) as service, following(service, own.interval):
                _serve(sh, service, listening)


def _limits(values: LimitOptions, others: Limits) -> Limits:
    from dataclasses import replace

    return replace(others, rows=values.max_rows, seconds=values.timeout, memory=values.memory, queries=values.queries)


def _token(address: Address) -> str | None:
    """Return the token of clients. Raises LsqlcError LSQ833 where one is needed and missing."""
    from lsqlc.report.same_origin import is_loopback

    name = address.token_env
    if name is None:
        if is_loopback(address.host):
            return None
        message = f"others can reach '{address.host}', and the service has no token"
        help = "name the environment variable with the token: --token-env LSQLC_TOKEN"
        raise LsqlcError([Diagnostic("LSQ833", message, help=help)])
    token = os.environ.get(name, "").strip()
    if not token:
        message = f"the environment variable '{name}' has no token"
        help = f"set it, such as: export {name}=$(openssl rand -hex 32)"
        raise LsqlcError([Diagnostic("LSQ833", message, help=help)])
    return token


def _serve(sh: Shell, service: Service, listening: Listening) -> None:
    from lsqlc.cli.running import stopping
    from lsqlc.serve.http.server import Serving, serve

    listener = listening.socket()
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    url = f"http://{host}:{listener.getsockname()[1]}/"
    if sh.json:
        sh.line({"version": 1, "command": "serve", "event": "serving", "address": url, "tables": [*service.tables]})
    else:
        sh.result(url)
        # Whoever reads it from a pipe waits for it.
        sh.flush()
    sh.say(f"tables: {', '.join(service.tables)}")
    sh.say("Ctrl-C ends it")

    def failed(error: Exception) -> None:
        sh.error(f"internal error in a request: {type(error).__name__}: {error}; please report it")

    with stopping(lambda: None) as stop:
        asyncio.run(serve(service, Serving(listening, listener, stop.asked, failed)))
