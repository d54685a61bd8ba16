"""`lsqlc tables`: tables in lakes and databases that follow the topics of a target, or that topics follow."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell
from lsqlc.golden.show import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsqlc.project.declared.declarations import TopicDeclaration
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.tasks.table_sync import Batch
    from lsqlc.tasks.tables import FollowedTable, OpenTables

command = typer.Typer(
    help="Keep tables in lakes and databases up to date with topics.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Names = Annotated[
    list[str] | None, typer.Argument(metavar="[TABLE]...", help="Tables, by store.name, name or topic; all without.")
]


@command.command("status")
def status(names: Names = None, *, target: options.Target = None, common: options.Common) -> None:
    """List the tables, and how many records each has not read."""
    with shell("tables status", common.output, common.quiet) as sh:
        from lsqlc.report.table_report import TableRow, tables_text
        from lsqlc.tasks.tables import table_status

        opened = _opened(sh, target, common, names)
        statuses = [(table, table_status(table, opened.log)) for table in opened.tables]
        if sh.json:
            data = [
                {**_data(table), "exists": status.exists, "behind": status.left, "problem": status.problem}
                for table, status in statuses
            ]
            sh.document({"version": 1, "command": "tables status", "ok": True, "tables": data})
        elif statuses:
            rows = [
                TableRow(
                    t.shown, t.topic.name, t.schema.keep, status.exists, status.left, status.problem, t.table.address
                )
                for t, status in statuses
            ]
            sh.result(tables_text(rows, sh.width))


@command.command("plan")
def plan(names: Names = None, *, target: options.Target = None, common: options.Common) -> None:
    """Show which tables `lsqlc tables sync` would create or alter, and which need `--rebuild`. Changes nothing.

    The exit code is 1 if a table has to be rebuilt, or if lsqlc did not create it.
    """
    with shell("tables plan", common.output, common.quiet) as sh:
        from lsqlc.report.table_report import plans_text
        from lsqlc.tasks.tables import plan_table

        opened = _opened(sh, target, common, names)
        plans = [(table, plan_table(table, opened.log)) for table in opened.tables]
        is_blocked = any(plan.is_blocked for _, plan in plans)
        if sh.json:
            data = [{**_data(table), "action": plan.action, "details": list(plan.details)} for table, plan in plans]
            sh.document({"version": 1, "command": "tables plan", "ok": not is_blocked, "tables": data})
        elif plans:
            sh.result(plans_text([(table.shown, plan.action, plan.details) for table, plan in plans], sh.width))
        if is_blocked:
            raise typer.Exit(1)


@command.command("sync")
def sync(
    names: Names = None,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new records until it is ended.")] = False,
    interval: Annotated[
        float, typer.Option("--interval", min=0.1, help="With --follow: seconds between two looks for new records.")
    ] = 5.0,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Remove all rows, and write the tables again.")] = False,
    lose_rows: Annotated[
        bool, typer.Option("--lose-rows", help="With --rebuild: also rows whose records the topic no longer has.")
    ] = False,
    target: options.Target = None,
    common: options.Common,
) -> None:
    """Write what topics have into the tables that follow them, exactly once.

    Tables that do not exist are created, and new columns are added. Each batch is one transaction with the position in
    the topic, so that the command may be ended and started again at any time. Without --follow it ends with the records
    that the topics had at its start. A table that cannot be written does not stop the others.
    """
    with shell("tables sync", common.output, common.quiet, lines=True) as sh:
        from lsqlc.cli.running import stopping
        from lsqlc.diagnostics import LsqlcError
        from lsqlc.tasks.table_sync import TableWriter, sync_tables

        opened = _opened(sh, target, common, names)
        writers = [TableWriter(table, opened.log, rebuild, lose_rows, bounded=not follow) for table in opened.tables]
        _say_absent(sh, opened)

        def report(table: FollowedTable, result: Batch | LsqlcError) -> None:
            if not isinstance(result, LsqlcError):
                _say(sh, table, result)
            elif follow:
                sh.show(result.diagnostics)

        with stopping(lambda: None) as stop:
            pause = partial(stop.pause, interval) if follow else None
            failures = sync_tables(writers, stop.asked, report, pause)
        if failures:
            sh.fail([diagnostic for error in failures for diagnostic in error.diagnostics])


@command.command("load")
def load(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TOPIC]...", help="Topics of Delta tables; all without.")
    ] = None,
    *,
    full_refresh: Annotated[
        bool,
        typer.Option(
            "--full-refresh",
            help="Read the tables again, and remove what models computed from the old records: topics, checkpoints.",
        ),
    ] = False,
    confirm: options.Confirm = None,
    target: options.Target = None,
    common: options.Common,
) -> None:
    """Append the new versions of Delta tables to the topics that are declared with `connector: delta`.

    Each version is appended once. `lsqlc run`, `query`, `show` and `check` do the same for the topics that they read.
    With --full-refresh the topics are emptied first, and the models that read them lose their results and
    checkpoints. This is refused while a run is active.
    """
    with shell("tables load", common.output, common.quiet) as sh:
        from lsqlc.tasks.delta_topics import Loaded, load_topics, named_topics

        workspace = project.opened(sh, common.project_dir, common.vars)
        topics = named_topics(workspace.project, names or ())
        if not topics:
            sh.say("no topic is of a Delta table: declare `connector: delta`")
        results: list[Loaded] = []

        def report(loaded: Loaded) -> None:
            results.append(loaded)
            if not sh.json:
                sh.say(str(loaded))

        place = _refreshed(sh, workspace, topics, target, confirm) if full_refresh else _place(workspace, target)
        load_topics(topics, place, say=report)
        if sh.json:
            data = [
                {"topic": r.topic, "records": r.records, "versions": r.versions, "version": r.version} for r in results
            ]
            sh.document({"version": 1, "command": "tables load", "ok": True, "topics": data})


def _place(workspace: Workspace, target: str | None) -> RunTarget:
    from lsqlc.tasks.run_target import open_target

    return open_target(workspace.root, workspace.target(target), project=workspace.project)


def _refreshed(
    sh: Shell, workspace: Workspace, topics: Sequence[TopicDeclaration], target: str | None, confirm: str | None
) -> RunTarget:
    """Return the place of topics, which were removed together with the results of the models that read them."""
    from lsqlc.cli.arguments import check_confirmed
    from lsqlc.cli.spark import opened_store
    from lsqlc.project.workspace import sound
    from lsqlc.remote.run.locks import run_lock
    from lsqlc.tasks.delta_topics import open_feeds
    from lsqlc.tasks.detached import check_detached
    from lsqlc.tasks.seed import forget

    place = _place(workspace, target)
    check_confirmed(place.target, confirm, "topics are emptied, and the models that read them start from the beginning")
    # A table that cannot be read removes nothing.
    names = [feed.topic.name for feed in open_feeds(topics, place) if feed.columns]
    with run_lock(place.state), place.lease(workspace.name):
        check_detached(place, workspace.name, takes_over=False)
        compilation = sound(workspace.compilation)
        with opened_store(sh, place) as store:
            forget(place, store, compilation, names, sh.say)
    return place


@command.command("verify")
def verify(names: Names = None, *, target: options.Target = None, common: options.Common) -> None:
    """Read tables, and compare them with what their topics give up to the positions of the tables.

    The exit code is 1 if rows are missing, or if a table has others.
    """
    with shell("tables verify", common.output, common.quiet) as sh:
        from lsqlc.report.table_report import check_data, check_problem
        from lsqlc.tables.check import check

        opened = _opened(sh, target, common, names)
        results = [(table, check(table.table, table.schema, opened.log)) for table in opened.tables]
        problems = [
            check_problem(table.shown, table.topic.name, result)
            for table, result in results
            if (not result.ok if result is not None else opened.log.exists(table.topic.name))
        ]
        if sh.json:
            data = [{**_data(table), **check_data(result)} for table, result in results]
            sh.document({"version": 1, "command": "tables verify", "ok": not problems, "tables": data})
        for table, result in results:
            if result is None:
                sh.say(f"{table.shown}: not created")
            elif result.ok:
                older = (
                    f", {plural(result.older, 'row')} of records that the topic no longer has" if result.older else ""
                )
                sh.say(f"{table.shown}: {plural(result.rows, 'row')}, as the topic gives{older}")
        if problems:
            sh.fail(problems)


@command.command("maintain")
def maintain(
    names: Names = None,
    *,
    retain_hours: Annotated[
        int, typer.Option("--retain-hours", min=168, help="Keep what readers of versions of so many hours need.")
    ] = 168,
    target: options.Target = None,
    common: options.Common,
) -> None:
    """Compact the files of tables, and remove old ones; vacuum those in a database.

    No row changes. Only this command removes files.
    """
    with shell("tables maintain", common.output, common.quiet) as sh:
        from lsqlc.tasks.tables import maintain as maintained

        opened = _opened(sh, target, common, names)
        every = [(table, maintained(table, retain_hours, datetime.now(UTC))) for table in opened.tables]
        results = [(table, text) for table, text in every if text is not None]
        if sh.json:
            data = [{**_data(table), "done": text} for table, text in results]
            sh.document({"version": 1, "command": "tables maintain", "ok": True, "tables": data})
        for table, text in results:
            sh.say(f"{table.shown}: {text}")


def _opened(sh: Shell, target: str | None, common: options.Common, names: Sequence[str] | None) -> OpenTables:
    from lsqlc.tasks.tables import open_tables

    opened = open_tables(project.opened(sh, common.project_dir, common.vars), target, names or ())
    if not opened.tables:
        sh.say("no topic has a table: declare `tables:` in models/*.yml")
    return opened


def _data(table: FollowedTable) -> dict[str, Any]:
    return {
        "store": table.store.name,
        "name": table.name,
        "topic": table.topic.name,
        "keep": table.schema.keep,
        "address": table.table.address,
    }


def _say_absent(sh: Shell, opened: OpenTables) -> None:
    for table in opened.tables:
        if not opened.log.exists(table.topic.name):
            sh.say(f"{table.shown}: the topic '{table.topic.name}' does not exist yet")


def _say(sh: Shell, table: FollowedTable, batch: Batch) -> None:
    if sh.json:
        event = {"event": "batch", **_data(table), "records": batch.records, "changes": batch.changes}
        sh.line({**event, "late": batch.late, "keyless": batch.keyless, "behind": batch.left})
        return
    parts = [plural(batch.records, "record"), plural(batch.changes, "change")]
    parts += [f"{batch.late:,} with earlier times"] if batch.late else []
    parts += [f"{batch.keyless:,} without a key"] if batch.keyless else []
    parts += [f"about {batch.left:,} left"] if batch.left else []
    sh.say(f"{table.shown}: {', '.join(parts)}")
