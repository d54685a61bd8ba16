"""Queries that catch up over partitions which hold other stretches of time: nothing is late that is in order."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.connectors.kafka.names import name_of
from lsqlc.lower.spark import lower
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.events import Event
from lsqlc.remote.run.graph import Job, nodes
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions
from lsqlc.tasks import aligned
from lsqlc.tasks.aligned import Aligned, graces
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record, Topic
from tests.cli.conftest import Cli, cli
from tests.kafka import client
from tests.kafka.test_run import TOPICS, Kafka
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

__all__ = ["cli"]
pytestmark = pytest.mark.kafka

HOUR = 3_600_000
WINDOWS = "SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1h GROUP BY item"
# Two months of one key, and of another one, in another partition, the last hour.
OLD = [Record("orders", 0, {"item": "a", "n": n, "price": None}, n * 24 * HOUR) for n in range(1, 61)]
NEW = [Record("orders", 1, {"item": "b", "n": n, "price": None}, 60 * 24 * HOUR + n) for n in range(300)]


class Run(Kafka):
    """The runs of a model that are limited, what they have said, and their batches."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.said: list[str] = []
        self.batches: list[BatchProgress] = []
        self.more = False

    def limited(self, *, until_read: bool = True, stop: Callable[[], bool] = lambda: False) -> None:
        self.said.clear()
        self.batches.clear()
        jobs = [Job(self.plan.name, lower(self.plan, wires=self.place.wires))]
        limit = Aligned(self.place, graces(nodes(jobs)), until_read, self.said.append)
        self.run(RunOptions(QueryOptions(until_read=until_read), limit=limit), self.note, stop)

    def note(self, event: Event) -> None:
        if isinstance(event, BatchProgress):
            self.batches.append(event)

    def counts(self) -> dict[tuple[str, int], int]:
        return counts(self.place.log, self.plan.outputs[0])

    @property
    def late(self) -> int:
        return sum(batch.late_groups for batch in self.batches)


Start = Callable[..., Run]


@pytest.fixture
def start(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> Start:
    """A model over records of two keys, which lie in two of three partitions."""

    def started(*, old: list[Record] = OLD, new: list[Record] = NEW, address: str | None = None) -> Run:
        settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3, offsets_per_batch=100)
        plan = lsqlc.compile(WINDOWS, topics=[replace(topic, partitions=3) for topic in TOPICS], name="out")
        run = Run(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address, checkpoints=address)
        run.append(plan.inputs[0], [*old, *new])
        found = client.read(broker.bootstrap, name_of(settings, "orders"))
        assert len({message.partition() for message in found}) == 2
        return run

    return started


def counts(log: Any, topic: Topic) -> dict[tuple[str, int], int]:
    """What was counted last of each window, by item and start."""
    return {(record.key["key"], record.key["start"]): record.value["c"] for record in log.read(topic)}


