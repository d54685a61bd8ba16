"""A Spark standalone cluster: results, and what becomes of a batch whose executor is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.hosts.cluster import WORKERS, Cluster
from tests.hosts.shop import MODELS, PARTITIONS, Order, Shop, checked, ended, environment, orders, totals
from tests.kafka.fixture import fetched
from tests.shared import SharedBroker

pytestmark = [pytest.mark.spark, pytest.mark.kafka]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster"), fetched("spark-kafka"), {}) as running:
        yield running


@pytest.fixture
def shop(cluster: Cluster, broker: SharedBroker, topic_prefix: str, tmp_path: Path) -> Shop:
    """A project without files, and with topics and checkpoints of its own."""
    profile = {
        "address": cluster.address,
        "checkpoints": f"file:{tmp_path}/checkpoints",
        "bootstrap": broker.bootstrap,
        "server_bootstrap": broker.bootstrap,
        "prefix": topic_prefix,
    }
    return Shop(tmp_path / "client", profile, environment(tmp_path / "home"))


def large_orders(given: list[Order]) -> list[tuple[int, bytes, str, int]]:
    """What the model of this name makes of them, in plain Python: time, key and value."""
    kept = [(time, key, value) for key, value, time in given if value["n"] > 2]
    return [(time, key.to_bytes(4, "big"), value["item"], value["n"] * 2) for time, key, value in kept]


def written(shop: Shop) -> list[tuple[int, bytes, str, int]]:
    """What lies in the topic, each record as often as it is there, in order of times; checks the order of each key."""
    import json

    found, newest = [], dict[bytes, int]()
    for message in shop.read("large_orders"):
        value, time = json.loads(message.value()), message.timestamp()[1]
        assert newest.get(message.key(), -1) < time
        newest[message.key()] = time
        found.append((time, message.key(), value["item"], value["twice"]))
    return sorted(found)


def announced(shop: Shop) -> int:
    """How many batches were written by several tasks."""
    return sum(m.key().endswith(b"/tasks") for m in shop.read("_lsqlc.commits"))


def test_a_project_on_a_cluster(shop: Shop, cluster: Cluster) -> None:
    """Every batch is written by tasks; a second run goes on, with two of the models to be quick."""
    given = orders(0, 60)
    shop.write(given, writers=3)
    shop.lsqlc("seed")
    shop.run()
    assert shop.rows("totals") == totals(given) and written(shop) == large_orders(given)
    assert announced(shop) and len(cluster.executors()) == WORKERS
    (status,) = shop.lsqlc("status", "--checkpoints")
    assert {found["query"] for found in status["checkpoints"]} == MODELS.keys() and status["ok"]
    more = orders(60, 40)
    shop.order(more)
    assert all(query["resumed"] for query in shop.run("--select", "totals+").values())
    assert shop.rows("totals") == totals(given + more)


def test_as_many_writers_as_the_cluster_has_cores(shop: Shop) -> None:
    """Once a batch was large."""
    given = orders(0, 200_000)
    # Of a batch 57,000 records are written.
    shop.write(given[:10], writers="auto", offsets_per_batch=100_000)
    shop.lsqlc("seed")
    shop.run("--select", "large_orders")
    assert not announced(shop)
    shop.order(given[10:])
    shop.run("--select", "large_orders")
    assert announced(shop) and written(shop) == large_orders(given)


@pytest.mark.parametrize("writers", [1, 3])
def test_an_executor_that_is_killed(shop: Shop, cluster: Cluster, writers: int) -> None:
    """In the middle of a batch: others do its tasks again; nothing is lost, nothing is there twice."""
    given = orders(0, 10)
    shop.write(given, writers=writers)
    shop.lsqlc("seed")
    shop.run()
    # A task that ends just before it is killed is not lost: then the next batch is tried.
    for batch in range(1, 6):
        more = orders(len(given), 100_000)
        shop.order(more)
        given += more
        lost = cluster.lost_tasks()
        command = shop.begin("run", "--verify")
        reached = begun(shop, batch) if writers == 1 else writing(shop)
        while not reached() or not (busy := cluster.busy()):
            assert command.poll() is None, ended(command)
            time.sleep(0.02)
        killed = cluster.executors()[busy[0]]
        os.kill(killed, signal.SIGKILL)
        checked(ended(command))
        assert written(shop) == large_orders(given) and shop.rows("totals") == totals(given)
        assert killed not in cluster.executors().values()
        if cluster.lost_tasks() > lost:
            return
    pytest.fail("no executor was killed in the middle of a batch")


def begun(shop: Shop, batch: int) -> Callable[[], bool]:
    """Whether the batch of large orders with that number has begun."""
    place = Path(
        shop.profile["checkpoints"].removeprefix("file:"), "large_orders", "spark-000001", "offsets", str(batch)
    )
    return place.exists


def writing(shop: Shop) -> Callable[[], bool]:
    """Whether more records of large orders are written than there are now."""
    before = sent(shop)
    return lambda: sent(shop) > before


def sent(shop: Shop) -> int:
    """How many records were appended to the topic of large orders, committed or not."""
    consumer = Consumer({"bootstrap.servers": shop.profile["bootstrap"], "group.id": "tests", "log_level": 0})
    topic = f"{shop.profile['prefix']}large_orders"
    try:
        ends = [consumer.get_watermark_offsets(TopicPartition(topic, n), timeout=30) for n in range(PARTITIONS)]
    finally:
        consumer.close()
    return sum(high for _, high in ends)
