"""`lsqlc show`: the records of a topic, or the rows of a TABLE."""

from __future__ import annotations

import json
import os
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsqlc.plan.nodes import Semantics
    from lsqlc.project.build.compile import Compilation
    from lsqlc.tasks.places import Place
    from lsqlc.topics.transport import Transport
    from lsqlc.types.record import Record, StoredRecord, Topic


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

        root = project.find(sh, project_dir)
        loaded = project.load(sh, root, project.variables(sh, vars))
        # Schemas are shown of a topic wherever it lies.
        described = Target("embedded") if schema else open_target(root, target, dict(os.environ), default=True)
        # Only its plan knows the topics that a program declares itself, and how long the windows in keys are.
        plans = schema is not None or name.startswith("_") or described.kafka is not None
        plans = plans or any(dialect(m.dialect).declares_sources for m in loaded.models)
        compilation = project.compiled(loaded, None, None, plans=plans)
        place = place_of(root, described, compilation.plans.values(), compilation.topics.values(), loaded)
        passed_on = _passed_on(compilation, name, place)
        found = (passed_on[0],) if passed_on else _topics(compilation, name)
        if schema:
            _show_schemas(sh, compilation, found, schema)
            return
        kinds = project.semantics(compilation) | ({name: passed_on[1]} if passed_on else {})
        for number, topic in enumerate(found):
            table = kinds.get(topic.name) == "TABLE" and not changes
            if len(found) > 1 and not sh.json:
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


def _passed_on(compilation: Compilation, name: str, place: Place) -> tuple[Topic, Semantics] | None:
    """The topic of that name that a stage of a model passes on to the next: `_lsqlc.MODEL.NUMBER`."""
    from lsqlc.lower.spark import internal_topics, unsupported
    from lsqlc.lower.spark.record_lines import INTERNAL

    plan = compilation.plans.get(name.removeprefix(INTERNAL).rpartition(".")[0]) if name.startswith(INTERNAL) else None
    if plan is None or unsupported(plan):
        return None
    return internal_topics(place.ordered(plan)).get(name)


def _topics(compilation: Compilation, name: str) -> tuple[Topic, ...]:
    """The topic of that name, or all that the model of that name writes."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing, order

    known = compilation.topics
    if name in known:
        return (known[name],)
    build = compilation.models.get(name)
    if build is not None and build.outputs:
        return build.outputs
    if build is not None or name in compilation.project.broken_topics | compilation.project.broken_models:
        # It is there, but with errors: these say more than that nothing is known of it.
        raise LsqlcError(order(d for d in compilation.diagnostics if d.is_error))
    names = {*known, *compilation.models}
    help = did_you_mean(name, names) or (f"known are {listing(names)}" if names else "the project has none yet")
    raise LsqlcError([Diagnostic("LSQ063", f"unknown topic or model '{name}'", help=help)])


def _show(sh: Shell, log: Transport, topic: Topic, table: bool, limit: int, tail: bool, root: Path) -> None:
    from lsqlc.report.tables import records_text

    records: Iterator[Record | StoredRecord]
    if topic.files:
        records = _of_files(topic, root)
    elif table:
        from lsqlc.remote.cases.outcomes import final_rows

        records = iter(final_rows(topic, log.read(topic, by_time=False)))
    else:
        records = iter(log.read(topic))
    shown, total = _part(records, limit, tail)
    if sh.json:
        from lsqlc.golden.canonical import canonical_text
        from lsqlc.types.codec_text import quoted

        for record in shown:
            key = canonical_text(topic.key.type, record.key)
            value = canonical_text(topic.value.type, record.value)
            time = "" if table else f',"timestamp":{record.timestamp}'
            sh.result(f'{{"topic":{quoted(topic.name)},"key":{key},"value":{value}{time}}}')
        return
    if not shown and not total:
        sh.say(f"'{topic.name}' has no {'rows' if table else 'records'}")
        return
    sh.result(records_text(topic, shown, width=sh.width, times=not table, total=total))


def _of_files(topic: Topic, root: Path) -> Iterator[Record]:
    """The records of a topic of files, as a program gets them that asks for `*`."""
    from lsqlc.dialects.lenses import DIALECT
    from lsqlc.lower.duckdb import Session

    program = DIALECT.parse(f"SELECT STREAM * FROM `{topic.name}`", "<show>").program
    assert program is not None
    plan = DIALECT.bind(program, {topic.name: topic}, name="show").plan
    assert plan is not None, "all records of a topic are requested"
    return iter(Session().evaluate_logs(plan, {}, root=root).topics["show"])


def _part(records: Iterator[Record | StoredRecord], limit: int, tail: bool) -> tuple[list[Record | StoredRecord], int]:
    """The first or last records, and how many there are. All are read: one that is broken further on is told."""
    if not limit:
        shown = list(records)
        return shown, len(shown)
    last: deque[Record | StoredRecord] = deque(maxlen=limit)
    first: list[Record | StoredRecord] = []
    total = 0
    for record in records:
        total += 1
        if tail:
            last.append(record)
        elif total <= limit:
            first.append(record)
    return list(last) if tail else first, total
