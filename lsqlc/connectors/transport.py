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

# The next offset to read of each partition. A topic in folders has only partition 0, and the offset is the first number
# of the next ordinal. A partition that is absent is read from its first record.
Offsets = Mapping[int, int]
NOWHERE: Offsets = MappingProxyType({})
# The positions of a reader that is not a query, by part of a topic: the number of the next record of a partition, or of
# the next file of one writer. A part that is absent is read from its beginning.
Positions = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AppendResult:
    """The result of an append: the number of records, and the ordinals from `first` up to `end`, exclusive.

    The ordinals are None if the log assigns positions later, as Kafka does. `files`: the number of files with the
    records; 0 if records are not in files.
    """

    count: int
    first: int | None = None
    end: int | None = None
    files: int = 0


@dataclass(frozen=True, slots=True)
class TopicWriter:
    """A topic that is open for a sequence of appends.

    `check` raises ValueProblems with all invalid parts. `write` appends valid records, in their order, all or none.
    `created`: the number of partitions of a topic that did not exist in a cluster.
    """

    check: Callable[[Record], object]
    write: Callable[[Sequence[Record]], object]
    created: int | None = None


@dataclass(frozen=True, slots=True)
class NewRecords:
    """Records that have become visible, in order of ordinals. `anew`: the topic was replaced, and these are its new
    records.
    """

    records: Iterator[StoredRecord]
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """The records of a topic at one moment: the first and the end offset of each partition, or the files with the
    records.
    """

    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    @property
    def has_records(self) -> bool:
        return bool(self.files) or any(first < end for first, end in self.spans.values())


@dataclass(frozen=True, slots=True)
class Lines:
    """Records as lines of JSON in the form of `connectors.lines`. `is_ordered`: they are in the order of their
    ordinals.
    """

    content: bytes
    is_ordered: bool


@dataclass(frozen=True, slots=True)
class LogPart:
    """Records of a topic, in which the newest record of a key is after its others, and the positions after them.

    `left`: the approximate number of records that follow. `lines`: the same records in the same order, if they are
    stored as lines; the order inside of each is that of the ordinals.
    """

    records: Iterator[StoredRecord]
    positions: Positions
    left: int
    lines: Sequence[Lines] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """The reason why a topic has no record at a position: a clause, and the help, if it is not to look at the
    records.
    """

    note: str
    help: str | None = None


