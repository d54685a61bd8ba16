"""Batches that several tasks write: each record once, in its partition's order, whatever ends between the commits."""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest
from confluent_kafka import KafkaError, KafkaException
from hypothesis import given
from hypothesis import strategies as st

import lsqlc
from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.settings import kafka_python_properties, librdkafka_properties
from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.connectors.kafka import transport
from lsqlc.remote.connectors.kafka.clients import ClientSettings, confluent_client, python_client
from lsqlc.remote.connectors.kafka.partitions import partitioner
from lsqlc.remote.connectors.kafka.publish import Sink
from lsqlc.remote.connectors.kafka.task_writers import CHANGED, FAILED, FENCED, failure_text, task_writer
from lsqlc.types import data
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Facet, Record, Topic
from tests.kafka import client
from tests.kafka.settings import settings_of
from tests.kafka.test_run import PROGRAMS, TOPICS, Kafka, few_a_batch, some
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

OUT = Topic("out", value=Facet(data.BYTES, "bytes"), partitions=2)
CLIENTS = {"confluent": confluent_client, "kafka-python": python_client}
# kafka-python reads its own files by a function that Python has declared to be old, and leaves sockets to be collected.
unclean = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
KEYS = [b"", b"a", b"ab", b"abc", b"\xff\xfe\xfd\xfc", *(random.Random(1).randbytes(n) for n in range(4, 40))]


@given(st.lists(st.none() | st.binary(max_size=50)), st.integers(0, 9))
def test_hashes_with_and_without_numpy(
    keys: list[bytes | None],
    first: int,
) -> None:
    """The same, also of a slice of a column."""
    ways = dict(zip(partitioner().__code__.co_freevars, partitioner().__closure__, strict=True))
    column = pyarrow.array(keys, pyarrow.binary())[first:]
    others = pyarrow.array([-n for n in range(len(keys))], pyarrow.int64())[first:]
    with_numpy, without = ways["with_numpy"].cell_contents, ways["without_numpy"].cell_contents
    assert with_numpy(column, others) == without(column, others)


def test_partitions_are_those_of_the_clients(broker: SharedBroker, topic_prefix: str) -> None:
    client.create(broker.bootstrap, f"{topic_prefix}keys", partitions=5)
    written = [(key, b"", 1) for key in KEYS]
    client.write(broker.bootstrap, f"{topic_prefix}keys", written, {"partitioner": "murmur2_random"})
    found = {m.key(): m.partition() for m in client.read(broker.bootstrap, f"{topic_prefix}keys")}
    hashes = partitioner()(pyarrow.array(KEYS, pyarrow.binary()), pyarrow.array([0] * len(KEYS), pyarrow.int64()))
    assert found == {key: hash % 5 for key, hash in zip(KEYS, hashes, strict=True)}


@unclean
def test_what_an_error_of_a_client_is_called() -> None:
    """By both clients the same, so that the run knows what passes and which command helps."""
    from kafka import errors

    expected = [
        (KafkaException(KafkaError(KafkaError._FENCED)), f"{FENCED}: _FENCED: "),
        (KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)), f"{FAILED}: UNKNOWN_TOPIC_OR_PART: "),
        (errors.ProducerFencedError(), f"{FENCED}: PRODUCER_FENCED: "),
        (errors.KafkaError("Cannot perform send", errors.ProducerFencedError()), f"{FENCED}: PRODUCER_FENCED: "),
        (errors.InvalidProducerEpochError(), f"{FENCED}: INVALID_PRODUCER_EPOCH: "),
        (errors.TransactionCoordinatorFencedError(), f"{FAILED}: TRANSACTION_COORDINATOR_FENCED: "),
        (errors.UnknownTopicOrPartitionError(), f"{FAILED}: UNKNOWN_TOPIC_OR_PART: "),
        (errors.NotLeaderForPartitionError(), f"{FAILED}: NOT_LEADER_FOR_PARTITION: "),
        (errors.TopicAuthorizationFailedError(), f"{FAILED}: TOPIC_AUTHORIZATION_FAILED: "),
        (errors.KafkaTimeoutError("60 s"), f"{FAILED}: _TIMED_OUT: KafkaTimeoutError: 60 s"),
        (errors.KafkaConnectionError(), f"{FAILED}: _TRANSPORT: "),
        (ConnectionResetError(104, "reset"), f"{FAILED}: ConnectionResetError: "),
    ]
    text_of = failure_text()
    for error, text in expected:
        assert text_of(error).startswith(text)
        of_a_task = f"{FAILED}: INVALID_TXN_STATE: another attempt" if text.startswith(FENCED) else text
        assert text_of(error, fences=False).startswith(of_a_task)


