"""A query whose sources come, go and change places, over Kafka; and one whose checkpoint was made without names."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan import Plan
from lsqlc.remote.run.checkpoints import Form
from lsqlc.remote.run.events import Event, Started
from lsqlc.remote.run.runner import _Run
from lsqlc.remote.session.session import server_version
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.kafka.test_run import Kafka
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

NAMES = ("a", "b", "c")
TOPICS = [lsqlc.Topic(name, key="INT", value="n INT", partitions=3) for name in NAMES]


def united(*names: str) -> Plan:
    inserts = "".join(f"INSERT INTO out SELECT STREAM n, '{name}' AS source FROM {name};" for name in names)
    return lsqlc.compile(inserts, topics=TOPICS, name="out")


def sums() -> Plan:
    topic = lsqlc.Topic("out", key="INT", value="n INT, source STRING", partitions=3)
    text = "SELECT TABLE source, COUNT(*) AS rows, SUM(n) AS total FROM out GROUP BY source"
    return lsqlc.compile(text, topics=[topic], name="sums")


class Models:
    """The two models, the second over what the first writes, and records for each topic."""

    def __init__(self, start: tuple[KafkaSettings, Path, SparkSession, str], checkpoints: Path | str) -> None:
        self.start, self.checkpoints, self.number = start, checkpoints, 0

    def kafka(self, plan: Plan) -> Kafka:
        kafka = Kafka(plan, *self.start)
        kafka.place = replace(kafka.place, checkpoints=self.checkpoints)
        return kafka

    def append(self, *names: str) -> None:
        """Records with keys that other topics have too; those of `c` are the oldest."""
        everything = united(*NAMES)
        for topic in (topic for topic in everything.inputs if topic.name in names):
            self.number += 1
            time = 1_000 + self.number if topic.name == "c" else 1_000_000 + self.number
            records = [Record(topic.name, key, {"n": self.number * 100 + key}, time) for key in range(9)]
            self.kafka(everything).append(topic, records)

    def run(self, *names: str) -> tuple[list[Started], Counter[str]]:
        """Run both models, and give the starts and the sources of all records; the TABLE is as DuckDB has it."""
        told: list[Event] = []
        first = self.kafka(united(*names))
        first.run(report=told.append)
        second = self.kafka(sums())
        second.run()
        assert second.differences() == []
        (topic,) = first.plan.outputs
        found = Counter(record.value["source"] for record in first.place.log.read(topic))
        return [event for event in told if isinstance(event, Started)], found


@pytest.fixture(params=["a folder", "an address"])
def models(
    request: pytest.FixtureRequest,
    broker: SharedBroker,
    topic_prefix: str,
    kafka_spark: SparkSession,
    kafka_spark_server: SharedServer,
    tmp_path: Path,
) -> Models:
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
    folder = tmp_path / "checkpoints"
    checkpoints = folder if request.param == "a folder" else f"file:{folder}"
    found = Models((settings, tmp_path, kafka_spark, kafka_spark_server.address), checkpoints)
    found.kafka(united(*NAMES)).prepare()
    return found


def test_sources_come_go_and_change_places(models: Models, kafka_spark: SparkSession) -> None:
    """Each record of each topic is there once. One that comes back would be read from its beginning, and is refused."""
    if server_version(kafka_spark.version) < (4, 2):
        pytest.skip("sources have names from Spark 4.2 on")
    models.append("a", "b", "c")
    assert models.run("a", "b")[1] == {"a": 9, "b": 9}
    models.append("a", "c")
    [started], found = models.run("c", "b", "a")
    assert started.resumed and started.changes == ("it reads 'c' too, from its beginning",)
    assert found == {"a": 18, "b": 9, "c": 18}
    models.append("a", "b", "c")
    [started], found = models.run("a", "c")
    assert started.changes == ("it no longer reads 'b', whose records stay",)
    assert found == {"a": 27, "b": 9, "c": 27}
    with pytest.raises(LsqlcError) as refused:
        models.run("a", "b", "c")
    (why,) = refused.value.diagnostics
    assert why.code == "LSQ660" and "it has read 'b' before" in why.notes[0]


def test_a_checkpoint_without_names_goes_on(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a server before Spark 4.2 makes it, with the state in the older format; only its sources may not change."""
    models.append("a", "b")
    with monkeypatch.context() as before:
        before.setattr(_Run, "_form", lambda *_: Form())
        assert models.run("a", "b")[1] == {"a": 9, "b": 9}
    models.append("a", "b")
    [started], found = models.run("a", "b")
    assert started.resumed and not started.changes and found == {"a": 18, "b": 18}
    with pytest.raises(LsqlcError) as refused:
        models.run("b", "a")
    (why,) = refused.value.diagnostics
    assert why.code == "LSQ660" and "its checkpoint was made without names of sources" in why.notes[0]
