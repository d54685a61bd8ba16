"""`lsqlc preview`: the rows of a model over a sample of live topics."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.answers import AnswerOutput, Format, write_answer
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.tasks.preview import Preview


@dataclass(frozen=True, slots=True)
class PreviewOptions:
    """The options of `lsqlc preview`."""

    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="The last records of each stream to read; 0: all.")
    ] = 10_000
    since: Annotated[
        str | None, typer.Option("--since", metavar="DURATION", help="Only records of so long ago and later: 1h, 2d.")
    ] = None
    upstream: Annotated[
        bool, typer.Option("--upstream", help="Compute the models above also where their topics have records.")
    ] = False
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=0, help="Rows to show, by default 100; 0: all.")] = (
        None
    )
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the rows to a file, all without --limit.")
    ] = None
    target: options.Target = None


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|TOPIC",
            help="A model, or a topic that a model writes.",
            autocompletion=completing.topics_and_models,
        ),
    ],
    own: PreviewOptions,
    in_project: options.InProject,
    output: Annotated[Format, typer.Option("--output", help="The format of the rows.")] = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show what a model of the project gives over the topics of a target, before it runs there.

    The sample has the last records of a topic that is read as a stream. It has all current rows of one that is read as
    a table. A topic without records that another model writes is computed by that model, over a sample of its topics.
    No topic is written, and no Spark server is needed. With --output json, one object a line.
    """
    with shell("preview", output, quiet, lines=True) as sh:
        from lsqlc.project.declared.config import duration
        from lsqlc.tasks.preview import PreviewRequest, preview

        rows_output = AnswerOutput(output, own.out, own.limit)
        rows_output.check()
        length = None if own.since is None else duration(own.since)
        if own.since is not None and length is None:
            raise typer.BadParameter(f"'{own.since}' is no duration such as 90m, 1h or 2d", param_hint="--since")
        since = None if length is None else int(time.time() * 1000) - length
        workspace = project.opened(sh, in_project.project_dir, in_project.vars)
        result = preview(workspace, PreviewRequest(name, own.target, own.sample, since, own.upstream))
        if output == "text" and own.out is None:
            for number, (topic, answer) in enumerate(result.answers):
                if len(result.answers) > 1:
                    sh.result(f"{chr(10) * (number > 0)}{topic}")
                write_answer(sh, answer, rows_output)
        else:
            ((_, answer),) = _only(result).answers
            write_answer(sh, answer, rows_output)
        _say_sample(sh, result)


def _only(result: Preview) -> Preview:
    """Return the result, which has the rows of one topic. Raises LsqlcError LSQ624 for several."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError, listing

    if len(result.answers) != 1:
        names = [topic for topic, _ in result.answers]
        message = f"the model writes {listing(names)}, and only text can show several topics"
        raise LsqlcError([Diagnostic("LSQ624", message, help=f"name one: `lsqlc preview {names[0]}`")])
    return result


def _say_sample(sh: Shell, result: Preview) -> None:
    parts = [f"{count:,} of '{topic}'" for topic, count in result.read]
    if parts:
        sh.say(f"records and rows read: {', '.join(parts)}")
    if result.computed:
        sh.say(f"computed for it: {', '.join(result.computed)}")
    for topic, count in result.unreadable:
        records = "1 record" if count == 1 else f"{count:,} records"
        sh.say(f"'{topic}': {records} cannot be read: `lsqlc show {topic} --limit 0`")
