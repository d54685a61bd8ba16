"""A query whose unread records are gone from Kafka: what Spark says of it, and how the query continues."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunResources, run
from lsqlc.remote.session.session import parse_address
from lsqlc.tasks.losses import losses, pass_losses
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.kafka.fixture import create_topics
from tests.kafka.settings import settings_of
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING, n INT", partitions=2)
PROGRAM = "SELECT STREAM item, COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item"


def records(*numbers: int) -> list[Record]:
    return [Record("orders", n, {"item": "a", "n": n}, n) for n in numbers]


def test_a_topic_that_was_created_again(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> None:
    """Spark's error is LSQ753, as is what is reported beforehand. Once the loss is accepted, the query continues with
    its state and reads the new topic from its first record, and further runs go on from there.
    """
    plan = lsqlc.compile(PROGRAM, topics=[ORDERS], name="out")
    place = open_target(
        tmp_path, Target("local", connection=KafkaSettings(broker.bootstrap, prefix=topic_prefix)), [plan]
    )
    (orders,) = plan.inputs
    create_topics(plan, settings_of(place.target))
    plans = {"out": lower(plan, wires=place.wires)}

    def ran() -> list[int]:
        jobs = [Job("out", plans["out"])]
        address = parse_address(kafka_spark_server.address)
        run(RunResources(kafka_spark, address, place.streams(), place.checkpoints), jobs)
        (topic,) = plan.outputs
        return sorted(record.value["s"] for record in place.log.read(topic) if record.value)

    place.log.append(orders, records(*range(1, 21)))
    assert ran() == [210]
    place.log.delete("orders")
    place.log.append(orders, records(1_000))
    with pytest.raises(LsqlcError) as raised:
        ran()
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ753" and "'orders'" in found.message, found
    missing = losses(plans, place, place.store())
    assert [loss.topics for loss in missing] == [("orders",)]
    said: list[str] = []
    pass_losses(plans, place, place.store(), ["orders"], 0.0, said.append)
    assert len(said) == sum(len(loss.gaps) for loss in missing) and not losses(plans, place, place.store())
    assert ran() == [210, 1_210]
    place.log.append(orders, records(2_000))
    assert ran() == [210, 1_210, 3_210]
