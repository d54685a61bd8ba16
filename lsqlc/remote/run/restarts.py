"""The schedule of restarts for a query whose worker was lost, while the other queries run.

A Python worker that starts too slowly has done nothing, and on a busy machine the next one may be slow too. Such
failures are retried for a time. Other losses of a worker are retried a few times in a row. A complete batch resets both
limits.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# Seconds. A worker may take ten seconds to start, so a shorter pause would have no effect.
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0
# The longest pause after a slow worker. Other queries were not started during its ten seconds.
LONGEST_SLOW_PAUSE = 4.0
# Seconds that a slow worker has taken.
SLOW_SECONDS = 10.0
# The limit for the sum of the waits for slow workers and the pauses after them.
LONGEST_WAIT = 900.0
# The random share of a pause, so that queries that have failed together do not restart together.
JITTER = 0.5


@dataclass(frozen=True, slots=True)
class Clock:
    """The sources of time and random numbers.

    `monotonic`: seconds of a monotonic clock; `wall`: seconds since 1970, 0 unless the caller passes a clock; `chance`:
    a random number from 0 to 1.
    """

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = float
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


def pause_after(failures: int, chance: float) -> float:
    """Return the seconds before the next start after that many failures in a row. `chance`: a number from 0 to 1.

    >>> [pause_after(n, 0.0) for n in (1, 2, 3, 9)]
    [2.0, 4.0, 8.0, 60.0]
    >>> pause_after(2, 1.0)
    6.0
    """
    pause = FIRST_PAUSE * 2.0 ** min(failures - 1, 16)
    return min(LONGEST_PAUSE, pause) * (1 + JITTER * chance)


@dataclass(slots=True)
class Restarts:
    """The failures in a row of a query. `limit`: the number of lost workers that are retried; 0: no failure is."""

    limit: int
    failures: int = 0
    _losses: int = 0
    _waited: float = 0.0
    _batches: int = field(default=0)

    def pause(self, *, batches: int, slow: bool, chance: float, away: bool = False, late: bool = False) -> float | None:
        """Record a failure. Return the seconds until the next start; None: the query is not started again.

        `batches`: the batches that it has completed so far; `slow`: it did not start in time, `late`: because its
        worker did not start; `away`: it waits for brokers, without a limit.
        """
        if batches > self._batches:
            self._batches, self.failures, self._losses, self._waited = batches, 0, 0, 0.0
        self.failures += 1
        if self.limit == 0:
            return None
        if away:
            return pause_after(self.failures, chance)
        self._losses += not slow
        if self._waited >= LONGEST_WAIT if slow else self._losses > self.limit:
            return None
        pause = pause_after(self.failures, chance)
        if late:
            pause = min(LONGEST_SLOW_PAUSE * (1 + JITTER * chance), pause)
        self._waited += pause + (SLOW_SECONDS if late else 0.0)
        return pause
