"""`lsqlc docs`: the project as a static site, written to a folder or served on this machine, and its alert rules."""

from __future__ import annotations

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


def command(
    action: Annotated[
        Literal["build", "serve", "alerts"],
        typer.Argument(
            help="build: write the site; serve: serve it on this machine; alerts: write alert rules for Prometheus."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="The folder that is written; by default target/docs or target/alerts."
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port of serve; 0: any free port.")] = 8580,
    fail_under: Annotated[
        int | None,
        typer.Option(
            "--fail-under",
            metavar="PERCENT",
            min=0,
            max=100,
            help="With build: fail if a smaller part of the columns is described.",
        ),
    ] = None,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="With alerts: write a dashboard for Grafana too.")
    ] = False,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="NAME",
            help="With alerts: only watch the run on this target.",
            autocompletion=completing.targets,
        ),
    ] = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Write the docs site, serve it, or write alert rules.

    The site has graph, models, plans, SQL of each engine, state, column lineage and cases.

    A static folder that needs no network; index.html opens from a disk. A model with errors is there with its errors,
    and the exit code is 1. `alerts` writes alert rules that follow from the plans of the models.
    """
    with shell("docs", output, quiet) as sh:
        for option, value in (("--dashboard", dashboard), ("--target", target)):
            if value and action != "alerts":
                raise typer.BadParameter("this option is only for `lsqlc docs alerts`", param_hint=option)
        if fail_under is not None and action != "build":
            raise typer.BadParameter("this option is only for `lsqlc docs build`", param_hint="--fail-under")
        workspace = project.opened(sh, project_dir, vars)
        root, loaded, compilation = workspace.root, workspace.project, workspace.compilation
        if action == "alerts":
            _alerts(sh, workspace, out, target, dashboard)
            return
        from lsqlc.tasks.build import create_target_folder
        from lsqlc.tasks.site import docs_site

        site = docs_site(compilation, lsqlc=__version__)
        sh.texts.update(site.texts)
        files, diagnostics = site.files, (*site.diagnostics, *_too_few(site.coverage, fail_under))
        if action == "serve":
            _serve(sh, root / project.STATE_FOLDER, files, diagnostics, port)
        folder = out.absolute() if out else root / loaded.config.target_path / "docs"
        folder_name = str(out) if out else f"{loaded.config.target_path}/docs"
        if out is None:
            create_target_folder(workspace)
        problems = _write(folder, folder_name, files)
        reported = (*diagnostics, *problems)
        good = not any(d.is_error for d in reported)
        if not good and problems:
            sh.fail(reported)
        sh.show_errors(compilation.diagnostics)
        sh.show(d for d in reported if d not in compilation.diagnostics)
        if sh.json:
            from lsqlc.report.json_report import diagnostic_data

            data = {"version": 1, "command": "docs", "ok": good, "folder": folder_name, "files": sorted(files)}
            counts = {name: list(getattr(site.coverage, name)) for name in ("models", "topics", "columns")}
            sh.document({**data, "described": counts, "diagnostics": [diagnostic_data(d) for d in reported]})
        else:
            sh.say(f"{len(compilation.models):,} models in {folder_name}/index.html")
            sh.say(_coverage_text(site.coverage))
        if not good:
            sh.end(reported)


def _alerts(sh: Shell, workspace: Workspace, out: Path | None, target: str | None, dashboard: bool) -> None:
    """Write the alert rules, and the dashboard, of the models that compile."""
    from lsqlc.project.build import cache
    from lsqlc.report.operation.dashboard import dashboard_text
    from lsqlc.report.operation.rules import rules_text
    from lsqlc.tasks.build import create_target_folder

    compilation, config = workspace.compilation, workspace.project.config
    target_name = workspace.target(target).name if target else None
    files = {f"{config.name}.rules.yml": rules_text(compilation, target=target_name)}
    if dashboard:
        files[f"{config.name}.dashboard.json"] = dashboard_text(compilation)
    folder = out.absolute() if out else compilation.project.root / config.target_path / "alerts"
    folder_name = str(out) if out else f"{config.target_path}/alerts"
    if out is None:
        create_target_folder(workspace)
    diagnostics = list(compilation.diagnostics)
    for name, text in files.items():
        diagnostics += cache.write(folder / name, text.encode("utf-8", "replace"), f"{folder_name}/{name}")
    good = not any(d.is_error for d in diagnostics)
    if sh.json:
        from lsqlc.report.json_report import diagnostic_data

        data = {"version": 1, "command": "docs", "ok": good, "folder": folder_name, "files": sorted(files)}
        sh.document({**data, "diagnostics": [diagnostic_data(d) for d in diagnostics]})
    sh.show_errors(diagnostics)
    if not good:
        sh.end(diagnostics)
    sh.say("\n".join(f"{folder_name}/{name}" for name in files))


def _too_few(coverage: Coverage, minimum: int | None) -> tuple[Diagnostic, ...]:
    if minimum is None or coverage.percent >= minimum:
        return ()
    message = f"{coverage.percent} % of the columns are described, and {minimum} % are required"
    return (Diagnostic("LSQ551", message, help="describe columns of topics and models in YAML, under `columns:`"),)


def _coverage_text(coverage: Coverage) -> str:
    parts = (("models", coverage.models), ("sources", coverage.topics), ("columns", coverage.columns))
    return "described: " + ", ".join(
        f"{described_count:,} of {all:,} {name if all != 1 else name.removesuffix('s')}"
        for name, (described_count, all) in parts
    )


def _write(folder: Path, folder_name: str, files: Mapping[str, bytes]) -> tuple[Diagnostic, ...]:
    """Write the site, and remove the pages of models that are no more. The first thing that fails ends it."""
    from lsqlc.project.build import cache
    from lsqlc.report.site import MARK, is_stale

    index = folder / "index.html"
    try:
        foreign = index.exists() and MARK.encode() not in index.read_bytes()
        stale = [p for p in (folder / "data").glob("*.js") if is_stale(p.relative_to(folder).as_posix(), files)]
    except OSError as error:
        return (_unwritable(folder_name, (error.strerror or str(error)).lower()),)
    if foreign:
        return (_unwritable(folder_name, "its index.html was not written by lsqlc"),)
    for path, content in files.items():
        file = folder / path
        try:
            if file.is_file() and file.read_bytes() == content:
                continue
        except OSError:
            # A file that cannot be read is written, or the write reports the reason.
            pass
        problems = cache.write(file, content, f"{folder_name}/{path}")
        if problems:
            return (_unwritable(folder_name, problems[0].message.rpartition(": ")[2]),)
    try:
        for each in stale:
            each.unlink()
    except OSError as error:
        return (_unwritable(folder_name, (error.strerror or str(error)).lower()),)
    return ()


def _unwritable(folder_name: str, reason: str) -> Diagnostic:
    return Diagnostic(
        "LSQ096", f"cannot write the site to '{folder_name}': {reason}", help="choose another folder: --out FOLDER"
    )


def _serve(
    sh: Shell, state: Path, files: Mapping[str, bytes], diagnostics: tuple[Diagnostic, ...], port: int
) -> NoReturn:
    """Serve the site with the status of the run, as the project's state folder has it."""
    from lsqlc.cli.watch import read_status
    from lsqlc.remote.run.locks import holder
    from lsqlc.remote.run.standing import status_data
    from lsqlc.report.site.server import HOST, site_server

    def status() -> dict[str, Any]:
        last_status = read_status(state)
        return {"running": holder(state) is not None, "run": status_data(last_status) if last_status else None}

    sh.show(diagnostics)
    try:
        server = site_server(files, port, status)
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
