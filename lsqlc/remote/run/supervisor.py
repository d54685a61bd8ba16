"""Restart a run after a failure: which failures, how often, and after which pause.

Every start continues from the checkpoints, so a restart loses nothing and duplicates nothing. An error that would occur
again ends the run at once: a record that cannot be read, a full disk, a checkpoint of another stage, SQL that Spark
rejects. A query whose worker was lost is started again by the run itself (see `restarts`). A run whose server or
session was lost is restarted a few times. If a server answered before and does not answer now, the run waits as long as
a restart of the server may take.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from lsqlc.connectors.outages import is_away
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.session.failures import LastingError

# A query failed; the server or the session has ended.
_PASSING = frozenset(("LSQ661", "LSQ663"))
# An embedded server did not start. In the first attempt of a run, this error is final.
_STARTING = frozenset(("LSQ653",))
# No Spark server, or no schema registry, answers at the address. In the first attempt of a run, this error is final:
# the address is wrong.
_AWAY = frozenset(("LSQ655", "LSQ656", "LSQ657", "LSQ659", "LSQ711"))
LONGEST_PAUSE = 60.0
# The longest pause for a server that does not answer: a probe is cheap, and all queries wait for the server.
LONGEST_ABSENCE_PAUSE = 8.0
# Seconds; longer than a cluster needs to restart.
LONGEST_AWAY = 900.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Restarting:
    """The report of a restart.

    `failures`: the failures in a row, of which `limit` are retried; `pause`: the seconds until the next attempt;
    `found`: the diagnostics of the failure; `away`: the seconds of waiting for a server that answered before, else 0.
    """

    failures: int
    limit: int
    pause: float
    found: tuple[Diagnostic, ...]
    away: float = 0.0


def pause_before(restart: int) -> float:
    """Return the seconds before the n-th restart in a row, which double each time, up to a minute.

    >>> [pause_before(n) for n in (1, 2, 3, 9)]
    [1.0, 2.0, 4.0, 60.0]
    """
    return min(LONGEST_PAUSE, 2.0 ** (restart - 1))


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """The limits and the callbacks of restarts.

    - `limit`: the failures in a row that are retried; 0: none. A number that has grown, `progress()`, ends the row.
    - `wait`: sleeps for that many seconds, and returns whether the run must stop. Raises LsqlcError for new problems.
    - `report`: called before each restart.
    - `away`: the seconds to wait for a server that answered before. This is not a failure.
    - `back`: waits, at least that many seconds, until brokers answer again. Returns whether the run must stop. None:
      the run does not wait for brokers.
    """

    limit: int
    progress: Callable[[], int]
    wait: Callable[[float], bool]
    report: Callable[[Restarting], None]
    away: float = LONGEST_AWAY
    back: Callable[[tuple[Diagnostic, ...], float], bool] | None = None


def supervise(attempt: Callable[[], T], policy: RestartPolicy) -> T:
    """Call `attempt` until it succeeds, and return its result.

    Raises the LsqlcError of the last attempt, if it is final or if the policy does not allow another attempt. Raises
    the errors of the policy's callbacks as well.
    """
    failures = _Failures(policy, policy.progress())
    while True:
        try:
            return attempt()
        except LastingError:
            raise
        except LsqlcError as error:
            diagnostics = tuple(error.diagnostics)
            failures.reset_after_progress()
            if policy.back is not None and policy.limit > 0 and is_away(diagnostics):
                failures.outages += 1
                if policy.back(diagnostics, pause_before(failures.outages)):
                    raise
                continue
            pause = failures.add({d.code for d in diagnostics if d.is_error})
            if pause is None:
                raise
            policy.report(Restarting(failures.count, policy.limit, pause, diagnostics, failures.waited))
            if _wait(policy, pause):
                raise


def _wait(policy: RestartPolicy, pause: float) -> bool:
    """Wait before the next attempt, and for brokers that do not answer. Return whether the run must stop."""
    try:
        return policy.wait(pause)
    except LsqlcError as error:
        if policy.back is None or not is_away(error.diagnostics):
            raise
        return policy.back(tuple(error.diagnostics), pause)


@dataclass(slots=True)
class _Failures:
    """The failures since the last progress.

    `progress`: the last progress; `has_progressed`: whether there was any in this run; `attempts`: all failed attempts;
    `count`: those that count for the limit; `waited`: the seconds of waiting for the server; `outages`: of brokers.
    """

    policy: RestartPolicy
    progress: int
    has_progressed: bool = False
    attempts: int = 0
    count: int = 0
    waited: float = 0.0
    outages: int = 0

    def reset_after_progress(self) -> None:
        """Start a new row of failures if there was progress since the last one."""
        progress = self.policy.progress()
        if progress > self.progress:
            self.progress, self.has_progressed = progress, True
            self.attempts, self.count, self.waited, self.outages = 0, 0, 0.0, 0

    def add(self, codes: Collection[str]) -> float | None:
        """Add a failure with these codes. Return the seconds until the next attempt; None: the error is final."""
        has_started = self.has_progressed or self.attempts > 0
        is_absent = has_started and _AWAY.issuperset(codes)
        passing = _PASSING | _STARTING | _AWAY if has_started else _PASSING
        is_over = self.waited >= self.policy.away if is_absent else self.count >= self.policy.limit
        if not passing.issuperset(codes) or self.policy.limit == 0 or is_over:
            return None
        self.attempts += 1
        if is_absent:
            pause = min(pause_before(self.attempts), LONGEST_ABSENCE_PAUSE)
            self.waited += pause
            return pause
        self.count, self.waited = self.count + 1, 0.0
        return pause_before(self.count)
