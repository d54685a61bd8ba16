"""Who holds a lease, decided from the records of a topic only."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from lsqlc.connectors.kafka.client import Heard
from lsqlc.connectors.kafka.lease_log import (
    Entry,
    Held,
    Holder,
    LeaseLog,
    entry_of,
    holding,
    lease_key,
    lease_value,
    taken,
)
from lsqlc.connectors.kafka.leases import HeldLease, LeaseWatch
from lsqlc.diagnostics import Diagnostic, LsqlcError
from tests.each import each

A, B = (Holder(id, f"host-{id}", number, 10.0) for number, id in enumerate("ab", 1))


def of(holder: Holder, time: int) -> Entry:
    return Entry(holder.id, holder, time)


def free(holder: Holder, time: int) -> Entry:
    return Entry(holder.id, None, time)


@pytest.mark.parametrize(
    ("entries", "held"),
    [
        ([], None),
        ([of(A, 5)], Held(A, 5)),
        ([of(A, 0), of(B, 9_999)], Held(A, 0)),
        ([of(A, 0), of(B, 10_000)], Held(B, 10_000)),
        ([of(A, 0), of(A, 9_000), of(B, 12_000)], Held(A, 9_000)),
        ([of(A, 0), free(A, 1), of(B, 2)], Held(B, 2)),
        # Who was refused and gives up takes nothing from the holder.
        ([of(A, 0), of(B, 1), free(B, 2)], Held(A, 0)),
        # Who was refused does not come to hold it by waiting: it claims again.
        ([of(A, 0), of(B, 9_000), free(A, 9_500)], None),
        # The late renewal of somebody whose lease was taken.
        ([of(A, 0), of(B, 20_000), of(A, 21_000)], Held(B, 20_000)),
        # A leader whose clock is behind: nothing is taken early.
        ([of(A, 50_000), of(B, 20_000)], Held(A, 50_000)),
    ],
)
def test_the_log_decides(entries: list[Entry], held: Held | None) -> None:
    """By the order and the times of the records."""
    assert holding(entries) == held


def test_records() -> None:
    """An entry is read as it was written; another project's, and what is none, are passed over."""
    assert entry_of("shop", lease_key("shop", A.id), lease_value(A), 7) == of(A, 7)
    assert entry_of("shop", lease_key("shop", A.id), None, 8) == free(A, 8)
    assert entry_of("shop/eu", lease_key("shop/eu", A.id), lease_value(A), 7) == of(A, 7)
    assert entry_of("shop", lease_key("shop/eu", A.id), lease_value(A), 7) is None
    for value in (b"", b"{", b"1", b"{}", b'{"host": "h", "process": "x", "seconds": 1}'):
        assert entry_of("shop", lease_key("shop", A.id), value, 7) is None
    assert entry_of("shop", None, lease_value(A), 7) is None


@dataclass
class Run:
    """A run that believes what its own records say: the last one that holds its lease has this index and time."""

    holder: Holder
    index: int
    last: int


@each("seed", range(300))
def test_no_two_runs_believe_that_they_hold_it(seed: int) -> None:
    """Whatever the pauses between their records: of those whose lease is live there is one at most. Where nobody has a
    live lease, the next claim succeeds. A late renewal holds the lease on where nobody took it in between.
    """
    choose = random.Random(seed)
    log: list[Entry] = []
    runs: list[Run] = []
    time = 0
    claimed = refused = lost = 0
    for number in range(80):
        time += choose.choice((0, 1, 3_000, 9_999, 10_000, 15_000))
        if not runs or choose.random() < 0.3:
            run = Run(Holder(str(number), "h", number, 10.0), len(log), time)
            before = holding(log)
            log.append(of(run.holder, time))
            now = holding(log)
            assert now is not None
            if now.holder == run.holder:
                assert before is None or not before.is_live(time)
                runs.append(run)
                claimed += 1
            else:
                log.append(free(run.holder, time))
                refused += 1
        else:
            run = choose.choice(runs)
            log.append(of(run.holder, time))
            others = [holding(log[:at]) for at in range(run.index + 1, len(log))]
            was_taken = any(held is None or held.holder != run.holder for held in others)
            late = not Held(run.holder, run.last).is_live(time)
            if late and taken(Held(run.holder, run.last), log[run.index + 1 : -1]):
                assert was_taken
                runs.remove(run)
                lost += 1
            else:
                assert not was_taken and holding(log) == Held(run.holder, time)
                run.index, run.last = len(log) - 1, time
        assert sum(Held(r.holder, r.last).is_live(time) for r in runs) <= 1
    assert claimed and (refused or lost)


