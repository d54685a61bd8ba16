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
    from lsqlc.cli.watch import Watch
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.remote.run.events import Event
    from lsqlc.remote.run.supervisor import Restarting
    from lsqlc.tasks.backlog import Fit
    from lsqlc.tasks.run_context import Console, Session
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class TerminalOptions:
    """The run of a terminal.

    `purpose`: names the work folder of an embedded server; the status of a run with `deploy` is next to that of the
    models. `board`: publishes the status too; `also`: takes all events as well; `slots`: see `SessionUse`.
    """

    detach: bool = False
    purpose: Purpose = "run"
    board: Board | None = None
    also: Callable[[Event], None] = lambda event: None
    slots: Callable[[], int] = lambda: 0


# An attached run of the models.
ATTACHED = TerminalOptions()


def console(sh: Shell, place: RunTarget, stop: Stop, options: TerminalOptions = ATTACHED) -> Console:
    """Return the terminal as a run sees it."""
    from lsqlc.tasks.run_context import Console

    terminal = _Terminal(sh, place, stop, options)
    return Console(
        sh.say,
        sh.show,
        terminal.session,
        terminal.restarting,
        terminal.stops,
        terminal.wait,
        terminal.watch,
        terminal.events,
        terminal.wait_for_brokers,
    )


# Seconds between two looks for a signal.
_LOOK = 0.05


@dataclass(slots=True)
class _Terminal:
    """The terminal of a run. Its fields are the arguments of `console`."""

    sh: Shell
    place: RunTarget
    stop: Stop
    options: TerminalOptions
    _is_reported: bool = False

    @contextmanager
    def session(
        self, files: tuple[Topic, ...], fit: Callable[[], Fit]
    ) -> Iterator[tuple[Session, Callable[[Event], None]]]:
        from lsqlc.cli.spark import SessionUse, opened

        use = SessionUse(self.options.purpose, files, stays=self.options.detach, fit=fit, slots=self.options.slots)
        server = opened(self.sh, self.place, use)
        with server as spark, self.events() as take:
            yield spark, take

    @contextmanager
    def events(self) -> Iterator[Callable[[Event], None]]:
        from lsqlc.cli.live import display

        with display(self.sh) as show_event:

            def take(event: Event) -> None:
                self.options.also(event)
                show_event(event)

            yield take

    def restarting(self, event: Restarting) -> None:
        from lsqlc.report.progress import restarting_line

        self.sh.say(restarting_line(event))
        if self.sh.json:
            self.sh.line({"event": "restarting", **asdict(event), "found": [d.message for d in event.found]})

    def stops(self) -> bool:
        """Return whether a signal has asked to stop, and report it once."""
        is_asked = self.stop.asked()
        if is_asked and not self._is_reported:
            self._is_reported = True
            self.sh.say("stopping after the current batch of each query; Ctrl-C again ends the command at once")
        return is_asked

    def wait(self, seconds: float) -> bool:
        """Pause, and return whether the run is to stop."""
        self.stop.pause(seconds)
        return self.stops()

    def watch(self) -> Watch:
        """Open the status file of the run."""
        from lsqlc.cli.watch import Watch

        is_live = self.options.purpose == "run"
        name = self.place.target.name
        # A staged run must not be taken for the run of the live models.
        watching = Watch(
            self.place.state if is_live else self.place.state / self.options.purpose,
            name if is_live else f"{name}/{self.options.purpose}",
            self.options.board.status().project if self.options.board else "",
        )
        if self.options.board:
            self.options.board.status = lambda: watching.status
        return watching

    def wait_for_brokers(self, diagnostics: tuple[Diagnostic, ...], seconds: float) -> bool:
        """Wait until the brokers answer, and return whether the run is to stop."""
        sh, stop = self.sh, self.stop
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

    def pause(self, seconds: float) -> bool:
        """Pause until a signal asks to stop, and return whether one does."""
        until = time.monotonic() + seconds
        while not self.asked() and time.monotonic() < until:
            time.sleep(min(_LOOK, max(0.0, until - time.monotonic())))
        return self.asked()


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
