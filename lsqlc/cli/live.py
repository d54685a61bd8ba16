"""Running queries as they are shown: a live view on a terminal, plain lines elsewhere, JSON lines on request."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lsqlc.cli.shell import Shell
from lsqlc.plan.tested import tested_topic
from lsqlc.remote.run.detached_run import DetachedQuery
from lsqlc.remote.run.events import Event, Failed, Idle, QuerySummary, RestartingQuery, Started, Waiting
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.query_status import QueryStatuses, after
from lsqlc.report.progress import batch_line, failed_line, restarting_query_line, started_line, waits_text
from lsqlc.report.run_screen import busy_line, run_screen
from lsqlc.report.tests_report import failed_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console, RenderableType


@contextmanager
def display(sh: Shell) -> Iterator[Callable[[Event], None]]:
    """Return a function that shows events while inside the `with`."""
    if sh.json:
        # An idle query would be reported every ten seconds.
        yield lambda event: None if isinstance(event, Idle) else sh.line(event_data(event))
    elif sh.quiet:
        yield lambda event: None
    elif sh.animated:
        with _live(sh) as report:
            yield report
    else:
        yield lambda event: _plain(sh, event)


def event_data(event: Event) -> dict[str, Any]:
    """Return an event as JSON-ready data."""
    names = {Started: "started", BatchProgress: "batch", QuerySummary: "ended", RestartingQuery: "restarting query",
             Idle: "idle", Failed: "failed", Waiting: "waiting", DetachedQuery: "detached"}  # fmt: skip
    data = {"event": names[type(event)], **asdict(event)}
    if isinstance(event, RestartingQuery | Failed):
        data["found"] = [d.message for d in event.found]
    if isinstance(event, QuerySummary):
        data["failure"] = [d.message for d in event.failure]
    if counts := data.pop("counted", None):
        data["tests"] = failed_data(counts)
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
        case Failed(ends_run=False) if tested_topic(event.model) is None:
            sh.say(failed_line(event))
        case Waiting():
            sh.say(f"{event.query}: {waits_text(event.waits_for)}")
        case QuerySummary() | DetachedQuery() | Failed() | Idle():
            # The end of the run reports all queries together, and a failure ends the command with its diagnostics.
            return


class RunRows:
    """The newest of each query, in order of their starts, and since when they are shown."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._standings: QueryStatuses = {}
        self._clock, self._began = clock, clock()

    def take(self, event: Event) -> None:
        # Replaced as a whole, since the screen is drawn by a thread.
        self._standings = after(self._standings, event)

    def screen(self, *, room: int, ascii: bool = False) -> RenderableType:
        """Return the screen as it is now."""
        return run_screen(tuple(self._standings.values()), self._clock() - self._began, room=room, ascii=ascii)


@contextmanager
def _live(sh: Shell) -> Iterator[Callable[[Event], None]]:
    from rich.live import Live

    rows, console = RunRows(), console_of(sh)

    def draw() -> RenderableType:
        return rows.screen(room=console.height, ascii=console.options.ascii_only)

    with Live(get_renderable=draw, console=console, refresh_per_second=8, transient=True):

        def report(event: Event) -> None:
            if isinstance(event, RestartingQuery):
                console.print(restarting_query_line(event))
            elif isinstance(event, Failed) and not event.ends_run and tested_topic(event.model) is None:
                console.print(failed_line(event))
            rows.take(event)

        yield report


@contextmanager
def busy(sh: Shell, what: str, *, log: bool = True, due: float | None = None) -> Iterator[None]:
    """Say that something goes on inside the `with`: on a terminal with the time that it takes, or that is left until
    the monotonic clock is `due`; elsewhere, unless `log` is False, once.
    """
    if not sh.animated or sh.quiet:
        if log:
            sh.say(f"{what} ...")
        yield
        return
    from rich.live import Live

    console, began = console_of(sh), time.monotonic()

    def draw() -> RenderableType:
        now = time.monotonic()
        left = None if due is None else max(0.0, due - now)
        return busy_line(what, now - began, remaining=left, ascii=console.options.ascii_only)

    with Live(get_renderable=draw, console=console, refresh_per_second=8, transient=True):
        yield


def console_of(sh: Shell) -> Console:
    """Return the terminal for messages."""
    from rich.console import Console

    return Console(stderr=True, no_color=not sh.colour, markup=False, highlight=False, emoji=False)
