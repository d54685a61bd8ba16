"""Models over topics in JSON_SR, whose schemas are in a registry: Spark writes what another client finds valid by the
schemas, and reads what the client and others write.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan import Plan
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.project.declared.target import Target
from lsqlc.registry.written import written_schemas
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.tasks.places import place_of
from lsqlc.types.ddl import parse_columns
from lsqlc.types.json_schema_write import json_schema_text
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.kafka import client
from tests.kafka.rows import Kept, records
from tests.kafka.test_run import Kafka
from tests.registry.stand_in import State, stand_in

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

COLUMNS = (
    "item STRING, n INT, price DECIMAL(6,2), placed TIMESTAMP, raw BYTES, at STRUCT<x: DOUBLE, tags: ARRAY<STRING>>"
)
ORDERS = lsqlc.Topic("orders", key="STRING", value={"format": "json_sr", "schema": COLUMNS}, partitions=3)
PROGRAMS = {
    "a copy": "SELECT STREAM * FROM orders",
    "key and value": "INSERT INTO out STORE KEY AS JSON_SR VALUE AS JSON_SR SELECT STREAM * FROM orders",
    "from JSON_SR into Avro": "INSERT INTO out STORE VALUE AS AVRO SELECT STREAM item, n, price FROM orders",
    "groups of a TABLE": "SELECT TABLE item, COUNT(*) AS c, AVG(n) AS a FROM orders GROUP BY item",
}
KSQL = """
    CREATE STREAM orders (k STRING KEY, item STRING, n INT) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON_SR');
    CREATE STREAM out WITH (KAFKA_TOPIC = 'out', FORMAT = 'JSON_SR') AS SELECT k, item, n FROM orders EMIT CHANGES;
