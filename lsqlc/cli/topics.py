"""`lsqlc topics`: the topics that the models need in a Kafka cluster, and the files of topics in folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Collection

    from lsqlc.connectors.kafka.plan import Change
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.remote.connectors.kafka.topics import Applied
    from lsqlc.tasks.kafka_topics import KafkaTopics
    from lsqlc.types.kafka import KafkaSettings

command = typer.Typer(
    help="Plan and create topics in Kafka, and check those in folders.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@command.command("plan")
def plan(selected: options.Selected, *, target: options.Target = None, common: options.Common) -> None:
    """Show the topics that the models need, and how they compare with those of the cluster. Changes nothing."""
    with shell("topics plan", common.output, common.quiet) as sh:
        from lsqlc.connectors.kafka.plan import transactions

        topics = _topics(sh, selected, target, common)
        planned = topics.plan()
        wrong = [d for d in planned.diagnostics if d.is_error]
        if sh.json:
            from lsqlc.report.json_report import diagnostic_data

            sh.document(
                {
                    "version": 1,
                    "command": sh.command,
                    "ok": not wrong,
                    "topics": [
                        {**change.to_json(), "transactions": transactions(change, topics.settings)}
                        for change in planned.changes
                    ],
                    "diagnostics": [diagnostic_data(d) for d in planned.diagnostics],
                }
            )
        elif planned.changes:
            sh.result(_table(planned.changes, topics.settings, sh.width))
        else:
            sh.say("the models need no topics in Kafka")
        _settle(sh, planned.diagnostics)


@command.command("apply")
def apply(
    *,
    alter: Annotated[
        bool, typer.Option("--alter", help="Also set the cleanup policy of topics that have another one.")
    ] = False,
    selected: options.Selected,
    target: options.Target = None,
    common: options.Common,
) -> None:
    """Create the topics that are missing, also those that no model writes. Topics that exist stay as they are; nothing
    is ever deleted.
    """
    with shell("topics apply", common.output, common.quiet) as sh:
        from lsqlc.tasks.kafka_topics import apply_topics

        def report(outcome: Applied) -> None:
            if outcome.outcome != "kept":
                sh.say(f"{outcome.change.need.spec.name}: {outcome.outcome}")

        result = apply_topics(
            _topics(sh, selected, target, common),
            alter=alter,
            report=report,
        )
        if sh.json:
            from lsqlc.report.json_report import diagnostic_data

            data = [diagnostic_data(d) for d in result.diagnostics]
            rows = [outcome.to_json() for outcome in result.outcomes]
            sh.document({"version": 1, "command": sh.command, "ok": result.ok, "topics": rows, "diagnostics": data})
        elif result.is_unchanged:
            sh.say("nothing to create")
        _settle(sh, result.diagnostics)


@command.command("acls")
def acls(selected: options.Selected, *, target: options.Target = None, common: options.Common) -> None:
    """Print the access that the models need, as `kafka-acls` commands or as JSON. Asks no broker."""
    with shell("topics acls", common.output, common.quiet) as sh:
        from lsqlc.connectors.kafka.access import command as granting
        from lsqlc.connectors.kafka.access import principal

        topics = _topics(sh, selected, target, common, noted=False)
        accesses = topics.access()
        if sh.json:
            sh.document(
                {
                    "version": 1,
                    "command": sh.command,
                    "ok": True,
                    "principal": principal(topics.settings),
                    "acls": [access.to_json() for access in accesses],
                }
            )
        else:
            sh.result("\n".join(granting(access, topics.settings) for access in accesses))


@command.command("check")
def check(
    topics: Annotated[list[str] | None, typer.Argument(metavar="[TOPIC]...", help="Topics; default: all.")] = None,
    target: options.Target = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Check that the files of topics in folders are as they were written. Reads all of them; the exit code is 1 if one
    is missing or has changed.
    """
    with shell("topics check", output, quiet) as sh:
        from lsqlc.golden.show import plural
        from lsqlc.project.declared.profiles import named_target
        from lsqlc.report.json_report import diagnostic_data
        from lsqlc.tasks.run_target import open_target
        from lsqlc.tasks.topic_check import checked

        root = project.find(sh, project_dir)
        place = open_target(root, named_target(root, target, os.environ))
        checked_topics = checked(place, topics or ())
        faults = [fault for topic in checked_topics for fault in topic.faults]
        if sh.json:
            rows = [
                {"topic": t.name, "files": t.files, "checked": t.checked, "faults": len(t.faults)}
                for t in checked_topics
            ]
            data = [diagnostic_data(d) for d in faults]
            sh.document({"version": 1, "command": sh.command, "ok": not faults, "topics": rows, "diagnostics": data})
        else:
            for topic in checked_topics:
                unknown = topic.files - topic.checked
                rest = f", {unknown} without a sum" if unknown else ""
                sh.result(f"{topic.name}: {plural(topic.files, 'file')}{rest}: {plural(len(topic.faults), 'fault')}")
            if not checked_topics:
                sh.say("there are no topics yet")
        _settle(sh, faults)


def _topics(
    sh: Shell, selected: options.Selected, target: str | None, common: options.Common, *, noted: bool = True
) -> KafkaTopics:
    """Return the models and the cluster of a command, see `kafka_topics`."""
    from lsqlc.tasks.kafka_topics import TopicsRequest, kafka_topics

    request = TopicsRequest(target, tuple(selected.select or ()), tuple(selected.exclude or ()), noted)
    return kafka_topics(project.opened(sh, common.project_dir, common.vars), request)


def _table(changes: Collection[Change], settings: KafkaSettings, width: int) -> str:
    from lsqlc.connectors.kafka.plan import transactions
    from lsqlc.report.tables import Column, table_lines

    columns = [
        Column("topic", tuple(c.need.spec.name for c in changes), whole=True),
        Column("role", tuple(c.need.role for c in changes)),
        Column("status", tuple(c.status for c in changes)),
        Column("partitions", tuple(str(c.state.partitions if c.state else c.need.spec.partitions) for c in changes)),
        Column("policy", tuple(c.need.policy or "" for c in changes)),
        Column("transactions", tuple(transactions(c, settings) or "" for c in changes)),
        Column("written by", tuple(_models(c.need.writers) for c in changes)),
        Column("read by", tuple(_models(c.need.readers) for c in changes)),
    ]
    return "\n".join(table_lines(columns, width))


def _models(names: tuple[str, ...]) -> str:
    """Return a few names, and the number of the others."""
    few = ", ".join(names[:3])
    return f"{few} and {len(names) - 3} more" if len(names) > 3 else few


def _settle(sh: Shell, diagnostics: Collection[Diagnostic]) -> None:
    """Show diagnostics, and end the command if one is an error."""
    sh.show(diagnostics)
    if any(d.is_error for d in diagnostics):
        sh.end(diagnostics)
