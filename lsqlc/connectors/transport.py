"""What any transport of topics does. `tests/connectors/contract.py` is the contract in full; this is its shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from lsqlc.connectors.unreadable import ToldOf
from lsqlc.types.record import Record, StoredRecord, Topic

# The next offset to read of each partition. Of a topic in folders, which has only partition 0: the first number of the
# next ordinal. A partition that is missing is read from its first record.
Offsets = Mapping[int, int]
NOWHERE: Offsets = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AppendResult:
    """What an append wrote: how many records, and the ordinals from `first` up to `end`, exclusive; None where ordinals
    are places that the log finds out later, as in Kafka. `files`: how many files hold them; 0 where records do not lie
    in files.
    """

    count: int
    first: int | None = None
    end: int | None = None
    files: int = 0


@dataclass(frozen=True, slots=True)
class TopicWriter:
    """A topic that is open for records that come bit by bit. `check` raises ValueProblems with all that does not fit;
    `write` appends records that fit, in their order, all or none. `created`: the number of partitions of a topic that
    did not exist in a cluster.
    """

    check: Callable[[Record], object]
    write: Callable[[Sequence[Record]], object]
    created: int | None = None


@dataclass(frozen=True, slots=True)
class NewRecords:
    """Records that have become visible, in order of ordinals. `anew`: the topic was removed since, and these are those
    of its successor.
    """

    records: Iterator[StoredRecord]
    anew: bool = False


class Transport(Protocol):
    """Named logs of records. Bad input raises LsqlcError, with everything that was found."""

    def names(self) -> tuple[str, ...]:
        """The topics that exist, in order of their names."""
        ...

    def append(self, topic: Topic, records: Iterable[Record], *, segments_of: int | None = None) -> AppendResult:
        """Give records the next ordinals and make them visible, all or none. Their `topic` is not looked at.

        The order of appends is that of ordinals: in a log that counts, over all topics; in Kafka, in each partition.
        """
        ...

    def feed(self, topic: Topic) -> AbstractContextManager[TopicWriter]:
        """A topic open for appends inside the `with`. What was written stays, however the `with` ends."""
        ...

    def append_together(
        self, id: str, seen: Topic, prepare: Callable[[], Sequence[tuple[Topic, Sequence[Record]]]]
    ) -> None:
        """Append records to several topics, all or none. `prepare` gives them, while nobody else appends under this
        `id`, and sees what was appended to the topic `seen` before. Facets that are `Raw` are written as they are.

        In folders a crash of the machine between two of the topics leaves those behind it without their records.
        """
        ...

    def append_batch(self, topic: Topic, records: Iterable[StoredRecord], *, generation: str, batch: int) -> bool:
        """Make a batch of derived records visible, with the ordinals that they have, or, in a log that gives its own,
        in the order of these. False, and nothing happens, if that batch of that generation is there already: a replay.
        """
        ...

    def read(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        """What was visible at the call, in order of ordinals; those of one ordinal in the order of writing. `by_time`:
        as in `segments_for`; without it the newest record of a key comes behind its others. `bad`: is given each record
        that cannot be read, in its place between the others; without it such records raise.
        """
        ...

    def tail(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Callable[[], NewRecords]:
        """A function whose first call gives all records that are visible, and each further one those that have become
        visible since. `by_time` and `bad`: as in `read`. What it gives must be read before the next call; records that
        cannot be read raise as in `read`.
        """
        ...

    def newest_values(self, topic: str, count: int) -> Sequence[bytes]:
        """The texts of the values of the newest records, at most so many of each partition, without tombstones: in
        Kafka the bytes as they are, of a topic in a folder JSON. Lines that cannot be read are left out.
        """
        ...

    def end(self, topic: Topic) -> tuple[int, ...] | None:
        """The highest ordinal, or None for a topic without records."""
        ...

    def is_empty(self, topic: str) -> bool:
        """Whether the topic has no records, or does not exist. Reads none."""
        ...

    def count(self, topic: str, since: Offsets = NOWHERE) -> int:
        """How many records the topic has, behind `since`, at most: in Kafka offsets count, of which some have none. 0
        for no such topic. Reads none, or no more than its bytes.
        """
        ...

    def place(self, topic: str, time: int | None) -> Offsets:
        """Where the first record lies whose time is at or after `time` (epoch milliseconds), in each partition; for
        None, and where there is no such record: behind the last one. Empty for no such topic.
        """
        ...

    def prepare(self, topic: Topic) -> None:
        """Make a topic exist, without records, unless it is there."""
        ...

    def segments_for(
        self, topic: Topic, folder: Path, *, by_time: bool = True, since: Offsets = NOWHERE
    ) -> tuple[Path, ...]:
        """The records as files of JSON lines, in the order of `read`, for an engine that reads files: those of the
        transport itself, or files that are written to `folder`, which must exist. `since`: only records behind that.

        `by_time`: whether times come first in the order of records, where the transport has no order of arrival over
        all topics.
        """
        ...

    def delete(self, topic: str) -> None:
        """Forget a topic with all its records. None of that name is no error. Ordinals that were counted over all
        topics are never used again.
        """
        ...
