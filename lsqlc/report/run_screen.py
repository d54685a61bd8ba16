"""A run on a terminal, as it is at a moment: a line with what goes on and for how long, and a line for each query."""

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

    from lsqlc.remote.run.standing import Standing

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
# In this order where there is no room for all queries.
_FIRST: tuple[Literal["running", "restarting", "finished", "stopped", "failed", "waiting", "lost"], ...] = (
    "failed",
    "lost",
    "waiting",
    "restarting",
    "running",
    "stopped",
    "finished",
)


def busy_line(what: str, seconds: float, *, left: float | None = None, ascii: bool = False) -> Text:
    """`⠹ starting the embedded Spark server 12 s`: the mark turns as `seconds` pass. `left`: seconds that are shown
    instead; `ascii`: for a terminal that has no other characters.
    """
    time = elapsed_text(seconds if left is None else left)
    return Text.assemble((spinner(seconds, ascii=ascii), "cyan"), f" {what} ", (time, "dim"))


def run_screen(standings: Sequence[Standing], seconds: float, *, room: int, ascii: bool = False) -> RenderableType:
    """What a run does, `seconds` after it was first shown. `room`: lines of the terminal; of more queries than find
    room those that need to be seen are shown. Columns that say nothing of any query are left out.
    """
    if not standings:
        return busy_line("starting queries", seconds, ascii=ascii)
    shown, left = _fitting(standings, max(1, room - 4))
    table = Table(box=None, pad_edge=False, header_style="bold")
    lag = any(s.lag is not None for s in standings)
    restarts = any(s.starts > 1 for s in standings)
    gone = any(dropped(s.counts, s.late_groups) for s in standings)
    table.add_column("", no_wrap=True)
    table.add_column("query", no_wrap=True, overflow="ellipsis")
    table.add_column("state", no_wrap=True)
    for heading in ("batches", "rows", "rows/s", *(["lag"] if lag else []), "state rows"):
        table.add_column(heading, justify="right", no_wrap=True)
    if restarts:
        table.add_column("restarts", justify="right", no_wrap=True)
    if gone:
        table.add_column("dropped", no_wrap=True, overflow="ellipsis")
    for s in shown:
        style = _STYLES[s.state]
        mark = spinner(seconds, ascii=ascii) if s.state == "running" else (_MARKS_ASCII if ascii else _MARKS)[s.state]
        begun = s.batches > 0
        cells: list[Text | str] = [
            Text(mark, style),
            Text(s.query),
            Text(_state(s), style),
            f"{s.batches:,}",
            f"{s.rows:,}",
        ]
        cells += [
            rate_text(s.rows_per_second) if begun and s.state == "running" else "",
            *([lag_text(s)] if lag else []),
        ]
        cells.append(state_rows_text(s))
        if restarts:
            cells.append(Text(f"{s.starts - 1:,}" if s.starts > 1 else "", "yellow"))
        if gone:
            cells.append(Text(" and ".join(dropped(s.counts, s.late_groups)).removeprefix("dropped "), "yellow"))
        table.add_row(*cells)
    more = [Text(f"and {plural(len(left), 'more query').replace('querys', 'queries')}", "dim")] if left else []
    return Group(_headline(standings, seconds, ascii=ascii), table, *more)


def spinner(seconds: float, *, ascii: bool = False) -> str:
    """Return the mark of something that goes on."""
    frames = _FRAMES_ASCII if ascii else _FRAMES
    return frames[int(seconds * _FRAMES_A_SECOND) % len(frames)]


def elapsed_text(seconds: float) -> str:
    """`7 s`, `2 min 5 s`, `3 h 0 min`.

    >>> [elapsed_text(s) for s in (7.9, 125, 10_800)]
    ['7 s', '2 min 5 s', '3 h 0 min']
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _headline(standings: Sequence[Standing], seconds: float, *, ascii: bool) -> Text:
    states = Counter(s.state for s in standings)
    counts = ", ".join(f"{states[state]} {state}" for state in _FIRST if states[state])
    rows = plural(sum(s.rows for s in standings), "row")
    return busy_line(f"{counts}; {rows} read in", seconds, ascii=ascii)


def _state(standing: Standing) -> str:
    """Return whether a query that runs has gone on from a checkpoint is said until its first batch."""
    return "resumed" if standing.state == "running" and standing.resumed and not standing.batches else standing.state


def _fitting(standings: Sequence[Standing], room: int) -> tuple[Sequence[Standing], Sequence[Standing]]:
    """Return those that are shown, in their order, and those that are not."""
    if len(standings) <= room:
        return standings, ()
    by_need = sorted(range(len(standings)), key=lambda n: (_FIRST.index(standings[n].state), n))
    kept = set(by_need[: max(1, room - 1)])
    return (
        [s for n, s in enumerate(standings) if n in kept],
        [s for n, s in enumerate(standings) if n not in kept],
    )
