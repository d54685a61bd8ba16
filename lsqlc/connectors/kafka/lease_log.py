"""The records of the leases of runs: their content, the holder of a lease after them, and their topic in Kafka."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from lsqlc.connectors.kafka import offsets
from lsqlc.connectors.kafka.client import Cluster, Heard, append_one
from lsqlc.connectors.kafka.failures import Failure, Task, raised
from lsqlc.connectors.kafka.fetch import messages
from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from confluent_kafka import Message, Producer

CONFIG = {
    "cleanup.policy": "compact",
    "message.timestamp.type": "LogAppendTime",
    "min.compaction.lag.ms": "600000",
    "segment.bytes": "1048576",
    "min.cleanable.dirty.ratio": "0.1",
}


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that requests a lease.

    `id` is of one run; `seconds`: how long its lease is live without a renewal.
    """

    id: str
    host: str
    process: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of a project: of its holder, a claim or a renewal; None: the holder of that id releases the lease.

    `time`: when the broker appended it, in epoch milliseconds.
    """

    id: str
    holder: Holder | None
    time: int


@dataclass(frozen=True, slots=True)
class Held:
    """A lease, and the time of its last record."""

    holder: Holder
    time: int

    def is_live(self, time: int) -> bool:
        """Return True if nobody else can take it at that time, in epoch milliseconds."""
        return time - self.time < self.holder.seconds * 1000


def after(current: Held | None, entry: Entry) -> Held | None:
    """Return the lease after one more record.

    >>> a, b = (Holder(id, "h", 1, 10.0) for id in "ab")
    >>> held = after(None, Entry("a", a, 0))
    >>> [after(held, Entry("b", b, time)).holder.id for time in (9_999, 10_000)]
    ['a', 'b']
    """
    own = current is not None and current.holder.id == entry.id
    if entry.holder is None:
        return None if own else current
    return Held(entry.holder, entry.time) if current is None or own or not current.is_live(entry.time) else current


def holding(entries: Iterable[Entry]) -> Held | None:
    """Return the lease after all records of a project, in their order."""
    return reduce(after, entries, None)


def taken(lease: Held, entries: Iterable[Entry]) -> Entry | None:
    """Return the first record after the last one of a holder by which another run took the lease, or None.

    The tombstone of another run after the end of a lease counts as well, unless its claim is known to have been
    rejected: the claim of a holder that has ended may have been compacted.

    >>> a, b = (Holder(id, "h", 1, 10.0) for id in "ab")
    >>> taken(Held(a, 0), [Entry("b", b, 9_999), Entry("b", None, 10_001), Entry("a", a, 60_000)])
    >>> taken(Held(a, 0), [Entry("b", b, 10_000), Entry("b", None, 10_001), Entry("a", a, 60_000)]).time
    10000
    """
    rejected_ids: set[str] = set()
    for entry in entries:
        if entry.id == lease.holder.id:
            lease = Held(lease.holder, entry.time)
        elif not lease.is_live(entry.time) and (entry.holder is not None or entry.id not in rejected_ids):
            return entry
        else:
            rejected_ids.add(entry.id)
    return None


def lease_key(project: str, id: str) -> bytes:
    """Return the key of a run's records."""
    return f"{project}/{id}".encode()


def lease_value(holder: Holder) -> bytes:
    """Return the value of a claim and of a renewal."""
    members = {"host": holder.host, "process": holder.process, "seconds": holder.seconds}
    return json.dumps(members, separators=(",", ":")).encode()


def entry_of(project: str, key: bytes | None, value: bytes | None, time: int) -> Entry | None:
    """Return the entry of a record; None for a record of another project, and for any that is not an entry."""
    name, _, id = (key or b"").decode("utf-8", "replace").rpartition("/")
    if name != project:
        return None
    if value is None:
        return Entry(id, None, time)
    try:
        members = json.loads(value)
        return Entry(id, Holder(id, str(members["host"]), int(members["process"]), float(members["seconds"])), time)
    except (ValueError, KeyError, TypeError):
        return None


@dataclass(slots=True)
class LeaseLog:
    """The records of a project in the topic `name`.

    `timeout`: seconds after which a record that was not written fails. All methods raise LsqlcError as `KafkaLog`, and
    LSQ785 for a topic that has the times of hosts.
    """

    cluster: Cluster
    name: str
    project: str
    task: Task
    timeout: float
    heard: Heard = field(default_factory=Heard)
    _producer: Producer | None = None

    def append(self, id: str, value: bytes | None) -> tuple[int, int]:
        """Append a record of a run; return its offset and the time when the broker appended it."""
        if self._producer is None:
            self._producer = self.cluster.appender(self.heard, min(self.cluster.patience, self.timeout))
        key, settings = lease_key(self.project, id), self.cluster.settings
        message = append_one(self._producer, self.name, key, value, settings, self.task, self.heard)
        return message.offset() or 0, append_time(message)

    def entries(self, first: int | None = None, end: int | None = None) -> Iterator[Entry]:
        """Yield the project's entries between two offsets, the end exclusive; None: from the beginning, to the end."""
        bounds = {}
        if first is None or end is None:
            bounds = offsets.bounds(self.cluster.admin(), self.name, self.task, committed=False)
        low, high = bounds.get(0, (0, 0))
        between = {0: (low if first is None else first, high if end is None else end)}
        for message in messages(self.cluster, self.name, between, self.task):
            entry = entry_of(self.project, message.key(), message.value(), append_time(message))
            if entry is not None:
                yield entry

    def silence(self, seconds: float) -> LsqlcError:
        """Return the error of a cluster that has not answered for so many seconds."""
        failure = Failure("_TIMED_OUT", f"no answer within {seconds:g} seconds")
        return raised(failure, self.heard.failures[-1:], self.cluster.settings, self.task)


def append_time(message: Message) -> int:
    """Return the time when the broker appended a record. Raises LsqlcError LSQ785 for the time of another clock."""
    from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME

    kind: int
    time: int
    kind, time = message.timestamp()
    if kind != TIMESTAMP_LOG_APPEND_TIME:
        name = message.topic()
        set_it = f"--entity-type topics --entity-name {name} --alter --add-config message.timestamp.type=LogAppendTime"
        note = "leases are compared by the times that the brokers give to their records"
        problem = f"the topic '{name}' does not have message.timestamp.type=LogAppendTime"
        raise LsqlcError([Diagnostic("LSQ785", problem, notes=(note,), help=f"set it: kafka-configs {set_it}")])
    return time
