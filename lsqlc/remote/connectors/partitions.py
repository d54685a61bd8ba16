"""Progress in topics with partitions: the next offset of each, as in the checkpoints of Spark's Kafka source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from lsqlc.connectors.aligned import Partition, PartitionOffsets, Unread, aligned_ends, left
from lsqlc.connectors.transport import Offsets, Transport
from lsqlc.remote.connectors.progress import Goal, Reached
from lsqlc.remote.run.batch_log import AheadError, BatchLog, End, KafkaEnd, least


@dataclass(frozen=True, slots=True)
class OffsetsRead:
    """The next offset of each partition, an implementation of `Reached`. Missing partitions have not been read."""

    offsets: Offsets = field(default_factory=dict)

    def covers(self, other: Self) -> bool:
        return all(end <= self.offsets.get(partition, 0) for partition, end in other.offsets.items())

    def shared(self, others: Sequence[Self]) -> Self:
        return type(self)(least([self.offsets, *(each.offsets for each in others)]))

    def is_same(self, other: Self) -> bool:
        return dict(self.offsets) == dict(other.offsets)


class OffsetsProgress:
    """An implementation of `Progress`."""

    def nothing(self) -> OffsetsRead:
        return OffsetsRead()

    def read(self, log: BatchLog, batch: int, number: int, names: Mapping[str, str]) -> Mapping[str, OffsetsRead]:
        offsets = log.offsets(batch, number)
        return {topic: OffsetsRead(offsets.get(name, {})) for topic, name in names.items()}

    def is_at_end(self, log: Transport, topic: str, positions: Iterable[Reached]) -> bool:
        ends = {p: end for p, (_, end) in log.offsets(topic).items()}
        return all(_read(each).get(p, 0) >= end for each in positions for p, end in ends.items())

    def left(self, log: Transport, topics: Collection[str]) -> Callable[[str, Reached], int]:
        bounds = log.search(sorted(topics)).bounds() if topics else {}
        return lambda topic, position: left(bounds[topic], _read(position))

    def ends(self, goals: Sequence[Goal], log: Transport, records_per_batch: int | None) -> Sequence[End]:
        sources = [_unread(goal, records_per_batch) for goal in goals]
        search = log.search([topic for goal in goals for topic in goal.topics])
        ends = aligned_ends(sources, search.first_from)
        return [named_ends(goal.names, of) for goal, of in zip(goals, ends, strict=True)]


def named_ends(names: Mapping[str, str], ends: PartitionOffsets) -> KafkaEnd:
    """Return the end of a batch in the topics of a source. `names`: their external names."""
    offsets: dict[str, dict[int, int]] = {}
    for (topic, partition), end in ends.items():
        offsets.setdefault(names[topic], {})[partition] = end
    return KafkaEnd(offsets)


def _unread(goal: Goal, records_per_batch: int | None) -> Unread:
    """Return the offsets that a source has to read. Raises AheadError if it has read more."""
    read = goal.read()
    spans: dict[Partition, tuple[int, int]] = {}
    for topic, (log, position) in goal.topics.items():
        for partition, (first, last) in log.offsets(topic).items():
            end = max(first, last if position is None else _read(position).get(partition, first))
            # Records before the first offset were removed by retention.
            start = max(first, read.get((topic, partition), 0))
            if end < start:
                raise AheadError(topic)
            spans[topic, partition] = start, end
    return Unread(spans, None if goal.source.together else records_per_batch)


def _read(position: Reached) -> Offsets:
    assert isinstance(position, OffsetsRead), "the progress of this connector is an offset of each partition"
    return position.offsets
