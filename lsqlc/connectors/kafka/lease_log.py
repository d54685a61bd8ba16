"""The records of the leases of runs: what they say, who holds a lease behind them, and their topic in Kafka."""

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
    """Who asks for a lease: `id` is of one run, and `seconds` how long its lease is live without a renewal."""

    id: str
    host: str
    process: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of a project: of its holder, a claim or a renewal; None: the holder of that id gives up. `time`: when
    the broker appended it, in epoch milliseconds.
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
        """Whether nobody else may take it at that time."""
        return time - self.time < self.holder.seconds * 1000


def after(held: Held | None, entry: Entry) -> Held | None:
    """Who holds the lease behind one more record.

    >>> a, b = (Holder(id, "h", 1, 10.0) for id in "ab")
    >>> held = after(None, Entry("a", a, 0))
    >>> [after(held, Entry("b", b, time)).holder.id for time in (9_999, 10_000)]
    ['a', 'b']
    """
    own = held is not None and held.holder.id == entry.id
    if entry.holder is None:
        return None if own else held
    return Held(entry.holder, entry.time) if held is None or own or not held.is_live(entry.time) else held


def holding(entries: Iterable[Entry]) -> Held | None:
    """Who holds the lease behind all records of a project, in their order."""
    return reduce(after, entries, None)


def taken(held: Held, entries: Iterable[Entry]) -> Entry | None:
    """The first record behind the last one of a holder by which somebody else took the lease; None: it is still held.

    The tombstone of somebody else behind the end of a lease counts as well, unless it is known that the claim was
    refused: that of a holder which came and went may have been compacted.

    >>> a, b = (Holder(id, "h", 1, 10.0) for id in "ab")
    >>> taken(Held(a, 0), [Entry("b", b, 9_999), Entry("b", None, 10_001), Entry("a", a, 60_000)])
    >>> taken(Held(a, 0), [Entry("b", b, 10_000), Entry("b", None, 10_001), Entry("a", a, 60_000)]).time
    10000
    """
    refused: set[str] = set()
    for entry in entries:
        if entry.id == held.holder.id:
            held = Held(held.holder, entry.time)
        elif not held.is_live(entry.time) and (entry.holder is not None or entry.id not in refused):
            return entry
        else:
            refused.add(entry.id)
    return None


def lease_key(project: str, id: str) -> bytes:
    """The key of a run's records."""
    return f"{project}/{id}".encode()


def lease_value(holder: Holder) -> bytes:
    """What a claim and a renewal say."""
    said = {"host": holder.host, "process": holder.process, "seconds": holder.seconds}
    return json.dumps(said, separators=(",", ":")).encode()


def entry_of(project: str, key: bytes | None, value: bytes | None, time: int) -> Entry | None:
    """The entry that a record is; None for one of another project, and for what is none."""
    name, _, id = (key or b"").decode("utf-8", "replace").rpartition("/")
    if name != project:
        return None
    if value is None:
        return Entry(id, None, time)
    try:
        said = json.loads(value)
        return Entry(id, Holder(id, str(said["host"]), int(said["process"]), float(said["seconds"])), time)
    except (ValueError, KeyError, TypeError):
        return None


@dataclass(slots=True)
class LeaseLog:
    """The records of a project in the topic `name`. `timeout`: seconds after which a record that was not written is
    given up. All methods raise LsqlcError as `KafkaLog`, and LSQ785 for a topic that has the times of hosts.
    """

    cluster: Cluster
    name: str
    project: str
    task: Task
    timeout: float
    heard: Heard = field(default_factory=Heard)
    _producer: Producer | None = None

    def append(self, id: str, value: bytes | None) -> tuple[int, int]:
        """Append a record of a run: its offset, and when the broker appended it."""
        if self._producer is None:
            self._producer = self.cluster.appender(self.heard, min(self.cluster.patience, self.timeout))
        key, settings = lease_key(self.project, id), self.cluster.settings
        message = append_one(self._producer, self.name, key, value, settings, self.task, self.heard)
        return message.offset() or 0, append_time(message)

    def entries(self, first: int | None = None, end: int | None = None) -> Iterator[Entry]:
        """The project's entries from an offset up to another one, exclusive; None: from the beginning, to the end."""
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
        """The error of a cluster that has not answered for so many seconds."""
        failure = Failure("_TIMED_OUT", f"no answer within {seconds:g} seconds")
        return raised(failure, self.heard.failures[-1:], self.cluster.settings, self.task)


def append_time(message: Message) -> int:
    """When the broker appended a record. Raises LsqlcError LSQ785 for the time of another clock."""
    from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME

    kind: int
    time: int
    kind, time = message.timestamp()
    if kind != TIMESTAMP_LOG_APPEND_TIME:
        name = message.topic()
        set_it = f"--entity-type topics --entity-name {name} --alter --add-config message.timestamp.type=LogAppendTime"
        note = "leases are compared by the times that the brokers give to their records"
        found = f"the topic '{name}' does not have message.timestamp.type=LogAppendTime"
        raise LsqlcError([Diagnostic("LSQ785", found, notes=(note,), help=f"set it: kafka-configs {set_it}")])
    return time