def counted(old: list[Record], new: list[Record]) -> dict[tuple[str, int], int]:
    """The records of each window, by item and start."""
    return Counter((record.value["item"], record.timestamp // HOUR * HOUR) for record in (*old, *new))


@pytest.mark.parametrize("at", ["a folder", "an address"])
def test_nothing_is_late(start: Start, tmp_path: Path, at: str) -> None:
    run = start(address=None if at == "a folder" else f"file://{tmp_path}/checkpoints")
    run.limited()
    assert run.late == 0 and run.counts() == counted(OLD, NEW)
    assert run.said == ["the query 'out' reads all partitions up to the same time until it has caught up"]


def test_where_much_is_left_batches_are_larger(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is a query of its own, and a server keeps something of each."""
    monkeypatch.setattr(aligned, "_BATCHES", 2)
    run = start()
    run.limited()
    read = [batch.rows for batch in run.batches if batch.rows]
    assert len(read) == 2 and 180 <= read[0] <= 200
    assert run.late == 0 and run.counts() == counted(OLD, NEW)


def test_without_a_limit_records_are_late(start: Start) -> None:
    run = start()
    run.run(report=run.note)
    assert run.late > 0 and len(run.counts()) < len(counted(OLD, NEW))


def test_partitions_of_the_same_days_are_read_without_a_limit(start: Start) -> None:
    """Batches that take the same share of each end at the same time."""
    new = [replace(record, key=1, value={**record.value, "item": "b"}) for record in OLD]
    run = start(new=new)
    run.limited()
    assert run.said == [] and run.late == 0 and run.counts() == counted(OLD, new)


def test_a_run_that_was_stopped_goes_on(start: Start) -> None:
    """Also where more has come: it is read as far as it was there."""
    run = start()
    run.limited(stop=lambda: len(run.batches) > 0)
    assert 1 <= len(run.batches) < 4
    more = [Record("orders", 0, {"item": "a", "n": n, "price": None}, 61 * 24 * HOUR + n) for n in range(150)]
    run.append(run.plan.inputs[0], more)
    run.limited()
    assert len(run.said) == 1 and run.late == 0 and run.counts() == counted([*OLD, *more], NEW)


def test_a_run_that_goes_on_has_no_limit_once_it_has_caught_up(start: Start) -> None:
    run = start()
    more = [Record("orders", n % 2, {"item": "ab"[n % 2], "n": n, "price": None}, 61 * 24 * HOUR + n) for n in range(9)]

    def stop() -> bool:
        read = sum(batch.rows for batch in run.batches)
        if read == len(OLD) + len(NEW) and not run.more:
            run.append(run.plan.inputs[0], more)
            run.more = True
        return read == len(OLD) + len(NEW) + len(more)

    run.limited(until_read=False, stop=stop)
    assert run.late == 0 and run.counts() == counted([*OLD, *more], NEW)


PROFILE = """\
targets:
  local:
    type: connect
    address: {address}
    checkpoints: "file:{folder}"
    kafka: {{bootstrap: "{bootstrap}", prefix: "{prefix}", partitions: 3, offsets_per_batch: 100}}
"""
TOPICS_FILE = """\
topics:
  - {name: orders, key: INT, value: "item STRING, n INT, price DOUBLE", partitions: 3}
"""


@pytest.mark.parametrize("arguments", [(), ("--detach",)])
def test_models_that_read_each_other(
    cli: Cli, broker: SharedBroker, topic_prefix: str, kafka_spark_server: SharedServer, tmp_path: Path,
    arguments: tuple[str, ...],
) -> None:  # fmt: skip
    """What windows read of another model is in the order in which that has read; a detached run is left once both have
    caught up.
    """
    project = tmp_path / "shop"
    (project / "models").mkdir(parents=True)
    (project / "lsqlc.yml").write_text("name: shop\n")
    (project / "models" / "topics.yml").write_text(TOPICS_FILE)
    given = {"address": kafka_spark_server.address, "bootstrap": broker.bootstrap, "prefix": topic_prefix}
    given["folder"] = str(tmp_path / "checkpoints")
    (project / "profiles.yml").write_text(PROFILE.format(**given))
    (project / "models" / "sold.sql").write_text("SELECT STREAM * FROM orders")
    (project / "models" / "out.sql").write_text(WINDOWS.replace("orders", "sold"))
    plan = lsqlc.compile(WINDOWS, topics=[replace(topic, partitions=3) for topic in TOPICS], name="out")
    log = open_target(
        project, Target("local", connection=KafkaSettings(broker.bootstrap, prefix=topic_prefix)), [plan]
    ).log
    log.append(plan.inputs[0], [*OLD, *NEW])
    ran = cli("run", *arguments, "--project-dir", str(project))
    assert ran.code == 0, ran.err
    assert "the query 'sold' reads all partitions up to the same time until it has caught up" in ran.err
    if arguments:
        deadline = time.monotonic() + 60
        while counts(log, plan.outputs[0]) != counted(OLD, NEW) and time.monotonic() < deadline:
            time.sleep(0.5)
        assert cli("stop", "--project-dir", str(project)).code == 0
    assert counts(log, plan.outputs[0]) == counted(OLD, NEW)
