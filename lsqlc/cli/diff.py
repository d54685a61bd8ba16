"""`lsqlc diff`: the changes of each model, and their effects on its rows, its readers and its state."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from lsqlc import __version__
from lsqlc.cli import options, project, reports
from lsqlc.cli.collector import uncollected


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
    write: Annotated[bool, typer.Option("--write", help="Write the records that --search finds as cases.")] = False


def command(own: DiffOptions, in_project: options.InProject, reporting: options.Reporting) -> None:
    """Compare the models with another version of the project.

    With a revision everything is compared; a manifest has no plans, so it shows little about rows and state. In a
    selection `state:` compares with the same version.
    """
    requested_reports = reports.wanted(None, None, reporting.markdown, reporting.github)
    if own.write and not own.search:
        raise typer.BadParameter("it writes what --search finds: give both", param_hint="--write")
    with uncollected(), reports.reporting("diff", reporting.output, reporting.quiet, requested_reports) as sh:
        from lsqlc.diagnostics.paint import Paint
        from lsqlc.project.selection.selectors import Selection
        from lsqlc.report.diff_report import diff_data, diff_summary, diff_text
        from lsqlc.tasks.compare import DiffRequest, diff_models
        from lsqlc.tasks.versions import base_version

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
