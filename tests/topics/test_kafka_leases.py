"""Who holds a lease, decided from the records of a topic only."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from lsqlc.topics.kafka.leases import (
    Entry,
    Held,
    Holder,
    entry_of,
    holding,
    is_kept,
    lease_key,
    lease_value,
)
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
    """A run that believes what its own records say."""

    holder: Holder
    last: int | None = None


@each("seed", range(300))
def test_no_two_runs_believe_that_they_hold_it(seed: int) -> None:
    """Whatever the pauses between their records: of those that renew in time, there is one at most; and where nobody
    has a live lease, the next claim succeeds.
    """
    choose = random.Random(seed)
    log: list[Entry] = []
    runs: list[Run] = []
    time = 0
    taken = refused = lost = 0
    for number in range(80):
        time += choose.choice((0, 1, 3_000, 9_999, 10_000, 15_000))
        if not runs or choose.random() < 0.3:
            run = Run(Holder(str(number), "h", number, 10.0))
            before = holding(log)
            log.append(of(run.holder, time))
            now = holding(log)
            assert now is not None
            if now.holder == run.holder:
                assert before is None or not before.is_live(time)
                run.last = time
                runs.append(run)
                taken += 1
            else:
                log.append(free(run.holder, time))
                refused += 1
        else:
            run = choose.choice(runs)
            assert run.last is not None
            log.append(of(run.holder, time))
            if is_kept(run.holder, run.last, time):
                assert holding(log) == Held(run.holder, time)
                run.last = time
            else:
                runs.remove(run)
                log.append(free(run.holder, time))
                lost += 1
        believe = [r for r in runs if r.last is not None and is_kept(r.holder, r.last, time)]
        assert len(believe) <= 1
    assert taken and (refused or lost)
