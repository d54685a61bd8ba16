"""`lsqlc diff`: the changes of each model, and their effects on its rows, its readers and its state."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from lsqlc import __version__
from lsqlc.cli import options, project, reports
from lsqlc.cli.collector import uncollected


def command(
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REV|MANIFEST.JSON",
            help="A git revision, or a manifest of a build. By default the merge base with the default branch.",
        ),
    ] = None,
    select: options.Select = None,
    exclude: options.Exclude = None,
    fail_on: Annotated[
        Literal["cosmetic", "additive", "compatible", "breaking", "replay", "reset", "incompatible"] | None,
        typer.Option("--fail-on", help="Exit with 1 if a change is of this category or verdict, or a more severe one."),
    ] = None,
    rows: Annotated[
        bool, typer.Option("--rows/--no-rows", help="Run both versions over the golden cases on DuckDB.")
    ] = True,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    markdown: options.Markdown = None,
    github: options.Github = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Compare the models with another version of the project.

    With a revision everything is compared; a manifest has no plans, so it shows little about rows and state. In a
    selection `state:` compares with the same version.
    """
    requested_reports = reports.wanted(None, None, markdown, github)
    with uncollected(), reports.reporting("diff", output, quiet, requested_reports) as sh:
        from lsqlc.diagnostics.paint import Paint
        from lsqlc.project.versions.revisions import default_base
        from lsqlc.report.diff_report import diff_data, diff_summary, diff_text
        from lsqlc.tasks.compare import differences
        from lsqlc.tasks.diff_gate import fails
        from lsqlc.tasks.selection import compile_selection

        root, values = project.find(sh, project_dir), project.variables(sh, vars)
        if against is None:
            base = default_base(root, dict(os.environ))
            against = base.commit
            sh.say(f"against {base.commit[:10]}, {base.words}")
        changes = differences(
            root,
            against,
            values,
            dict(os.environ),
            lambda: compile_selection(project.opened_at(sh, root, values), plans=False),
            __version__,
            select=select or (),
            exclude=exclude or (),
            rows=rows,
        )
        ok = fail_on is None or not any(fails(change, fail_on) for change in changes)
        if sh.json:
            head = {"version": 1, "command": "diff", "ok": ok, "against": against, "fail_on": fail_on}
            sh.document({**head, "models": diff_data(changes)})
        elif changes:
            sh.result(diff_text(changes, paint=Paint(sh.result_colour)))
        sh.say(diff_summary(changes))
        if markdown or requested_reports.summary:
            from lsqlc.report.diff_markdown import diff_markdown

            unwritten = reports.write_markdown(requested_reports, diff_markdown(changes, against=against, ok=ok))
            sh.show(unwritten)
            if any(d.is_error for d in unwritten):
                sh.end(unwritten)
        if not ok:
            raise typer.Exit(1)