class Tasks:
    """The tasks of batches of one query, without Spark: two for each, over a topic with two partitions."""

    def __init__(self, log: KafkaLog, kind: str) -> None:
        prefix = log.settings.prefix
        self.log, self.kind, self.marker = log, kind, commits.marker_key("out", "g")
        self.markers, self.id = f"{prefix}{commits.TOPIC}", commits.transactional_id(prefix, "out", "g")
        self.settings = ClientSettings(
            self.markers, self.marker, librdkafka_properties(log.settings), kafka_python_properties(log.settings)
        )

    def announce(self, by: str, batch: int) -> tuple[int, frozenset[int]]:
        """Announce a batch as a query does that starts: where tasks look for markers from, and which are done."""
        own = CLIENTS[self.kind](self.settings)(self.id)
        found, since = own.committed(0)
        done = [int(last) for key, _ in found if (last := key.rpartition(b"/")[2]).isdigit()]
        plan = b'{"batch":%d,"tasks":2,"partitions":2,"by":"%s"}' % (batch, by.encode())
        own.commit(self.markers, [(self.marker + b"/tasks", plan)])
        own.close()
        return int(since), frozenset(done)

    def write(
        self, by: str, batch: int, since: tuple[int, frozenset[int]], rows: Any, version: str = "v"
    ) -> dict[int, int]:
        """Run one task: how many records each task that it wrote has. `rows`: lists of (value, partition)."""
        make = task_writer(CLIENTS[self.kind](self.settings), self.id, self.marker)
        run = make(f"{self.log.settings.prefix}out", self.markers, batch, 2, by, version, *since)
        (found,) = run(map(_arrow, rows))
        return dict(zip(*(column.to_pylist() for column in found.columns), strict=True))

    def values(self) -> list[tuple[bytes, int]]:
        settings = self.log.settings
        return [(m.value(), m.partition()) for m in client.read(settings.bootstrap, f"{settings.prefix}out")]


def _arrow(rows: list[tuple[bytes, int]]) -> Any:
    columns = [[None] * len(rows), [value for value, _ in rows], [5] * len(rows), [place for _, place in rows]]
    types = (pyarrow.binary(), pyarrow.binary(), pyarrow.int64(), pyarrow.int32())
    names = ["key", "value", "timestamp", "_partition"]
    made = [pyarrow.array(column, type) for column, type in zip(columns, types, strict=True)]
    return pyarrow.RecordBatch.from_arrays(made, names=names)


