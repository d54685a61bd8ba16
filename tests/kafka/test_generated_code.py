"""Code that Spark generates for a query over Kafka: it is compiled in the first batches, and not again in each one.

A server counts the code of all its queries, so this file has a server of its own.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.remote.run.events import Event
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect
from lsqlc.types.kafka import KafkaSettings
from tests.kafka.fixture import fetched
from tests.kafka.test_run import PROGRAMS, TOPICS, Kafka, some
from tests.shared import SharedBroker

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


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server that runs nothing else."""
    with EmbeddedServer(
        tmp_path_factory.mktemp("spark"), os.environ, ServerOptions(jars=fetched("spark-kafka"))
    ) as server:
        yield server


@pytest.fixture(scope="module")
def session(alone: EmbeddedServer) -> Iterator[SparkSession]:
    """A session on that server."""
    session = connect(alone.address)
    yield session
    session.stop()


@pytest.mark.parametrize("name", QUERIES)
def test_code_is_compiled_once(
    session: SparkSession, alone: EmbeddedServer, broker: SharedBroker, topic_prefix: str, tmp_path: Path, name: str
) -> None:
    """What changes from batch to batch, a seed or a time, does not stand in the code."""
    plan = lsqlc.compile(QUERIES[name], topics=[replace(topic, partitions=1) for topic in TOPICS], name="out")
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=1, offsets_per_batch=20)
    kafka = Kafka(plan, settings, tmp_path, session, alone.address)
    choose = random.Random(1)
    for topic in plan.inputs:
        kafka.append(topic, some(plan, choose, 1_000, 240)[topic.name])
    spent: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, BatchProgress) and event.query == "out":
            ((nanoseconds,),) = session.sql(_SPENT).collect()
            spent.append(int(nanoseconds))

    kafka.run(report=note)
    # Some of it is first needed where there is a state, or a match.
    _, _, _, fourth, *others = spent
    assert len(others) >= 2 and set(others) == {fourth}
