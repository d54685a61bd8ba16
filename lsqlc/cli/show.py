"""`lsqlc show`: the records of a topic, or the rows of a TABLE."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.topics.transport import Transport
    from lsqlc.types.record import Topic


def command(
    name: Annotated[str, typer.Argument(metavar="TOPIC|MODEL", help="A topic, or a model for what it writes.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Records to show; 0: all.")] = 20,
    tail: Annotated[bool, typer.Option("--tail", help="The last records instead of the first.")] = False,
    changes: Annotated[bool, typer.Option("--changes", help="A TABLE's changelog instead of its rows.")] = False,
    schema: Annotated[
        options.SchemaLanguage | None,
        typer.Option("--schema", help="The schemas of key and value instead of records."),
    ] = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show the records of a topic, or a TABLE's rows by key.

    With --output json, one object a line: topic, key, value and timestamp. With --schema, one for each facet: topic,
    facet, format and schema.
    """
    with shell("show", output, quiet, lines=True) as sh:
        from lsqlc.cli.spark import open_target
        from lsqlc.dialects import dialect
        from lsqlc.project.declared.profiles import Target
        from lsqlc.tasks.places import place_of
        from lsqlc.tasks.show import internal_topic, topics_named

        root = project.find(sh, project_dir)
        loaded = project.load(sh, root, project.variables(sh, vars))
        # Schemas do not depend on the target.
        described = Target("embedded") if schema else open_target(root, target, dict(os.environ), default=True)
        # Topics that a program declares itself, and the size of the windows in keys, are only known from the plan.
        plans = schema is not None or name.startswith("_") or described.kafka is not None
        plans = plans or any(dialect(m.dialect).declares_sources for m in loaded.models)
        compilation = project.compiled(loaded, None, None, plans=plans)
        place = place_of(root, described, compilation.plans.values(), compilation.topics.values(), loaded)
        internal = internal_topic(compilation, name, place)
        topics = (internal[0],) if internal else topics_named(compilation, name)
        if schema:
            _show_schemas(sh, compilation, topics, schema)
            return
        kinds = project.semantics(compilation) | ({name: internal[1]} if internal else {})
        for number, topic in enumerate(topics):
            table = kinds.get(topic.name) == "TABLE" and not changes
            if len(topics) > 1 and not sh.json:
                sh.result(f"{chr(10) * (number > 0)}{topic.name}")
            _show(sh, place.log, topic, table, limit, tail, root)


def _show_schemas(
    sh: Shell, compilation: Compilation, topics: tuple[Topic, ...], language: options.SchemaLanguage
) -> None:
    from lsqlc.bind.topic_schemas import topic_schemas

    settings = {t.name: dict(plan.settings) for plan in compilation.plans.values() for t in plan.outputs}
    found = [topic_schemas(topic, language, settings.get(topic.name, {})) for topic in topics]
    shown = [schema for schemas, _ in found for schema in schemas]
    for number, one in enumerate(shown):
        if sh.json:
            content = one.text.rstrip("\n") if language == "ddl" else json.loads(one.text)
            sh.line({"topic": one.topic, "facet": one.facet, "format": one.format, "schema": content})
        else:
            gap = "\n" if number else ""
            sh.result(f"{gap}{one.topic} {one.facet} ({one.format})\n{one.text}")
    problems = [d for _, unfit in found for d in unfit]
    if problems:
        sh.fail(problems)


def _show(sh: Shell, log: Transport, topic: Topic, table: bool, limit: int, tail: bool, root: Path) -> None:
    from lsqlc.report.tables import records_text
    from lsqlc.tasks.show import part, records_of

    shown, total = part(records_of(topic, log, root, rows=table), limit, tail)
    if sh.json:
        from lsqlc.golden.canonical import canonical_text, headers_text
        from lsqlc.types.codec_text import quoted

        for record in shown:
            key = canonical_text(topic.key.type, record.key)
            value = canonical_text(topic.value.type, record.value)
            more = "" if table else f',"timestamp":{record.timestamp}{headers_text(record.headers)}'
            sh.result(f'{{"topic":{quoted(topic.name)},"key":{key},"value":{value}{more}}}')
        return
    if not shown and not total:
        sh.say(f"'{topic.name}' has no {'rows' if table else 'records'}")
        return
    sh.result(records_text(topic, shown, width=sh.width, times=not table, total=total))
