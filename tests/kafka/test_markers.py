"""The marker that tells a replay: which of those in the log a writer that starts takes for written."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.settings import kafka_python_properties, librdkafka_properties
from lsqlc.remote.connectors.kafka.clients import ClientSettings, confluent_client, python_client
from lsqlc.types import data
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Facet, Topic
from tests.shared import SharedBroker

if TYPE_CHECKING:
    pass

OUT = Topic("out", value=Facet(data.BYTES, "bytes"))
CLIENTS = {"confluent": confluent_client, "kafka-python": python_client}


@pytest.fixture
def log(broker: SharedBroker, topic_prefix: str) -> KafkaLog:
    log = KafkaLog(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    log.prepare(OUT)
    log.prepare_markers()
    return log


def settings(log: KafkaLog) -> ClientSettings:
    return ClientSettings(
        f"{log.settings.prefix}{commits.TOPIC}", commits.marker_key("out", "g"), librdkafka_properties(log.settings),
        kafka_python_properties(log.settings),
    )  # fmt: skip


def query_id(log: KafkaLog) -> str:
    return commits.transactional_id(log.settings.prefix, "out", "g")


def begun(log: KafkaLog, id: str, key: bytes, batch: int) -> Producer:
    """A transaction that has sent a record and its marker, and is not committed."""
    producer = Producer({**librdkafka_properties(log.settings), "transactional.id": id, "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(f"{log.settings.prefix}out", b"begun")
    producer.produce(f"{log.settings.prefix}{commits.TOPIC}", commits.marker_value(batch), key)
    assert producer.flush(30) == 0
    return producer


def values(log: KafkaLog) -> list[bytes]:
    return [record.value for record in log.read(OUT)]


@contextmanager
def opened(client: str, log: KafkaLog) -> Iterator[tuple[Any, int]]:
    """What a writer that starts has: its client, and the newest batch of its marker."""
    writer = CLIENTS[client](settings(log))(query_id(log))
    try:
        found = [commits.marker_of(value) for _, value in writer.committed(0)[0]]
        yield writer, max((marker.batch for marker in found if marker), default=-1)
    finally:
        writer.close()


# kafka-python reads its own files by a function that Python has declared to be old, and leaves sockets to be collected.
unclean = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@unclean
@pytest.mark.parametrize("client", CLIENTS)
def test_a_batch_that_was_not_committed_is_written_again(log: KafkaLog, client: str) -> None:
    """A writer that died behind its marker and before its commit has written nothing: its batch is no replay."""
    to = settings(log)
    dead = begun(log, query_id(log), to.marker, 0)
    with opened(client, log) as (writer, newest):
        assert newest == -1
        writer.send(f"{log.settings.prefix}out", [(-1, None, b"again", 5, None)])
        writer.commit(to.markers, [(to.marker, commits.marker_value(0))])
    del dead
    with opened(client, log) as (_, newest):
        assert newest == 0
    assert values(log) == [b"again"]
    gc.collect()


@unclean
@pytest.mark.parametrize("client", CLIENTS)
def test_a_marker_behind_another_querys_transaction_counts(log: KafkaLog, client: str) -> None:
    """It is committed, and cannot be seen before that transaction has ended: it is waited for."""
    to = settings(log)
    other = begun(log, f"{log.settings.prefix}lsqlc.other", b"other/g", 9)
    done = begun(log, query_id(log), to.marker, 3)
    done.commit_transaction(30)
    ending = threading.Timer(1.0, lambda: other.commit_transaction(30))
    ending.start()
    with opened(client, log) as (_, newest):
        assert newest == 3
    ending.join()
    gc.collect()
