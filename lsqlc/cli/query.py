"""`lsqlc query`: the rows of a query over the topics of a target."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc import __version__
from lsqlc.cli import options, project
from lsqlc.cli.answers import AnswerOutput, Format, write_answer
from lsqlc.cli.shell import Shell, read_stdin, shell
from lsqlc.dialects import DialectName

if TYPE_CHECKING:
    from lsqlc.tasks.query import Query


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of `lsqlc query`."""

    dialect: Annotated[
        DialectName | None,
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
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the rows to a file, all without --limit.")
    ] = None
    target: options.Target = None


def command(
    text: Annotated[
        str, typer.Argument(metavar="QUERY|-", help='A query, such as "SELECT * FROM rides"; - reads it from stdin.')
    ],
    own: QueryOptions,
    in_project: options.InProject,
    output: Annotated[Format, typer.Option("--output", help="The format of the rows.")] = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show what a query gives over the topics as they are now.

    The query may use whatever a model can: ref(), var(), macros, functions of the project. A table is read as its
    current rows, a stream as its records so far. The answer is what a model with this text would have written; ORDER BY
    and LIMIT sort and cut it. No topic is written. With --output json, one object a line.
    Parquet and Arrow have the types of the columns; they need the package pyarrow.

    With --follow, or EMIT CHANGES in ksqlDB's language, later records of a stream and later changes of a table follow,
    until Ctrl-C or the limit. A change of a table says what it is in the column `_change`.
    """
    with shell("query", output, quiet, lines=True) as sh:
        from lsqlc.diagnostics import Diagnostic, LsqlcError
        from lsqlc.tasks.query import PATH, QueryRequest, answer, compiled_query, empty_topics, open_query, opened_for

        rows_output = AnswerOutput(output, own.out, own.limit)
        rows_output.check()
        query_text = read_stdin() if text == "-" else text
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

            if rows_output.is_binary or own.out is not None:
                raise typer.BadParameter("it needs the rows by now: add --no-follow", param_hint="--output and --out")
            place = opened_for(query, workspace, own.target)
            _say_empty(sh, query, empty_topics(query, place))
            follow(sh, query, place, own.limit or None, csv=output == "csv")
            return
        result = answer(query, workspace, own.target)
        write_answer(sh, result.answer, rows_output)
        _say_empty(sh, query, result.empty_topics)


def _say_empty(sh: Shell, query: Query, topics: tuple[str, ...]) -> None:
    for topic in topics:
        sh.say(f"'{topic}' has no records{': `lsqlc run` writes it' if topic in query.model_topics else ''}")
