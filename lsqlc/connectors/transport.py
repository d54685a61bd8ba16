"""The log of topics as a client sees it. `tests/connectors/contract.py` tests its contract.

A connector implements `Transport`. The operations at the end have a default, which suits a connector that has no such
thing: no files, no checksums, no partitions, no batches in several transactions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from lsqlc.connectors.aligned import Search
from lsqlc.connectors.skips import Skip
from lsqlc.connectors.unreadable import ToldOf
from lsqlc.diagnostics import Diagnostic
from lsqlc.types.record import ABSENT, Record, StoredRecord, Topic

# The next offset to read of each partition. Of a topic in folders, which has only partition 0: the first number of the
# next ordinal. A partition that is missing is read from its first record.
Offsets = Mapping[int, int]
NOWHERE: Offsets = MappingProxyType({})
# How far a reader that is no query has come, by part of a topic: the number of the next record of a partition, or of
# the next file of one writer. A part that is missing is read from its beginning.
Positions = Mapping[str, int]


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


@dataclass(frozen=True, slots=True)
class Contents:
    """The records of a topic at one moment: the first offset of each partition and the one behind its last committed
    record, or the files that hold them.
    """

    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    @property
    def has_records(self) -> bool:
        return bool(self.files) or any(first < end for first, end in self.spans.values())


@dataclass(frozen=True, slots=True)
class Lines:
    """Records as lines of JSON, as `connectors.lines` has them, one behind the other. `is_ordered`: they are in the
    order of their ordinals.
    """

    content: bytes
    is_ordered: bool


@dataclass(frozen=True, slots=True)
class LogPart:
    """Records of a topic in an order in which the newest record of a key comes behind its others, and the positions
    behind them. `left`: about how many records follow. `lines`: the same records in the same order, where they are
    stored as lines; the order inside of each is that of the ordinals.
    """

    records: Iterator[StoredRecord]
    positions: Positions
    left: int
    lines: Sequence[Lines] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a topic has no record at some position: a clause, and the help where it is another one than to look at the
    records.
    """

    note: str
    help: str | None = None


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

    def with_names(self, renamed: Mapping[str, str]) -> Transport:
        """The same topics, of which some lie under the name of another one."""
        ...

    def dataset(self, topic: str) -> tuple[str, str]:
        """The namespace and the name of a topic as a dataset of OpenLineage."""
        ...

    def external_name(self, topic: str) -> str:
        """The name of a topic in the system that holds it, as Spark notes it in checkpoints."""
        return topic

    def exists(self, topic: str) -> bool:
        """Whether the topic exists, also under a name that `names` does not list."""
        return topic in self.names()

    def location(self, topic: str) -> Path | None:
        """The folder with the files of a topic; None where topics are no files."""
        return None

    def ordinal_width(self, topic: Topic) -> int:
        """How many numbers an ordinal of the topic has."""
        return topic.ordinal_width

    def offsets(self, topic: str) -> Mapping[int, tuple[int, int]]:
        """The first offset of each partition, and the one behind its last committed record. Empty for no such topic,
        and for topics without partitions.
        """
        return {}

    def search(self, topics: Sequence[str]) -> Search:
        """Questions about the partitions of these topics. Only of a connector that `has_partitions`."""
        raise AssertionError("the topics of this connector have no partitions")

    def contents(self, topic: str) -> Contents | None:
        """The records that the topic has now; None while a transaction is open."""
        return Contents(self.offsets(topic))

    def read_contents(self, topic: Topic, contents: Contents) -> Iterator[StoredRecord]:
        """As `read` with `by_time=False`, only the records of `contents`."""
        raise AssertionError("the records of this connector are read as a whole")

    def read_until(self, topic: Topic, generation: str, batch: int) -> Iterator[StoredRecord] | None:
        """The records without those of batches of the generation behind `batch`; None if such a batch cannot be told
        from the others.
        """
        return None

    def written_keys(self, topic: Topic) -> Iterator[object]:
        """The keys of all records, whatever columns the values have. Nulls are left out."""
        keys = (record.key for record in self.read(replace(topic, value=ABSENT), by_time=False))
        return (key for key in keys if key is not None)

    def append_rows(self, topic: Topic, rows: Iterable[Record]) -> None:
        """Append the rows of a copy. They get no ordinals that tell a reader of arrivals that records have come."""
        self.append(topic, rows)

    def append_runs(self, runs: Iterable[tuple[Topic, Iterable[Record], int]]) -> dict[str, AppendResult]:
        """Append runs of records of several topics, in this order, each in files of so many records. The results by
        topic.
        """
        done: dict[str, AppendResult] = {}
        for topic, records, size in runs:
            count = self.append(topic, records, segments_of=size).count
            before = done.get(topic.name, AppendResult(0))
            done[topic.name] = replace(before, count=before.count + count)
        return done

    def arrivals(self) -> int | None:
        """The ordinal of the next record, where one order of arrival holds over all topics; else None."""
        return None

    def append_unless_arrived(self, parts: Iterable[tuple[Topic, Iterable[Record]]], arrivals: int | None) -> bool:
        """Append records to topics, one after the other. False, and nothing happens, if records have arrived since
        `arrivals` was taken. Without an order of arrival over all topics the records are appended in any case.
        """
        for topic, records in parts:
            self.append(topic, records)
        return True

    def decode(self, topic: Topic, key: bytes | None, value: bytes | None, timestamp: int) -> StoredRecord:
        """The record of its bytes, as the topic is declared now. Only of a connector that `stores_bytes`. Raises
        ValueProblems.
        """
        raise AssertionError("the records of this connector are not stored as bytes")

    def topic_id(self, topic: str) -> str:
        """What tells the topic from another one that had its name before; empty where nothing does."""
        return ""

    def lost_part(self, topic: str, positions: Positions) -> str | None:
        """Why the records behind these positions cannot be read any more, in a clause; None if they can."""
        bounds = self.offsets(topic)
        for partition, position in positions.items():
            if not partition.isdecimal():
                return "it has read another kind of topic"
            first, end = bounds.get(int(partition), (0, 0))
            if position > end:
                return f"partition {partition} ends at offset {end}, and records up to {position} have been read"
            if position < first:
                return f"the records of partition {partition} from offset {position} to {first} have been removed"
        return None

    def count_behind(self, topic: str, positions: Positions) -> int:
        """About how many records a topic has behind these positions: in Kafka offsets count."""
        return self.count(topic, {int(p): position for p, position in positions.items() if p.isdecimal()})

    def ends(self, topic: str) -> Positions:
        """The positions behind the last record of each part of a topic."""
        return {str(partition): end for partition, (_, end) in self.offsets(topic).items()}

    def is_whole(self, topic: str) -> bool:
        """Whether no old records of the topic have been removed."""
        return all(first == 0 for first, _ in self.offsets(topic).values())

    def behind(self, topic: Topic, positions: Positions, most: int, until: Positions | None = None) -> LogPart | None:
        """The next records behind some positions, about `most` of them, from all partitions; None if there are none.
        Records of one partition come in its order. `until`: only records before these positions. A record is read once,
        however many parts a topic is read in.
        """
        unread: dict[int, tuple[int, int]] = {}
        for partition, (first, end) in self.offsets(topic.name).items():
            last = end if until is None else min(end, until.get(str(partition), first))
            begin = max(first, positions.get(str(partition), first))
            if begin < last:
                unread[partition] = begin, last
        if not unread:
            return None
        share = -(-most // len(unread))
        spans = {partition: (begin, min(end, begin + share)) for partition, (begin, end) in unread.items()}
        ends = {str(partition): end for partition, (_, end) in spans.items()}
        left = sum(last - spans[partition][1] for partition, (_, last) in unread.items())
        return LogPart(self.read_contents(topic, Contents(spans)), {**positions, **ends}, left)

    def up_to(self, topic: Topic, positions: Positions) -> Iterator[StoredRecord]:
        """The records before some positions, in an order as of `behind`."""
        spans = {
            partition: (first, min(end, positions.get(str(partition), first)))
            for partition, (first, end) in self.offsets(topic.name).items()
        }
        return self.read_contents(topic, Contents({p: span for p, span in spans.items() if span[0] < span[1]}))

    def missing(self, topic: Topic, skip: Skip, folder: Path) -> Missing | None:
        """Why the topic has no record at that position; None if it has one. `folder`: as of `segments_for`."""
        bounds = self.offsets(topic.name)
        if skip.partition is None or skip.partition not in bounds:
            return Missing("the topic has no such partition")
        first, end = bounds[skip.partition]
        return None if first <= skip.place < end else Missing(f"partition {skip.partition} has no such offset")

    def faults(self, topic: str, skipped: Callable[[Path], bool] = lambda file: False) -> Iterator[Diagnostic]:
        """An error for each file of the topic that is missing or not as it was written. `skipped`: whether a file, by
        its absolute path, is not looked at.
        """
        return iter(())

    def has_checksum(self, file: Path) -> bool:
        """Whether a file of a topic can be checked."""
        return False

    def has_markers(self, topic: str) -> bool:
        """Whether each batch in the topic tells which query has written it."""
        return True

    def batch_in_part(self, topic: str, generation: str) -> int | None:
        """The number of a batch of a generation of which some transactions are committed and others are not."""
        return None

    def end_generations(self, topic: str, generations: Iterable[str]) -> None:
        """Reject further batches of these generations, also of a writer that still runs somewhere."""
        return None

    def delete_notes(self) -> None:
        """Remove what lsqlc notes beside the topics."""
        return None
