"""Running queries as they are shown: a live table on a terminal, plain lines elsewhere, JSON lines on request."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lsqlc.cli.shell import Shell
from lsqlc.remote.run.detached_run import DetachedQuery
from lsqlc.remote.run.events import Event, QuerySummary, RestartingQuery, Started
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.standing import Standings, after
from lsqlc.report.progress import batch_line, dropped, rate_text, restarting_query_line, started_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table


@contextmanager
def display(sh: Shell) -> Iterator[Callable[[Event], None]]:
    """A function that shows events while inside the `with`."""
    if sh.json:
        yield lambda event: sh.line(event_data(event))
    elif sh.quiet:
        yield lambda event: None
    elif sys.stderr.isatty():
        with _live(sh) as report:
            yield report
    else:
        yield lambda event: _plain(sh, event)


def event_data(event: Event) -> dict[str, Any]:
    """An event as JSON-ready data."""
    names = {Started: "started", BatchProgress: "batch", QuerySummary: "ended", RestartingQuery: "restarting query",
             DetachedQuery: "detached"}  # fmt: skip
    data = {"event": names[type(event)], **asdict(event)}
    if isinstance(event, RestartingQuery):
        data["found"] = [d.message for d in event.found]
    if isinstance(event, BatchProgress | QuerySummary):
        data["seconds"] = round(event.seconds, 3)
        data["rows_per_second"] = round(event.rows_per_second, 1)
    return data


def _plain(sh: Shell, event: Event) -> None:
    match event:
        case Started():
            sh.say(started_line(event))
        case BatchProgress():
            sh.say(batch_line(event))
        case RestartingQuery():
            sh.say(restarting_query_line(event))
        case QuerySummary() | DetachedQuery():
            # What is said at the end is of all queries together.
            return


class _Rows:
    """The newest of each query, in order of their starts."""

    def __init__(self) -> None:
        self._standings: Standings = {}

    def take(self, event: Event) -> None:
        self._standings = after(self._standings, event)

    def table(self) -> Table:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for heading in ("query", "topic", "batches", "rows", "rows/s", "state rows", ""):
            right = heading in ("batches", "rows", "rows/s", "state rows")
            table.add_column(heading, justify="right" if right else "left", no_wrap=True)
        for each in self._standings.values():
            said = ", ".join(dropped(each.counts)) if each.state == "running" else ""
            state = said or ("resumed" if each.resumed and not each.batches else each.state)
            rate, rows = (rate_text(each.rows_per_second), f"{each.state_rows:,}") if each.batches else ("", "")
            table.add_row(each.query, each.topic, f"{each.batches:,}", f"{each.rows:,}", rate, rows, state)
        return table


@contextmanager
def _live(sh: Shell) -> Iterator[Callable[[Event], None]]:
    from rich.console import Console
    from rich.live import Live

    rows = _Rows()
    console = Console(stderr=True, no_color=not sh.colour, markup=False, highlight=False)
    with Live(rows.table(), console=console, auto_refresh=False, transient=True) as live:

        def report(event: Event) -> None:
            if isinstance(event, RestartingQuery):
                console.print(restarting_query_line(event))
            rows.take(event)
            live.update(rows.table(), refresh=True)

        yield report
