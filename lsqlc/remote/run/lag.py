"""How long ago a query fell behind its topics, by the ends of the topics that Spark saw.

Spark says how many offsets were there when a batch began, and how many of them have been read. Whoever has read as many
as there were at an earlier time is behind by what came since: the lag in seconds counts from that time on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Ends that are kept of a query that stays behind. Beyond it every other one is dropped, the first and the last stay.
_KEPT = 128


@dataclass(frozen=True, slots=True)
class End:
    """What was there at a time: `at` in seconds since 1970, `offsets` over all topics and partitions."""

    at: float
    offsets: int


def seen(ends: Sequence[End], at: float, read: int, lag: int) -> tuple[End, ...]:
    """The ends that still matter, in order of time, once a batch was seen that began `at` and left `lag` offsets after
    those that were `read`. The first is the newest that the query has caught up with, if there is one.

    >>> ends = seen((), 10.0, read=4, lag=6)
    >>> ends = seen(ends, 20.0, read=8, lag=12)
    >>> seen(ends, 30.0, read=12, lag=8)
    (End(at=10.0, offsets=10), End(at=20.0, offsets=20), End(at=30.0, offsets=20))
    >>> seen(ends, 40.0, read=20, lag=0)
    (End(at=40.0, offsets=20),)
    """
    known = (*ends, End(at, read + lag))
    passed = [i for i, end in enumerate(known) if end.offsets <= read]
    kept = known[passed[-1] :] if passed else known
    return kept if len(kept) <= _KEPT else (kept[0], *kept[1:-1:2], kept[-1])


def behind_since(ends: Sequence[End], lag: int) -> float | None:
    """Since when the query has been behind, in seconds since 1970; None where it is not. For a query that was behind
    when it was first seen it is that time, since nothing is known of what was before.

    >>> behind_since((End(10.0, 10), End(20.0, 20)), lag=8)
    10.0
    """
    return ends[0].at if lag and ends else None
