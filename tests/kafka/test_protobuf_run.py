"""Models over topics in PROTOBUF, whose schemas are in a registry: Spark reads what other clients write, both engines
agree, and other clients read what Spark writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan import Plan
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.project.declared.target import Target
from lsqlc.registry.protobuf_schema import protobuf_text
from lsqlc.registry.written import written_schemas
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.tasks.places import place_of
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.protobuf_write import protobuf_source
from lsqlc.types.record import Record
from lsqlc.types.subjects import Subject, SubjectVersion
from tests.kafka import client
from tests.kafka.protobuf_client import framed, unframed
from tests.kafka.test_run import Kafka
from tests.registry.stand_in import State, stand_in

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# What other clients register: the second version has a field more, and none of the first is lost.
OLD = """
    syntax = "proto3";
    package shop;
    import "google/protobuf/timestamp.proto";
    import "google/protobuf/wrappers.proto";
    message Order {
      string item = 1;
      optional int32 n = 2;
      google.protobuf.Timestamp placed = 3;
      google.protobuf.StringValue note = 4;
      Place at = 5;
      repeated string tags = 6;
      map<string, int64> counts = 7;
      enum State { OPEN = 0; SENT = 1; }
      State state = 8;
      oneof payment { string card = 9; bool cash = 10; }
      map<int32, Place> places = 12;
      message Place { double x = 1; bytes raw = 2; }
    }
"""
NEW = OLD.replace("bool cash = 10; }", "bool cash = 10; } optional uint64 more = 11;")
COLUMNS = """
    item STRING NOT NULL, n INT, placed TIMESTAMP, note STRING, at STRUCT<x: DOUBLE NOT NULL, raw: BYTES NOT NULL>,
    tags ARRAY<STRING> NOT NULL, counts MAP<STRING,BIGINT> NOT NULL, state STRING NOT NULL, card STRING, cash BOOLEAN,
    places MAP<INT,STRUCT<x: DOUBLE NOT NULL, raw: BYTES NOT NULL>> NOT NULL
"""
ORDERS = lsqlc.Topic("orders", key="STRING", value={"format": "protobuf", "schema": COLUMNS}, partitions=3)
PROGRAMS = {
    "a copy": "SELECT STREAM * FROM orders",
    "into JSON": "INSERT INTO out STORE VALUE AS JSON SELECT STREAM item, at, counts, state FROM orders WHERE n > 2",
    "key and value": "INSERT INTO out STORE KEY AS PROTOBUF VALUE AS PROTOBUF SELECT STREAM * FROM orders",
    "groups of a TABLE": "SELECT TABLE item, COUNT(*) AS c, AVG(n) AS a FROM orders GROUP BY item",
    "groups of groups": """
        WITH g AS (SELECT TABLE item, SUM(n) AS s FROM orders GROUP BY item);
        SELECT TABLE s, COUNT(*) AS c FROM g GROUP BY s
    """,
}
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
            state.register(schema.subject, schema.source, schema.type)
        settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
        kafka = Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)
        kafka.place = place_of(tmp_path, Target("local", kafka=settings, registry=RegistryTarget(registry)), [plan])
        return kafka

    return started


def some(first: int, count: int = 30) -> list[Record]:
    """Records with rising times, of which every fifth is a tombstone."""
    return [
        Record("orders", f"k{number % 6}", order(number) if number % 5 else None, number)
        for number in range(first, first + count)
    ]


def order(number: int) -> dict[str, Any]:
    """A value as the language has it."""
    at = {"x": number / 3, "raw": bytes([number % 256])} if number % 3 else None
    return {
        "item": ("a", "b", "ü\n")[number % 3], "n": None if number % 7 == 0 else number % 5,
        "placed": datetime(2024, 1, 1, 0, 0, number % 60, number, UTC),
        "note": "" if number % 2 else None, "at": at, "tags": ["x", ""][: number % 3],
        "counts": {"y": 2**40, "z": -1} if number % 4 else {}, "state": "SENT" if number % 2 else "OPEN",
        "card": "1" if number % 3 == 1 else None, "cash": False if number % 3 == 2 else None,
        "places": {-number: {"x": 0.5, "raw": b""}} if number % 2 else {},
    }  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_agree(start: Start, state: State, name: str) -> None:
    """Over two runs, of which the second one goes on."""
    state.register("orders-value", OLD, "PROTOBUF")
    kafka = start(lsqlc.compile(PROGRAMS[name], topics=[ORDERS], name="out"))
    for first in (1_000, 2_000):
        kafka.append(kafka.plan.inputs[0], some(first))
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()


def test_a_join(start: Start, state: State) -> None:
    """A STREAM and a TABLE in one source, each with functions of its own for its bytes."""
    state.register("orders-value", OLD, "PROTOBUF")
    names = 'syntax = "proto3"; message Name { optional string name = 1; }'
    state.register("names-value", names, "PROTOBUF")
    known = lsqlc.Topic("names", key="STRING", value={"format": "protobuf", "schema": "name STRING"}, partitions=3)
    joined = "SELECT STREAM orders.item, orders.tags, n.name FROM orders INNER JOIN n"
    text = f"WITH n AS (SELECT TABLE * FROM names); {joined}"
    kafka = start(lsqlc.compile(text, topics=[ORDERS, known], name="out"))
    orders, others = sorted(kafka.plan.inputs, key=lambda topic: topic.name == "names")
    for first in (1_000, 2_000):
        kafka.append(others, [Record("names", f"k{n}", {"name": f"{first} {n}"}, first) for n in range(4)])
        kafka.append(orders, some(first))
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()


GIVEN = {
    "item": "a", "n": 3, "placed": "2024-01-01T00:00:00.5Z", "note": "", "at": {"x": 1.5, "raw": "AAE="},
    "tags": ["t"], "counts": {"c": "5"}, "state": "SENT", "cash": False,
}  # fmt: skip
SHOWN = {**GIVEN, "placed": "2024-01-01T00:00:00.500Z"}


def test_records_of_other_clients(start: Start, broker: Broker, topic_prefix: str, state: State) -> None:
    """Two versions in one topic, of which the project has the first one's columns; another client reads the result."""
    ids = [state.register("orders-value", text, "PROTOBUF") for text in (OLD, NEW)]
    kafka = start(lsqlc.compile(PROGRAMS["key and value"], topics=[ORDERS], name="out"))
    kafka.append(kafka.plan.inputs[0], [Record("orders", "own", order(8), 2_000)])
    given = [framed(OLD, "shop.Order", GIVEN, ids[0]), framed(NEW, "shop.Order", {**GIVEN, "more": "1"}, ids[1])]
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", b, 1_000 + n) for n, b in enumerate(given)])
    kafka.run()
    assert not kafka.differences()
    own = [m.value() for m in client.read(broker.bootstrap, f"{topic_prefix}orders") if m.key() == b"own"]
    assert [content[:5] for content in own] == [b"\0" + ids[1].to_bytes(4, "big")]
    assert unframed(NEW, "shop.Order", own[0])["item"] == "ü\n"
    key, value = (state.subjects[subject][0] for subject in ("out-key", "out-value"))
    written = sorted(client.read(broker.bootstrap, f"{topic_prefix}out"), key=lambda m: m.timestamp()[1])
    assert [unframed(key["schema"], "ConnectDefault1", m.key()) for m in written] == [
        {"key": k} for k in ("k", "k", "own")
    ]
    assert [unframed(value["schema"], "ConnectDefault1", m.value()) for m in written[:2]] == [SHOWN] * 2
    heads = {m.value()[:6] for m in written}
    assert heads == {b"\0" + value["id"].to_bytes(4, "big") + b"\0"}


