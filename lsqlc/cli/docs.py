"""`lsqlc docs`: the project as a static site, written to a folder or served on this machine, and its alert rules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from lsqlc import __version__
from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell
from lsqlc.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsqlc.project.workspace import Workspace
    from lsqlc.report.site.descriptions import Coverage
    from lsqlc.tasks.docs import AlertsRequest, DocsFiles
    from lsqlc.tasks.site import Site


@dataclass(frozen=True, slots=True)
class DocsOptions:
    """The options of `lsqlc docs`."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="The folder that is written; by default target/docs or target/alerts."
        ),
    ] = None
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port of serve; 0: any free port.")] = 8580
    fail_under: Annotated[
        int | None,
        typer.Option(
            "--fail-under",
            metavar="PERCENT",
            min=0,
            max=100,
            help="With build: fail if a smaller part of the columns is described.",
        ),
    ] = None
    dashboard: Annotated[bool, typer.Option("--dashboard", help="With alerts: write a dashboard for Grafana too.")] = (
        False
    )
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="NAME",
            help="With alerts: only watch the run on this target.",
            autocompletion=completing.targets,
        ),
    ] = None


def command(
    action: Annotated[
        Literal["build", "serve", "alerts"],
        typer.Argument(
            help="build: write the site; serve: serve it on this machine; alerts: write alert rules for Prometheus."
        ),
    ],
    own: DocsOptions,
    common: options.Common,
) -> None:
    """Write the docs site, serve it, or write alert rules.

    The site has graph, models, plans, SQL of each engine, state, column lineage and cases.

    A static folder that needs no network; index.html opens from a disk. A model with errors is there with its errors,
    and the exit code is 1. `alerts` writes alert rules that follow from the plans of the models.
    """
    with shell("docs", common.output, common.quiet) as sh:
        from lsqlc.tasks.docs import AlertsRequest, open_site, write_site

        for option, value in (("--dashboard", own.dashboard), ("--target", own.target)):
            if value and action != "alerts":
                raise typer.BadParameter("this option is only for `lsqlc docs alerts`", param_hint=option)
        if own.fail_under is not None and action != "build":
            raise typer.BadParameter("this option is only for `lsqlc docs build`", param_hint="--fail-under")
        workspace = project.opened(sh, common.project_dir, common.vars)
        if action == "alerts":
            _alerts(sh, workspace, AlertsRequest(own.target, own.dashboard, own.out))
            return
        site = open_site(workspace, __version__, own.fail_under)
        sh.texts.update(site.texts)
        if action == "serve":
            _serve(sh, workspace.root / project.STATE_FOLDER, site, own.port)
        docs = write_site(workspace, site, own.out)
        if not docs.is_complete:
            sh.fail(docs.diagnostics)
        diagnostics = workspace.compilation.diagnostics
        sh.show_errors(diagnostics)
        sh.show(d for d in docs.diagnostics if d not in diagnostics)
        if sh.json:
            counts = {name: list(getattr(site.coverage, name)) for name in ("models", "topics", "columns")}
            sh.document(_data(docs, {"described": counts}))
        else:
            sh.say(f"{len(workspace.compilation.models):,} models in {docs.folder}/index.html")
            sh.say(_coverage_text(site.coverage))
        if not docs.ok:
            sh.end(docs.diagnostics)


def _alerts(sh: Shell, workspace: Workspace, request: AlertsRequest) -> None:
    from lsqlc.tasks.docs import write_alerts

    docs = write_alerts(workspace, request)
    if sh.json:
        sh.document(_data(docs, {}))
    sh.show_errors(docs.diagnostics)
    if not docs.ok:
        sh.end(docs.diagnostics)
    sh.say("\n".join(f"{docs.folder}/{name}" for name in docs.files))


def _data(docs: DocsFiles, more: Mapping[str, Any]) -> dict[str, Any]:
    from lsqlc.report.json_report import diagnostic_data

    head = {"version": 1, "command": "docs", "ok": docs.ok, "folder": docs.folder, "files": sorted(docs.files)}
    return {**head, **more, "diagnostics": [diagnostic_data(d) for d in docs.diagnostics]}


def _coverage_text(coverage: Coverage) -> str:
    parts = (("models", coverage.models), ("sources", coverage.topics), ("columns", coverage.columns))
    return "described: " + ", ".join(
        f"{described_count:,} of {all:,} {name if all != 1 else name.removesuffix('s')}"
        for name, (described_count, all) in parts
    )


def _serve(sh: Shell, state: Path, site: Site, port: int) -> NoReturn:
    """Serve the site with the status of the run, as the project's state folder has it."""
    from lsqlc.cli.watch import read_status
    from lsqlc.remote.run.locks import holder
    from lsqlc.remote.run.query_status import status_data
    from lsqlc.report.site.server import HOST, site_server

    def status() -> dict[str, Any]:
        last_status = read_status(state)
        return {"running": holder(state) is not None, "run": status_data(last_status) if last_status else None}

    sh.show(site.diagnostics)
    try:
        server = site_server(site.files, port, status)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        help = "choose another port with --port; 0 chooses a free one"
        sh.fail([Diagnostic("LSQ097", f"cannot listen on port {port}: {reason}", help=help)])
    address = f"http://{HOST}:{server.server_address[1]}/"
    if sh.json:
        sh.line({"version": 1, "command": "docs", "event": "serving", "address": address})
    else:
        sh.result(address)
        # Whoever reads it from a pipe waits for it.
        sh.flush()
    sh.say("Ctrl-C ends it")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        # How it is meant to end.
        raise typer.Exit(0) from None
    finally:
        server.server_close()
    raise AssertionError("a server only ends when it is interrupted")
