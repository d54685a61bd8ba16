"""The lease of a project: in the compacted topic `_lsqlc.leases`, so that no two hosts run it at the same time.

A run that wants the lease appends a claim, and reads the topic up to it. The log itself decides, and so each reader has
the same result: a claim counts unless the lease of another run was live when it was appended. A holder appends a
renewal every few seconds, and a tombstone at the end. Its lease is live for so many seconds after its last record.

The seconds are those between the times of two records, which the broker sets as it appends them (`LogAppendTime`). No
clock of a host is compared with that of another. Two of a holder's records in a row may be too far apart. Or no append
may succeed for that long by its own monotonic clock. In both cases the holder stops its queries, and reads the records
in between once a broker has appended its next one. If no other run took the lease, that record continues it; while no
broker answers, nobody can take it.

Claims are no transactions: to open a transactional id would end the transactions of a healthy holder. The queries of a
run that has lost its lease are fenced by the transactional id of their generation (see `commits`). Records of the last
minutes are not compacted, since a lease depends on their order.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from lsqlc.connectors.kafka.access import Access
from lsqlc.connectors.kafka.admin import create
from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.lease_log import CONFIG, Entry, Held, Holder, LeaseLog, holding, lease_value, taken
from lsqlc.connectors.kafka.names import LEASES, kafka_name
from lsqlc.connectors.kafka.specs import TopicSpec
from lsqlc.connectors.lease import Lease
from lsqlc.connectors.outages import is_away
from lsqlc.diagnostics import Diagnostic, LsqlcError

# How long a lease is live after its last record, and how often it is renewed.
SECONDS, RENEWAL = 20.0, 4.0


@contextmanager
def run_lease(
    cluster: Cluster,
    project: str,
    *,
    replication: int | None = None,
    seconds: float = SECONDS,
    renewal: float = RENEWAL,
    doing: str = "run",
    waits: bool = False,
) -> Iterator[Lease]:
    """Hold the lease of a project inside the `with`, renewed by a thread.

    `waits`: for brokers that do not answer; else the lease is lost after `seconds`. `doing`: the verb for the holder's
    use of the project, in a message.

    Raises LsqlcError: LSQ782 with its holder if it is live, and LSQ785 for a topic that has the times of hosts. Errors
    of the cluster are raised as by `KafkaLog`.
    """
    log = _log(cluster, project, seconds)
    create(cluster.admin(), TopicSpec(log.name, 1, replication, CONFIG), log.task)
    holder = Holder(uuid.uuid4().hex, socket.gethostname(), os.getpid(), seconds)
    lease = HeldLease(log, holder, doing, waits)
    lease.claim()
    thread = threading.Thread(target=lease.keep, args=(renewal,), name="lsqlc-lease", daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        lease.ended.set()
        thread.join()
        lease.give_up()


def lease_watch(cluster: Cluster, project: str) -> LeaseWatch:
    """Return a watch of the lease of a project that another run holds."""
    return LeaseWatch(_log(cluster, project, SECONDS))


def _log(cluster: Cluster, project: str, seconds: float) -> LeaseLog:
    name = kafka_name(cluster.settings.prefix, LEASES)
    needs = Access("topic", name, ("Read", "Write", "Describe", "Create"))
    task = Task("the lease of the project cannot be taken", (needs,))
    return LeaseLog(cluster, name, project, task, seconds)


@dataclass(slots=True)
class LeaseWatch:
    """A reader of the lease, for a run that waits for it, without writing.

    A claim that is sent while no broker answers would arrive before the renewal of the holder.
    """

    log: LeaseLog
    monotonic: Callable[[], float] = time.monotonic
    _seen: Held | None = None
    _since: float = 0.0

    def look(self) -> bool:
        """Return True if a claim may succeed.

        The lease was released, or was not renewed for as long as it is live, while the brokers answered all the time.
        Raises LsqlcError as `LeaseLog`.
        """
        previous, self._seen = self._seen, None
        current = holding(self.log.entries())
        if current is None:
            return True
        if current != previous:
            self._since = self.monotonic()
        self._seen = current
        return self.monotonic() - self._since >= current.holder.seconds


@dataclass(slots=True)
class HeldLease:
    """The lease of one run, as `Lease`.

    `offset` and `last`: the offset of the last record that is known to hold it, and the time when the broker appended
    it. `sent`: when it was sent, by the monotonic clock of this host. `problem`: the error of the renewals since then.
    `taker`: the record by which another run took the lease.
    """

    log: LeaseLog
    holder: Holder
    doing: str
    waits: bool = False
    monotonic: Callable[[], float] = time.monotonic
    ended: threading.Event = field(default_factory=threading.Event)
    offset: int = 0
    last: int = 0
    sent: float = 0.0
    problem: LsqlcError | None = None
    taker: Entry | None = None
    is_lost: bool = False

    def claim(self) -> None:
        """Append a claim. Raises LsqlcError LSQ782 if another lease is live."""
        self.sent = self.monotonic()
        self.offset, self.last = self.log.append(self.holder.id, lease_value(self.holder))
        current = holding(self.log.entries(end=self.offset + 1))
        if current is None or current.holder.id != self.holder.id:
            self.give_up()
            raise LsqlcError([_live(current, self.last, self.doing)])

    def keep(self, renewal: float) -> None:
        """Renew until the end, or until the lease is lost."""
        while not self.ended.wait(renewal) and not self.is_lost:
            self.renew()

    def renew(self) -> None:
        """Append a renewal. A late one continues the lease if no other run took it in between."""
        sent = self.monotonic()
        try:
            offset, time = self.log.append(self.holder.id, lease_value(self.holder))
            before = Held(self.holder, self.last)
            if not before.is_live(time) or sent - self.sent >= self.holder.seconds:
                self.taker = taken(before, self.log.entries(self.offset + 1, offset))
        except LsqlcError as error:
            # An append or a read that fails is tried again, until the lease is released.
            self.problem = error
            return
        if self.taker is not None:
            self.is_lost = True
            return
        self.offset, self.last, self.sent, self.problem = offset, time, sent, None

    def __call__(self) -> None:
        """Check as `Lease`."""
        if self.silence():
            raise self.problem or self.log.silence(self.holder.seconds)

    def silence(self) -> float:
        """Report as `Lease`."""
        silent, problem = self.monotonic() - self.sent, self.problem
        is_late = silent >= self.holder.seconds
        if is_late and not (self.waits and (problem is None or is_away(problem.diagnostics))):
            self.is_lost = True
        if self.is_lost:
            raise LsqlcError([self._lost()])
        return silent if is_late else 0.0

    def give_up(self) -> None:
        """Append a tombstone. Without one the lease ends by itself."""
        if not self.is_lost and self.monotonic() - self.sent < self.holder.seconds:
            with suppress(LsqlcError):
                self.log.append(self.holder.id, None)

    def _lost(self) -> Diagnostic:
        by = self.taker.holder if self.taker else None
        if by is not None:
            silent = f"it had not been renewed for {self.holder.seconds:g} seconds"
            why = f"{silent}, and process {by.process} on '{by.host}' took it"
        else:
            why = f"it could not be renewed for {self.holder.seconds:g} seconds, and another run may have taken it"
        client_texts = tuple(f"the client says: {failure.text}" for failure in self.log.heard.failures[-1:])
        return Diagnostic(
            "LSQ783",
            "this run has lost the lease of the project and stops its queries",
            notes=(why, *(client_texts if by is None else ())),
            help="check that the brokers can be reached, and run again: the next run continues from the checkpoints",
        )


def _live(current: Held | None, claim_time: int, doing: str) -> Diagnostic:
    if current is None:
        # The claim itself is not in the log: somebody has removed it.
        return Diagnostic("LSQ782", "another process took the lease of this project at the same time", help="run again")
    holder, ago = current.holder, max(0, claim_time - current.time) / 1000
    return Diagnostic(
        "LSQ782",
        f"this project is already being {doing} by process {holder.process} on '{holder.host}'",
        notes=(f"it renewed its lease {ago:.1f} seconds before, by the brokers' clock",),
        help=f"wait for it, or stop it there; the lease of a killed process expires after {holder.seconds:g} seconds",
    )
