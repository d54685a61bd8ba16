"""End offsets of a query's batches so that no partition is ahead of the others in time.

Spark's Kafka source takes the same share of the rest of each partition. If partitions hold different ranges of time,
for example one that was added later, the batches of a catching-up query end at different times.
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
"""For each partition the next offset to read, and the end offset, exclusive."""

FirstFrom = Callable[[Mapping[Partition, int]], PartitionOffsets]
"""Returns the first offset of each partition with a record at or after the requested time, in epoch milliseconds.

Partitions without such a record are absent.
"""

Bounds = Mapping[str, Mapping[int, tuple[int, int]]]
"""By topic and partition, the first offset and the one behind the last committed record."""


class Search(Protocol):
    """Queries about the partitions of some topics."""

    def bounds(self) -> Bounds:
        """Return the first offset and the end offset of the partitions of all topics."""
        ...

    def first_from(self, times: Mapping[Partition, int]) -> PartitionOffsets:
        """Return the offsets as `FirstFrom`."""
        ...


# After every valid time of a record: the year 10000.
_END_OF_TIME = 253_402_300_800_000
# The maximum number of batches that are checked for the distance of partitions.
_LOOKS = 16
# A batch with this share of its maximum is not extended.
_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Unread:
    """The unread offsets of a source. `most`: the maximum number of offsets in a batch; None: no maximum."""

    spans: Spans
    most: int | None

    @property
    def batches(self) -> int:
        """The number of batches that read it."""
        left = _count(self.spans)
        return 1 if self.most is None else -(-left // self.most)

    def proportional(self, batch: int) -> dict[Partition, int]:
        """Return the offsets where Spark ends a batch, counted from 1."""
        left = _count(self.spans)
        share = 1.0 if self.most is None or not left else min(1.0, self.most * batch / left)
        return {p: start + math.ceil((end - start) * share) for p, (start, end) in self.spans.items()}

    def before(self, offsets: PartitionOffsets) -> dict[Partition, int]:
        """Return the end of a batch before the records at these offsets. A partition without an offset ends at
        its end.
        """
        return {p: min(max(offsets.get(p, end), start), end) for p, (start, end) in self.spans.items()}

    def fits(self, ends: PartitionOffsets) -> bool:
        """Return whether a batch up to these offsets is not too large."""
        return self.most is None or self.taken(ends) <= self.most

    def is_full(self, ends: PartitionOffsets) -> bool:
        """Return whether a batch up to these offsets is large enough."""
        return self.most is not None and self.taken(ends) >= self.most * _FULL

    def taken(self, ends: PartitionOffsets) -> int:
        """Return the number of offsets before these."""
        return sum(ends[p] - start for p, (start, _) in self.spans.items())


def is_apart(sources: Sequence[Unread], first_from: FirstFrom, grace: int) -> bool:
    """Return whether proportional batches would read one partition far ahead of another one.

    That is by more than about `grace` milliseconds after the next record of the other partition.
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
        record_times = times(places, low, high)
        behind = [time for time, on in zip(record_times, goes_on, strict=True) if on]
        if behind and max(record_times) - min(behind) > grace * 3 // 4:
            return True
    return False


def aligned_ends(sources: Sequence[Unread], first_from: FirstFrom) -> tuple[dict[Partition, int], ...]:
    """Return the end of the next batch in each source: at the same time in all partitions, of the maximum size.

    If more records have one millisecond than a batch may have, they are divided in all partitions alike.
    """
    if all(source.batches <= 1 for source in sources):
        return tuple(source.before({}) for source in sources)
    partitions = {p for source in sources for p in source.spans}

    def at(time: int) -> tuple[dict[Partition, int], ...]:
        offsets = first_from(dict.fromkeys(partitions, time))
        return tuple(source.before(offsets) for source in sources)

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
    """Return the time of the record at each offset, or the newest time before it if that is later.

    It is at most `precision` milliseconds too early. `low`: no record is older. `high`: all records are older.
    """
    lows, highs = dict.fromkeys(offsets, low), dict.fromkeys(offsets, high)
    while middles := {p: (lows[p] + highs[p]) // 2 for p in offsets if highs[p] - lows[p] > precision}:
        offsets_at = first_from(middles)
        for p, time in middles.items():
            if p in offsets_at and offsets_at[p] <= offsets[p]:
                lows[p] = time
            else:
                highs[p] = time
    return lows


def left(ends: Mapping[int, tuple[int, int]], next_offsets: Mapping[int, int]) -> int:
    """Return the number of unread offsets over all partitions.

    `ends`: for each partition the first offset and the end offset, exclusive. `next_offsets`: the next offset to read.
    A partition that is absent there is unread.
    """
    return sum(max(0, end - max(first, next_offsets.get(p, first))) for p, (first, end) in ends.items())
