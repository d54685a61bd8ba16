"""A run that is restarted after a failure: how often, after what, and how long it waits before.

Every start continues from the checkpoints, so a restart loses nothing and duplicates nothing. What a second try cannot
change (a record that cannot be read, a full disk, a checkpoint of another stage, SQL that Spark refuses) ends the run
immediately. A query whose worker was lost is not handled here: the run itself restarts it, see `restarts`. A lost
server or session is tried a few times; a server that was there and is away is waited for as long as a restart may take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lsqlc.connectors.outages import is_away
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.session.failures import LastingError

# A query failed; the server or the session is gone.
_PASSING = frozenset(("LSQ661", "LSQ663"))
# A server of our own did not start. At the first start it never will.
_STARTING = frozenset(("LSQ653",))
# Nobody answers (yet), or not as a Spark server does. At the first start that is no trouble that passes: it is a wrong
# address. Likewise a schema registry, which a run asks when a record comes of a schema that it does not know.
_AWAY = frozenset(("LSQ655", "LSQ656", "LSQ657", "LSQ659", "LSQ711"))
LONGEST_PAUSE = 60.0
# For a server that is away: to look for it costs nothing, and all queries wait for it.
LONGEST_ABSENCE_PAUSE = 8.0
# Longer than a cluster takes to start again.
LONGEST_AWAY = 900.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Restarting:
    """What is reported before a restart: the failures in a row, how many of them are borne, the seconds until the next
    start, and what went wrong. `away`: the seconds that a server which answered before has been waited for; 0 if it is
    not that.
    """

    failures: int
    limit: int
    pause: float
    found: tuple[Diagnostic, ...]
    away: float = 0.0


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
    away: float = LONGEST_AWAY,
    back: Callable[[tuple[Diagnostic, ...], float], bool] | None = None,
) -> T:
    """What `attempt` returns, once it does; it is called again after trouble that may pass.

    `limit`: failures in a row that are borne; one is in a row with the last if `progress`, a number that grows with
    what was done, is the same. 0: none is. A server that is away is no failure, once it has been there: it is waited
    for, so many seconds, which the pauses add up to. `wait` sleeps for these seconds, and returns whether somebody
    asked to stop meanwhile; it raises LsqlcError for what went wrong meanwhile. `back` waits until brokers answer again
    that did not, at least so many seconds, and returns the same; None: they are not waited for. Raises LsqlcError: what
    the last attempt raised, or `wait` or `back`.
    """
    tries, failures, waited, seen, outages = 0, 0, 0.0, progress(), 0
    begun = False
    while True:
        try:
            return attempt()
        except LastingError:
            raise
        except LsqlcError as error:
            if progress() > seen:
                tries, failures, waited, seen, begun, outages = 0, 0, 0.0, progress(), True, 0
            if back is not None and limit > 0 and is_away(error.diagnostics):
                outages += 1
                if back(tuple(error.diagnostics), pause_before(outages)):
                    raise
                continue
            codes = {d.code for d in error.diagnostics if d.is_error}
            known = begun or tries > 0
            absent = known and codes <= _AWAY
            passing = absent or codes <= (_PASSING | _STARTING | _AWAY if known else _PASSING)
            if not passing or limit == 0 or (waited >= away if absent else failures >= limit):
                raise
            tries += 1
            if absent:
                pause = min(pause_before(tries), LONGEST_ABSENCE_PAUSE)
                waited += pause
            else:
                failures, waited = failures + 1, 0.0
                pause = pause_before(failures)
            report(Restarting(failures, limit, pause, tuple(error.diagnostics), waited))
            try:
                stopped = wait(pause)
            except LsqlcError as silence:
                if back is None or not is_away(silence.diagnostics):
                    raise
                stopped = back(tuple(silence.diagnostics), pause)
            if stopped:
                raise
