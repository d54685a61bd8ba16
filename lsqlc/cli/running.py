"""A run as commands show it: its session, its status, and the signals that stop it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.cli.metrics import Board
    from lsqlc.cli.spark import Purpose
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.remote.run.events import Event
    from lsqlc.remote.run.supervisor import Restarting
    from lsqlc.tasks.backlog import Fit
    from lsqlc.tasks.run_context import Console, Session
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.types.record import Topic


def console(
    sh: Shell,
    place: RunTarget,
    stop: Stop,
    *,
    detach: bool = False,
    purpose: Purpose = "run",
    board: Board | None = None,
    also: Callable[[Event], None] = lambda event: None,
    slots: Callable[[], int] = lambda: 0,
) -> Console:
    """Return the terminal as a run sees it.

    `purpose`: names the work folder of an embedded server; the status of a run with `deploy` is next to that of the
    models. `board`: publishes the status too; `also`: takes all events as well; `slots`: see `opened`.
    """
    from lsqlc.cli.live import display
    from lsqlc.cli.spark import opened
    from lsqlc.cli.watch import Watch
    from lsqlc.report.progress import restarting_line
    from lsqlc.tasks.run_context import Console

    @contextmanager
    def session(files: tuple[Topic, ...], fit: Callable[[], Fit]) -> Iterator[tuple[Session, Callable[[Event], None]]]:
        server = opened(sh, place, purpose, fit=fit, files=files, stays=detach, slots=slots)
        with server as spark, events() as take:
            yield spark, take

    @contextmanager
    def events() -> Iterator[Callable[[Event], None]]:
        with display(sh) as show_event:

            def take(event: Event) -> None:
                also(event)
                show_event(event)

            yield take

    def restarting(event: Restarting) -> None:
        sh.say(restarting_line(event))
        if sh.json:
            sh.line({"event": "restarting", **asdict(event), "found": [d.message for d in event.found]})

    is_reported = False

    def asked() -> bool:
        nonlocal is_reported
        is_asked = stop.asked()
        if is_asked and not is_reported:
            is_reported = True
            sh.say("stopping after the current batch of each query; Ctrl-C again ends the command at once")
        return is_asked

    def wait(seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not asked():
            time.sleep(0.1)
        return asked()

    def watch() -> Watch:
        # A staged run must not be taken for the run of the live models.
        of = place.target.name if purpose == "run" else f"{place.target.name}/{purpose}"
        watching = Watch(folder, of, board.status().project if board else "")
        if board:
            board.status = lambda: watching.status
        return watching

    folder = place.state if purpose == "run" else place.state / purpose

    def back(diagnostics: tuple[Diagnostic, ...], seconds: float) -> bool:
        since = time.time() - stop.silence()
        sh.say(f"{diagnostics[0].message} since {when(since)}; waiting")
        if sh.json:
            sh.line({"event": "brokers-away", "since": since, "found": [d.message for d in diagnostics]})
        deadline = time.monotonic() + seconds
        while stop.signal == 0 and (time.monotonic() < deadline or stop.silence()):
            time.sleep(0.1)
        if stop.signal == 0:
            away = time.time() - since
            sh.say(f"the brokers answer again after {away:.0f} s: the queries continue from their checkpoints")
            if sh.json:
                sh.line({"event": "brokers-back", "seconds": round(away, 3)})
        return stop.signal != 0

    return Console(sh.say, sh.show, session, restarting, asked, wait, watch, events, back)


def when(at: float) -> str:
    """Return a time in seconds since 1970 in the form of messages."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


@dataclass(slots=True)
class Stop:
    """Whether a signal has asked to stop, and which. `held` raises LsqlcError for a lease that is lost; `silence`: for
    how many seconds it could not be renewed, see `Lease`.
    """

    held: Callable[[], None]
    signal: int = 0
    silence: Callable[[], float] = float

    def asked(self) -> bool:
        self.held()
        return self.signal != 0


@contextmanager
def stopping(check_lease: Callable[[], None], silence: Callable[[], float] = float) -> Iterator[Stop]:
    """SIGINT and SIGTERM ask to stop; a second one ends the command at once. The others are as in `Stop`."""
    stop = Stop(check_lease, silence=silence)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        stop.signal = number
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield stop
    finally:
        restore()