def test_windows(start: Start, broker: Broker, topic_prefix: str, state: State) -> None:
    """The key's message has the start of its window behind it; the client reads what Spark wrote."""
    state.register("orders-value", OLD, "PROTOBUF")
    store = "INSERT INTO out STORE KEY AS TW[PROTOBUF]"
    text = f"{store} SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1s GROUP BY item"
    kafka = start(lsqlc.compile(text, topics=[ORDERS], name="out"))
    kafka.append(kafka.plan.inputs[0], [Record("orders", "k", order(3), time) for time in (500, 1_500, 1_700)])
    kafka.run()
    (out,) = kafka.plan.outputs
    found = {(r.key["key"], r.key["start"], r.key["end"]): r.value for r in kafka.place.log.read(out)}
    assert found == {("a", 0, 1_000): {"c": 1}, ("a", 1_000, 2_000): {"c": 2}}
    keys = {message.key()[-8:] for message in client.read(broker.bootstrap, f"{topic_prefix}out")}
    assert keys == {(0).to_bytes(8, "big"), (1_000).to_bytes(8, "big")}


@pytest.mark.parametrize("key", ["STRING", "PROTOBUF", "AVRO"])
def test_bodies_that_cannot_be_read(start: Start, broker: Broker, topic_prefix: str, state: State, key: str) -> None:
    """Each is a letter with its reason, the same on both engines, whatever the key is stored as."""
    id = state.register("orders-value", OLD, "PROTOBUF")
    state.register("orders-key", 'syntax = "proto3"; message K { string k = 1; }', "PROTOBUF")
    declared: Any = "STRING"
    if key != "STRING":
        declared = {"format": key.lower(), "schema": "STRING"}
    if key == "AVRO":
        del state.subjects["orders-key"]
        state.register("orders-key", '"string"')
    orders = lsqlc.Topic("orders", key=declared, value={"format": "protobuf", "schema": COLUMNS}, partitions=3)
    letters = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; "
    kafka = start(lsqlc.compile(letters + PROGRAMS["into JSON"], topics=[orders], name="out"))
    kafka.append(kafka.plan.inputs[0], some(1_000, 6))
    head = b"\0" + id.to_bytes(4, "big")
    bodies = [b"", b"{}", b"\0", head, head + b"\0\xff", head + b"\2\2\x0a\1x", head + b"\0\x0a\1\xff"]
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(None, b, 5_000 + n) for n, b in enumerate(bodies)])
    kafka.run()
    assert not kafka.differences()
    assert len(client.read(broker.bootstrap, f"{topic_prefix}letters")) == len(bodies)


