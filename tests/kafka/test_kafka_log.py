"""Topics in Kafka: the contract of a transport, and what is Kafka's own about them."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka import log as log_module
from lsqlc.connectors.kafka.client import Cluster, Heard
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.fetch import messages
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan.kafka_order import lane
from lsqlc.report.unreadable_rows import json_line, lines
from lsqlc.types import data
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Facet, Record, Topic
from tests.connectors.contract import ORDERS, PAIRS, TICKS, Connect, TransportContract, ids, order, pair, tick
from tests.shared import SharedBroker

if TYPE_CHECKING:
    pass

WIDE = Topic("wide", Facet(data.STRING, "string"), Facet(data.INT, "int"), partitions=4)


@pytest.fixture
def settings(broker: SharedBroker, topic_prefix: str) -> KafkaSettings:
    return KafkaSettings(broker.bootstrap, prefix=topic_prefix)


@pytest.fixture
def log(settings: KafkaSettings) -> KafkaLog:
    return KafkaLog(settings, by_time=False)


class TestContract(TransportContract):
    @pytest.fixture(params=[False, True], ids=["by_offset", "by_time"])
    def connect(self, settings: KafkaSettings, request: pytest.FixtureRequest) -> Connect:
        return lambda: KafkaLog(settings, by_time=request.param)


def wide(n: int, time: int = 0) -> Record:
    return Record("wide", f"k{n % 7}", n, time)


def lying(settings: KafkaSettings, topic: str) -> list[Any]:
    """The records of a topic as they lie there."""
    bounds = KafkaLog(settings).offsets(topic)
    return list(messages(Cluster(settings), settings.prefix + topic, bounds, Task("")))


def test_names_have_the_prefix_in_kafka(log: KafkaLog, settings: KafkaSettings) -> None:
    """Topics of other prefixes are others', and the topic of markers is no topic of the project."""
    log.append_batch(PAIRS, [pair(1, 4, 0)], generation="a", batch=0)
    log.append(ORDERS, [order(1)])
    assert log.names() == ("orders", "pairs")
    everything = KafkaLog(KafkaSettings(settings.bootstrap)).names()
    assert {settings.prefix + name for name in ("orders", "pairs", commits.TOPIC)} <= set(everything)
    assert KafkaLog(KafkaSettings(settings.bootstrap, prefix="nobody.")).names() == ()


@pytest.mark.parametrize("name", ["a b", "ü", "", "x" * 250])
def test_a_name_that_kafka_does_not_take(name: str) -> None:
    """Is refused before any broker is asked."""
    log = KafkaLog(KafkaSettings("127.0.0.1:1"))
    for call in (lambda: log.delete(name), lambda: log.append(Topic(name), []), lambda: log.read(Topic(name))):
        with pytest.raises(LsqlcError) as error:
            call()
        assert [d.code for d in error.value.diagnostics] == ["LSQ737"]


def test_keys_lie_where_javas_clients_put_them(log: KafkaLog, settings: KafkaSettings) -> None:
    """By murmur2, as kafka-python's partitioner says too; times are those of the records."""
    murmur2 = pytest.importorskip("kafka.partitioner.default").murmur2
    log.append(WIDE, [wide(n, 1_000 + n) for n in range(50)])
    found = lying(settings, "wide")
    assert {m.partition() for m in found} > {0}
    assert all(m.partition() == (murmur2(m.key()) & 0x7FFFFFFF) % 4 for m in found)
    assert sorted(m.timestamp() for m in found) == [(1, 1_000 + n) for n in range(50)]


def test_the_time_0_survives(log: KafkaLog, settings: KafkaSettings) -> None:
    """It is written as no time, for which readers take 0."""
    log.append(ORDERS, [Record("orders", "a", order(1).value, 0), order(2)])
    assert [m.timestamp()[1] for m in lying(settings, "orders")] == [-1, 1002]
    assert [r.timestamp for r in log.read(ORDERS)] == [0, 1002]


def test_ordinals_are_places(settings: KafkaSettings) -> None:
    """(t, offset, lane): over partitions by offset, or by time first; the lane is the topic's and the partition's."""
    log = KafkaLog(settings, by_time=False)
    log.append(WIDE, [wide(n, 1_000 - n) for n in range(20)])
    found = list(log.read(WIDE))
    assert [r.ordinal for r in found] == sorted(r.ordinal for r in found)
    assert {r.ordinal[0] for r in found} == {0}
    assert {r.ordinal[2] for r in found} <= {lane(WIDE.name, partition) for partition in range(4)}
    assert log.end(WIDE) == max(r.ordinal for r in log.read(WIDE))
    timed = KafkaLog(settings)
    found = list(timed.read(WIDE))
    assert [r.value for r in found] == list(range(19, -1, -1))
    assert [r.ordinal[0] for r in found] == [r.timestamp for r in found]
    assert timed.end(WIDE) == found[-1].ordinal


