"""Models from Kafka to Kafka: what Spark writes over topics with three partitions is what DuckDB computes over them."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer

import lsqlc
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.names import name_of
from lsqlc.connectors.skips import skip_of
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import internal_topics, lower
from lsqlc.plan import Plan
from lsqlc.project.declared.target import Target
from lsqlc.remote.connectors.transport import generation_name
from lsqlc.remote.run.events import Event, QuerySummary
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.session.session import parse_address, server_version
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.tasks.verify import verify
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record, StoredRecord, Topic
from tests.kafka import client
from tests.kafka.fixture import create_topics
from tests.kafka.settings import settings_of
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPICS = [
    lsqlc.Topic("orders", key="INT", value="item STRING, n INT, price DECIMAL(10,2)", partitions=3),
    lsqlc.Topic("items", key="STRING", value="label STRING, weight DOUBLE", partitions=3),
    lsqlc.Topic("rates", key="INT", value="rate DOUBLE", partitions=3),
]
PROGRAMS = {
    "a copy": "SELECT STREAM * FROM orders",
    "a filter": "SELECT STREAM item, n * 2 AS twice FROM orders WHERE n > 2",
    "a new key": "SELECT STREAM item AS _key, n FROM orders",
    "groups of a STREAM": "SELECT STREAM item, COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item",
    "groups of a TABLE": "SELECT TABLE item, COUNT(*) AS c, SUM(price) AS s FROM orders GROUP BY item",
    "groups of groups": """
        WITH g AS (SELECT TABLE item, SUM(n) AS s FROM orders GROUP BY item);
        SELECT TABLE s, COUNT(*) AS c FROM g GROUP BY s
    """,
    "a STREAM with a TABLE": """
        WITH r AS (SELECT TABLE rate FROM rates);
        SELECT STREAM o.n, r.rate FROM orders AS o LEFT JOIN r ON o._key = r._key
    """,
    "TABLEs": """
        WITH o AS (SELECT TABLE SUM(n) AS s FROM orders GROUP BY item);
        SELECT TABLE o.s, i.label FROM o FULL JOIN items AS i ON o._key = i._key
    """,
}


class Kafka:
    """A project's topics in Kafka, and the runs of one model over them."""

    def __init__(
        self,
        plan: Plan,
        settings: KafkaSettings,
        root: Path,
        spark: SparkSession,
        address: str,
        *,
        checkpoints: str | None = None,
    ) -> None:
        self.plan, self.spark, self.address = plan, spark, parse_address(address)
        self.place: RunTarget = open_target(root, Target("local", connection=settings, checkpoints=checkpoints), [plan])

    def append(self, topic: Topic, records: list[Record]) -> None:
        self.place.log.append(topic, records)

    def prepare(self) -> None:
        create_topics(self.plan, settings_of(self.place.target))

    def run(
        self,
        options: RunOptions | None = None,
        report: Callable[[Event], None] = lambda event: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> tuple[QuerySummary, ...]:
        self.prepare()
        lowered = lower(self.plan, server=server_version(self.spark.version), wires=self.place.wires)
        jobs = [Job(self.plan.name, lowered)]
        transport, checkpoints = self.place.streams(), self.place.checkpoints
        return run(
            RunResources(self.spark, self.address, transport, checkpoints),
            jobs,
            options=options,
            report=report,
            stop=stop,
        )

    def differences(self) -> list[str]:
        """What differs between Spark's records and DuckDB's, with a line for each topic."""
        plan = self.place.ordered(self.plan)
        lowered = lower(self.plan, wires=self.place.wires)
        timed = settings_of(self.place.target).writers != "native"
        found = list(verify({plan.name: plan}, {plan.name: lowered}, self.place.log, self.place.root, timed=timed))
        assert found
        assert not any(v.skipped for v in found) and any(v.expected for v in found)
        return [f"{v.text}: {v.differences}" for v in found if not v.ok]


Start = Callable[[str], Kafka]


@pytest.fixture
def start(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> Start:
    """A model over empty topics of its own."""

    def started(program: str) -> Kafka:
        settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
        plan = lsqlc.compile(program, topics=TOPICS, name="out")
        return Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)

    return started


def some(plan: Plan, choose: random.Random, first: int, count: int = 40) -> dict[str, list[Record]]:
    """Records with rising times for the inputs of a plan; some are tombstones."""
    found: dict[str, list[Record]] = {topic.name: [] for topic in plan.inputs}
    for time in range(first, first + count):
        name = choose.choice(list(found))
        if name == "orders":
            value = {"item": choose.choice("abc"), "n": choose.randrange(6), "price": None}
            record = Record(name, choose.randrange(8), value if choose.random() < 0.85 else None, time)
        elif name == "rates":
            value = {"rate": choose.random()}
            record = Record(name, choose.randrange(8), value if choose.random() < 0.85 else None, time)
        else:
            value = {"label": choose.choice("xyz"), "weight": choose.random()}
            record = Record(name, choose.choice("abcd"), value if choose.random() < 0.85 else None, time)
        found[name].append(record)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_agree_over_kafka(start: Start, name: str) -> None:
    """Over records that come in two parts, the second after a run: its checkpoint goes on."""
    kafka, choose = start(PROGRAMS[name]), random.Random(name)
    for first in (1_000, 2_000):
        for topic in kafka.plan.inputs:
            kafka.append(topic, some(kafka.plan, choose, first)[topic.name])
        ran = kafka.run()
        assert all(summary.finished for summary in ran) and not kafka.differences()
    assert all(summary.resumed for summary in ran)


def test_what_stages_pass_on_can_be_read(start: Start) -> None:
    """By its own name, as `lsqlc show` does: rows with the ordinals that count there."""
    kafka = start(PROGRAMS["groups of groups"])
    kafka.append(kafka.plan.inputs[0], some(kafka.plan, random.Random(1), 0)["orders"])
    kafka.run()
    ((topic, _),) = internal_topics(kafka.place.ordered(kafka.plan)).values()
    passed_on = list(kafka.place.log.read(topic))
    assert passed_on and {r.key for r in passed_on} <= {"a", "b", "c", None}
    # The time of the batch, then the ordinal of the record that caused it.
    assert all(len(r.ordinal) == 1 + topic.ordinal_width for r in passed_on)


def test_a_query_reads_all_that_the_one_before_it_has_written(
    start: Start, broker: SharedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where that cannot be seen at once: here a transaction of somebody else, open until it is waited for, hides
    what the first stage passes on.
    """
    kafka = start(PROGRAMS["groups of groups"])
    kafka.append(kafka.plan.inputs[0], some(kafka.plan, random.Random(1), 0)["orders"])
    kafka.prepare()
    ((topic, _),) = internal_topics(kafka.place.ordered(kafka.plan)).values()
    name = name_of(settings_of(kafka.place.target), topic.name)
    own = {"transactional.id": f"other.{name}", "transaction.timeout.ms": 600_000}
    other = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0, **own})
    other.init_transactions(30)
    other.begin_transaction()
    for partition in other.list_topics(name, 30).topics[name].partitions:
        other.produce(name, b"{}", b"key", partition)
    other.flush(30)
    waited: list[str] = []
    visible = KafkaLog.until_visible

    def until_visible(log: KafkaLog, asked: str) -> None:
        if asked == topic.name:
            waited.append(asked)
            other.abort_transaction(30)
        visible(log, asked)

    monkeypatch.setattr(KafkaLog, "until_visible", until_visible)
    kafka.run()
    assert waited == [topic.name] and not kafka.differences()


def test_times_keys_and_partitions(start: Start, broker: SharedBroker, topic_prefix: str) -> None:
    """A copy keeps the time of each record, and its key lies in the partition where Java's clients would put it."""
    kafka = start(PROGRAMS["a copy"])
    records = [Record("orders", n, {"item": "a", "n": n, "price": None}, n * 1_000) for n in range(50)]
    kafka.append(kafka.plan.inputs[0], records)
    kafka.run()
    read = {name: client.read(broker.bootstrap, f"{topic_prefix}{name}") for name in ("orders", "out")}
    placed = {n: {(m.key(), m.timestamp()[1], m.partition()) for m in ms} for n, ms in read.items()}
    assert placed["orders"] == placed["out"] and len(placed["out"]) == 50
    assert {p for _, _, p in placed["out"]} == {0, 1, 2}


def test_a_full_refresh_empties_the_topic(start: Start, broker: SharedBroker, topic_prefix: str) -> None:
    """And writes it again, with the partitions that it had; a run after it goes on."""
    kafka = start(PROGRAMS["a copy"])
    (topic,) = kafka.plan.inputs
    kafka.append(topic, some(kafka.plan, random.Random(1), 0)["orders"])
    kafka.run()
    before = len(client.read(broker.bootstrap, f"{topic_prefix}out"))
    assert before == 40
    kafka.run(RunOptions(refresh={"out"}))
    assert len(client.read(broker.bootstrap, f"{topic_prefix}out")) == before and not kafka.differences()
    kafka.append(topic, some(kafka.plan, random.Random(2), 100)["orders"])
    kafka.run()
    assert len(client.read(broker.bootstrap, f"{topic_prefix}out")) == 80 and not kafka.differences()


def test_a_checkpoint_that_is_gone(start: Start) -> None:
    """To read everything again would write the records a second time: that is refused, as with topics of files."""
    import shutil

    kafka = start(PROGRAMS["a copy"])
    kafka.append(kafka.plan.inputs[0], some(kafka.plan, random.Random(1), 0)["orders"])
    kafka.run()
    shutil.rmtree(kafka.place.checkpoints)
    with pytest.raises(LsqlcError) as raised:
        kafka.run()
    assert [d.code for d in raised.value.diagnostics] == ["LSQ666"]
    kafka.run(RunOptions(refresh={"out"}))
    assert not kafka.differences()


def test_letters_about_records_without_an_event_time(start: Start, broker: SharedBroker, topic_prefix: str) -> None:
    """Each with its place in Kafka, the same on both engines."""
    text = (
        "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; SELECT STREAM item FROM orders EVENTTIME BY n - 2"
    )
    kafka = start(text)
    (topic,) = kafka.plan.inputs
    kafka.append(topic, some(kafka.plan, random.Random(1), 0)["orders"])
    kafka.append(topic, [Record("orders", 7, {"item": "a", "n": n, "price": None}, 9) for n in (None, 1, 2)])
    kafka.run()
    assert not kafka.differences()
    written = [json.loads(m.value() or b"") for m in client.read(broker.bootstrap, f"{topic_prefix}letters")]
    assert {letter["reason"] for letter in written} == {"event time: expected a time from 1970 to 9999"}
    assert len({(letter["partition"], letter["offset"]) for letter in written}) == len(written) >= 2


POISON = [b"", b"{", b'{"n": "x"}', b'{"item":"a"}} ', b'{"item":"a"},"timestamp":9', b"\xff\xfe"]


def test_records_that_cannot_be_read(start: Start, broker: SharedBroker, topic_prefix: str) -> None:
    """Each is a letter with its reason, the same on both engines; where the policy is to fail, none is passed over."""
    letters = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; "
    kafka = start(letters + PROGRAMS["a copy"])
    (topic,) = kafka.plan.inputs
    kafka.append(topic, some(kafka.plan, random.Random(1), 0)["orders"])
    key = (7).to_bytes(4, "big")
    bad = [(key, value, 5_000 + n) for n, value in enumerate(POISON)] + [(b"\x01", b'{"item":"b"}', 6_000)]
    client.write(broker.bootstrap, f"{topic_prefix}orders", bad)
    kafka.run()
    assert not kafka.differences()
    written = [json.loads(m.value() or b"") for m in client.read(broker.bootstrap, f"{topic_prefix}letters")]
    assert len(written) == len(bad)
    # The place of each in Kafka, and its key and value as text.
    places = [(letter["partition"], letter["offset"]) for letter in written]
    assert len(set(places)) == len(bad)
    assert [(r["key"], r["key_encoding"], r["value"], r["value_encoding"]) for r in written if r["key"] != "7"] == [
        ("AQ==", "base64", '{"item":"b"}', None)
    ]
    values = {r["value"]: r["value_encoding"] for r in written}
    for _, value, _ in bad:
        try:
            assert values[value.decode()] is None
        except UnicodeDecodeError:
            assert values[base64.b64encode(value).decode()] == "base64"


BAD_RECORDS = {
    "bytes": ((b"\x00", b"{}"), "key: expected INT"),
    "a type": ((b"\x00\x00\x00\x01", b'{"n": "no"}'), "value: does not match the fields that are read"),
}


@pytest.mark.parametrize("bad", BAD_RECORDS)
def test_a_record_that_cannot_be_read_ends_the_query(
    start: Start, broker: SharedBroker, topic_prefix: str, bad: str
) -> None:
    """The finding names the model, the record's place and the reason; nothing of the batch is written."""
    kafka, ((key, value), why) = start(PROGRAMS["a copy"]), BAD_RECORDS[bad]
    kafka.append(kafka.plan.inputs[0], some(kafka.plan, random.Random(1), 0, 3)["orders"])
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(key, value, 9_000)])
    with pytest.raises(LsqlcError) as raised:
        kafka.run()
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ667" and "orders" in found.message
    assert found.notes[1] == why and found.notes[0].startswith("it is at offset "), found
    assert not client.read(broker.bootstrap, f"{topic_prefix}out")