def test_a_claim_that_was_compacted_counts() -> None:
    """Its tombstone is kept longer. That of a claim that is known to be refused does not count."""
    assert taken(Held(A, 0), [free(B, 9_999)]) is None
    assert taken(Held(A, 0), [free(B, 10_000)]) == free(B, 10_000)
    assert taken(Held(A, 0), [of(B, 9_999), free(B, 10_000)]) is None
    # A renewal whose answer did not arrive.
    assert taken(Held(A, 0), [of(A, 9_000), of(B, 12_000)]) is None


AWAY = LsqlcError([Diagnostic("LSQ732", "no broker answers at h:9092")])
REFUSED = LsqlcError([Diagnostic("LSQ735", "no access")])


class Brokers(LeaseLog):
    """The log as a list, with a clock for all; it fails with `error`, and `unread` when it is read."""

    def __init__(self) -> None:
        self.records: list[Entry] = []
        self.now = 1_000.0
        # By how many seconds the clock of the leader is ahead of the others.
        self.ahead = 0.0
        self.error: LsqlcError | None = None
        self.unread = False
        self.heard = Heard()

    def monotonic(self) -> float:
        return self.now

    def append(self, id: str, value: bytes | None) -> tuple[int, int]:
        if self.error:
            raise self.error
        entry = entry_of("p", lease_key("p", id), value, int((self.now + self.ahead) * 1000))
        assert entry is not None
        self.records.append(entry)
        return len(self.records) - 1, entry.time

    def entries(self, first: int | None = None, end: int | None = None) -> Iterator[Entry]:
        if self.error or self.unread:
            raise self.error or AWAY
        return iter(self.records[first or 0 : len(self.records) if end is None else end])

    def silence(self, seconds: float) -> LsqlcError:
        return AWAY

    def lease(self, holder: Holder, *, waits: bool = True) -> HeldLease:
        lease = HeldLease(self, holder, "run", waits, self.monotonic)
        lease.claim()
        return lease


def codes(call: Callable[[], object]) -> list[str]:
    with pytest.raises(LsqlcError) as raised:
        call()
    return [found.code for found in raised.value.diagnostics]


@pytest.mark.parametrize("seconds", [5, 30, 100_000])
def test_an_outage_ends_no_lease(seconds: int) -> None:
    """Whoever held it holds it on with its next record, under the same id. Until then its queries do not run, if the
    lease may have expired.
    """
    brokers = Brokers()
    lease = brokers.lease(A)
    lease()
    brokers.error = AWAY
    brokers.now += seconds
    lease.renew()
    if seconds < A.seconds:
        lease()
    else:
        assert codes(lease) == ["LSQ732"] and lease.silence() == seconds
    brokers.error = None
    if seconds > A.seconds:
        # The brokers answer, and it is not known yet who has the lease.
        assert codes(lease) == ["LSQ732"]
    lease.renew()
    lease()
    assert lease.silence() == 0 and not lease.is_lost
    assert codes(lambda: brokers.lease(B)) == ["LSQ782"]
    brokers.now += 4
    lease.renew()
    assert holding(brokers.records) == Held(A, int(brokers.now * 1000))