def test_a_long_topic_streams_over_partitions(log: KafkaLog) -> None:
    """All records once, each key in its order, in order of ordinals."""
    log.append(WIDE, (wide(n) for n in range(30_000)))
    last: dict[object, int] = {}
    seen, before = 0, tuple[int, ...]((-1, -1, -1))
    for record in log.read(WIDE):
        assert before < record.ordinal
        assert last.get(record.key, -1) < record.value
        last[record.key], before, seen = record.value, record.ordinal, seen + 1
    assert seen == 30_000


def test_the_end_lies_before_what_was_taken_back(log: KafkaLog) -> None:
    """Markers of transactions and records that were not committed have offsets, and are no records."""

    log.append(ORDERS, [order(1)])
    with (
        pytest.raises(KeyboardInterrupt),
        log_module._transaction(Cluster(log.settings), "broken", Task("")) as producer,
    ):
        for _ in range(200):
            producer.produce(f"{log.settings.prefix}{ORDERS.name}", b"{}")
        assert producer.flush(30) == 0
        raise KeyboardInterrupt
    log.append(ORDERS, [])
    assert log.end(ORDERS) == (0, 0, lane(ORDERS.name))
    assert ids(log) == [1]


def test_a_batch_that_another_writer_begins_is_fenced(settings: KafkaSettings) -> None:
    """Who opens the generation later wins; the earlier attempt leaves nothing, whatever it had sent."""
    log = KafkaLog(settings)
    log.append_batch(PAIRS, [pair(0, 1, 0)], generation="a", batch=0)

    def slow() -> Any:
        yield pair(1, 4, 0)
        assert KafkaLog(settings).append_batch(PAIRS, [pair(2, 4, 0)], generation="a", batch=1)
        yield pair(3, 4, 1)

    with pytest.raises(LsqlcError) as error:
        log.append_batch(PAIRS, slow(), generation="a", batch=1)
    assert [d.code for d in error.value.diagnostics] == ["LSQ747"]
    assert [r.value for r in log.read(PAIRS)] == [0, 2]


def test_a_marker_behind_an_open_transaction_counts(log: KafkaLog, settings: KafkaSettings) -> None:
    """What another query is writing hides the markers that were committed after it began: it is waited for, since the
    replay would be written a second time otherwise.
    """
    log.append_batch(PAIRS, [pair(0, 1, 0)], generation="a", batch=0)
    others = [Cluster(settings).producer(f"{settings.prefix}lsqlc.other{n}", Heard()) for n in range(2)]
    for other, key in zip(others, (commits.marker_key("x", "g"), commits.marker_key("pairs", "a")), strict=True):
        other.init_transactions(10)
        other.begin_transaction()
        other.produce(settings.prefix + commits.TOPIC, commits.marker_value(1), key)
        other.flush(10)
    others[1].commit_transaction(10)
    ending = threading.Timer(1.0, lambda: others[0].commit_transaction(10))
    ending.start()
    assert not log.append_batch(PAIRS, [pair(9, 9, 0)], generation="a", batch=1)
    ending.join()
    assert [r.value for r in log.read(PAIRS)] == [0]


def test_a_marker_is_one_record_of_a_compacted_topic(log: KafkaLog, settings: KafkaSettings) -> None:
    """Topic and generation, then the batch."""
    log.append_batch(PAIRS, [pair(1, 4, 0)], generation="g1", batch=7)
    [marker] = lying(settings, commits.TOPIC)
    assert (marker.key(), marker.value()) == (b"pairs/g1", b'{"batch":7}')


def test_what_does_not_fit_is_given_among_the_others(log: KafkaLog, settings: KafkaSettings) -> None:
    """With its place, and its bytes: as text where they are text."""
    described = Topic("t", Facet(data.STRING, "string"), Facet(data.BYTES, "bytes"))
    log.append(described, [Record("t", "a", b"\0\0\0\1", 5), Record("t", "b", b"?", 6), Record("t", None, b"\xff", 7)])
    numbers = Topic("t", Facet(data.STRING, "string"), Facet(data.INT, "int"))
    told: list[Unreadable] = []
    assert [r.value for r in log.read(numbers, bad=told.append)] == [1]
    text, other = map(json_line, told)
    assert text == (
        '{"topic":"t","bad":{"partition":0,"offset":1,"reason":"value: expected INT, found 1 byte (3f)",'
        '"key":"b","value":"?"},"timestamp":6}'
    )
    assert '"key":null,"value_base64":"/w=="}' in other
    assert list(lines(told[1], 80)) == [
        "! cannot be read: partition 0, offset 2, 1970-01-01T00:00:00.007Z: value: expec…",
        "  key null, value base64 /w==",
    ]


