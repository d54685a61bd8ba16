"""Progress of a run on a terminal: a line with its activity and duration, and a line per query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from rich.console import Group
from rich.table import Table
from rich.text import Text

from lsqlc.golden.show import plural
from lsqlc.report.progress import dropped, lag_text, rate_text, state_rows_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lsqlc.remote.run.query_status import QueryStatus

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAMES_ASCII = "-\\|/"
_FRAMES_A_SECOND = 8
_STYLES = {
    "running": "cyan",
    "restarting": "yellow",
    "finished": "green",
    "stopped": "dim",
    "failed": "bold red",
    "waiting": "yellow",
    "lost": "bold red",
}
_MARKS = {"restarting": "↻", "finished": "✓", "stopped": "■", "failed": "✗", "waiting": "…", "lost": "✗"}
_MARKS_ASCII = {"restarting": "~", "finished": "+", "stopped": "#", "failed": "!", "waiting": "-", "lost": "!"}
# The order in which queries are displayed if there are too many.
_FIRST: tuple[Literal["running", "restarting", "finished", "stopped", "failed", "waiting", "lost"], ...] = (
    "failed",
    "lost",
    "waiting",
    "restarting",
    "running",
    "stopped",
    "finished",
)


def busy_line(what: str, seconds: float, *, remaining: float | None = None, ascii: bool = False) -> Text:
    """Return a line with a spinner, such as `⠹ starting the embedded Spark server 12 s`.

    `remaining`: remaining seconds to print instead. `ascii`: for terminals without Unicode.
    """
    time = elapsed_text(seconds if remaining is None else remaining)
    return Text.assemble((spinner(seconds, ascii=ascii), "cyan"), f" {what} ", (time, "dim"))


def run_screen(standings: Sequence[QueryStatus], seconds: float, *, room: int, ascii: bool = False) -> RenderableType:
    """Return the screen of a run. `seconds`: since its start. `room`: lines of the terminal.

    If there are too many queries, the most important ones are displayed. Empty columns are left out.
    """
    if not standings:
        return busy_line("starting queries", seconds, ascii=ascii)
    visible, others = _fitting(standings, max(1, room - 4))
    table = Table(box=None, pad_edge=False, header_style="bold")
    lag = any(s.lag is not None for s in standings)
    restarts = any(s.starts > 1 for s in standings)
    has_drops = any(dropped(s.counts, s.late_groups) for s in standings)
    table.add_column("", no_wrap=True)
    table.add_column("query", no_wrap=True, overflow="ellipsis")
    table.add_column("state", no_wrap=True)
    for heading in ("batches", "rows", "rows/s", *(["lag"] if lag else []), "state rows"):
        table.add_column(heading, justify="right", no_wrap=True)
    if restarts:
        table.add_column("restarts", justify="right", no_wrap=True)
    if has_drops:
        table.add_column("dropped", no_wrap=True, overflow="ellipsis")
    for s in visible:
        style = _STYLES[s.state]
        mark = spinner(seconds, ascii=ascii) if s.state == "running" else (_MARKS_ASCII if ascii else _MARKS)[s.state]
        has_batches = s.batches > 0
        cells: list[Text | str] = [
            Text(mark, style),
            Text(s.query),
            Text(_state(s), style),
            f"{s.batches:,}",
            f"{s.rows:,}",
        ]
        cells += [
            rate_text(s.rows_per_second) if has_batches and s.state == "running" else "",
            *([lag_text(s)] if lag else []),
        ]
        cells.append(state_rows_text(s))
        if restarts:
            cells.append(Text(f"{s.starts - 1:,}" if s.starts > 1 else "", "yellow"))
        if has_drops:
            cells.append(Text(" and ".join(dropped(s.counts, s.late_groups)).removeprefix("dropped "), "yellow"))
        table.add_row(*cells)
    more = [Text(f"and {plural(len(others), 'more query').replace('querys', 'queries')}", "dim")] if others else []
    return Group(_headline(standings, seconds, ascii=ascii), table, *more)


def spinner(seconds: float, *, ascii: bool = False) -> str:
    """Return the current frame of the spinner."""
    frames = _FRAMES_ASCII if ascii else _FRAMES
    return frames[int(seconds * _FRAMES_A_SECOND) % len(frames)]


def elapsed_text(seconds: float) -> str:
    """Return a duration such as `7 s`, `2 min 5 s` or `3 h 0 min`.

    >>> [elapsed_text(s) for s in (7.9, 125, 10_800)]
    ['7 s', '2 min 5 s', '3 h 0 min']
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _headline(standings: Sequence[QueryStatus], seconds: float, *, ascii: bool) -> Text:
    states = Counter(s.state for s in standings)
    counts = ", ".join(f"{states[state]} {state}" for state in _FIRST if states[state])
    rows = plural(sum(s.rows for s in standings), "row")
    return busy_line(f"{counts}; {rows} read in", seconds, ascii=ascii)


def _state(standing: QueryStatus) -> str:
    """Return the state of a query. `resumed` is displayed until the first batch after a checkpoint."""
    return "resumed" if standing.state == "running" and standing.resumed and not standing.batches else standing.state


def _fitting(standings: Sequence[QueryStatus], room: int) -> tuple[Sequence[QueryStatus], Sequence[QueryStatus]]:
    """Split queries into those that fit the screen and the others. Their order is kept."""
    if len(standings) <= room:
        return standings, ()
    by_need = sorted(range(len(standings)), key=lambda n: (_FIRST.index(standings[n].state), n))
    fitting = set(by_need[: max(1, room - 1)])
    return (
        [s for n, s in enumerate(standings) if n in fitting],
        [s for n, s in enumerate(standings) if n not in fitting],
    )