def test_a_lease_that_was_taken_in_an_outage_is_lost() -> None:
    """Also where the other one has given it up by then, since its queries ran."""
    for ended in (False, True):
        brokers = Brokers()
        lease = brokers.lease(A)
        brokers.now += 30
        other = brokers.lease(B)
        if ended:
            other.give_up()
        lease.renew()
        with pytest.raises(LsqlcError) as raised:
            lease()
        (found,) = raised.value.diagnostics
        assert found.code == "LSQ783" and "process 2 on 'host-b' took it" in found.notes[0]
        assert codes(lease.silence) == ["LSQ783"]
        records = list(brokers.records)
        lease.give_up()
        assert brokers.records == records


def test_what_was_between_must_be_read() -> None:
    """A record that was appended proves nothing while those before it cannot be read."""
    brokers = Brokers()
    lease = brokers.lease(A)
    brokers.now += 30
    brokers.lease(B)
    brokers.unread = True
    lease.renew()
    assert codes(lease) == ["LSQ732"]
    brokers.unread = False
    lease.renew()
    assert codes(lease) == ["LSQ783"]


def test_what_ends_a_lease_at_once() -> None:
    """An error that does not pass, and for a run that does not wait any outage that is long enough."""
    for error, waits in ((REFUSED, True), (AWAY, False)):
        brokers = Brokers()
        lease = brokers.lease(A, waits=waits)
        brokers.error = error
        brokers.now += 9
        lease.renew()
        lease()
        brokers.now += 1
        assert codes(lease) == ["LSQ783"]
        brokers.error = None
        lease.renew()
        assert codes(lease) == ["LSQ783"]


def test_who_stands_by_leaves_the_holder_its_time() -> None:
    """It writes nothing. It takes the lease of a holder that is gone once that was silent while the brokers answered,
    and one that was given up at once.
    """
    brokers = Brokers()
    lease = brokers.lease(A)
    watch = LeaseWatch(brokers, brokers.monotonic)
    assert not watch.look()
    for _ in range(5):
        brokers.now += 5
        lease.renew()
        assert not watch.look()
    brokers.error = AWAY
    brokers.now += 60
    assert codes(watch.look) == ["LSQ732"]
    brokers.error = None
    # The lease has expired by the log, and the holder may come back.
    assert not watch.look()
    brokers.now += 9
    assert not watch.look()
    brokers.now += 1
    assert watch.look()
    assert len(brokers.records) == 6
    lease.renew()
    assert not watch.look()
    lease.give_up()
    assert watch.look()


def test_clocks_of_hosts_do_not_matter() -> None:
    """Each run has its own, a minute and more from the others; nobody takes a lease early or late by that."""
    brokers = Brokers()
    lease = HeldLease(brokers, A, "run", waits=True, monotonic=lambda: brokers.now + 60)
    lease.claim()
    watch = LeaseWatch(brokers, lambda: brokers.now - 3_600)
    for _ in range(3):
        assert not watch.look()
        brokers.now += 9
        lease.renew()
        lease()
    assert not watch.look()
    brokers.now += 10
    assert watch.look()
    other = HeldLease(brokers, B, "run", waits=True, monotonic=lambda: brokers.now - 3_600)
    other.claim()
    other()
    lease.renew()
    assert codes(lease) == ["LSQ783"]


@pytest.mark.parametrize("ahead", [60.0, -60.0])
def test_a_leader_whose_clock_differs_by_a_minute(ahead: float) -> None:
    """A holder that renews first holds the lease on, and who stands by leaves it. A run that claims right after the
    clock went ahead takes it, and the holder learns that with its next record.
    """
    brokers = Brokers()
    lease = brokers.lease(A)
    watch = LeaseWatch(brokers, brokers.monotonic)
    assert not watch.look()
    brokers.ahead = ahead
    brokers.now += 4
    assert not watch.look()
    lease.renew()
    lease()
    assert holding(brokers.records) == Held(A, int((brokers.now + ahead) * 1000))
    assert codes(lambda: brokers.lease(B)) == ["LSQ782"]
    brokers.ahead = 0.0 if ahead < 0 else 2 * ahead
    brokers.now += 4
    other = brokers.lease(B)
    other()
    lease.renew()
    assert codes(lease) == ["LSQ783"]
