"""`lsqlc query`: the rows of a query over the topics of a target."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc import __version__
from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.report.answers import Answer


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of `lsqlc query`."""

    dialect: Annotated[
        Literal["sql", "ksql", "lenses"] | None,
        typer.Option("--dialect", help="The language of the query; that of the project by default."),
    ] = None
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows to show; 0: all.")] = 100
    target: options.Target = None


def command(
    text: Annotated[
        str, typer.Argument(metavar="QUERY|-", help='A query, such as "SELECT * FROM rides"; - reads it from stdin.')
    ],
    own: QueryOptions,
    in_project: options.InProject,
    output: Annotated[Literal["text", "json", "csv"], typer.Option("--output", help="The format of stdout.")] = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show what a query gives over the topics as they are now.

    The query may use whatever a model can: ref(), var(), macros, functions of the project. A table is read as its
    current rows, a stream as its records so far. The answer is what a model with this text would have written; ORDER BY
    and LIMIT sort and cut it. Nothing is written. With --output json, one object a line.
    """
    with shell("query", output, quiet, lines=True) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.tasks.query import PATH, QueryRequest, answer, compiled_query, open_query

        query_text = sys.stdin.read() if text == "-" else text
        if not query_text.strip():
            raise LsqlcError(
                [Diagnostic("LSQ882", "the query is empty", help='write a query, such as "SELECT * FROM t"')]
            )
        sh.texts[PATH] = query_text
        root, values = project.find(sh, in_project.project_dir), project.variables(sh, in_project.vars)
        with project.keeping_texts(sh):
            request = QueryRequest(query_text, own.dialect)
            workspace = open_query(root, request, vars=values, environment=dict(os.environ), release=__version__)
            query = compiled_query(workspace)
        sh.texts.update(workspace.project.texts)
        sh.show(query.warnings)
        result = answer(query, workspace, own.target)
        _show(sh, result.answer, own.limit, csv=output == "csv")
        for topic in result.empty_topics:
            sh.say(f"'{topic}' has no records{': `lsqlc run` writes it' if topic in query.model_topics else ''}")


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
