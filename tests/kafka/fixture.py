"""One broker for a whole test session, names of topics that no two tests share, and a Spark session with the connector.

The jars are fetched once for the machine. Where they cannot be, tests fail; with `LSQLC_OFFLINE=1` they are skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.plan import Plan
from lsqlc.remote.server.artifacts import SetName
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.server.jars import OFFLINE, jars
from lsqlc.remote.session.session import connect
from lsqlc.tasks.topics import applied, topics_plan
from lsqlc.topics.kafka.log import KafkaLog
from lsqlc.types.kafka import KafkaSettings

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# A test that asks for one of them is of the marker `kafka`.
FIXTURES = frozenset(("broker", "kafka_spark_server", "kafka_spark"))
_numbers = count()


def fetched(name: SetName) -> tuple[Path, ...]:
    """The jars of a set. Skips the test if they are not there and must not be fetched."""
    try:
        return jars(name, os.environ)
    except LsqlcError as error:
        if os.environ.get(OFFLINE) == "1":
            pytest.skip(error.diagnostics[0].message)
        raise


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A running broker; it is started by the first test that asks for it. No test ends it: who does starts its own."""
    fetched("kafka-broker")
    with Broker(tmp_path_factory.mktemp("kafka"), os.environ) as running:
        yield running


def create_topics(plan: Plan, settings: KafkaSettings) -> None:
    """Create the topics of a plan that are missing, those that it reads as well, which `lsqlc run` would ask for."""
    for topic in plan.inputs:
        KafkaLog(settings).prepare(topic)
    done = applied(topics_plan({plan.name: plan}, settings), settings)
    assert not any(one.failure for one in done)


@pytest.fixture
def topic_prefix() -> str:
    """What the names of a test's topics begin with, so that no other test's meet them: `t3.`, unique for the broker of
    this process.
    """
    return f"t{next(_numbers)}."


@pytest.fixture(scope="session")
def kafka_spark_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A running embedded server with the connector; it is started by the first test that asks for it.

    It has room for some 1,200 queries: a server keeps what has ended for an hour, 4 MB each, and collects garbage all
    the time once its heap is full of that.
    """
    connector = fetched("spark-kafka")
    work = tmp_path_factory.mktemp("spark-kafka")
    with EmbeddedServer(work, os.environ, jars=connector, memory="6g") as server:
        yield server


@pytest.fixture(scope="session")
def kafka_spark(kafka_spark_server: EmbeddedServer) -> Iterator[SparkSession]:
    """A session on that server."""
    session = connect(kafka_spark_server.address)
    yield session
    session.stop()
