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
    from lsqlc.tasks.query import Query

# Rows that are shown without --limit.
_ROWS = 100


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of `lsqlc query`."""

    dialect: Annotated[
        Literal["sql", "ksql", "lenses"] | None,
        typer.Option("--dialect", help="The language of the query; that of the project by default."),
    ] = None
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=0, help="Rows to show, by default 100, with --follow all; 0: all."),
    ] = None
    follow: Annotated[
        bool | None,
        typer.Option("--follow/--no-follow", "-f", help="Go on with changes; as EMIT CHANGES does. Ctrl-C ends."),
    ] = None
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

    With --follow, or EMIT CHANGES in ksqlDB's language, later records of a stream and later changes of a table follow,
    until Ctrl-C or the limit. A change of a table says what it is in the column `_change`.
    """
    with shell("query", output, quiet, lines=True) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.tasks.query import PATH, QueryRequest, answer, compiled_query, empty_topics, open_query, opened_for

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
            query = compiled_query(workspace, own.follow)
        sh.texts.update(workspace.project.texts)
        sh.show(query.warnings)
        if query.follows:
            from lsqlc.cli.query_screen import follow

            place = opened_for(query, workspace, own.target)
            _say_empty(sh, query, empty_topics(query, place))
            follow(sh, query, place, own.limit or None, csv=output == "csv")
            return
        result = answer(query, workspace, own.target)
        _show(sh, result.answer, _ROWS if own.limit is None else own.limit, csv=output == "csv")
        _say_empty(sh, query, result.empty_topics)


def _say_empty(sh: Shell, query: Query, topics: tuple[str, ...]) -> None:
    for topic in topics:
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
