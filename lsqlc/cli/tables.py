"""`lsqlc tables`: tables in lakes and databases that follow the topics of a target."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lsqlc.cli.running import Stop
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
def status(
    names: Names = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """List the tables, and how many records each has not read."""
    with shell("tables status", output, quiet) as sh:
        from lsqlc.report.table_report import TableRow, tables_text
        from lsqlc.tasks.tables import standing

        opened = _opened(sh, target, vars, project_dir, names)
        standings = [(table, standing(table, opened.log)) for table in opened.tables]
        if sh.json:
            data = [{**_data(table), "exists": s.state is not None, "behind": s.left} for table, s in standings]
            sh.document({"version": 1, "command": "tables status", "ok": True, "tables": data})
        elif standings:
            rows = [TableRow(t.shown, t.topic.name, t.schema.keep, s.left if s.state else None, t.table.address)
                    for t, s in standings]  # fmt: skip
            sh.result(tables_text(rows, sh.width))


@command.command("sync")
def sync(
    names: Names = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new records until it is ended.")] = False,
    interval: Annotated[
        float, typer.Option("--interval", min=0.1, help="With --follow: seconds between two looks for new records.")
    ] = 5.0,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Remove all rows, and write the tables anew.")] = False,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Write what topics have into the tables that follow them, exactly once.

    Tables that do not exist are created, and new columns are added. Each batch is one transaction with the position in
    the topic, so that it may be ended and started again at any time.
    """
    with shell("tables sync", output, quiet, lines=True) as sh:
        from lsqlc.cli.running import stopping
        from lsqlc.tasks import tables

        opened = _opened(sh, target, vars, project_dir, names)
        log = opened.log
        with stopping(lambda: None) as stop:
            positions = {table.shown: tables.prepare(table, log, rebuild=rebuild) for table in opened.tables}
            _say_absent(sh, [table for table in opened.tables if positions[table.shown] is None])
            while not stop.asked():
                is_idle = True
                for table in opened.tables:
                    place = positions[table.shown]
                    if place is None and follow:
                        place = positions[table.shown] = tables.prepare(table, log, rebuild=False)
                    result = None if place is None or stop.asked() else tables.sync(table, log, place)
                    if result is not None:
                        is_idle = False
                        synced, positions[table.shown] = result
                        _say(sh, table, synced)
                if is_idle and (not follow or not opened.tables):
                    return
                if is_idle:
                    _pause(stop, interval)


@command.command("verify")
def verify(
    names: Names = None,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Read tables, and compare them with what their topics give up to the positions of the tables.

    The exit code is 1 if rows are missing, or if a table has others.
    """
    with shell("tables verify", output, quiet) as sh:
        from lsqlc.report.table_report import check_data, check_problem
        from lsqlc.tables.check import check

        opened = _opened(sh, target, vars, project_dir, names)
        results = [(table, check(table.table, table.schema, opened.log)) for table in opened.tables]
        problems = [
            check_problem(table.shown, table.topic.name, result)
            for table, result in results
            if result is not None and not result.ok
        ]
        if sh.json:
            data = [{**_data(table), **check_data(result)} for table, result in results]
            sh.document({"version": 1, "command": "tables verify", "ok": not problems, "tables": data})
        for table, result in results:
            if result is None:
                sh.say(f"{table.shown}: not created")
            elif result.ok:
                sh.say(f"{table.shown}: {result.rows:,} rows, as the topic gives")
        if problems:
            sh.fail(problems)


@command.command("maintain")
def maintain(
    names: Names = None,
    retain_hours: Annotated[
        int, typer.Option("--retain-hours", min=168, help="Keep what readers of versions of so many hours need.")
    ] = 168,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Compact the files of tables, and remove old ones; vacuum those in a database.

    No row changes. Only this command removes files.
    """
    with shell("tables maintain", output, quiet) as sh:
        opened = _opened(sh, target, vars, project_dir, names)
        results = [
            (t, t.table.maintain(retain_hours, datetime.now(UTC))) for t in opened.tables if t.table.state() is not None
        ]
        if sh.json:
            data = [{**_data(table), "done": text} for table, text in results]
            sh.document({"version": 1, "command": "tables maintain", "ok": True, "tables": data})
        for table, text in results:
            sh.say(f"{table.shown}: {text}")


def _opened(
    sh: Shell, target: str | None, vars: str | None, project_dir: Path | None, names: Sequence[str] | None
) -> OpenTables:
    from lsqlc.tasks.tables import open_tables

    opened = open_tables(project.opened(sh, project_dir, vars), target, names or ())
    if not opened.tables:
        sh.say("no topic has a table: declare `tables:` in models/*.yml")
    return opened


def _pause(stop: Stop, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stop.asked():
        time.sleep(0.05)


def _data(table: FollowedTable) -> dict[str, Any]:
    return {
        "store": table.store.name,
        "name": table.name,
        "topic": table.topic.name,
        "keep": table.schema.keep,
        "address": table.table.address,
    }


def _say_absent(sh: Shell, tables: Sequence[FollowedTable]) -> None:
    for table in tables:
        sh.say(f"{table.shown}: the topic '{table.topic.name}' does not exist yet")


def _say(sh: Shell, table: FollowedTable, synced: Any) -> None:
    if sh.json:
        event = {"event": "batch", **_data(table), "records": synced.records, "changes": synced.changes}
        sh.line({**event, "late": synced.late, "behind": synced.left})
        return
    left = f", about {synced.left:,} left" if synced.left else ""
    late = f", {synced.late:,} with earlier times" if synced.late else ""
    sh.say(f"{table.shown}: {synced.records:,} records, {synced.changes:,} changes{late}{left}")