def test_a_skipped_record_is_not_read(start: Start, broker: SharedBroker, topic_prefix: str) -> None:
    """The batch that failed at it is computed again without it; the others are written once, and it is counted."""
    kafka = start(PROGRAMS["a copy"])
    given = some(kafka.plan, random.Random(1), 0, 3)["orders"]
    kafka.append(kafka.plan.inputs[0], given)
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(*BAD_RECORDS["a type"][0], 9_000)])
    with pytest.raises(LsqlcError) as raised:
        kafka.run()
    (found,) = raised.value.diagnostics
    place = re.search(r"--skip-record (\S+)`", found.help or "")
    assert place is not None, found
    skip = skip_of(place[1], with_partitions=True)
    assert skip is not None and skip.topic == "orders"
    # Those behind it are not skipped.
    kafka.append(kafka.plan.inputs[0], given)
    (summary,) = kafka.run(RunOptions(skips=(skip,)))
    assert summary.counts == {"skipped record": 1} and summary.finished
    assert len(client.read(broker.bootstrap, f"{topic_prefix}out")) == 2 * len(given)


def few_a_batch(kafka: Kafka, count: int) -> None:
    """Run with at most so many offsets a batch, where the query does not need more."""
    kafka.prepare()
    lowered = lower(kafka.plan, server=server_version(kafka.spark.version), wires=kafka.place.wires)
    place = kafka.place
    place = replace(
        place, target=replace(place.target, connection=replace(settings_of(place.target), offsets_per_batch=count))
    )
    run(RunResources(kafka.spark, kafka.address, place.streams(), place.checkpoints), [Job(kafka.plan.name, lowered)])