def test_records_that_do_not_fit_are_all_reported(log: KafkaLog, settings: KafkaSettings) -> None:
    """At the end, each with its place, as that of a file's line."""
    described = Topic("t", Facet(data.STRING, "string"), Facet(data.BYTES, "bytes"))
    log.append(described, [Record("t", "a", b"\0\0\0\1"), Record("t", "b", b"?"), Record("t", "c", b"")])
    numbers = Topic("t", Facet(data.STRING, "string"), Facet(data.INT, "int"))
    found = log.read(numbers)
    assert next(found).value == 1
    with pytest.raises(LsqlcError) as error:
        next(found)
    assert [(d.code, d.message, d.notes) for d in error.value.diagnostics] == [
        ("LSQ739", "a record of 't' does not match its schema: value: expected INT, found 1 byte (3f)",
         ("partition 0, offset 1",)),
        ("LSQ739", "a record of 't' does not match its schema: value: expected INT, found 0 bytes",
         ("partition 0, offset 2",)),
    ]  # fmt: skip


def test_offsets_and_lag(log: KafkaLog) -> None:
    """By partition; of a topic that does not exist there are none."""
    assert log.offsets("wide") == {}
    log.append(WIDE, [wide(n) for n in range(10)])
    bounds = log.offsets("wide")
    assert set(bounds) == {0, 1, 2, 3} and all(first == 0 for first, _ in bounds.values())
    assert log.count("wide", {p: end for p, (_, end) in bounds.items()}) == 0
    assert log.count("wide") == sum(end for _, end in bounds.values()) >= 10


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_no_client_outlives_its_question(log: KafkaLog) -> None:
    """Neither one that was answered, nor one whose answer was an error: a long run asks often."""

    def sockets() -> int:
        return sum("socket:" in str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink())

    gc.collect()
    gc.disable()
    try:
        before = sockets()
        for _ in range(5):
            assert log.offsets("missing") == {}
            log.prepare(WIDE)
            log.delete("wide")
        assert sockets() <= before
    finally:
        gc.enable()


def test_a_record_that_the_broker_refuses_stops_the_append(log: KafkaLog, settings: KafkaSettings) -> None:
    """With the reason that the broker gives, and nothing is written."""
    from confluent_kafka.admin import NewTopic

    admin = Cluster(settings).admin().client
    small = NewTopic(f"{settings.prefix}t", 1, 1, config={"max.message.bytes": "1000"})
    admin.create_topics([small])[small.topic].result()
    described = Topic("t", value=Facet(data.BYTES, "bytes"))
    incompressible = b"".join(bytes([n * 37 % 256, n * n % 251]) for n in range(4000))
    with pytest.raises(LsqlcError) as error:
        log.append(described, [Record("t", None, b"1"), Record("t", None, incompressible)])
    (found,) = error.value.diagnostics
    assert found.code == "LSQ740" and found.help and "max.message.bytes" in found.help
    assert list(log.read(described)) == []


@pytest.mark.parametrize("call", ["names", "append", "read", "delete"])
def test_nothing_is_printed(call: str, topic_prefix: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A broker that does not answer is one error, which names the address, within seconds."""
    log = KafkaLog(KafkaSettings("127.0.0.1:1", prefix=topic_prefix), patience=4)
    calls: dict[str, Callable[[], Any]] = {
        "names": log.names,
        "append": lambda: log.append(TICKS, [tick(1)]),
        "read": lambda: log.read(TICKS),
        "delete": lambda: log.delete("t"),
    }
    with pytest.raises(LsqlcError) as error:
        calls[call]()
    (found,) = error.value.diagnostics
    assert (found.code, found.message) == ("LSQ732", "no broker answers at 127.0.0.1:1")
    why = "check `bootstrap` in profiles.yml, and that the brokers are running and can be reached"
    assert found.help == f"{why}; `lsqlc kafka up` starts one on this machine"
    assert capfd.readouterr() == ("", "")


def test_no_transaction_waits_for_records(log: KafkaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the records of a sample take to come: a broker ends a transaction that is open for long."""
    opened: list[str] = []
    transaction = log_module._transaction

    def noted(cluster: Cluster, id: str, task: Task) -> Any:
        opened.append(id)
        return transaction(cluster, id, task)

    monkeypatch.setattr(log_module, "_transaction", noted)

    def given() -> Iterator[Record]:
        for number in range(50):
            yield wide(number)
        assert not opened

    assert log.append(WIDE, given()).count == 50
    assert len(opened) == 1 and len(list(log.read(WIDE))) == 50
