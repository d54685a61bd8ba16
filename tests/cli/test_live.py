"""The live view of a run."""

from __future__ import annotations

import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from lsqlc.cli.live import RunRows
from lsqlc.cli.shell import Shell
from lsqlc.cli.watch import Watch, read_status
from lsqlc.diagnostics import Diagnostic
from lsqlc.remote.run.events import QuerySummary, RestartingQuery, Started
from lsqlc.remote.run.locks import run_lock
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.query_status import QueryStatus
from lsqlc.report.run_screen import busy_line, run_screen

from .conftest import Cli


def text_of(screen: RenderableType, width: int = 120, *, colour: bool = False) -> list[str]:
    text = StringIO()
    Console(width=width, file=text, force_terminal=colour, color_system="standard" if colour else None).print(screen)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def words(rows: RunRows) -> list[list[str]]:
    """The lines of the screen as words."""
    return [line.split() for line in text_of(rows.screen(room=40))]


def test_a_run_as_it_goes_on() -> None:
    """The time that has passed; sums of batches and rows; rate, state and lag of the last batch; what was dropped, and
    restarts, where there are any.
    """
    now = [0.0]
    rows = RunRows(lambda: now[0])
    now[0] = 65.5
    assert words(rows) == [["⠼", "starting", "queries", "1", "min", "5", "s"]]
    rows.take(Started("q", "m", "t", resumed=True))
    assert words(rows)[0][1:] == ["1", "running;", "0", "rows", "read", "in", "1", "min", "5", "s"]
    assert words(rows)[1] == ["query", "state", "batches", "rows", "rows/s", "state", "rows"]
    assert words(rows)[2] == ["⠼", "q", "resumed", "0", "0"]
    rows.take(BatchProgress("q", 0, 1_000, 1.0, 5, counts={"null key": 2}, lag=8_000))
    rows.take(BatchProgress("q", 1, 2_000, 0.5, 7, counts={"null key": 1}, lag=6_000))
    assert words(rows)[1] == ["query", "state", "batches", "rows", "rows/s", "lag", "state", "rows", "dropped"]
    assert words(rows)[2] == [
        "⠼", "q", "running", "2", "3,000", "4,000", "6,000", "(1.50", "s)", "7", "3", "for", "null", "key",
    ]  # fmt: skip
    found = (Diagnostic("LSQ661", "lost"),)
    rows.take(RestartingQuery("q", "m", "t", 1, 2.0, 5.0, found))
    assert words(rows)[2][:3] == ["↻", "q", "restarting"]
    rows.take(Started("q", "m", "t", resumed=True))
    assert "restarts" in words(rows)[1]
    rows.take(QuerySummary("q", "m", "t", 2, 3_000, finished=True))
    assert words(rows)[0][1:] == ["1", "finished;", "3,000", "rows", "read", "in", "1", "min", "5", "s"]
    assert words(rows)[2][:3] == ["✓", "q", "finished"]


def test_more_queries_than_lines() -> None:
    """Those that need to be seen are shown, in their order."""
    standings = [QueryStatus(f"q{n}", "m", "t", state="finished") for n in range(20)]
    standings[9] = QueryStatus("bad", "m", "t", state="failed")
    standings[19] = QueryStatus("busy", "m", "t")
    lines = text_of(run_screen(standings, 1.0, room=9))
    assert [line.split()[1] for line in lines[2:-1]] == ["q0", "q1", "bad", "busy"]
    assert lines[-1] == "and 16 more queries" and len(lines) <= 9


def test_a_terminal_of_few_characters_and_colours() -> None:
    """ASCII where the terminal has nothing else; colours only by the console."""
    standings = [QueryStatus("q", "m", "t"), QueryStatus("r", "m", "t", state="finished")]
    plain = "\n".join(text_of(run_screen(standings, 0.0, room=40, ascii=True)))
    assert plain.isascii()
    assert "\x1b[36mrunning" in "\n".join(text_of(run_screen(standings, 0.0, room=40), colour=True))


@pytest.mark.parametrize(
    ("term", "output", "terminal", "animated"),
    [
        ("xterm", "text", True, True),
        ("dumb", "text", True, False),
        ("xterm", "json", True, False),
        ("xterm", "text", False, False),
    ],
)
def test_where_words_move(
    monkeypatch: pytest.MonkeyPatch, term: str, output: str, terminal: bool, animated: bool
) -> None:
    """Only on a terminal that can do it."""

    class Stream(StringIO):
        def isatty(self) -> bool:
            return terminal

    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sys.stderr", Stream())
    assert Shell("run", output=output).animated == animated
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Shell("run", output=output).colour


def test_what_a_run_ended_after(tmp_path_factory: pytest.TempPathFactory) -> None:
    """It stays in its status, with the time."""
    folder = tmp_path_factory.mktemp("state")
    watch = Watch(folder)
    watch.fail("the disk is full")
    watch.turn("ended")
    status = read_status(folder)
    assert status is not None
    assert (status.trouble, status.state, status.restarts) == ("the disk is full", "ended", 0) and status.failed > 0


def test_what_goes_on_has_its_time() -> None:
    """The time that has passed, or that is left."""
    assert text_of(busy_line("starting", 12.9))[0].endswith(" starting 12 s")
    assert text_of(busy_line("next in", 1.0, remaining=3_700.0))[0].endswith(" next in 1 h 1 min")


def test_a_pause_between_two_runs(cli: Cli, bikes: Path) -> None:
    """The status says when the next run begins, and a signal ends the pause."""
    from lsqlc.cli.every import wait_until
    from lsqlc.cli.running import Stop
    from lsqlc.project.declared.target import Target
    from lsqlc.tasks.run_target import open_target

    place = open_target(bikes, Target("embedded"))
    stop = Stop(lambda: None)
    place.state.mkdir(exist_ok=True)
    Watch(place.state).turn("ended")
    assert wait_until(Shell("run", quiet=True), place, stop, time.monotonic() - 1)
    stop.signal = 2
    assert not wait_until(Shell("run", quiet=True), place, stop, time.monotonic() + 3600)
    status = read_status(place.state)
    assert status is not None and status.state == "waiting" and status.until > time.time() + 3000
    with run_lock(place.state):
        assert "begins the next run in" in cli("status").out
    assert "this project is not being run; the last one ended" in cli("status").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--every", "fast"), "'fast' is not a duration"),
        (("--every", "0s"), "'0s' is not a duration"),
        (("--every", "1m", "--continuous"), "does not go with --continuous"),
    ],
)
def test_wrong_intervals(cli: Cli, bikes: Path, words: tuple[str, ...], said: str) -> None:
    ran = cli("run", *words)
    assert ran.code == 2 and said in ran.err
