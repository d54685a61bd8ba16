"""When a query is started again whose worker was lost, while the others run on. Time and chance are given to it.

A Python worker that came up too slowly has done nothing, and on a busy machine the next one may as well: such failures
are borne for a time. Any other loss of a worker is borne a few times in a row. A batch that is done starts both anew.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# Seconds. A worker has ten to come up, so that a shorter pause would be none.
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0
# After a slow worker: it has been waited for already, and others were not started meanwhile.
LONGEST_SLOW_PAUSE = 4.0
# Those that a slow worker has taken.
SLOW_SECONDS = 10.0
# What the waits for slow workers and the pauses after them may add up to.
LONGEST_WAIT = 900.0
# Of a pause, so that queries which failed together do not come back together.
JITTER = 0.5


@dataclass(frozen=True, slots=True)
class Clock:
    """Where time and chance come from. `monotonic`: seconds that no setting of the clock changes; `wall`: seconds since
    1970, which the command line gives, or nobody; `chance`: a number from 0 to 1.
    """

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = float
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


def pause_after(failures: int, chance: float) -> float:
    """Seconds before the next start after so many failures in a row, the first being 1. `chance`: 0 to 1.

    >>> [pause_after(n, 0.0) for n in (1, 2, 3, 9)]
    [2.0, 4.0, 8.0, 60.0]
    >>> pause_after(2, 1.0)
    6.0
    """
    pause = FIRST_PAUSE * 2.0 ** min(failures - 1, 16)
    return min(LONGEST_PAUSE, pause) * (1 + JITTER * chance)


@dataclass(slots=True)
class Restarts:
    """The failures of one query in a row. `limit`: how many losses of a worker are borne; 0: none, nor a slow one."""

    limit: int
    failures: int = 0
    _losses: int = 0
    _waited: float = 0.0
    _batches: int = field(default=0)

    def pause(self, *, batches: int, slow: bool, chance: float, away: bool = False, late: bool = False) -> float | None:
        """Seconds until the query is to be started again after one more failure; None: it is given up. `batches`: how
        many it has done so far; `slow`: it did not start in time, `late`: since its worker did not come up; `away`: it
        waits for brokers, without end.
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