"""
Start = Callable[..., Kafka]


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
def registry(state: State) -> Iterator[str]:
    with stand_in(state) as url:
        yield url


@pytest.fixture
def start(
    broker: Broker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: EmbeddedServer, tmp_path: Path,
    state: State, registry: str,
) -> Start:  # fmt: skip
    """A model over an empty topic of its own. `registered`: the schemas of what it writes are."""

    def started(plan: Plan, *, registered: bool = True) -> Kafka:
        for schema in written_schemas([plan]) if registered else ():
            state.register(schema.subject, schema.text, schema.type)
        settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
        kafka = Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)
        kafka.place = place_of(tmp_path, Target("local", kafka=settings, registry=RegistryTarget(registry)), [plan])
        return kafka

    return started


def some(first: int, count: int = 20) -> list[Record]:
    """Records with rising times, of which every fifth is a tombstone."""
    found = []
    for number in range(first, first + count):
        at = {"x": number / 3, "tags": ["a\n", None]} if number % 3 else None
        value = {"item": "abü"[number % 3], "n": None if number % 7 == 0 else number % 5, "price": None,
                 "placed": None, "raw": bytes([number % 256]), "at": at}  # fmt: skip
        found.append(Record("orders", f"k{number % 6}", value if number % 5 else None, number))
    return found


def orders_schema(state: State) -> int:
    return state.register("orders-value", json_schema_text(parse_columns(COLUMNS)), "JSON")


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_agree(start: Start, state: State, name: str) -> None:
    """Over two runs, of which the second one goes on."""
    orders_schema(state)
    kafka = start(lsqlc.compile(PROGRAMS[name], topics=[ORDERS], name="out"))
    for first in (1_000, 2_000):
        kafka.append(kafka.plan.inputs[0], some(first))
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()


def test_another_client_reads_what_is_written(
    start: Start, broker: Broker, topic_prefix: str, state: State, registry: str
) -> None:
    """Key and value are valid by the schemas of the ids before them; so is what the client seeds."""
    id = orders_schema(state)
    kafka = start(lsqlc.compile(PROGRAMS["key and value"], topics=[ORDERS], name="out"))
    given = some(1_000)
    kafka.append(kafka.plan.inputs[0], given)
    kafka.run()
    seeded = sorted(records(broker.bootstrap, f"{topic_prefix}orders", registry), key=lambda r: r.timestamp)
    written = sorted(records(broker.bootstrap, f"{topic_prefix}out", registry), key=lambda r: r.timestamp)
    assert seeded == written == [Kept(r.key, shown(r.value), r.timestamp) for r in given]
    heads = {m.value()[:5] for m in client.read(broker.bootstrap, f"{topic_prefix}orders") if m.value()}
    assert heads == {b"\0" + id.to_bytes(4, "big")}
    assert {v["schemaType"] for s in ("out-key", "out-value") for v in state.subjects[s]} == {"JSON"}


def shown(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """A value as JSON has it."""
    return value and {**value, "raw": b64encode(value["raw"]).decode()}


def test_a_program_of_ksqldb(start: Start, broker: Broker, topic_prefix: str, state: State, registry: str) -> None:
    """The source has a schema of others with more fields; records without an id are read as well."""
    fields = {"ITEM": {"type": ["string", "null"]}, "N": {"type": "integer"}, "more": {"type": "string"}}
    id = state.register("orders-value", json.dumps({"type": "object", "properties": fields}), "JSON")
    kafka = start(lsqlc.compile(KSQL, dialect="ksql", name="out"))
    kafka.append(kafka.plan.inputs[0], [Record("orders", "k", {"ITEM": "a", "N": 1}, 1_000)])
    head = b"\0" + id.to_bytes(4, "big")
    bodies = [head + b'{"ITEM":"b","N":2,"more":"x"}', b'{"ITEM":"c","N":3}']
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", b, 2_000 + i) for i, b in enumerate(bodies)])
    kafka.run()
    assert not kafka.differences()
    raw = [message.value() for message in client.read(broker.bootstrap, f"{topic_prefix}orders")]
    assert head + b'{"ITEM":"a","N":1}' in raw
    found = sorted(records(broker.bootstrap, f"{topic_prefix}out", registry), key=lambda r: r.timestamp)
    rows = [("a", 1, 1_000), ("b", 2, 2_000), ("c", 3, 2_001)]
    assert found == [Kept("k", {"ITEM": item, "N": n}, time) for item, n, time in rows]


def test_windows(start: Start, broker: Broker, topic_prefix: str, state: State) -> None:
    """The id stands before the key inside, the start of its window behind it; the client reads what Spark wrote."""
    orders_schema(state)
    store = "INSERT INTO out STORE KEY AS TW[JSON_SR]"
    text = f"{store} SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1s GROUP BY item"
    kafka = start(lsqlc.compile(text, topics=[ORDERS], name="out"))
    (value,) = (record.value for record in some(3, 1))
    kafka.append(kafka.plan.inputs[0], [Record("orders", "k", value, time) for time in (500, 1_500, 1_700)])
    kafka.run()
    (out,) = kafka.plan.outputs
    found = {(r.key["key"], r.key["start"], r.key["end"]): r.value for r in kafka.place.log.read(out)}
    assert found == {("a", 0, 1_000): {"c": 1}, ("a", 1_000, 2_000): {"c": 2}}
    head = b"\0" + state.subjects["out-key"][0]["id"].to_bytes(4, "big")
    keys = {message.key() for message in client.read(broker.bootstrap, f"{topic_prefix}out")}
    assert keys == {head + b'"a"' + begin.to_bytes(8, "big") for begin in (0, 1_000)}
    assert '"type":"string"' in state.subjects["out-key"][0]["schema"]


def test_bodies_that_cannot_be_read(start: Start, broker: Broker, topic_prefix: str, state: State) -> None:
    """Each is a letter with its reason, the same on both engines."""
    orders_schema(state)
    letters = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; "
    kafka = start(lsqlc.compile(letters + PROGRAMS["a copy"], topics=[ORDERS], name="out"))
    kafka.append(kafka.plan.inputs[0], some(1_000, 3))
    bodies = [b"", b"\0", b"\0\0\0\0\1", b'\0\0\0\0\1{"n":"x"}', b"\0\0\0\0\1{}}", b"\0\0\0\0\1\xff", b"\1{}"]
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", b, 5_000 + n) for n, b in enumerate(bodies)])
    kafka.run()
    assert not kafka.differences()
    assert len(client.read(broker.bootstrap, f"{topic_prefix}letters")) == len(bodies)


def test_what_is_not_registered(start: Start, state: State) -> None:
    """Nothing is written without the id of a schema."""
    kafka = start(lsqlc.compile(PROGRAMS["a copy"], topics=[ORDERS], name="out"), registered=False)
    with pytest.raises(LsqlcError) as unregistered:
        _ = kafka.place.wires
    assert [d.code for d in unregistered.value.diagnostics] == ["LSQ756"]
    with pytest.raises(LsqlcError) as unseeded:
        kafka.append(kafka.plan.inputs[0], some(1_000, 1))
    assert [d.code for d in unseeded.value.diagnostics] == ["LSQ862"]


def test_what_has_no_schema(start: Start) -> None:
    """A column that is always null."""
    text = "INSERT INTO out STORE VALUE AS {} SELECT STREAM item, NULL AS nothing FROM orders"
    for format in ("JSON_SR", "AVRO"):
        kafka = start(lsqlc.compile(text.format(format), topics=[ORDERS], name="out"))
        with pytest.raises(LsqlcError) as without:
            _ = kafka.place.wires
        assert [d.code for d in without.value.diagnostics] == ["LSQ863"]
