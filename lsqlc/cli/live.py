"""Running queries as they are shown: a live table on a terminal, plain lines elsewhere, JSON lines on request."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lsqlc.cli.shell import Shell
from lsqlc.remote.progress import BatchProgress
from lsqlc.remote.runner import Event, QuerySummary, Started
from lsqlc.report.progress import batch_line, dropped, rate_text, started_line

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
    names = {Started: "started", BatchProgress: "batch", QuerySummary: "ended"}
    data = {"event": names[type(event)], **asdict(event)}
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
        case QuerySummary():
            # The summary at the end tells of all queries together.
            return


class _Rows:
    """The newest of each query, in order of their starts."""

    def __init__(self) -> None:
        self._cells: dict[str, list[str]] = {}
        self._totals: dict[str, tuple[int, int]] = {}
        self._counts: dict[str, Counter[str]] = {}

    def take(self, event: Event) -> None:
        match event:
            case Started(query, _, topic, resumed):
                self._cells[query] = [query, topic, "0", "0", "", "", "resumed" if resumed else "running"]
                self._totals[query], self._counts[query] = (0, 0), Counter()
            case BatchProgress():
                batches, rows = self._totals[event.query]
                self._totals[event.query] = batches, rows = batches + 1, rows + event.rows
                counts = self._counts[event.query]
                counts.update(event.counts)
                said = ", ".join(dropped(counts)) or "running"
                rate, state = rate_text(event.rows_per_second), f"{event.state_rows:,}"
                self._cells[event.query][2:] = [f"{batches:,}", f"{rows:,}", rate, state, said]
            case QuerySummary():
                self._cells[event.query][6] = "finished" if event.finished else "stopped"

    def table(self) -> Table:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for heading in ("query", "topic", "batches", "rows", "rows/s", "state rows", ""):
            right = heading in ("batches", "rows", "rows/s", "state rows")
            table.add_column(heading, justify="right" if right else "left", no_wrap=True)
        for cells in self._cells.values():
            table.add_row(*cells)
        return table


@contextmanager
def _live(sh: Shell) -> Iterator[Callable[[Event], None]]:
    from rich.console import Console
    from rich.live import Live

    rows = _Rows()
    console = Console(stderr=True, no_color=not sh.colour, markup=False, highlight=False)
    with Live(rows.table(), console=console, auto_refresh=False, transient=True) as live:

        def report(event: Event) -> None:
            rows.take(event)
            live.update(rows.table(), refresh=True)

        yield report
