"""The broker of a test run, which all worker processes share, names of topics that no two tests share, and a Spark
session with the connector.

The jars are fetched once for the machine. Where they cannot be, tests fail; with `LSQLC_OFFLINE=1` they are skipped.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan import Plan
from lsqlc.remote.connectors.kafka.topics import applied, topics_plan
from lsqlc.remote.connectors.record import NeededTopics
from lsqlc.remote.server.artifacts import SetName
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.jars import OFFLINE, jars
from lsqlc.types.kafka import KafkaSettings
from tests.remote.server_fixture import session_on
from tests.shared import WORKER, SharedBroker, SharedServer, shared, shared_folder

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


@contextmanager
def broker_in(folder: Path) -> Iterator[str]:
    """Run a broker with its files in that folder; yield its address."""
    with Broker(folder, os.environ) as running:
        yield running.bootstrap


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedBroker]:
    """The broker of this test run; the first test that asks for it starts it. A test that ends a broker has its own."""
    fetched("kafka-broker")
    folder = shared_folder(tmp_path_factory)
    with shared(folder, "kafka", lambda: broker_in(folder / "kafka")) as bootstrap:
        yield SharedBroker(bootstrap)


def create_topics(plan: Plan, settings: KafkaSettings) -> None:
    """Create the topics of a plan that are missing, those that it reads as well, which `lsqlc run` would ask for."""
    for topic in plan.inputs:
        KafkaLog(settings).prepare(topic)
    done = applied(topics_plan(NeededTopics({plan.name: plan}, ()), settings), settings)
    assert not any(one.failure for one in done)


@pytest.fixture
def topic_prefix() -> str:
    """The prefix of the names of a test's topics, which no other test of any run has: `gw0t3-1f0c9a.`."""
    return f"{WORKER}t{next(_numbers)}-{uuid.uuid4().hex[:6]}."


@pytest.fixture(scope="session")
def kafka_spark_server(spark_server: SharedServer) -> SharedServer:
    """The embedded server of this test run, which has the connector."""
    fetched("spark-kafka")
    return spark_server


@pytest.fixture(scope="session")
def kafka_spark(kafka_spark_server: SharedServer) -> Iterator[SparkSession]:
    """A session on that server."""
    with session_on(kafka_spark_server) as session:
        yield session