class Transport(Protocol):
    """Named logs of records. Bad input raises LsqlcError, with all diagnostics."""

    def names(self) -> tuple[str, ...]:
        """Return the topics that exist, sorted."""
        ...

    def append(self, topic: Topic, records: Iterable[Record], *, segments_of: int | None = None) -> AppendResult:
        """Append records with the next ordinals and make them visible, all or none. Their `topic` is ignored.

        The order of appends is that of ordinals: in a log that counts, over all topics; in Kafka, in each partition.
        """
        ...

    def feed(self, topic: Topic) -> AbstractContextManager[TopicWriter]:
        """Open a topic for appends inside the `with`. Appended records stay, also after an exception."""
        ...

    def append_together(
        self, id: str, read_topic: Topic, prepare: Callable[[], Sequence[tuple[Topic, Sequence[Record]]]]
    ) -> None:
        """Append records to several topics, all or none.

        `prepare` returns them, while nobody else appends under this `id`, and after earlier appends to `read_topic` are
        visible. Facets that are `Raw` are written unchanged. In folders, a crash of the machine between two of the
        topics leaves the later ones without their records.
        """
        ...

    def append_batch(self, topic: Topic, records: Iterable[StoredRecord], *, generation: str, batch: int) -> bool:
        """Make a batch of derived records visible, with their ordinals, or in their order if the log assigns ordinals.

        Return False, without an effect, if that batch of that generation exists already: a replay.
        """
        ...

    def read(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        """Yield the records that were visible at the call, in order of ordinals, then of writing.

        `by_time`: as in `segments_for`; without it the newest record of a key is after its others. `bad`: gets each
        record that cannot be read, in its order; without it such records raise.
        """
        ...

    def tail(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Callable[[], NewRecords]:
        """Return a function whose first call returns all visible records, and each further one the new ones.

        `by_time` and `bad`: as in `read`. Its result must be read before the next call. Records that cannot be read
        raise as in `read`.
        """
        ...

    def newest_values(self, topic: str, count: int) -> Sequence[bytes]:
        """Return the texts of the values of the newest records, at most `count` of each partition, without tombstones.

        In Kafka they are the bytes, in a topic in a folder JSON. Lines that cannot be read are skipped.
        """
        ...

    def end(self, topic: Topic) -> tuple[int, ...] | None:
        """Return the highest ordinal, or None for a topic without records."""
        ...

    def is_empty(self, topic: str) -> bool:
        """Return whether the topic has no records, or does not exist. Reads none."""
        ...

    def count(self, topic: str, since: Offsets = NOWHERE) -> int:
        """Return the maximum number of records of the topic after `since`; 0 for an unknown topic.

        In Kafka offsets are counted, some of which have no record. Reads no records, or only their bytes.
        """
        ...

    def place(self, topic: str, time: int | None) -> Offsets:
        """Return the offset of the first record in each partition whose time is at or after `time` (epoch
        milliseconds).

        For None, and without such a record, it is the end offset. Empty for an unknown topic.
        """
        ...

    def prepare(self, topic: Topic) -> None:
        """Create a topic without records, unless it exists."""
        ...

    def segments_for(
        self, topic: Topic, folder: Path, *, by_time: bool = True, since: Offsets = NOWHERE
    ) -> tuple[Path, ...]:
        """Return the records as files of JSON lines, in the order of `read`, for an engine that reads files.

        They are files of the transport itself, or files that are written to `folder`, which must exist. `since`: only
        records after that. `by_time`: whether times are first in the order of records, if the transport has no order of
        arrival over all topics.
        """
        ...

    def delete(self, topic: str) -> None:
        """Delete a topic with all its records, if it exists. Ordinals that are counted over all topics are never used
        again.
        """
        ...

    def with_names(self, renamed: Mapping[str, str]) -> Transport:
        """Return the same topics, some of which are stored under another name."""
        ...

    def dataset(self, topic: str) -> tuple[str, str]:
        """Return the namespace and the name of a topic as a dataset of OpenLineage."""
        ...

    def external_name(self, topic: str) -> str:
        """Return the name of a topic in the system that holds it, as in Spark's checkpoints."""
        return topic

    def exists(self, topic: str) -> bool:
        """Return whether the topic exists, also under a name that `names` does not list."""
        return topic in self.names()

    def location(self, topic: str) -> Path | None:
        """Return the folder with the files of a topic; None if topics are not files."""
        return None

    def ordinal_width(self, topic: Topic) -> int:
        """Return the number of numbers in an ordinal of the topic."""
        return topic.ordinal_width

    def offsets(self, topic: str) -> Mapping[int, tuple[int, int]]:
        """Return the first offset and the committed end offset of each partition.

        Empty for an unknown topic, and for topics without partitions.
        """
        return {}

    def search(self, topics: Sequence[str]) -> Search:
        """Return queries about the partitions of these topics. Only for a connector that `has_partitions`."""
        raise AssertionError("the topics of this connector have no partitions")

    def contents(self, topic: str) -> Contents | None:
        """Return the current records of the topic; None while a transaction is open."""
        return Contents(self.offsets(topic))

    def read_contents(self, topic: Topic, contents: Contents, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        """Yield the records of `contents`, as `read` with `by_time=False`."""
        raise AssertionError("the records of this connector are read as a whole")

    def read_until(self, topic: Topic, generation: str, batch: int) -> Iterator[StoredRecord] | None:
        """Yield the records without those of later batches of the generation than `batch`.

        None if such a batch cannot be distinguished from the others.
        """
        return None

    def written_keys(self, topic: Topic) -> Iterator[object]:
        """Yield the keys of all records, with any columns of the values. Nulls are left out."""
        keys = (record.key for record in self.read(replace(topic, value=ABSENT), by_time=False))
        return (key for key in keys if key is not None)

    def append_rows(self, topic: Topic, rows: Iterable[Record]) -> None:
        """Append the rows of a copy. Their ordinals do not count as arrivals of records."""
        self.append(topic, rows)

    def append_runs(self, runs: Iterable[tuple[Topic, Iterable[Record], int]]) -> dict[str, AppendResult]:
        """Append runs of records of several topics, in this order, each in files of `size` records. Return the results
        by topic.
        """
        results: dict[str, AppendResult] = {}
        for topic, records, size in runs:
            count = self.append(topic, records, segments_of=size).count
            before = results.get(topic.name, AppendResult(0))
            results[topic.name] = replace(before, count=before.count + count)
        return results

    def versions(self, topic: str) -> Positions:
        """Return the version after the last one that `append_version` has taken, by writer. Other writers of the topic
        are among them. Only for a connector that `takes_versions`.
        """
        raise AssertionError("the topics of this connector take no versions")

    def append_version(
        self, topic: Topic, records: Iterable[Record], *, writer: str, version: int, previous: int | None
    ) -> int | None:
        """Append the records of a version of a table with the next ordinals, all or none. Return their number.

        Return None, without an effect, unless `previous` is the position of the writer in `versions`; None: it has
        none. So a version is appended once, whatever crashes, and however many processes append. A version may have no
        records. Only for a connector that `takes_versions`.
        """
        raise AssertionError("the topics of this connector take no versions")

    def arrivals(self) -> int | None:
        """Return the ordinal of the next record if one order of arrival holds over all topics; else None."""
        return None

    def append_unless_arrived(self, parts: Iterable[tuple[Topic, Iterable[Record]]], arrivals: int | None) -> bool:
        """Append records to topics, one after the other. Return False, without an effect, if records arrived after
        `arrivals`.

        Without an order of arrival over all topics the records are appended in any case.
        """
        for topic, records in parts:
            self.append(topic, records)
        return True

    def decode(self, topic: Topic, key: bytes | None, value: bytes | None, timestamp: int) -> StoredRecord:
        """Return the record of its bytes, by the current declaration. Only for a connector that `stores_bytes`.

        Raises ValueProblems.
        """
        raise AssertionError("the records of this connector are not stored as bytes")

    def topic_id(self, topic: str) -> str:
        """Return an ID that differs for an earlier topic with the same name; empty if there is none."""
        return ""

    def lost_part(self, topic: str, positions: Positions) -> str | None:
        """Return the reason why the records after these positions cannot be read any more, as a clause; None if they
        can.
        """
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
        """Return about how many records a topic has after these positions: in Kafka offsets are counted."""
        return self.count(topic, {int(p): position for p, position in positions.items() if p.isdecimal()})

    def ends(self, topic: str) -> Positions:
        """Return the positions after the last record of each part of a topic."""
        return {str(partition): end for partition, (_, end) in self.offsets(topic).items()}

    def is_whole(self, topic: str) -> bool:
        """Return whether no old records of the topic have been removed."""
        return all(first == 0 for first, _ in self.offsets(topic).values())

    def behind(
        self,
        topic: Topic,
        positions: Positions,
        most: int,
        until: Positions | None = None,
        bad: ToldOf | None = None,
    ) -> LogPart | None:
        """Return the next records after some positions, about `most` of them, from all partitions; None if there are
        none.

        Records of one partition are in its order. `until`: only records before these positions; `bad`: as in `read`,
        for the records of the part, not for its lines. A record is read once, in however many parts a topic is read.
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
        return LogPart(self.read_contents(topic, Contents(spans), bad), {**positions, **ends}, left)

    def up_to(self, topic: Topic, positions: Positions) -> Iterator[StoredRecord]:
        """Yield the records before some positions, in the order of `behind`."""
        spans = {
            partition: (first, min(end, positions.get(str(partition), first)))
            for partition, (first, end) in self.offsets(topic.name).items()
        }
        return self.read_contents(topic, Contents({p: span for p, span in spans.items() if span[0] < span[1]}))

    def missing(self, topic: Topic, skip: Skip, folder: Path) -> Missing | None:
        """Return the reason why the topic has no record at that position; None if it has one. `folder`: as of
        `segments_for`.
        """
        bounds = self.offsets(topic.name)
        if skip.partition is None or skip.partition not in bounds:
            return Missing("the topic has no such partition")
        first, end = bounds[skip.partition]
        return None if first <= skip.place < end else Missing(f"partition {skip.partition} has no such offset")

    def faults(self, topic: str, skipped: Callable[[Path], bool] = lambda file: False) -> Iterator[Diagnostic]:
        """Yield an error for each file of the topic that is missing or was changed.

        `skipped`: returns whether a file, by its absolute path, is not checked.
        """
        return iter(())

    def has_checksum(self, file: Path) -> bool:
        """Return whether a file of a topic can be checked."""
        return False

    def has_markers(self, topic: str) -> bool:
        """Return whether each batch in the topic identifies the query that wrote it."""
        return True

    def batch_in_part(self, topic: str, generation: str) -> int | None:
        """Return the number of a partly committed batch of a generation, or None.

        Some of its transactions are committed and others are not.
        """
        return None

    def end_generations(self, topic: str, generations: Iterable[str]) -> None:
        """Reject further batches of these generations, also of a writer that still runs somewhere."""
        return None

    def delete_notes(self) -> None:
        """Remove lsqlc's own notes that are stored with the topics."""
        return None
