"""Topics in Kafka as logs of records: the transport of a target with `kafka:`.

A record's ordinal is (t, offset, lane): t is its time if the order of topics is that of times, else 0; lane identifies
topics and partitions (`lsqlc.plan.kafka_order`). So the ordinals of Kafka are positions that it assigns, not counted
numbers. They have three parts whatever the width of the topic, and a record to write has none.

Kafka's clients cannot write the time 0, for which librdkafka takes the time of sending. A record of the time 0 is
written without a time (-1 in the log). One without a time is read as one of the time 0.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.connectors import findings, naming
from lsqlc.connectors.aligned import left
from lsqlc.connectors.findings import Findings
from lsqlc.connectors.kafka import commits, offsets, places
from lsqlc.connectors.kafka.access import Access, reading, writing
from lsqlc.connectors.kafka.admin import create, delete, states, topic_id, topic_names
from lsqlc.connectors.kafka.client import PATIENCE, TRANSACTION, Admin, Cluster, Heard, client_errors
from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.fetch import messages
from lsqlc.connectors.kafka.names import LEASES, elsewhere, is_internal, kafka_name, name_of, own_name
from lsqlc.connectors.kafka.plan import INPUT
from lsqlc.connectors.kafka.problems import bad_record, in_part, width_problem
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.connectors.kafka.search import Search
from lsqlc.connectors.kafka.specs import TopicSpec
from lsqlc.connectors.kafka.spool import Encoded, spooled
from lsqlc.connectors.lines import line_decoder, time_problem
from lsqlc.connectors.skips import Skip
from lsqlc.connectors.transport import (
    NOWHERE,
    AppendResult,
    Contents,
    Missing,
    NewRecords,
    Offsets,
    TopicWriter,
    Transport,
)
from lsqlc.connectors.unreadable import ToldOf, Unreadable, reason_of
from lsqlc.diagnostics import LsqlcError, listing
from lsqlc.plan.kafka_order import lane
from lsqlc.types.codec import ValueProblems
from lsqlc.types.headers import Headers
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record, StoredRecord, Topic

if TYPE_CHECKING:
    from confluent_kafka import Message, Producer

# Records after which the producer is asked for rejected ones.
_ASK = 10_000
# Records before the end of a partition that are read to find the last: some offsets of a transaction have none.
_TAIL = 16
# More numbers than any ordinal has.
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Generations:
    """The generations of queries that have written a topic.

    `markers`: the newest committed marker of each. `firsts`: those whose rows before the first batch are in the topic,
    without those that have ended.
    """

    markers: Mapping[str, commits.Marker]
    firsts: frozenset[str]


@dataclass(frozen=True, slots=True)
class KafkaLog(Transport):
    """The topics of a project in a cluster.

    `codecs`: the data that is needed beside a topic to read bytes; `by_time`: whether times come first in the order of
    records; `patience`: seconds within which the cluster has to answer; `renamed`: topics with another name.

    Every method raises LsqlcError. LSQ099, LSQ732 to LSQ735, LSQ740, LSQ747 and LSQ748 are errors of a cluster or its
    client. LSQ737: a name that is invalid in Kafka; LSQ738: a format that needs a registry.
    """

    settings: KafkaSettings
    codecs: Codecs = field(default_factory=Codecs)
    by_time: bool = True
    patience: float = PATIENCE
    renamed: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> tuple[str, ...]:
        """Return the topics of this prefix that exist, sorted."""
        admin = self._admin()
        all_names = topic_names(admin, Task("the topics cannot be listed"))
        own = (own_name(self.settings.prefix, name) for name in all_names)
        return tuple(sorted(name for name in own if name is not None))

    def cluster_id(self) -> str:
        """Return the unique id of the cluster."""
        return str(self._admin().metadata(Task("cannot read the id of the cluster")).cluster_id)

    def append(self, topic: Topic, records: Iterable[Record], *, segments_of: int | None = None) -> AppendResult:
        """Write records in one transaction, in their order in each partition.

        A topic that does not exist is created, and keeps its records whatever their times. `segments_of` is ignored:
        Kafka's segments cannot be chosen.

        Raises LsqlcError with a LSQ400 for each invalid part; then nothing is written.
        """
        name = self._name(topic.name)
        encode = record_encoder(topic, self._codecs)
        task = self._writing(topic.name)
        admin = self._admin()
        self._ensure(admin, topic, task)
        remaining = iter(records)
        first = next(remaining, None)
        if first is None:
            return AppendResult(0)
        with (
            spooled(_encoded(topic, chain([first], remaining), encode)) as encoded,
            _transaction(self._cluster, f"append.{uuid.uuid4().hex}", task) as producer,
        ):
            count = _produce(producer, name, encoded)
        self._until_visible(admin, name, task)
        return AppendResult(count)

    @contextmanager
    def feed(self, topic: Topic) -> Iterator[TopicWriter]:
        """Open a topic for appends inside the `with`: each is a transaction of one producer.

        The topic is created if it does not exist. Raises as `append`.
        """
        name = self._name(topic.name)
        encode = record_encoder(topic, self._codecs)
        task = self._writing(topic.name)
        created = self._ensure(self._admin(), topic, task)
        events = Heard()
        id = f"{commits.transactional_prefix(self.settings.prefix)}feed.{uuid.uuid4().hex}"
        producer = self._cluster.producer(id, events)

        def fits(record: Record) -> None:
            encode(record)
            problem = time_problem(topic, record.value, record.timestamp)
            if problem is not None:
                raise ValueProblems([problem])

        def write(records: Sequence[Record]) -> None:
            with client_errors(self.settings, task, events):
                producer.begin_transaction()
                try:
                    _produce(producer, name, _encoded(topic, records, encode))
                    producer.commit_transaction(TRANSACTION)
                except BaseException:
                    _abort(producer)
                    raise

        with client_errors(self.settings, task, events):
            producer.init_transactions(TRANSACTION)
        yield TopicWriter(fits, write, created)

    def append_together(
        self, id: str, read_topic: Topic, prepare: Callable[[], Sequence[tuple[Topic, Sequence[Record]]]]
    ) -> None:
        """Append records to several topics in one transaction.

        A producer that holds this id is fenced before `prepare` is called.
        """
        admin = self._admin()
        task = Task(f"the records of '{id}' cannot be written")
        self._ensure(admin, read_topic, self._writing(read_topic.name))
        with _transaction(self._cluster, f"together.{id}", task) as producer:
            self._until_visible(admin, self._name(read_topic.name), self._reading(read_topic.name))
            parts = prepare()
            for topic, records in parts:
                self._ensure(admin, topic, self._writing(topic.name))
                encode = record_encoder(topic, self._codecs)
                _produce(producer, self._name(topic.name), _encoded(topic, records, encode))
        for topic, _ in parts:
            self._until_visible(admin, self._name(topic.name), self._writing(topic.name))

    def decode(self, topic: Topic, key: bytes | None, value: bytes | None, timestamp: int) -> StoredRecord:
        """Return the record of Kafka's bytes, by the current declaration of the topic. Raises ValueProblems."""
        return record_decoder(topic, self._codecs)(key, value, timestamp, (0, 0, 0))

    def append_batch(self, topic: Topic, records: Iterable[StoredRecord], *, generation: str, batch: int) -> bool:
        """Write a batch of derived records with its marker (see `commits`) in one transaction, in order of their
        ordinals.

        Returns False, with nothing changed, for a replay; the records are consumed all the same.

        Raises LsqlcError with a LSQ400 for each invalid part, and LSQ747 if another writer of that generation takes
        over meanwhile; ValueError for a generation or a batch that is invalid in a file name.
        """
        naming.batch_segment(generation, batch)
        name, markers = self._name(topic.name), self._name(commits.TOPIC)
        encode = record_encoder(topic, self._codecs)
        task = self._writing(topic.name)
        admin = self._admin()
        self._ensure(admin, topic, task)
        self._ensure_markers(admin)
        with _transaction(self._cluster, f"{topic.name}.{generation}", task) as producer:
            newest = self._generations(admin, topic.name).markers.get(generation)
            if newest is not None and newest.batch >= batch:
                deque(records, maxlen=0)
                return False
            ordered = sorted(_of_width(topic, records), key=_ordinal)
            _produce(producer, name, _encoded(topic, ordered, encode))
            producer.produce(markers, commits.marker_value(batch), commits.marker_key(topic.name, generation))
        self._until_visible(admin, name, task)
        return True

    def read(
        self,
        topic: Topic,
        *,
        by_time: bool = True,
        bad: ToldOf | None = None,
        within: Mapping[int, tuple[int, int]] | None = None,
    ) -> Iterator[StoredRecord]:
        """Yield the records that are committed at the call, in order of ordinals.

        `by_time`: times come first in that order, unless this log ignores them; `within`: only records between these
        offsets, as returned by `offsets`.

        Records of one partition stream. With several, as many are held back as merging needs, and all of them if times
        come first. After a bad record no more are yielded. At the end LsqlcError is raised with a LSQ739 for each
        problem of all of them, unless `bad` takes them. A topic that does not exist is empty.
        """
        decode = self._decoder(topic)
        name = self._name(topic.name)
        bounds = self.offsets(topic.name) if within is None else dict(within)
        return self._records(topic, name, bounds, decode, by_time and self.by_time, bad)

    def tail(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Callable[[], NewRecords]:
        """Return a function that returns the committed records after the offsets of its previous call."""
        decode = self._decoder(topic)
        name, task, admin = self._name(topic.name), self._reading(topic.name), self._admin()
        previous: dict[int, int] = {}

        def news() -> NewRecords:
            nonlocal previous
            current = offsets.bounds(admin, name, task)
            anew = any(current.get(partition, (0, 0))[1] < offset for partition, offset in previous.items())
            if anew:
                previous = {}
            fresh = {p: (max(first, previous.get(p, first)), end) for p, (first, end) in current.items()}
            previous = {p: end for p, (_, end) in current.items()}
            return NewRecords(self._records(topic, name, fresh, decode, by_time and self.by_time, bad), anew)

        return news

    def end(self, topic: Topic) -> tuple[int, ...] | None:
        """Return the highest ordinal, or None for a topic without records."""
        name = self._name(topic.name)
        task = self._reading(topic.name)
        bounds = offsets.bounds(self._admin(), name, task)
        if self.by_time:
            ordinals = [_ordinal_of(topic, m, self.by_time) for m in messages(self._cluster, name, bounds, task)]
            return max(ordinals, default=None)
        tail, last = _TAIL, None
        while last is None and bounds:
            ends = {p: (max(first, end - tail), end) for p, (first, end) in bounds.items()}
            ordinals = [_ordinal_of(topic, m, self.by_time) for m in messages(self._cluster, name, ends, task)]
            last = max(ordinals, default=None)
            if ends == bounds:
                break
            tail *= 16
        return last

    def newest_values(self, topic: str, count: int) -> Sequence[bytes]:
        """Return the values of `Transport.newest_values`. Offsets count, of which some have no record."""
        name, task = self._name(topic), self._reading(topic)
        bounds = offsets.bounds(self._admin(), name, task)
        newest = {p: (max(first, end - count), end) for p, (first, end) in bounds.items()}
        values = (message.value() for message in messages(self._cluster, name, newest, task))
        return [value for value in values if value is not None]

    def is_empty(self, topic: str) -> bool:
        """Return True if no partition has an offset: a compacted topic may have offsets without records."""
        return all(first >= end for first, end in self.offsets(topic).values())

    def count(self, topic: str, since: Offsets = NOWHERE) -> int:
        """Return the number of offsets between the first and the last of each partition, of which some may have no
        record.
        """
        return left(self.offsets(topic), since)

    def place(self, topic: str, time: int | None) -> Offsets:
        """Return the offsets of `Transport.place`, by the times of records in Kafka."""
        return places.at(self._cluster, self._admin(), self._name(topic), time, self._reading(topic))

    def until_visible(self, topic: str) -> None:
        """Wait until readers see the records that were committed before the call.

        An open transaction of another writer hides them until it ends; the wait is limited by the time within which the
        cluster has to answer.
        """
        self._until_visible(self._admin(), self._name(topic), self._reading(topic))

    def prepare(self, topic: Topic) -> None:
        """Create a topic if it does not exist."""
        self._ensure(self._admin(), topic, self._writing(topic.name))

    def prepare_markers(self) -> None:
        """Create the topic of markers if it does not exist."""
        self._ensure_markers(self._admin())

    def generations(self, topic: str) -> Generations:
        """Return the generations that have written the topic.

        Waits for an open transaction of another query, which hides the markers after it.
        """
        return self._generations(self._admin(), topic)

    def markers(self, topic: str) -> Mapping[str, commits.Marker]:
        """Return the newest committed marker of each generation that has written the topic, as `generations`."""
        return self.generations(topic).markers

    def open_generation(self, topic: str, generation: str, *, real_time: bool = False) -> None:
        """Fence any writer of batches of that generation in transactions, and record that the generation exists.

        It is for a query whose batches are not transactions from now on. `real_time`: record the start offsets of its
        records, too.

        Raises LsqlcError LSQ762 for a batch of which only some transactions are committed: a writer that completed its
        announcement later would leave out the output of the others.
        """
        task = self._writing(commits.TOPIC)
        admin = self._admin()
        self._ensure_markers(admin)
        with _transaction(self._cluster, f"{topic}.{generation}", task) as producer:
            self._end_tasks(topic, generation, self._tasks(admin, topic).get(generation, 0), task)
            records = [(message.key(), message.value()) for message in self._commits(admin)]
            incomplete = commits.in_part(records, topic, generation)
            if incomplete is not None:
                raise LsqlcError([in_part(topic, incomplete)])
            marker = commits.marker_key(topic, generation)
            if not any(key == marker for key, _ in records):
                producer.produce(self._name(commits.TOPIC), commits.marker_value(-1), marker)
            if real_time and commits.real_time_began(records, topic, generation) is None:
                ends = offsets.ends(admin, self._name(topic), task, committed=False)
                key = commits.real_time_key(topic, generation)
                producer.produce(self._name(commits.TOPIC), commits.real_time_value(ends), key)

    def real_time_began(self, topic: str, generation: str) -> dict[int, int] | None:
        """Return the start offsets by partition of records that a generation has written in real time.

        Its checkpoint may not cover the records from there on; None if it covers all.
        """
        records = [(message.key(), message.value()) for message in self._commits(self._admin())]
        return commits.real_time_began(records, topic, generation)

    def end_real_time(self, topic: str, generation: str) -> None:
        """Record that the checkpoint of a generation covers all its output in real time."""
        with _transaction(self._cluster, f"{topic}.{generation}", self._writing(commits.TOPIC)) as producer:
            key = commits.real_time_key(topic, generation)
            producer.produce(self._name(commits.TOPIC), commits.real_time_value(None), key)

    def write_first(self, topic: str, generation: str, records: Sequence[Encoded]) -> bool:
        """Write the rows before the first batch of a generation, with their marker, in one transaction.

        Return False, without an effect, if they were written before. The topic must exist.
        """
        name, markers, task = self._name(topic), self._name(commits.TOPIC), self._writing(topic)
        admin = self._admin()
        self._ensure_markers(admin)
        with _transaction(self._cluster, f"{topic}.{generation}.first", task) as producer:
            if generation in self._generations(admin, topic).firsts:
                return False
            _produce(producer, name, records)
            producer.produce(markers, commits.FIRST, commits.first_key(topic, generation))
        self._until_visible(admin, name, task)
        return True

    def end_generations(self, topic: str, generations: Iterable[str]) -> None:
        """Invalidate all batches of these generations, also of a writer that is still running."""
        task = self._writing(commits.TOPIC)
        name, admin = self._name(commits.TOPIC), self._admin()
        for generation in generations:
            # Opening the id ends the writer's open transaction.
            with _transaction(self._cluster, f"{topic}.{generation}", task) as producer:
                producer.produce(name, commits.ended_value(), commits.marker_key(topic, generation))
            # No further batch is announced. Tasks of an announced one may still write.
            self._end_tasks(topic, generation, self._tasks(admin, topic).get(generation, 0), task)
        self._until_visible(admin, name, task)

    def fence(self, topic: str, generation: str) -> None:
        """End the open transaction of a generation's writer, whose next one fails. A new writer starts again."""
        task, admin = self._writing(topic), self._admin()
        self._open(commits.transactional_id(self.settings.prefix, topic, generation), task)
        self._end_tasks(topic, generation, self._tasks(admin, topic).get(generation, 0), task)

    def empty(self, topic: Topic) -> None:
        """Remove all records of a topic: it is deleted and created again, with the same partitions and settings."""
        name, admin = self._name(topic.name), self._admin()
        task = Task(f"'{topic.name}' cannot be emptied", (Access("topic", name, ("Delete", "Describe", "Create")),))
        before = states(admin, [name], task)[name]
        if before is None:
            return
        delete(admin, name, task)
        config = {"cleanup.policy": ",".join(sorted(before.policies)), "retention.ms": "-1"}
        create(admin, TopicSpec(name, before.partitions, before.replication, config), task)

    def segments_for(
        self, topic: Topic, folder: Path, *, by_time: bool = True, since: Offsets = NOWHERE
    ) -> tuple[Path, ...]:
        """Write the records as one file of lines in `folder`, with the ordinals of Kafka; return its path.

        A record that cannot be read is a line with the reason, as on Spark (see `lsqlc.connectors.bad_records`).
        """
        is_by_time = by_time and self.by_time
        write = line_writer(topic, self._codecs)
        name = self._name(topic.name)
        task = self._reading(topic.name)
        whole = offsets.bounds(self._admin(), name, task)
        bounds = {p: (max(first, since.get(p, first)), end) for p, (first, end) in whole.items()}
        records = _in_order(topic, messages(self._cluster, name, bounds, task), is_by_time)
        path = folder / f"{name}.{'times' if is_by_time else 'offsets'}.jsonl"
        with path.open("wb") as file:
            file.writelines(
                write(m.key(), m.value(), _time(m), _ordinal_of(topic, m, is_by_time), _headers(m)) for m in records
            )
        return (path,)

    def delete(self, topic: str) -> None:
        """Delete a topic, and wait until its name is free; does nothing if it does not exist. Offsets restart."""
        name = self._name(topic)
        needs = (Access("topic", name, ("Delete", "Describe")),)
        task = Task(f"'{topic}' cannot be deleted", needs)
        delete(self._admin(), name, task)

    def offsets(self, topic: str) -> dict[int, tuple[int, int]]:
        """Return the first offset of each partition, and the one after its last committed record; empty without the
        topic.
        """
        return offsets.bounds(self._admin(), self._name(topic), self._reading(topic))

    def search(self, topics: Sequence[str]) -> Search:
        """Return a search for offsets in these topics."""
        task = Task(f"{listing(topics)} cannot be searched", reading(self.settings, topics))
        return Search(self._admin(), {topic: self._name(topic) for topic in topics}, task)

    def settled_offsets(self, topic: str) -> dict[int, tuple[int, int]]:
        """Return the offsets as `offsets`, with all records that were committed before the call.

        Readers see the end of a transaction a moment after it.
        """
        self._until_visible(self._admin(), self._name(topic), self._reading(topic))
        return self.offsets(topic)

    def quiet_offsets(self, topic: str) -> dict[int, tuple[int, int]] | None:
        """Return the offsets as `offsets`; None if a transaction is open in the topic, or its end is not
        visible yet.
        """
        name, admin, task = self._name(topic), self._admin(), self._reading(topic)
        committed = offsets.bounds(admin, name, task)
        last_offsets = offsets.ends(admin, name, task, committed=False)
        return committed if {p: end for p, (_, end) in committed.items()} == last_offsets else None

    def with_names(self, renamed: Mapping[str, str]) -> KafkaLog:
        """Return the log as `Transport.with_names`."""
        return replace(self, renamed=renamed)

    def dataset(self, topic: str) -> tuple[str, str]:
        """Return the dataset as `Transport.dataset`: the first broker, and the name of the topic in Kafka."""
        broker = self.settings.bootstrap.split(",")[0].strip().rpartition("/")[2]
        return f"kafka://{broker}", self._name(topic)

    def external_name(self, topic: str) -> str:
        """Return the name in Kafka, as `Transport.external_name`."""
        return self._name(topic)

    def ordinal_width(self, topic: Topic) -> int:
        """Return the width as `Transport.ordinal_width`: time, offset and lane."""
        return 3

    def contents(self, topic: str) -> Contents | None:
        """Return the contents as `Transport.contents`."""
        bounds = self.quiet_offsets(topic)
        return None if bounds is None else Contents(bounds)

    def read_contents(self, topic: Topic, contents: Contents, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        """Read the contents as `Transport.read_contents`."""
        return self.read(topic, by_time=False, bad=bad, within=contents.spans)

    def read_until(self, topic: Topic, generation: str, batch: int) -> Iterator[StoredRecord] | None:
        """Read as `Transport.read_until`: all records, as long as no later batch of the generation has its marker."""
        bounds = self.settled_offsets(topic.name)
        marker = self.markers(topic.name).get(generation)
        if marker is not None and not marker.ended and marker.batch > batch:
            return None
        return self.read(topic, by_time=False, within=bounds)

    def topic_id(self, topic: str) -> str:
        """Return the id that the cluster assigned to the topic at its creation, as `Transport.topic_id`."""
        return topic_id(self._admin(), self._name(topic), self._reading(topic))

    def missing(self, topic: Topic, skip: Skip, folder: Path) -> Missing | None:
        """Return the reason why the topic has no record at that position, as `Transport.missing`."""
        bounds = self.offsets(topic.name)
        if skip.partition not in bounds:
            partitions = listing(map(str, bounds))
            return Missing(f"the topic has the partitions {partitions}" if bounds else "the topic does not exist")
        first, end = bounds[skip.partition]
        if first <= skip.place < end:
            return None
        if end <= first:
            return Missing(f"partition {skip.partition} has no records")
        return Missing(f"partition {skip.partition} has the offsets from {first} up to {end - 1}")

    def has_markers(self, topic: str) -> bool:
        """Return True if any query has written a batch in a transaction, as `Transport.has_markers`."""
        return any(marker.batch >= 0 and not marker.ended for marker in self.markers(topic).values())

    def delete_notes(self) -> None:
        """Delete the topics of markers and of leases, as `Transport.delete_notes`."""
        for topic in (commits.TOPIC, LEASES):
            self.delete(topic)

    def batch_in_part(self, topic: str, generation: str) -> int | None:
        """Return the number of a batch of a generation of which only some transactions are committed, or None."""
        records = ((message.key(), message.value()) for message in self._commits(self._admin()))
        return commits.in_part(records, topic, generation)

    @property
    def _cluster(self) -> Cluster:
        return Cluster(self.settings, self.patience)

    @property
    def _codecs(self) -> Codecs:
        return replace(self.codecs, prefix=self.settings.prefix)

    def _decoder(self, topic: Topic) -> Callable[[bytes | None, bytes | None, int, tuple[int, ...]], StoredRecord]:
        return _line_reader(topic) if is_internal(topic.name) else record_decoder(topic, self._codecs)

    def _admin(self) -> Admin:
        return self._cluster.admin()

    def _name(self, topic: str) -> str:
        if topic in self.renamed:
            return kafka_name(self.settings.prefix, self.renamed[topic])
        return name_of(self.settings, topic)

    def _reading(self, topic: str) -> Task:
        return Task(f"'{topic}' cannot be read", reading(self.settings, (topic,)))

    def _writing(self, topic: str) -> Task:
        other = elsewhere(self.settings, topic)
        if other is not None:
            raise findings.not_here(topic, other.target)
        return Task(f"'{topic}' cannot be written", writing(self.settings, topic))

    def _ensure(self, admin: Admin, topic: Topic, task: Task) -> int | None:
        """Create the topic if it is missing, and return its number of partitions then.

        Records may be as old as those of a sample: none is too old.
        """
        settings = self.settings
        partitions = topic.partitions or settings.partitions
        spec = TopicSpec(self._name(topic.name), partitions, settings.replication, INPUT)
        return partitions if create(admin, spec, task) else None

    def _ensure_markers(self, admin: Admin) -> None:
        spec = TopicSpec(self._name(commits.TOPIC), 1, self.settings.replication, commits.CONFIG)
        create(admin, spec, self._writing(commits.TOPIC))

    def _until_visible(self, admin: Admin, name: str, task: Task) -> None:
        """Wait until readers see the committed records: the brokers mark the end of a transaction a moment after it.

        A transaction of another writer may stay open for longer, and the wait ends then.
        """
        last_offsets = offsets.ends(admin, name, task, committed=False)
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            ends = offsets.ends(admin, name, task)
            if all(ends.get(partition, 0) >= end for partition, end in last_offsets.items()):
                return
            time.sleep(0.02)

    def _generations(self, admin: Admin, topic: str) -> Generations:
        """Return the generations as `generations`, in one read.

        Reads up to the last record at the call, whether it is committed by then or not: a committed marker may be after
        an open transaction of another query.
        """
        newest: dict[str, commits.Marker] = {}
        firsts: set[str] = set()
        for message in self._commits(admin):
            first = commits.generation_of_first(message.key(), topic)
            if first is not None:
                firsts.add(first)
            announcement = commits.announced_tasks(message.key(), message.value(), topic)
            if announcement is not None:
                # Only a part of its first batch may exist, before any is complete.
                newest.setdefault(announcement[0], commits.Marker(-1))
            generation = commits.generation_of(message.key(), topic)
            marker = commits.marker_of(message.value())
            if generation is not None and marker is not None:
                newest[generation] = marker
        ended = {name for name, marker in newest.items() if marker.ended}
        return Generations(newest, frozenset(firsts - ended))

    def _open(self, id: str, task: Task) -> None:
        """Open a transactional id, which ends the transaction and the producer that had it."""
        events = Heard()
        producer = self._cluster.producer(id, events)
        with client_errors(self.settings, task, events):
            producer.init_transactions(TRANSACTION)

    def _tasks(self, admin: Admin, topic: str) -> dict[str, int]:
        """Return the number of tasks that have written a batch, by generation of the topic.

        Generations whose batches were written by one transaction are left out.
        """
        counts: dict[str, int] = {}
        for message in self._commits(admin):
            announcement = commits.announced_tasks(message.key(), message.value(), topic)
            if announcement is not None:
                counts[announcement[0]] = max(announcement[1], counts.get(announcement[0], 0))
        return counts

    def _end_tasks(self, topic: str, generation: str, count: int, task: Task) -> None:
        """End the open transactions of the tasks of a generation, and fence them."""
        id = commits.transactional_id(self.settings.prefix, topic, generation)
        for number in range(count):
            self._open(commits.task_id(id, number), task)

    def _commits(self, admin: Admin) -> Iterator[Message]:
        """Return the committed records of the topic of markers, up to the last one at the call."""
        task = self._reading(commits.TOPIC)
        name = self._name(commits.TOPIC)
        bounds = offsets.bounds(admin, name, task, committed=False)
        return messages(self._cluster, name, bounds, task, patience=TRANSACTION + self.patience)

    def _records(
        self,
        topic: Topic,
        name: str,
        bounds: dict[int, tuple[int, int]],
        decode: Callable[[bytes | None, bytes | None, int, tuple[int, ...]], StoredRecord],
        by_time: bool,
        report: ToldOf | None = None,
    ) -> Iterator[StoredRecord]:
        bad = Findings()
        unordered = messages(self._cluster, name, bounds, self._reading(topic.name))
        for message in _in_order(topic, unordered, by_time):
            ordinal = _ordinal_of(topic, message, by_time)
            try:
                record = decode(message.key(), message.value(), _time(message), ordinal)
                headers = _headers(message)
                if headers:
                    record = replace(record, headers=headers)
            except ValueProblems as problems:
                if report is None:
                    bad.add(bad_record(topic.name, message, problems))
                else:
                    report(_unreadable(topic, message, ordinal, problems))
                continue
            if not bad:
                yield record
        if bad:
            raise bad.error()


def _unreadable(topic: Topic, message: Message, ordinal: tuple[int, ...], problems: ValueProblems) -> Unreadable:
    place: dict[str, int | str] = {"partition": message.partition() or 0, "offset": message.offset() or 0}
    parts = {"key": message.key(), "value": message.value()}
    findings = tuple(bad_record(topic.name, message, problems))
    return Unreadable(topic.name, place, ordinal, _time(message), reason_of(problems), parts, findings)


def _line_reader(
    topic: Topic,
) -> Callable[[bytes | None, bytes | None, int, tuple[int, ...]], StoredRecord]:
    """Return a reader of the value of a record between stages, which is a line with the ordinal that counts there.

    An ordinal may have the time of the batch in front of its own parts.
    """
    decode = line_decoder(replace(topic, ordinal_width=_LONGEST))
    return lambda key, value, time, ordinal: decode(value or b"")


@contextmanager
def _transaction(cluster: Cluster, id: str, task: Task) -> Iterator[Producer]:
    """Open a transaction of a producer of its own: committed at the end, or, after any exception inside, aborted."""
    events = Heard()
    producer = cluster.producer(commits.transactional_prefix(cluster.settings.prefix) + id, events)
    with client_errors(cluster.settings, task, events):
        producer.init_transactions(TRANSACTION)
        producer.begin_transaction()
        try:
            yield producer
            producer.commit_transaction(TRANSACTION)
        except BaseException:
            _abort(producer)
            raise


def _abort(producer: Producer) -> None:
    from confluent_kafka import KafkaException

    producer.purge()
    # The brokers end a transaction that cannot be aborted, and the first exception counts.
    with suppress(KafkaException):
        producer.abort_transaction(TRANSACTION)


def _encoded(
    topic: Topic,
    records: Iterable[Record | StoredRecord],
    encode: Callable[[Record | StoredRecord], tuple[bytes | None, bytes | None]],
) -> Iterator[Encoded]:
    """Yield the records as bytes. Raises the problems of all of them after the last."""
    bad = Findings()
    for index, record in enumerate(records):
        try:
            key, value = encode(record)
        except ValueProblems as problems:
            bad.add(findings.misfits(topic.name, index, problems))
            continue
        if not bad:
            yield key, value, record.timestamp, record.headers
    if bad:
        raise bad.error()


def _produce(producer: Producer, name: str, records: Iterable[Encoded]) -> int:
    """Pass records to the producer; return their number."""
    produce, poll = producer.produce, producer.poll
    count = 0
    for key, value, timestamp, headers in records:
        more = {"headers": list(headers)} if headers else {}
        while True:
            try:
                produce(name, value, key, timestamp=timestamp or -1, **more)
                break
            except BufferError:
                # The queue is full.
                poll(0.1)
        count += 1
        if count % _ASK == 0:
            poll(0)
    return count


def _of_width(topic: Topic, records: Iterable[StoredRecord]) -> list[StoredRecord]:
    """Return the records. Raises LsqlcError for ordinals that do not fit the topic: they order a batch."""
    bad = Findings()
    checked = []
    for index, record in enumerate(records):
        checked.append(record)
        problem = width_problem(topic, record.ordinal)
        if problem is not None:
            bad.add(findings.misfits(topic.name, index, ValueProblems([problem])))
    if bad:
        raise bad.error()
    return checked


def _ordinal(record: StoredRecord) -> tuple[int, ...]:
    return record.ordinal


def _time(message: Message) -> int:
    """Return the time in epoch milliseconds; 0 for a record without one."""
    time = message.timestamp()[1]
    return 0 if time == -1 else time


def _headers(message: Message) -> Headers | None:
    headers = message.headers()
    return tuple(headers) if headers else None


def _in_order(topic: Topic, records: Iterable[Message], by_time: bool) -> Iterable[Message]:
    """Return the records, which come by offset, in order of their ordinals."""
    return sorted(records, key=lambda message: _ordinal_of(topic, message, True)) if by_time else records


def _ordinal_of(topic: Topic, message: Message, by_time: bool) -> tuple[int, int, int]:
    time = _time(message) if by_time else 0
    return time, message.offset() or 0, lane(topic.name, message.partition() or 0)
