"""`lsqlc diff --against REV`: what changed in each model, and what follows for its rows, its readers and its state."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lsqlc.cli import options, project, reports


def command(
    against: Annotated[
        str, typer.Option("--against", metavar="REV|MANIFEST.JSON", help="A git revision, or a manifest of a build.")
    ],
    select: options.Select = None,
    exclude: options.Exclude = None,
    fail_on: Annotated[
        Literal["cosmetic", "additive", "compatible", "breaking"] | None,
        typer.Option("--fail-on", help="Exit with 1 if a change is of this category or a more severe one."),
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

    Of a revision everything is compared; a manifest has no plans, so that what it tells of rows and state is little. In
    a selection `state:` compares with the same version.
    """
    asked = reports.wanted(None, None, markdown, github)
    with reports.reporting("diff", output, quiet, asked) as sh:
        from lsqlc.cli.versions import fetching, other_version
        from lsqlc.diagnostics import LsqlcError

        root = project.find(sh, project_dir)
        given = project.variables(sh, vars)
        with fetching(root, against) as fetched:
            from lsqlc.cli.differences import differences
            from lsqlc.plan.topic_changes import CATEGORIES
            from lsqlc.report.diff_report import diff_data, diff_summary, diff_text

            compilation = project.compiled(project.load(sh, root, given), None, None, plans=False)
            if not compilation.ok:
                raise LsqlcError(compilation.diagnostics)
            shown = differences(other_version(fetched, against, given, compilation), compilation, select, exclude, rows)
        gate = CATEGORIES.index(fail_on) if fail_on else len(CATEGORIES)
        ok = all(CATEGORIES.index(found.change.category) < gate for found in shown)
        if sh.json:
            head = {"version": 1, "command": "diff", "ok": ok, "against": against, "fail_on": fail_on}
            sh.document({**head, "models": diff_data(shown)})
        elif shown:
            sh.result(diff_text(shown))
        sh.say(diff_summary(shown))
        if markdown or asked.summary:
            from lsqlc.report.diff_markdown import diff_markdown

            unwritten = reports.write_markdown(asked, diff_markdown(shown, against=against, ok=ok))
            sh.show(unwritten)
            if any(d.is_error for d in unwritten):
                sh.end(unwritten)
        if not ok:
            raise typer.Exit(1)