def test_the_query_fails_for_a_bad_record(start: Start, broker: Broker, topic_prefix: str, state: State) -> None:
    """Where the policy does not skip it, with its place and its reason; and for an id that came since, which the run
    asks the registry for.
    """
    state.register("orders-value", OLD, "PROTOBUF")
    kafka = start(lsqlc.compile(PROGRAMS["a copy"], topics=[ORDERS], name="out"))
    kafka.append(kafka.plan.inputs[0], some(1_000, 1))
    newer = state.register("orders-value", NEW, "PROTOBUF")
    record = framed(NEW, "shop.Order", GIVEN, newer)
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", record, 5_000)])
    with pytest.raises(LsqlcError) as unknown:
        kafka.run()
    assert [(d.code, str(newer) in d.message) for d in unknown.value.diagnostics] == [("LSQ757", True)]
    kafka = start(kafka.plan)
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", record[:6] + b"\xff", 5_000)])
    with pytest.raises(LsqlcError) as bad:
        kafka.run()
    (found,) = bad.value.diagnostics
    assert found.code == "LSQ667" and "the body cannot be read with the schema" in str(found.notes)


def test_a_null_that_the_schema_has_no_place_for(start: Start, state: State) -> None:
    """The query fails rather than that a null is written as an empty list."""
    state.register("orders-value", OLD, "PROTOBUF")
    text = "INSERT INTO out STORE VALUE AS PROTOBUF SELECT STREAM CASE WHEN n > 2 THEN tags END AS tags FROM orders"
    kafka = start(lsqlc.compile(text, topics=[ORDERS], name="out"))
    kafka.append(kafka.plan.inputs[0], some(1_000, 6))
    with pytest.raises(LsqlcError) as bad:
        kafka.run()
    (found,) = bad.value.diagnostics
    assert found.code == "LSQ797" and "'tags' is null, which the schema has no place for" in str(found.notes)


@pytest.mark.parametrize("format", ["PROTOBUF", "PROTOBUF_NOSR"])
def test_a_program_of_ksqldb(start: Start, broker: Broker, topic_prefix: str, state: State, format: str) -> None:
    """The source has a schema of others with more fields, whose names are in lower case; a result is read again."""
    schema = 'syntax = "proto3"; message Order { string item = 1; int32 n = 2; string more = 3; }'
    id = state.register("orders-value", schema, "PROTOBUF")
    text = f"""
        CREATE STREAM orders (k STRING KEY, item STRING, n INT)
          WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = '{format}');
        CREATE STREAM out WITH (KAFKA_TOPIC = 'out', FORMAT = '{format}') AS
          SELECT k, item, n + 1 AS m FROM orders EMIT CHANGES;
    """
    kafka = start(lsqlc.compile(text, dialect="ksql", name="out"))
    kafka.append(kafka.plan.inputs[0], [Record("orders", "k", {"ITEM": "a", "N": 1}, 1_000)])
    body = framed(schema, "Order", {"item": "b", "more": "x"}, id)
    body = body if format == "PROTOBUF" else body[6:]
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", body, 2_000)])
    kafka.run()
    assert not kafka.differences()
    (out,) = kafka.plan.outputs
    found = sorted(((r.key, r.value, r.timestamp) for r in kafka.place.log.read(out)), key=lambda r: r[2])
    assert found == [("k", {"ITEM": "a", "M": 2}, 1_000), ("k", {"ITEM": "b", "M": 1}, 2_000)]
    bodies = sorted(m.value() for m in client.read(broker.bootstrap, f"{topic_prefix}out"))
    bare = [b"\n\1a\x10\2", b"\n\1b\x10\1"]
    assert bodies == bare if format == "PROTOBUF_NOSR" else [body[6:] for body in bodies] == bare


def test_what_is_not_registered(start: Start, state: State) -> None:
    """Nothing is written without the id of a schema."""
    state.register("orders-value", OLD, "PROTOBUF")
    kafka = start(lsqlc.compile(PROGRAMS["a copy"], topics=[ORDERS], name="out"), registered=False)
    with pytest.raises(LsqlcError) as unregistered:
        _ = kafka.place.wires
    assert [d.code for d in unregistered.value.diagnostics] == ["LSQ756"]


def test_a_result_that_continues_its_subject(start: Start, state: State) -> None:
    """The schema that is written is found again among the versions, by the numbers that they have."""
    state.register("orders-value", OLD, "PROTOBUF")
    before = lsqlc.compile("SELECT STREAM item, n FROM orders", topics=[ORDERS], name="out")
    (old,) = written_schemas([before])
    state.register(old.subject, old.source, old.type)
    subject = Subject(old.subject, "BACKWARD", (SubjectVersion(9, 1, "PROTOBUF", protobuf_text(old.source)),))
    plan = lsqlc.compile("SELECT STREAM card, item FROM orders", topics=[ORDERS], name="out")
    (new,) = written_schemas([plan], {subject.name: subject})
    assert "optional string card = 3;" in new.source and "string item = 1;" in new.source
    assert protobuf_source(protobuf_text(new.source)) == new.source
