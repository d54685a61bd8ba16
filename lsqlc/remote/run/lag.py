"""The lag of a query in seconds, computed from the offsets of its topics.

Spark reports how many offsets the topics had when a batch began, and how many of them have been read. If a query has
read all offsets of an earlier time, its lag in seconds is the time since then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# The maximum of ends for a query that stays behind. Beyond it every second end is dropped, except the first and last.
_MOST_ENDS = 128


@dataclass(frozen=True, slots=True)
class End:
    """The end of the topics at a time. `at`: seconds since 1970; `offsets`: the sum over all topics and partitions."""

    at: float
    offsets: int


def seen(ends: Sequence[End], at: float, read: int, lag: int) -> tuple[End, ...]:
    """Add the end of a batch, and drop the ends that are not needed any more. Ends are ordered by time.

    The first end of the result is the newest one whose offsets the query has read, if there is one. `at`: the start of
    the batch, in seconds since 1970; `read`: the offsets that have been read; `lag`: the offsets after them.

    >>> ends = seen((), 10.0, read=4, lag=6)
    >>> ends = seen(ends, 20.0, read=8, lag=12)
    >>> seen(ends, 30.0, read=12, lag=8)
    (End(at=10.0, offsets=10), End(at=20.0, offsets=20), End(at=30.0, offsets=20))
    >>> seen(ends, 40.0, read=20, lag=0)
    (End(at=40.0, offsets=20),)
    """
    all_ends = (*ends, End(at, read + lag))
    passed = [i for i, end in enumerate(all_ends) if end.offsets <= read]
    remaining = all_ends[passed[-1] :] if passed else all_ends
    return remaining if len(remaining) <= _MOST_ENDS else (remaining[0], *remaining[1:-1:2], remaining[-1])


def behind_since(ends: Sequence[End], lag: int) -> float | None:
    """Return the time since which a query has been behind, in seconds since 1970; None if it is not behind.

    For a query that was already behind in its first batch, it is the time of that batch.

    >>> behind_since((End(10.0, 10), End(20.0, 20)), lag=8)
    10.0
    """
    return ends[0].at if lag and ends else None
