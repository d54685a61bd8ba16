"""`lsqlc show`: the records of a topic, or the rows of a TABLE."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsqlc.tasks.show import OpenTopic, Part, Shown, TopicSchemas
    from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """The options of `lsqlc show`."""

    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Records to show; 0: all.")] = 20
    tail: Annotated[bool, typer.Option("--tail", help="The last records instead of the first.")] = False
    changes: Annotated[bool, typer.Option("--changes", help="A TABLE's changelog instead of its rows.")] = False
    rows: Annotated[bool, typer.Option("--rows", help="The newest record of each key with its time, of any topic.")] = (
        False
    )
    schema: Annotated[
        options.SchemaLanguage | None,
        typer.Option("--schema", help="The schemas of key and value instead of records."),
    ] = None
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on: records as they come, rows as they change. Ctrl-C ends.")
    ] = False
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help='Only those for which it holds, such as "minutes > 40".'),
    ] = None
    target: options.Target = None


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC|MODEL",
            help="A topic, or a model for what it writes.",
            autocompletion=completing.topics_and_models,
        ),
    ],
    own: ShowOptions,
    in_project: options.InProject,
    output: Annotated[Literal["text", "json", "csv"], typer.Option("--output", help="The format of stdout.")] = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show the records of a topic, or a TABLE's rows by key.

    With --output json, one object a line: topic, key, value and timestamp. With --schema, one for each facet: topic,
    facet, format and schema. With --follow a TABLE's rows are kept up to date in a terminal; elsewhere each change is a
    line, and a row that goes has no value. --where takes a condition in the dialect of the model that writes the
    topic, or of the project.
    """
    with shell("show", output, quiet, lines=True) as sh:
        from lsqlc.tasks.show import ShowRequest, open_topics, schemas_of

        if own.schema and (own.follow or own.where or output == "csv"):
            raise typer.BadParameter("it is about schemas, not records", param_hint="--schema")
        if own.rows and (own.changes or own.follow):
            raise typer.BadParameter("rows are as they are now, without changes", param_hint="--rows")
        workspace = project.opened(sh, in_project.project_dir, in_project.vars)
        if own.schema:
            _show_schemas(sh, schemas_of(workspace, name, own.schema), own.schema)
            return
        topics = open_topics(
            workspace, ShowRequest(name, own.target, own.limit, own.tail, own.changes, own.rows, own.where)
        )
        if own.follow:
            _follow(sh, topics, csv=output == "csv")
            return
        for number, opened in enumerate(topics):
            if len(topics) > 1 and not sh.json:
                sh.result(f"{chr(10) * (number > 0)}{opened.topic.name}")
            _keep_condition(sh, opened)
            _show(sh, opened, opened.read(), csv=output == "csv")


def _show_schemas(sh: Shell, topics: TopicSchemas, language: options.SchemaLanguage) -> None:
    for number, one in enumerate(topics.schemas):
        if sh.json:
            content = one.text.rstrip("\n") if language == "ddl" else json.loads(one.text)
            sh.line({"topic": one.topic, "facet": one.facet, "format": one.format, "schema": content})
        else:
            gap = "\n" if number else ""
            sh.result(f"{gap}{one.topic} {one.facet} ({one.format})\n{one.text}")
    if topics.unfit:
        sh.fail(topics.unfit)


def _follow(sh: Shell, topics: Sequence[OpenTopic], *, csv: bool) -> None:
    from lsqlc.cli.follow import follow
    from lsqlc.tasks.follow import followed

    opened = followed(topics)
    _keep_condition(sh, opened)
    follow(sh, opened, csv=csv, json=partial(record_json, opened.topic, times=opened.has_times))


def _keep_condition(sh: Shell, opened: OpenTopic) -> None:
    """Show the errors of a condition with its text."""
    from lsqlc.tasks.show_where import PATH

    if opened.condition is not None:
        sh.texts[PATH] = opened.condition.text


def _show(sh: Shell, opened: OpenTopic, part: Part, *, csv: bool) -> None:
    topic, times = opened.topic, opened.has_times
    if sh.json:
        for record in part.shown:
            sh.result(record_json(topic, record, times=times))
    elif csv:
        from lsqlc.report.csv_rows import csv_header, csv_lines

        for line in (csv_header(topic, times=times), *csv_lines(topic, part.records, times=times)):
            sh.result(line)
    elif not part.total and not part.bad:
        sh.say(f"'{topic.name}' has no {'rows' if opened.has_rows else 'records'}")
    else:
        from lsqlc.report.unreadable_rows import Selected, shown_text

        selected = Selected(part.shown, part.total, part.bad_left)
        sh.result(shown_text(topic, selected, width=sh.width, times=times))
    if part.bad:
        from lsqlc.report.unreadable_rows import not_read

        # Results hold none of them in CSV, and all in the other formats only with `--limit 0`.
        sh.say(f"'{topic.name}': {not_read(part.bad)}")


def record_json(topic: Topic, record: Shown, *, times: bool) -> str:
    """Return a record as a line of JSON."""
    from lsqlc.connectors.unreadable import Unreadable
    from lsqlc.golden.canonical import canonical_text, headers_text
    from lsqlc.report.unreadable_rows import json_line
    from lsqlc.types.codec_text import quoted

    if isinstance(record, Unreadable):
        return json_line(record)
    key = canonical_text(topic.key.type, record.key)
    value = canonical_text(topic.value.type, record.value)
    more = f',"timestamp":{record.timestamp}{headers_text(record.headers)}' if times else ""
    return f'{{"topic":{quoted(topic.name)},"key":{key},"value":{value}{more}}}'