@pytest.mark.parametrize("name", ["groups of a TABLE", "a TABLE", "TABLEs"])
def test_the_newest_row_is_the_last_one(start: Start, name: str) -> None:
    """Whatever times the records have: those of a TABLE count in the order of their offsets, batch by batch, and a
    reader of what is written finds the newest row behind the others.
    """
    kafka = start({**PROGRAMS, "a TABLE": "SELECT TABLE * FROM orders"}[name])
    for topic in kafka.plan.inputs:
        given = some(kafka.plan, random.Random(name), 1_000, 60)[topic.name]
        kafka.append(topic, [replace(record, timestamp=9_000 - 7 * n) for n, record in enumerate(given)])
    few_a_batch(kafka, 12)
    assert not kafka.differences()
    (out,) = kafka.plan.outputs
    if name == "a TABLE":
        newest = {r.key: r.value for r in given}
        rows = {r.key: r.value for r in kafka.place.log.read(out, by_time=False)}
        assert {k: v and v["n"] for k, v in rows.items()} == {k: v and v["n"] for k, v in newest.items()}


def test_a_stream_meets_the_rows_of_its_time(start: Start) -> None:
    """However many records there are: those of the table that come before one are not left for a later batch."""
    kafka = start(PROGRAMS["a STREAM with a TABLE"])
    topics = {topic.name: topic for topic in kafka.plan.inputs}
    orders = [Record("orders", n % 40, {"item": "a", "n": n, "price": None}, 1_000 + n) for n in range(300)]
    rates = [Record("rates", n % 40, {"rate": float(n)}, 1_000 + 3 * n) for n in range(-40, 80)]
    kafka.append(topics["orders"], orders)
    kafka.append(topics["rates"], rates)
    few_a_batch(kafka, 20)
    assert not kafka.differences()