@pytest.fixture(params=CLIENTS)
def tasks(request: pytest.FixtureRequest, broker: SharedBroker, topic_prefix: str) -> Iterator[Tasks]:
    log = KafkaLog(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    log.prepare(OUT)
    log.prepare_markers()
    yield Tasks(log, request.param)
    gc.collect()


@unclean
def test_a_task_writes_once(tasks: Tasks) -> None:
    """Its second attempt, and one of a query that was started again, find the marker; the other task writes."""
    since = tasks.announce("a", 0)
    assert tasks.write("a", 0, since, [[(b"1", 1)], [(b"2", 1)]]) == {1: 2}
    assert tasks.write("a", 0, since, [[(b"1", 1)], [(b"2", 1)]]) == {1: 2}
    since = tasks.announce("b", 0)
    assert tasks.write("b", 0, since, [[(b"1", 1), (b"2", 1)]]) == {1: 2}
    assert tasks.write("b", 0, since, [[(b"0", 0)]]) == {0: 1}
    assert tasks.values() == [(b"0", 0), (b"1", 1), (b"2", 1)]


@unclean
def test_rows_of_two_tasks_in_one_partition_of_spark(tasks: Tasks) -> None:
    """Each task's are in a transaction with its own marker."""
    since = tasks.announce("a", 0)
    assert tasks.write("a", 0, since, [[(b"1", 1), (b"0", 0)], [(b"2", 1)]]) == {0: 1, 1: 2}
    assert tasks.write("a", 0, since, [[(b"0", 0)]]) == {0: 1}
    assert tasks.values() == [(b"0", 0), (b"1", 1), (b"2", 1)]


@unclean
def test_a_task_of_a_query_that_was_started_elsewhere(tasks: Tasks) -> None:
    """It writes nothing, although it opens its id after the tasks of the newer one."""
    since = tasks.announce("a", 0)
    tasks.announce("b", 0)
    with pytest.raises(RuntimeError, match=f"^{FENCED}: "):
        tasks.write("a", 0, since, [[(b"0", 0)]])
    assert tasks.values() == []


@unclean
@pytest.mark.parametrize("more", [1, 3])
def test_an_attempt_that_lives_on(tasks: Tasks, more: int) -> None:
    """A second attempt begins while the first has sent records: only the second commits, and the run may go on. The
    client of the first may know by the time of its next record that it is fenced.
    """
    since = tasks.announce("a", 0)

    def slow() -> Any:
        yield [(b"first", 0)]
        assert tasks.write("a", 0, since, [[(b"second", 0)]]) == {0: 1}
        for _ in range(more):
            yield [(b"first", 0)]
            time.sleep(0.2)

    with pytest.raises(RuntimeError, match=f"^{FAILED}: INVALID_TXN_STATE: another attempt"):
        tasks.write("a", 0, since, slow())
    assert tasks.values() == [(b"second", 0)]


@unclean
def test_a_task_that_fails_leaves_no_open_transaction(tasks: Tasks) -> None:
    """Readers do not wait for what it had sent."""
    since = tasks.announce("a", 0)

    def broken() -> Any:
        yield [(b"lost", 0)]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tasks.write("a", 0, since, broken())
    client.write(tasks.log.settings.bootstrap, f"{tasks.log.settings.prefix}out", [(None, b"other", 1)] * 4)
    assert {value for value, _ in tasks.values()} == {b"other"}
    assert tasks.write("a", 0, since, [[(b"found", 0)]]) == {0: 1}


@unclean
def test_a_part_that_another_version_wrote(tasks: Tasks) -> None:
    since = tasks.announce("a", 0)
    tasks.write("a", 0, since, [[(b"0", 0)]], version="old")
    with pytest.raises(RuntimeError, match=f"^{CHANGED}: 0"):
        tasks.write("a", 0, since, [[(b"0", 0)]], version="new")


@unclean
def test_a_generation_that_has_ended(tasks: Tasks) -> None:
    """Its tasks write nothing more, neither one that has sent records nor one that has yet to begin."""
    since = tasks.announce("a", 0)

    def slow() -> Any:
        yield [(b"0", 0)]
        tasks.log.end_generations("out", ["g"])

    with pytest.raises(RuntimeError, match=f"^{FAILED}: "):
        tasks.write("a", 0, since, slow())
    with pytest.raises(RuntimeError, match=f"^{FENCED}: "):
        tasks.write("a", 0, since, [[(b"1", 1)]])
    assert tasks.values() == []


@pytest.fixture
def start(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> Any:
    """A model over empty topics of its own, with three partitions each; the prefix has a name of its own behind it."""

    def started(program: str, writers: Any, name: str = "") -> Kafka:
        settings = KafkaSettings(broker.bootstrap, prefix=f"{topic_prefix}{name}", partitions=3, writers=writers)
        plan = lsqlc.compile(program, topics=TOPICS, name="out")
        return Kafka(plan, settings, tmp_path / (name or "run"), kafka_spark, kafka_spark_server.address)

    return started


def with_writers(kafka: Kafka, writers: int) -> None:
    place = kafka.place
    kafka.place = replace(
        place, target=replace(place.target, connection=replace(settings_of(place.target), writers=writers))
    )


@pytest.mark.parametrize("name", ["a new key", "groups of groups", "TABLEs"])
def test_both_ways_write_the_same(start: Any, broker: SharedBroker, name: str) -> None:
    """Each partition has the same records in the same order, written by one transaction or by several. Those without a
    key may be in any partition, and where such records are read, what they become has no common order.
    """
    found, keyless = [], []
    for writers in (1, 2):
        kafka, choose = start(PROGRAMS[name], writers, f"w{writers}."), random.Random(name)
        for first in (1_000, 2_000):
            for topic in kafka.plan.inputs:
                kafka.append(topic, some(kafka.plan, choose, first)[topic.name])
            kafka.run()
            assert not kafka.differences()
        messages = client.read(broker.bootstrap, f"{settings_of(kafka.place.target).prefix}out")
        found.append([(m.partition(), m.key(), m.value(), m.timestamp()[1]) for m in messages if m.key() is not None])
        keyless.append(sorted((m.timestamp()[1], m.value() or b"") for m in messages if m.key() is None))
        markers = client.read(broker.bootstrap, f"{settings_of(kafka.place.target).prefix}{commits.TOPIC}")
        assert any(m.key().endswith(b"/tasks") for m in markers) == (writers == 2)
    if name == "a new key":
        found = [sorted(records) for records in found]
    assert found[0] == found[1] and len(found[0]) > 5
    assert keyless[0] == keyless[1] and (name != "a new key" or keyless[0])


def test_records_without_a_key(start: Any, broker: SharedBroker, topic_prefix: str) -> None:
    """They are spread over all partitions, each once."""
    kafka = start("SELECT STREAM NULL AS _key, n FROM orders", 3)
    records = [Record("orders", n, {"item": "a", "n": n, "price": None}, 1_000 + n) for n in range(60)]
    kafka.append(kafka.plan.inputs[0], records)
    kafka.run()
    found = client.read(broker.bootstrap, f"{topic_prefix}out")
    assert len(found) == len({m.value() for m in found}) == 60 and {m.partition() for m in found} == {0, 1, 2}


def test_the_batch_after_a_large_one(
    start: Any, broker: SharedBroker, topic_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is written by several tasks, where their number is left to lsqlc."""
    monkeypatch.setattr(transport, "Sink", partial(Sink, large=30))
    kafka = start(PROGRAMS["a copy"], "auto")
    records = [Record("orders", n, {"item": "a", "n": n, "price": None}, 1_000 + n) for n in range(90)]
    kafka.append(kafka.plan.inputs[0], records)
    few_a_batch(kafka, 40)
    markers = client.read(broker.bootstrap, f"{topic_prefix}{commits.TOPIC}")
    announced = [json.loads(m.value())["batch"] for m in markers if m.key().endswith(b"/tasks")]
    assert announced and announced[0] == 1 and not kafka.differences()


LONG = 400_000


def half_written(kafka: Kafka, broker: SharedBroker, topic_prefix: str) -> list[Record]:
    """Run a batch of which one task fails: its partition's records are larger than the topic allows."""
    kafka.prepare()
    keys = partitioner()(
        pyarrow.array([n.to_bytes(4, "big") for n in range(20)]), pyarrow.array([0] * 20, pyarrow.int64())
    )
    long = next(n for n, hash in enumerate(keys) if hash % 3 == 1)
    records = [Record("orders", n, {"item": "a", "n": n, "price": None}, 1_000 + n) for n in range(20)]
    records.append(Record("orders", long, {"item": "".join(map(str, range(LONG // 5))), "n": 0, "price": None}, 2_000))
    limited(broker, f"{topic_prefix}out", 1_000)
    kafka.append(kafka.plan.inputs[0], records)
    written: set[int] = set()
    # Spark ends the other task with the one that fails, unless it has ended by then.
    for _ in range(10):
        with pytest.raises(LsqlcError) as raised:
            kafka.run()
        assert [d.code for d in raised.value.diagnostics] == ["LSQ740"]
        written = {m.partition() for m in client.read(broker.bootstrap, f"{topic_prefix}out")}
        if written:
            break
    assert written == {0, 2}
    limited(broker, f"{topic_prefix}out", 10_000_000)
    return records


def limited(broker: SharedBroker, topic: str, octets: int) -> None:
    from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

    entry = ConfigEntry("max.message.bytes", str(octets), incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    for future in admin.incremental_alter_configs([resource]).values():
        future.result(30)


@pytest.mark.parametrize("writers", [1, 2, 3])
def test_a_batch_of_which_one_task_has_failed(
    start: Any, broker: SharedBroker, topic_prefix: str, writers: int
) -> None:
    """The next run writes what is missing, by as many tasks as the first one, whatever the setting is by then; and
    goes on.
    """
    kafka = start(PROGRAMS["a copy"], 2)
    records = half_written(kafka, broker, topic_prefix)
    with_writers(kafka, writers)
    kafka.run()
    assert not kafka.differences()
    kafka.append(kafka.plan.inputs[0], [replace(r, timestamp=r.timestamp + 5_000) for r in records])
    kafka.run()
    assert not kafka.differences()
    assert len(client.read(broker.bootstrap, f"{topic_prefix}out")) == 2 * len(records)


def test_a_model_that_changed_after_a_part_of_a_batch(start: Any, broker: SharedBroker, topic_prefix: str) -> None:
    """It does not complete the batch of the earlier one, which does."""
    kafka = start(PROGRAMS["a copy"], 2)
    records = half_written(kafka, broker, topic_prefix)
    changed = start(PROGRAMS["a copy"] + " WHERE n > 3", 2)
    with pytest.raises(LsqlcError) as raised:
        changed.run()
    assert [d.code for d in raised.value.diagnostics] == ["LSQ759"]
    kafka.run()
    assert len(client.read(broker.bootstrap, f"{topic_prefix}out")) == len(records)
    assert not kafka.differences()


def test_a_full_refresh_of_a_batch_in_parts(start: Any, broker: SharedBroker, topic_prefix: str) -> None:
    """Starts over: what was announced is no more."""
    from lsqlc.remote.run.runner import RunOptions

    kafka = start(PROGRAMS["a copy"], 2)
    records = half_written(kafka, broker, topic_prefix)
    kafka.run(RunOptions(refresh={"out"}))
    assert len(client.read(broker.bootstrap, f"{topic_prefix}out")) == len(records)
    assert not kafka.differences()
