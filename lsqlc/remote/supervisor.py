"""A run that is started again after it failed: how often, after what, and how long it waits before.

Every start goes on from the checkpoints, so a restart loses nothing and doubles nothing. What a second try cannot
change (a record that cannot be read, a checkpoint of another stage, SQL that Spark refuses) ends the run at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lsqlc.diagnostics import Diagnostic, LsqlcError

# A query failed; the server or the session is gone.
_PASSING = frozenset(("LSQ661", "LSQ663"))
# Nobody answers (yet), or not as a Spark server does. At the first start that is no trouble that passes: it is a wrong
# address.
_AWAY = frozenset(("LSQ653", "LSQ654", "LSQ655", "LSQ656", "LSQ659"))
LONGEST_PAUSE = 60.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Restarting:
    """What is told before a restart: the failures in a row, how many of them are borne, the seconds until the next
    start, and what went wrong.
    """

    failures: int
    limit: int
    pause: float
    found: tuple[Diagnostic, ...]


def pause_before(restart: int) -> float:
    """Seconds before the n-th restart in a row, the first being 1: doubled each time, up to a minute.

    >>> [pause_before(n) for n in (1, 2, 3, 9)]
    [1.0, 2.0, 4.0, 60.0]
    """
    return min(LONGEST_PAUSE, 2.0 ** (restart - 1))


def supervise(
    attempt: Callable[[], T],
    *,
    limit: int,
    progress: Callable[[], int],
    wait: Callable[[float], bool],
    report: Callable[[Restarting], None],
) -> T:
    """What `attempt` returns, once it does; it is called again after trouble that may pass.

    `limit`: failures in a row that are borne; one is in a row with the last if `progress`, a number that grows with
    what was done, is the same. `wait` sleeps for these seconds, and returns whether somebody asked to stop meanwhile.
    Raises LsqlcError: what the last attempt raised.
    """
    failures, seen = 0, progress()
    begun = False
    while True:
        try:
            return attempt()
        except LsqlcError as error:
            if progress() > seen:
                failures, seen, begun = 0, progress(), True
            codes = {d.code for d in error.diagnostics if d.is_error}
            passing = codes <= (_PASSING | _AWAY if begun or failures else _PASSING)
            if not passing or failures >= limit:
                raise
            failures += 1
            pause = pause_before(failures)
            report(Restarting(failures, limit, pause, tuple(error.diagnostics)))
            if wait(pause):
                raise
