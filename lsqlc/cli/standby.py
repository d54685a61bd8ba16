"""`lsqlc run --standby`: wait while another run of the project is active, and take over when it ends or is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.cli.running import when
from lsqlc.cli.shell import Shell
from lsqlc.connectors.outages import is_away
from lsqlc.diagnostics import LsqlcError

if TYPE_CHECKING:
    from lsqlc.connectors.lease import Lease
    from lsqlc.tasks.run_target import RunTarget

# A run of this machine, or of another one, is active.
_ACTIVE = frozenset(("LSQ664", "LSQ782"))
_LOOK = 5.0


@contextmanager
def alone(
    sh: Shell,
    place: RunTarget,
    project: str,
    *,
    standby: bool,
    waits: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Lease]:
    """Hold the lock and the lease of a project inside the `with`; `standby`: wait for them, also while no broker
    answers; `waits`: whether the lease waits for brokers. Raises LsqlcError as these do, and LSQ732 where no broker has
    ever answered: that is a wrong address.
    """
    from lsqlc.remote.run.locks import run_lock

    waiting = _Waiting(sh)
    is_free: Callable[[], bool] | None = None
    while True:
        with ExitStack() as stack:
            lease: Lease | None = None
            try:
                free = is_free is None or is_free()
                waiting.answered()
                if free:
                    stack.enter_context(run_lock(place.state))
                    lease = stack.enter_context(place.lease(project, waits=waits))
            except LsqlcError as error:
                if not standby or not waiting.passes(error):
                    raise
                if is_free is None or not is_away(error.diagnostics):
                    is_free = place.lease_is_free(project)
            if lease is not None:
                waiting.taken()
                yield lease
                return
        sleep(_LOOK)


@dataclass(slots=True)
class _Waiting:
    """The messages of a run that stands by, each printed once: that it waits, and since when no broker answers."""

    sh: Shell
    is_waiting: bool = False
    away: float | None = None

    def passes(self, error: LsqlcError) -> bool:
        """Return whether the run waits for this error to pass, and report that."""
        first = error.diagnostics[0].message
        if any(d.code in _ACTIVE for d in error.diagnostics):
            self.answered()
            if not self.is_waiting:
                self._say(f"standing by: {first}", "standing-by", first)
            self.is_waiting = True
            return True
        if self.is_waiting and is_away(error.diagnostics):
            if self.away is None:
                self.away = time.time()
                self._say(f"{first} since {when(self.away)}; waiting", "brokers-away", first)
            return True
        return False

    def answered(self) -> None:
        """Report that the brokers answer."""
        if self.away is not None:
            text = f"the brokers answer again after {time.time() - self.away:.0f} s: standing by"
            self._say(text, "brokers-back", text)
        self.away = None

    def taken(self) -> None:
        """Report that the lock and the lease are held."""
        if self.is_waiting:
            self.sh.say("the other run has ended: this one takes over")

    def _say(self, text: str, event: str, message: str) -> None:
        self.sh.say(text)
        if self.sh.json:
            self.sh.line({"event": event, "found": message})


@contextmanager
def alone_with_state(sh: Shell, place: RunTarget, project: str) -> Iterator[RunTarget]:
    """Return the target as a run would see it, which nobody else uses inside the `with`. Raises LsqlcError while a run
    is active, attached or not.
    """
    from lsqlc.tasks.deploy.note import running_place
    from lsqlc.tasks.detached import check_detached

    with alone(sh, place, project, standby=False):
        live = running_place(place, project)
        check_detached(live, project, takes_over=False)
        yield live
