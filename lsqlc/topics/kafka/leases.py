"""Who runs a project: a lease in the compacted topic `_lsqlc.leases`, so that no two hosts run it at the same time.

Who wants the lease appends a claim, and reads the topic up to it. The log itself decides, and so everybody who reads it
comes to the same result: a claim counts unless somebody else's lease was live when it was appended. A holder appends a
renewal every few seconds, and a tombstone at the end. Its lease is live for so many seconds behind its last record.

The seconds are those between the times of two records, which the broker sets as it appends them (`LogAppendTime`). No
clock of a host is compared with that of another. A holder whose two records in a row lie too far apart, or which cannot
append one for that long by its own monotonic clock, has lost the lease: another one may have taken it in between.

Claims are no transactions: to open a transactional id would end the transactions of a holder that is well. What fences
the queries of a run that has lost its lease is the transactional id of their generation (see `commits`). Records of the
last minutes are not compacted, since a lease depends on the order of those.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.topics.kafka import offsets
from lsqlc.topics.kafka.access import Access
from lsqlc.topics.kafka.admin import create
from lsqlc.topics.kafka.client import Cluster, Heard, append_one
from lsqlc.topics.kafka.failures import Task
from lsqlc.topics.kafka.fetch import messages
from lsqlc.topics.kafka.names import LEASES, kafka_name
from lsqlc.topics.kafka.specs import TopicSpec

if TYPE_CHECKING:
    from confluent_kafka import Message, Producer

CONFIG = {
    "cleanup.policy": "compact",
    "message.timestamp.type": "LogAppendTime",
    "min.compaction.lag.ms": "600000",
    "segment.bytes": "1048576",
    "min.cleanable.dirty.ratio": "0.1",
}
# How long a lease is live behind its last record, and how often it is renewed.
SECONDS, RENEWAL = 20.0, 4.0


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


def is_kept(holder: Holder, last: int, time: int) -> bool:
    """Whether a holder surely has the lease still, that appended a record at `last` and the next one at `time`."""
    return Held(holder, last).is_live(time)


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


@contextmanager
def run_lease(
    cluster: Cluster,
    project: str,
    *,
    replication: int | None = None,
    seconds: float = SECONDS,
    renewal: float = RENEWAL,
    doing: str = "run",
) -> Iterator[Callable[[], None]]:
    """Hold the lease of a project inside the `with`, renewed by a thread. What it gives is to be called now and then:
    it raises LsqlcError LSQ783 once the lease is lost. `doing`: what a holder does with the project, in a message.

    Raises LsqlcError: LSQ782 with its holder where it is live, LSQ785 for a topic that has the times of hosts, and as
    `KafkaLog` for what the cluster refuses.
    """
    name = kafka_name(cluster.settings.prefix, LEASES)
    needs = Access("topic", name, ("Read", "Write", "Describe", "Create"))
    task = Task("the lease of the project cannot be taken", (needs,))
    create(cluster.admin(), TopicSpec(name, 1, replication, CONFIG), task)
    holder = Holder(uuid.uuid4().hex, socket.gethostname(), os.getpid(), seconds)
    lease = _Lease(cluster, name, project, holder, task, doing)
    lease.claim()
    thread = threading.Thread(target=lease.keep, args=(renewal,), name="lsqlc-lease", daemon=True)
    thread.start()
    try:
        yield lease.check
    finally:
        lease.ended.set()
        thread.join()
        lease.give_up()


@dataclass(slots=True)
class _Lease:
    """The records of one run. `last`: when its last one was appended, by the broker; `sent`: when that was sent, by the
    monotonic clock of this host.
    """

    cluster: Cluster
    name: str
    project: str
    holder: Holder
    task: Task
    doing: str
    heard: Heard = field(default_factory=Heard)
    ended: threading.Event = field(default_factory=threading.Event)
    producer: Producer = field(init=False)
    last: int = 0
    sent: float = 0.0
    is_lost: bool = False

    def __post_init__(self) -> None:
        # A record that did not arrive while the lease was live is of no use.
        self.producer = self.cluster.appender(self.heard, min(self.cluster.patience, self.holder.seconds))

    def claim(self) -> None:
        """Append a claim. Raises LsqlcError LSQ782 if another lease is live."""
        message = self._append(lease_value(self.holder))
        asked = _time(message)
        held = holding(self._entries(message.offset() or 0))
        if held is None or held.holder.id != self.holder.id:
            self.give_up()
            raise LsqlcError([_live(held, asked, self.doing)])

    def keep(self, renewal: float) -> None:
        """Renew until the end, or until the lease is lost."""
        while not self.ended.wait(renewal) and not self.is_lost:
            before = self.last
            # What cannot be appended now is tried again, until `check` gives it up.
            with suppress(LsqlcError):
                self._append(lease_value(self.holder))
                self.is_lost = not is_kept(self.holder, before, self.last)

    def check(self) -> None:
        """Raise LsqlcError LSQ783 if the lease is lost."""
        if self.is_lost or time.monotonic() - self.sent >= self.holder.seconds:
            self.is_lost = True
            raise LsqlcError([_lost(self.holder, self.heard)])

    def give_up(self) -> None:
        """Append a tombstone. Without one the lease ends by itself."""
        if not self.is_lost:
            with suppress(LsqlcError):
                self._append(None)

    def _append(self, value: bytes | None) -> Message:
        sent = time.monotonic()
        key = lease_key(self.project, self.holder.id)
        message = append_one(self.producer, self.name, key, value, self.cluster.settings, self.task, self.heard)
        self.last, self.sent = _time(message), sent
        return message

    def _entries(self, up_to: int) -> Iterator[Entry]:
        """The project's entries up to an offset, which is there."""
        bounds = offsets.bounds(self.cluster.admin(), self.name, self.task)
        first = bounds[0][0]
        for message in messages(self.cluster, self.name, {0: (first, up_to + 1)}, self.task):
            entry = entry_of(self.project, message.key(), message.value(), _time(message))
            if entry is not None:
                yield entry


def _time(message: Message) -> int:
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


def _live(held: Held | None, asked: int, doing: str) -> Diagnostic:
    if held is None:
        # The claim itself is not in the log: somebody has removed it.
        return Diagnostic("LSQ782", "another process took the lease of this project at the same time", help="run again")
    holder, ago = held.holder, max(0, asked - held.time) / 1000
    return Diagnostic(
        "LSQ782",
        f"this project is already being {doing} by process {holder.process} on '{holder.host}'",
        notes=(f"it renewed its lease {ago:.1f} seconds before, by the brokers' clock",),
        help=f"wait for it, or stop it there; the lease of a killed process expires after {holder.seconds:g} seconds",
    )


def _lost(holder: Holder, heard: Heard) -> Diagnostic:
    said = tuple(f"the client says: {failure.text}" for failure in heard.failures[-1:])
    return Diagnostic(
        "LSQ783",
        "this run has lost the lease of the project and stops its queries",
        notes=(f"it could not be renewed for {holder.seconds:g} seconds, and another run may have taken it", *said),
        help="check that the brokers can be reached, and run again: the next run continues from the checkpoints",
    )
