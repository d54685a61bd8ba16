"""How a run over Kafka finds out that it has much to read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lsqlc.lower.spark import lower
from lsqlc.tasks import backlog
from lsqlc.tasks.backlog import fit
from lsqlc.types.record import Record
from tests.kafka.test_run import PROGRAMS, Kafka, start

__all__ = ["start"]


def orders(kafka: Kafka, count: int) -> None:
    """Records of 30 keys, in all partitions."""
    (topic,) = kafka.plan.inputs
    kafka.append(topic, [Record("orders", n % 30, {"item": "a", "n": n, "price": None}, n) for n in range(count)])


def test_what_was_read_does_not_count(start: Callable[[str], Kafka], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a query that continues; a restarted one reads it again. A topic that is not there has nothing."""
    monkeypatch.setattr(backlog, "LONG", 100)
    kafka = start(PROGRAMS["groups of a TABLE"])
    plans = {"out": lower(kafka.plan, wires=kafka.place.wires)}
    assert not fit(plans, kafka.place, anew=False, continuous=False).optimize
    # Marks of transactions have offsets too.
    orders(kafka, 80)
    assert not fit(plans, kafka.place, anew=False, continuous=False).optimize
    orders(kafka, 20)
    assert fit(plans, kafka.place, anew=False, continuous=False).optimize
    kafka.run()
    orders(kafka, 80)
    assert not fit(plans, kafka.place, anew=False, continuous=False).optimize
    assert fit(plans, kafka.place, anew=True, continuous=False).optimize
    orders(kafka, 20)
    assert fit(plans, kafka.place, anew=False, continuous=False).optimize
