"""Code that Spark generates for a query over Kafka: it is compiled in the first batches, and not again in each one."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.remote.run.events import Event
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.types.kafka import KafkaSettings
from tests.kafka.test_run import PROGRAMS, TOPICS, Kafka, some
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

pytestmark = pytest.mark.kafka

# Not the join with a STREAM, which reads what is there in one batch.
QUERIES = {
    **{name: PROGRAMS[name] for name in ("a copy", "a filter", "groups of a STREAM", "groups of a TABLE", "TABLEs")},
    "windows": "SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1s GROUP BY item",
}
# Nanoseconds that a server has spent on compiling code, of all queries. The text is the same each time.
_SPENT = "SELECT java_method('org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator', 'compileTime')"


@pytest.mark.parametrize("name", QUERIES)
def test_code_is_compiled_once(
    kafka_spark: SparkSession, kafka_spark_server: SharedServer, broker: SharedBroker, topic_prefix: str,
    tmp_path: Path, name: str,
) -> None:  # fmt: skip
    """What changes from batch to batch, a seed or a time, does not stand in the code."""
    plan = lsqlc.compile(QUERIES[name], topics=[replace(topic, partitions=1) for topic in TOPICS], name="out")
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=1, offsets_per_batch=20)
    kafka = Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)
    choose = random.Random(1)
    for topic in plan.inputs:
        kafka.append(topic, some(plan, choose, 1_000, 240)[topic.name])
    spent: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, BatchProgress) and event.query == "out":
            ((found,),) = kafka_spark.sql(_SPENT).collect()
            spent.append(int(found))

    kafka.run(report=note)
    # Some of it is first needed where there is a state, or a match.
    _, _, _, fourth, *others = spent
    assert len(others) >= 2 and set(others) == {fourth}
