"""`lsqlc lineage`: what the columns of a topic come from, and what comes of them."""

from __future__ import annotations

from typing import Annotated

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import shell


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC|MODEL[.COLUMN]",
            help="A topic, a model for what it writes, or a column.",
            autocompletion=completing.topics_and_models,
        ),
    ],
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show the lineage of columns through every model.

    A column is `_key`, `_key.a`, `_value.a.b`, or `a.b` for a field of the value; a struct stands for all its columns.
    Its sources are values, filters, keys or the order of records.
    """
    with shell("lineage", output, quiet) as sh:
        from lsqlc.report.lineage_report import lineage_answer, lineage_text
        from lsqlc.tasks.lineage import columns_of, graph_of
        from lsqlc.tasks.selection import compile_selection

        compilation = compile_selection(project.opened(sh, project_dir, vars), plans=False)
        columns = columns_of(compilation, name)
        graph = graph_of(compilation)
        if sh.json:
            sh.document(
                {"version": 1, "command": "lineage", "ok": True, **lineage_answer(graph, columns, compilation.tables)}
            )
        else:
            sh.result(lineage_text(graph, columns, compilation.tables, width=sh.width))
        failed = sum(build.summary is None for build in compilation.models.values())
        if failed:
            models = "1 model has" if failed == 1 else f"{failed:,} models have"
            sh.say(f"{models} errors, and their lineage is unknown: see `lsqlc compile`")
