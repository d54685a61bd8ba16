"""`lsqlc query`: the rows of a query over the topics of a target."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.report.answers import Answer


def command(
    text: Annotated[
        str, typer.Argument(metavar="QUERY|-", help='A query, such as "SELECT * FROM rides"; - reads it from stdin.')
    ],
    dialect: Annotated[
        Literal["sql", "ksql", "lenses"] | None,
        typer.Option("--dialect", help="The language of the query; that of the project by default."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows to show; 0: all.")] = 100,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: Annotated[Literal["text", "json", "csv"], typer.Option("--output", help="The format of stdout.")] = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show what a query gives over the topics as they are now.

    The query may use whatever a model can: ref(), var(), macros, functions of the project. A table is read as its
    current rows, a stream as its records so far. The answer is what a model with this text would have written; ORDER BY
    and LIMIT sort and cut it. Nothing is written. With --output json, one object a line.
    """
    with shell("query", output, quiet, lines=True) as sh:
        from lsqlc.cli.spark import chosen_target
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.tasks.query import NAME, PATH, answer, compiled_query, query_files
        from lsqlc.tasks.run_target import open_target

        asked = sys.stdin.read() if text == "-" else text
        if not asked.strip():
            raise LsqlcError(
                [Diagnostic("LSQ882", "the query is empty", help='write a query, such as "SELECT * FROM t"')]
            )
        sh.texts[PATH] = asked
        root = project.find(sh, project_dir)
        folder = project.config(sh, root).model_paths[0]
        loaded = project.load(sh, root, project.variables(sh, vars), query_files(folder, asked, dialect))
        compilation = project.compiled(loaded, None, [NAME], plans=project.programs_declare_topics(loaded))
        query = compiled_query(compilation)
        sh.show(query.warnings)
        described = chosen_target(root, target, dict(os.environ), default=True)
        place = open_target(root, described, (query.plan,), query.plan.inputs, loaded)
        _show(sh, answer(query, place, root), limit, csv=output == "csv")
        for topic in query.plan.inputs:
            if topic.files is None and place.log.is_empty(topic.name):
                writes = topic.name in compilation.graph.writers
                sh.say(f"'{topic.name}' has no records{': `lsqlc run` writes it' if writes else ''}")


def _show(sh: Shell, answer: Answer, limit: int, *, csv: bool) -> None:
    from lsqlc.report.answers import answer_csv, answer_json, answer_text

    cut = answer if limit == 0 else answer.first(limit)
    if sh.json or csv:
        for line in answer_json(cut) if sh.json else answer_csv(cut):
            sh.result(line)
    else:
        sh.result(answer_text(cut, sh.width))
    left = answer.total - len(cut.rows)
    if left > 0 and (sh.json or csv):
        sh.say(f"and {left:,} more rows: see --limit")
