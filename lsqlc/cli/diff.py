"""`lsqlc diff`: the changes of each model, and their effects on its rows, its readers and its state."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from lsqlc import __version__
from lsqlc.cli import options, project, reports
from lsqlc.cli.collector import uncollected
from lsqlc.cli.shell import Shell


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """The options of `lsqlc diff`."""

    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REV|MANIFEST.JSON",
            help="A git revision, or a manifest of a build. By default the merge base with the default branch.",
        ),
    ] = None
    select: options.Select = None
    exclude: options.Exclude = None
    fail_on: Annotated[
        Literal["cosmetic", "additive", "compatible", "breaking", "replay", "reset", "incompatible", "different"]
        | None,
        typer.Option(
            "--fail-on",
            help="Exit with 1 if a change is of this category or verdict, or worse; different: if rows differ.",
        ),
    ] = None
    rows: Annotated[
        bool, typer.Option("--rows/--no-rows", help="Run both versions over the golden cases on DuckDB.")
    ] = True
    search: Annotated[
        float,
        typer.Option(
            "--search",
            metavar="SECONDS",
            min=0,
            help="The time to look for records with which both versions of a model give other rows.",
        ),
    ] = 0
    certificates: Annotated[
        Path | None,
        typer.Option(
            "--certificates",
            metavar="FOLDER",
            help="With --search: write a certificate for each model that is proved to give the same rows.",
        ),
    ] = None
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="CERTIFICATE", help="Check such a certificate again, and nothing else."),
    ] = None
    write: Annotated[bool, typer.Option("--write", help="Write the records that --search finds as cases.")] = False


def command(own: DiffOptions, in_project: options.InProject, reporting: options.Reporting) -> None:
    """Compare the models with another version of the project.

    With a revision everything is compared; a manifest has no plans, so it shows little about rows and state. In a
    selection `state:` compares with the same version.
    """
    requested_reports = reports.wanted(None, None, reporting.markdown, reporting.github)
    for option, value in (("--write", own.write), ("--certificates", own.certificates)):
        if value and not own.search:
            raise typer.BadParameter("it writes what --search finds: give both", param_hint=option)
    if own.check is not None and (own.search or own.fail_on):
        raise typer.BadParameter("it compares nothing else: leave out --search and --fail-on", param_hint="--check")
    with uncollected(), reports.reporting("diff", reporting.output, reporting.quiet, requested_reports) as sh:
        from lsqlc.diagnostics.paint import Paint
        from lsqlc.project.selection.selectors import Selection
        from lsqlc.report.diff_report import diff_data, diff_summary, diff_text
        from lsqlc.tasks.compare import DiffRequest, diff_models
        from lsqlc.tasks.versions import base_version

        if own.check is not None:
            _check(sh, own.check, own.against, in_project)
            return
        root, values = project.find(sh, in_project.project_dir), project.variables(sh, in_project.vars)
        request = DiffRequest(
            __version__,
            Selection(tuple(own.select or ()), tuple(own.exclude or ())),
            own.rows,
            own.fail_on,
            own.search,
        )
        workspace = project.opened_at(sh, root, values)
        with base_version(root, own.against, dict(os.environ)) as base:
            if base.reason:
                sh.say(f"against {base.against[:10]}, {base.reason}")
            diff = diff_models(workspace, base, request)
        changes = diff.models
        if sh.json:
            head = {"version": 1, "command": "diff", "ok": diff.ok, "against": diff.against, "fail_on": own.fail_on}
            sh.document({**head, "models": diff_data(changes)})
        elif changes:
            sh.result(diff_text(changes, paint=Paint(sh.result_colour)))
        sh.say(diff_summary(changes))
        if own.certificates is not None:
            from lsqlc.tasks.certificates import write_certificates

            for file in write_certificates(own.certificates, changes):
                sh.say(f"wrote {file}; `lsqlc diff --check {file}` checks it again")
        if own.write:
            from lsqlc.tasks.found_cases import write_found_cases

            for path in write_found_cases(workspace, changes):
                sh.say(f"wrote {path}; `lsqlc test --update new` adds the rows")
        if reporting.markdown or requested_reports.summary:
            from lsqlc.report.diff_markdown import diff_markdown

            unwritten = reports.write_markdown(
                requested_reports, diff_markdown(changes, against=diff.against, ok=diff.ok)
            )
            sh.show(unwritten)
            if any(d.is_error for d in unwritten):
                sh.end(unwritten)
        if not diff.ok:
            raise typer.Exit(1)


def _check(sh: Shell, file: Path, against: str | None, in_project: options.InProject) -> None:
    """Check a certificate against the revision that it names, or another one."""
    from lsqlc.golden.show import plural
    from lsqlc.tasks.certificates import check_certificate, read_certificate
    from lsqlc.tasks.versions import base_version

    certificate = read_certificate(file)
    workspace = project.opened(sh, in_project.project_dir, in_project.vars)
    with base_version(workspace.root, against or certificate.against, dict(os.environ)) as base:
        check_certificate(workspace, base, certificate, __version__)
    if sh.json:
        sh.document({"version": 1, "command": "diff", "ok": True, "model": certificate.model, "against": base.against})
    rules = plural(len(certificate.rules), "rule")
    sh.say(f"'{certificate.model}' gives the same rows as at {base.against}: {rules} checked")
