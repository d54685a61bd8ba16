"""`lsqlc topics`: the topics that the models need in a Kafka cluster, and the files of topics in folders."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from lsqlc.connectors.kafka.plan import Change
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.plan.plan import Plan
    from lsqlc.remote.connectors.kafka.topics import Applied
    from lsqlc.types.kafka import KafkaSettings

command = typer.Typer(
    help="Plan and create topics in Kafka, and check those in folders.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@command.command("plan")
def plan(
    select: options.Select = None,
    exclude: options.Exclude = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show the topics that the models need, and how they compare with those of the cluster. Changes nothing."""
    with shell("topics plan", output, quiet) as sh:
        from lsqlc.connectors.kafka.plan import transactions
        from lsqlc.remote.connectors.kafka.topics import topics_plan

        request = _request(sh, project_dir, target, vars, select, exclude)
        planned = topics_plan(request.plans, request.settings, written=request.written)
        wrong = [d for d in planned.diagnostics if d.is_error]
        if sh.json:
            from lsqlc.report.json_report import diagnostic_data

            sh.document(
                {
                    "version": 1,
                    "command": sh.command,
                    "ok": not wrong,
                    "topics": [
                        {**change.to_json(), "transactions": transactions(change, request.settings)}
                        for change in planned.changes
                    ],
                    "diagnostics": [diagnostic_data(d) for d in planned.diagnostics],
                }
            )
        elif planned.changes:
            sh.result(_table(planned.changes, request.settings, sh.width))
        else:
            sh.say("the models need no topics in Kafka")
        _settle(sh, planned.diagnostics)


@command.command("apply")
def apply(
    alter: Annotated[
        bool, typer.Option("--alter", help="Also set the cleanup policy of topics that have another one.")
    ] = False,
    select: options.Select = None,
    exclude: options.Exclude = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Create the topics that are missing, also those that no model writes. Topics that exist stay as they are; nothing
    is ever deleted.
    """
    with shell("topics apply", output, quiet) as sh:
        from lsqlc.diagnostics import Diagnostic
        from lsqlc.remote.connectors.kafka.topics import applied, topics_plan

        request = _request(sh, project_dir, target, vars, select, exclude)
        planned = topics_plan(request.plans, request.settings, written=request.written)

        def report(outcome: Applied) -> None:
            if outcome.outcome != "kept":
                sh.say(f"{outcome.change.need.spec.name}: {outcome.outcome}")

        outcomes = applied(planned, request.settings, alter=alter, inputs=True, say=report)
        altered = {d.change.need.spec.name for d in outcomes if d.outcome == "altered"}
        created = {d.change.need.spec.name for d in outcomes if d.outcome == "created"}
        left = [
            d
            for d in planned.diagnostics
            if not (d.code == "LSQ743" and _names(d, altered)) and not (d.code == "LSQ741" and _names(d, created))
        ]
        failed = [d.failure for d in outcomes if d.failure is not None]
        if failed:
            changed_count = sum(d.outcome in ("created", "altered") for d in outcomes)
            message = f"{len(failed)} of {len(outcomes)} topics could not be created or altered"
            were, stay = ("was", "stays") if changed_count == 1 else ("were", "stay")
            note = f"{changed_count} {were} created or altered, and {stay}"
            left += [
                *failed,
                Diagnostic("LSQ745", message, notes=(note,), help="fix the cause, and run the same command again"),
            ]
        if sh.json:
            from lsqlc.report.json_report import diagnostic_data

            data = [diagnostic_data(d) for d in left]
            ok = not any(d.is_error for d in left)
            topics = [d.to_json() for d in outcomes]
            sh.document({"version": 1, "command": sh.command, "ok": ok, "topics": topics, "diagnostics": data})
        elif all(d.outcome == "kept" for d in outcomes):
            sh.say("nothing to create")
        _settle(sh, left)


@command.command("acls")
def acls(
    select: options.Select = None,
    exclude: options.Exclude = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Print the access that the models need, as `kafka-acls` commands or as JSON. Asks no broker."""
    with shell("topics acls", output, quiet) as sh:
        from lsqlc.connectors.kafka.access import command as granting
        from lsqlc.connectors.kafka.access import principal
        from lsqlc.connectors.kafka.grants import environment_grants, grants
        from lsqlc.remote.connectors.kafka.topics import needed_topics

        request = _request(sh, project_dir, target, vars, select, exclude, noted=False)
        if request.other is not None:
            accesses = environment_grants(request.settings, request.other)
        else:
            accesses = grants(needed_topics(request.plans, request.settings), request.settings)
        if sh.json:
            sh.document(
                {
                    "version": 1,
                    "command": sh.command,
                    "ok": True,
                    "principal": principal(request.settings),
                    "acls": [access.to_json() for access in accesses],
                }
            )
        else:
            sh.result("\n".join(granting(access, request.settings) for access in accesses))


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


@dataclass(frozen=True, slots=True)
class _Request:
    """The selected models, the cluster, and the topics that any model of the project writes there. `other`: where the
    other topics are of a target that defers to another one.
    """

    plans: Mapping[str, Plan]
    settings: KafkaSettings
    written: Collection[str]
    other: KafkaSettings | None = None


def _request(
    sh: Shell,
    folder: Path | None,
    target: str | None,
    vars: str | None,
    select: list[str] | None,
    exclude: list[str] | None,
    *,
    noted: bool = True,
) -> _Request:
    """Return the selected models and the cluster of a target. `noted`: on a target that defers to another one, only the
    models that its note lists.

    Raises LsqlcError for a project that does not compile, and for a target without a cluster.
    """
    from lsqlc.connectors.kafka.connector import settings_of
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.tasks.selection import sound_selection

    workspace = project.opened(sh, folder, vars)
    place = workspace.target(target)
    settings = settings_of(place)
    if settings is None:
        message = f"the topics of the target '{place.name}' are not in Kafka"
        help = "add `kafka: {bootstrap: host:9092}` to it in profiles.yml, or choose another: --target NAME"
        raise LsqlcError([Diagnostic("LSQ746", message, help=help)])
    compilation = sound_selection(workspace, select, exclude)
    if place.defers is None:
        return _Request(compilation.plans, settings, tuple(compilation.graph.writers))
    plans, own = compilation.plans, frozenset[str]()
    if noted:
        from lsqlc.tasks.environment_note import read_environment
        from lsqlc.tasks.run_target import open_target

        environment = read_environment(open_target(workspace.root, place), workspace.name)
        plans = {name: plan for name, plan in plans.items() if environment and name in environment.models}
        own = environment.topics if environment else own
        settings_here = settings_of(open_target(workspace.root, replace(place, own=own)).target)
        assert settings_here is not None, "the connector stays the same"
        settings = settings_here
    return _Request(plans, settings, tuple(own), settings_of(place.defers))


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


def _names(diagnostic: Diagnostic, topics: Collection[str]) -> bool:
    return any(f"'{name}'" in diagnostic.message for name in topics)


def _settle(sh: Shell, diagnostics: Collection[Diagnostic]) -> None:
    """Show diagnostics, and end the command if one is an error."""
    sh.show(diagnostics)
    if any(d.is_error for d in diagnostics):
        sh.end(diagnostics)