def test_a_removal_that_was_interrupted(broker: SharedBroker, topic_prefix: str, tmp_path: Path) -> None:
    """The markers say that the records do not count any more, and the records are still there: they are removed then.
    Those beside which another query writes are left.
    """
    plan = lsqlc.compile(PROGRAMS["a copy"], topics=TOPICS, name="out")
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix)
    place = open_target(tmp_path, Target("local", connection=settings), [plan])
    log, (topic,) = KafkaLog(settings), plan.outputs
    value = {"item": "a", "n": 1, "price": None}
    records = [StoredRecord("out", 1, value, 1_000, (1_000, 0, 0))]
    topic = replace(topic, ordinal_width=3)
    assert log.append_batch(topic, records, generation=generation_name("q", 1), batch=0)
    assert log.append_batch(topic, records, generation=generation_name("other", 1), batch=0)
    log.end_generations("out", [generation_name("q", 1)])
    place.streams().discard("out", "q")
    assert log.count("out") > 0
    log.end_generations("out", [generation_name("other", 1)])
    place.streams().discard("out", "q")
    assert log.is_empty("out")


@pytest.mark.parametrize("writers", ["auto", "native"])
def test_a_total_is_a_row_before_the_first_record(
    writers: Any, broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Of its own and in a join with another one. It is written once, with a row of records after it."""
    text = "SELECT a.n, b.m FROM (SELECT COUNT(*) n FROM orders) a CROSS JOIN (SELECT MAX(rate) m FROM rates) b"
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="out")
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3, writers=writers)
    kafka = Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)
    (out,) = plan.outputs

    def values() -> list[dict[str, Any]]:
        return [record.value for record in kafka.place.log.read(out, by_time=False)]

    kafka.run()
    assert values() == [{"n": 0, "m": None}]
    kafka.run()
    assert values() == [{"n": 0, "m": None}]
    orders, rates = sorted(plan.inputs, key=lambda topic: topic.name)
    kafka.append(orders, [Record("orders", n, {"item": "a", "n": n, "price": None}, 1000 + n) for n in range(3)])
    kafka.append(rates, [Record("rates", 1, {"rate": 1.5}, 1)])
    kafka.run()
    assert values()[0] == {"n": 0, "m": None}
    assert values()[-1] == {"n": 3, "m": 1.5}
    assert not kafka.differences()
