"""Where the batches of a query end so that no partition is ahead of the others in time.

Spark's source of Kafka takes the same share of what is left of each partition. So where partitions hold other stretches
of time, one that was added later for instance, the batches of a query that catches up end in each at another time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Partition = tuple[str, int]
"""A topic and the number of one of its partitions."""

PartitionOffsets = Mapping[Partition, int]
"""An offset of each partition."""

Spans = Mapping[Partition, tuple[int, int]]
"""Of each partition the next offset to read, and the one behind its end."""

FirstFrom = Callable[[Mapping[Partition, int]], PartitionOffsets]
"""Gives the first offset of each partition that has the time asked for, in epoch milliseconds, or a later one. Of a
partition without one it gives nothing.
"""

Bounds = Mapping[str, Mapping[int, tuple[int, int]]]
"""By topic and partition, the first offset and the one behind the last committed record."""


class Search(Protocol):
    """Questions about the partitions of some topics."""

    def bounds(self) -> Bounds:
        """Where the partitions of all topics begin and end."""
        ...

    def first_from(self, times: Mapping[Partition, int]) -> PartitionOffsets:
        """As `FirstFrom`."""
        ...


# Behind every time that a record can have: the year 10000.
_END_OF_TIME = 253_402_300_800_000
# How many batches are looked at, at most, to find out how far partitions are apart.
_LOOKS = 16
# A batch that has that part of its records is not made larger.
_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Unread:
    """What a source has not read. `most`: how many offsets a batch takes; None: all that there are."""

    spans: Spans
    most: int | None

    @property
    def batches(self) -> int:
        """How many batches read it."""
        left = _count(self.spans)
        return 1 if self.most is None else -(-left // self.most)

    def proportional(self, batch: int) -> dict[Partition, int]:
        """Where Spark ends that batch, counted from 1."""
        left = _count(self.spans)
        share = 1.0 if self.most is None or not left else min(1.0, self.most * batch / left)
        return {p: start + math.ceil((end - start) * share) for p, (start, end) in self.spans.items()}

    def before(self, found: PartitionOffsets) -> dict[Partition, int]:
        """Where a batch ends before the records at these offsets. Of a partition that is not there all is before."""
        return {p: min(max(found.get(p, end), start), end) for p, (start, end) in self.spans.items()}

    def fits(self, ends: PartitionOffsets) -> bool:
        """Whether a batch up to these offsets is not too large."""
        return self.most is None or self.taken(ends) <= self.most

    def is_full(self, ends: PartitionOffsets) -> bool:
        """Whether a batch up to these offsets is large enough."""
        return self.most is not None and self.taken(ends) >= self.most * _FULL

    def taken(self, ends: PartitionOffsets) -> int:
        """How many offsets lie before these."""
        return sum(ends[p] - start for p, (start, _) in self.spans.items())


def is_apart(sources: Sequence[Unread], first_from: FirstFrom, grace: int) -> bool:
    """Whether batches that take the same share of each partition would have read one partition further than the next
    record of another one by more than about `grace` milliseconds.
    """
    batches = max((source.batches for source in sources), default=0)
    left = [Unread({p: (s, e) for p, (s, e) in source.spans.items() if s < e}, source.most) for source in sources]
    if sum(len(source.spans) for source in left) < 2 or batches < 2:
        return False
    precision = max(1, grace // 8)

    def times(ends: Sequence[PartitionOffsets], low: int, high: int) -> list[int]:
        return [t for of in ends for t in _times(first_from, of, low, high, precision).values()]

    low = min(times([{p: start for p, (start, _) in source.spans.items()} for source in left], 0, _END_OF_TIME))
    last = [{p: end - 1 for p, (_, end) in source.spans.items()} for source in left]
    high = max(times(last, low, _END_OF_TIME)) + precision + 1
    if high - low <= grace:
        return False
    inner = range(1, batches)
    for batch in inner[:: -(-len(inner) // _LOOKS)]:
        ends = [source.proportional(batch) for source in left]
        goes_on = [end < source.spans[p][1] for source, of in zip(left, ends, strict=True) for p, end in of.items()]
        places = [{p: min(end, of[p]) for p, end in ends_of.items()} for of, ends_of in zip(last, ends, strict=True)]
        found = times(places, low, high)
        behind = [time for time, on in zip(found, goes_on, strict=True) if on]
        if behind and max(found) - min(behind) > grace * 3 // 4:
            return True
    return False


def aligned_ends(sources: Sequence[Unread], first_from: FirstFrom) -> tuple[dict[Partition, int], ...]:
    """Where the next batch ends in each source: at the same time in all partitions, with as many records as each source
    takes. More records of one millisecond than a batch takes are divided, in all partitions alike.
    """
    if all(source.batches <= 1 for source in sources):
        return tuple(source.before({}) for source in sources)
    partitions = {p for source in sources for p in source.spans}

    def at(time: int) -> tuple[dict[Partition, int], ...]:
        found = first_from(dict.fromkeys(partitions, time))
        return tuple(source.before(found) for source in sources)

    low, high = 0, _END_OF_TIME
    ends = tuple({p: start for p, (start, _) in source.spans.items()} for source in sources)
    while high - low > 1 and not any(map(Unread.is_full, sources, ends)):
        time = (low + high) // 2
        more = at(time)
        if all(map(Unread.fits, sources, more)):
            low, ends = time, more
        else:
            high = time
    if any(map(Unread.taken, sources, ends)):
        return ends
    burst = zip(sources, at(high), strict=True)
    return tuple(
        Unread({p: (start, of[p]) for p, (start, _) in source.spans.items()}, source.most).proportional(1)
        for source, of in burst
    )


def _count(spans: Spans) -> int:
    return sum(end - start for start, end in spans.values())


def _times(
    first_from: FirstFrom, offsets: PartitionOffsets, low: int, high: int, precision: int
) -> dict[Partition, int]:
    """The time of the record at each offset, or the newest before it if that is later; at most `precision`
    milliseconds too early. `low`: no record there is older; `high`: all are.
    """
    lows, highs = dict.fromkeys(offsets, low), dict.fromkeys(offsets, high)
    while asked := {p: (lows[p] + highs[p]) // 2 for p in offsets if highs[p] - lows[p] > precision}:
        found = first_from(asked)
        for p, time in asked.items():
            if p in found and found[p] <= offsets[p]:
                lows[p] = time
            else:
                highs[p] = time
    return lows


def left(ends: Mapping[int, tuple[int, int]], done: Mapping[int, int]) -> int:
    """Return how many offsets have not been read, over all partitions. `ends`: of each partition the first offset and
    the one behind its end; `done`: the next one to read. A partition that is missing there has not been read.
    """
    return sum(max(0, end - max(first, done.get(p, first))) for p, (first, end) in ends.items())
