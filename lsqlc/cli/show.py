"""`lsqlc show`: the records of a topic, or the rows of a TABLE."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.tasks.show import Part, Shown
    from lsqlc.tasks.show_where import Matches
    from lsqlc.types.record import Topic

What = Literal["rows", "records"]


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC|MODEL",
            help="A topic, or a model for what it writes.",
            autocompletion=completing.topics_and_models,
        ),
    ],
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Records to show; 0: all.")] = 20,
    tail: Annotated[bool, typer.Option("--tail", help="The last records instead of the first.")] = False,
    changes: Annotated[bool, typer.Option("--changes", help="A TABLE's changelog instead of its rows.")] = False,
    rows: Annotated[
        bool, typer.Option("--rows", help="The newest record of each key with its time, of any topic.")
    ] = False,
    schema: Annotated[
        options.SchemaLanguage | None,
        typer.Option("--schema", help="The schemas of key and value instead of records."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on: records as they come, rows as they change. Ctrl-C ends.")
    ] = False,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help='Only those for which it holds, such as "minutes > 40".'),
    ] = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
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
        from lsqlc.project.declared.target import Target
        from lsqlc.tasks.run_target import open_compiled
        from lsqlc.tasks.selection import compile_selection
        from lsqlc.tasks.show import every_record_of, internal_topic, part, topics_named
        from lsqlc.tasks.show_where import filtered

        if schema and (follow or where or output == "csv"):
            raise typer.BadParameter("it is about schemas, not records", param_hint="--schema")
        if rows and (changes or follow):
            raise typer.BadParameter("rows are as they are now, without changes", param_hint="--rows")
        workspace = project.opened(sh, project_dir, vars)
        # Schemas do not depend on the target.
        described_target = Target("embedded") if schema else workspace.target(target)
        # Topics that a program declares itself, and the size of the windows in keys, are only known from the plan.
        plans = schema is not None or name.startswith("_") or described_target.capabilities.stores_bytes
        plans = plans or workspace.declares_topics
        compilation = compile_selection(workspace, plans=plans)
        place = open_compiled(compilation, described_target)
        internal = internal_topic(compilation, name, place)
        topics = (internal[0],) if internal else topics_named(compilation, name)
        if schema:
            _show_schemas(sh, compilation, topics, schema)
            return
        kinds = dict(compilation.semantics) | ({name: internal[1]} if internal else {})
        tables = {topic.name for topic in topics if rows or (kinds.get(topic.name) == "TABLE" and not changes)}
        if follow:
            from lsqlc.cli.follow import follow as follow_topic
            from lsqlc.tasks.follow import followed

            topic = followed(topics, place)
            table = topic.name in tables
            follow_topic(
                sh, place.log, topic, table=table, matches=_matches(sh, topic, where, compilation), limit=limit,
                csv=output == "csv", json=partial(_json, topic, times=not table),
            )  # fmt: skip
            return
        for number, topic in enumerate(topics):
            if len(topics) > 1 and not sh.json:
                sh.result(f"{chr(10) * (number > 0)}{topic.name}")
            records = every_record_of(topic, place.log, workspace.root, rows=topic.name in tables)
            selected = part(filtered(records, _matches(sh, topic, where, compilation)), limit, tail)
            times = rows or topic.name not in tables
            what: What = "rows" if topic.name in tables else "records"
            _show(sh, topic, selected, what=what, times=times, csv=output == "csv")


def _show_schemas(
    sh: Shell, compilation: Compilation, topics: tuple[Topic, ...], language: options.SchemaLanguage
) -> None:
    from lsqlc.bind.topic_schemas import topic_schemas

    settings = {t.name: dict(plan.settings) for plan in compilation.plans.values() for t in plan.outputs}
    results = [topic_schemas(topic, language, settings.get(topic.name, {})) for topic in topics]
    schemas = [schema for of_topic, _ in results for schema in of_topic]
    for number, one in enumerate(schemas):
        if sh.json:
            content = one.text.rstrip("\n") if language == "ddl" else json.loads(one.text)
            sh.line({"topic": one.topic, "facet": one.facet, "format": one.format, "schema": content})
        else:
            gap = "\n" if number else ""
            sh.result(f"{gap}{one.topic} {one.facet} ({one.format})\n{one.text}")
    problems = [d for _, unfit in results for d in unfit]
    if problems:
        sh.fail(problems)


def _matches(sh: Shell, topic: Topic, where: str | None, compilation: Compilation) -> Matches | None:
    if where is None:
        return None
    from lsqlc.tasks.show_where import PATH, bound_condition, matcher

    condition = bound_condition(where, topic, compilation)
    sh.texts[PATH] = condition.text
    return matcher(topic, condition)


def _show(
    sh: Shell,
    topic: Topic,
    part: Part,
    *,
    what: What,
    times: bool,
    csv: bool,
) -> None:
    if sh.json:
        for record in part.shown:
            sh.result(_json(topic, record, times=times))
    elif csv:
        from lsqlc.report.csv_rows import csv_header, csv_lines

        for line in (csv_header(topic, times=times), *csv_lines(topic, part.records, times=times)):
            sh.result(line)
    elif not part.total and not part.bad:
        sh.say(f"'{topic.name}' has no {what}")
    else:
        from lsqlc.report.unreadable_rows import shown_text

        sh.result(shown_text(topic, part.shown, width=sh.width, times=times, total=part.total, bad_left=part.bad_left))
    if part.bad:
        from lsqlc.report.unreadable_rows import not_read

        # Results hold none of them in CSV, and all in the other formats only with `--limit 0`.
        sh.say(f"'{topic.name}': {not_read(part.bad)}")


def _json(topic: Topic, record: Shown, *, times: bool) -> str:
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
