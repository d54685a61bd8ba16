"""Models over topics in PROTOBUF, whose schemas are in a registry: Spark reads what other clients write, both engines
agree, and other clients read what Spark writes.
"""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.formats.protobuf.compiler import protobuf_text
from lsqlc.formats.protobuf.write import protobuf_source
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.registry.written import written_schemas
from lsqlc.types.record import Record
from tests.kafka import client
from tests.kafka.protobuf_client import framed, unframed
from tests.kafka.storage import NEWER_PROTOBUF_SCHEMA, PROTOBUF, PROTOBUF_SCHEMA, Start, registry, start, state
from tests.registry.stand_in import State
from tests.shared import SharedBroker

__all__ = ["registry", "start", "state"]

KEY_AND_VALUE = "INSERT INTO out STORE KEY AS PROTOBUF VALUE AS PROTOBUF SELECT STREAM * FROM orders"


def test_a_join(start: Start, state: State) -> None:
    """A STREAM and a TABLE in one source, each with functions of its own for its bytes."""
    state.register("orders-value", PROTOBUF_SCHEMA, "PROTOBUF")
    names = 'syntax = "proto3"; message Name { optional string name = 1; }'
    state.register("names-value", names, "PROTOBUF")
    known = lsqlc.Topic("names", key="STRING", value={"format": "protobuf", "schema": "name STRING"}, partitions=3)
    joined = "SELECT STREAM orders.item, orders.tags, n.name FROM orders INNER JOIN n"
    text = f"WITH n AS (SELECT TABLE * FROM names); {joined}"
    kafka = start(lsqlc.compile(text, topics=[PROTOBUF.orders, known], name="out"))
    orders, others = sorted(kafka.plan.inputs, key=lambda topic: topic.name == "names")
    for first in (1_000, 2_000):
        kafka.append(others, [Record("names", f"k{n}", {"name": f"{first} {n}"}, first) for n in range(4)])
        kafka.append(orders, PROTOBUF.some(first))
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()


GIVEN = {
    "item": "a", "n": 3, "placed": "2024-01-01T00:00:00.5Z", "note": "", "at": {"x": 1.5, "raw": "AAE="},
    "tags": ["t"], "counts": {"c": "5"}, "state": "SENT", "cash": False,
}  # fmt: skip
SHOWN = {**GIVEN, "placed": "2024-01-01T00:00:00.500Z"}


def test_records_of_other_clients(start: Start, broker: SharedBroker, topic_prefix: str, state: State) -> None:
    """Two versions in one topic, of which the project has the first one's columns; another client reads the result."""
    ids = [state.register("orders-value", text, "PROTOBUF") for text in (PROTOBUF_SCHEMA, NEWER_PROTOBUF_SCHEMA)]
    kafka = start(lsqlc.compile(KEY_AND_VALUE, topics=[PROTOBUF.orders], name="out"))
    kafka.append(kafka.plan.inputs[0], [Record("orders", "own", PROTOBUF.value(8), 2_000)])
    given = [
        framed(PROTOBUF_SCHEMA, "shop.Order", GIVEN, ids[0]),
        framed(NEWER_PROTOBUF_SCHEMA, "shop.Order", {**GIVEN, "more": "1"}, ids[1]),
    ]
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", b, 1_000 + n) for n, b in enumerate(given)])
    kafka.run()
    assert not kafka.differences()
    own = [m.value() for m in client.read(broker.bootstrap, f"{topic_prefix}orders") if m.key() == b"own"]
    assert [content[:5] for content in own] == [b"\0" + ids[1].to_bytes(4, "big")]
    assert unframed(NEWER_PROTOBUF_SCHEMA, "shop.Order", own[0])["item"] == "ü\n"
    key, value = (state.subjects[f"{topic_prefix}{subject}"][0] for subject in ("out-key", "out-value"))
    written = sorted(client.read(broker.bootstrap, f"{topic_prefix}out"), key=lambda m: m.timestamp()[1])
    assert [unframed(key["schema"], "ConnectDefault1", m.key()) for m in written] == [
        {"key": k} for k in ("k", "k", "own")
    ]
    assert [unframed(value["schema"], "ConnectDefault1", m.value()) for m in written[:2]] == [SHOWN] * 2
    heads = {m.value()[:6] for m in written}
    assert heads == {b"\0" + value["id"].to_bytes(4, "big") + b"\0"}


def test_the_query_fails_for_a_bad_record(start: Start, broker: SharedBroker, topic_prefix: str, state: State) -> None:
    """Where the policy does not skip it, with its place and its reason; and for an id that came since, which the run
    asks the registry for.
    """
    state.register("orders-value", PROTOBUF_SCHEMA, "PROTOBUF")
    kafka = start(lsqlc.compile("SELECT STREAM * FROM orders", topics=[PROTOBUF.orders], name="out"))
    kafka.append(kafka.plan.inputs[0], PROTOBUF.some(1_000, 1))
    newer = state.register("orders-value", NEWER_PROTOBUF_SCHEMA, "PROTOBUF")
    record = framed(NEWER_PROTOBUF_SCHEMA, "shop.Order", GIVEN, newer)
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
    state.register("orders-value", PROTOBUF_SCHEMA, "PROTOBUF")
    text = "INSERT INTO out STORE VALUE AS PROTOBUF SELECT STREAM CASE WHEN n > 2 THEN tags END AS tags FROM orders"
    kafka = start(lsqlc.compile(text, topics=[PROTOBUF.orders], name="out"))
    kafka.append(kafka.plan.inputs[0], PROTOBUF.some(1_000, 6))
    with pytest.raises(LsqlcError) as bad:
        kafka.run()
    (found,) = bad.value.diagnostics
    assert found.code == "LSQ797" and "'tags' is null, which the schema has no place for" in str(found.notes)


@pytest.mark.parametrize("format", ["PROTOBUF", "PROTOBUF_NOSR"])
def test_a_program_of_ksqldb(start: Start, broker: SharedBroker, topic_prefix: str, state: State, format: str) -> None:
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


def test_a_result_that_continues_its_subject(start: Start, state: State) -> None:
    """The schema that is written is found again among the versions, by the numbers that they have."""
    state.register("orders-value", PROTOBUF_SCHEMA, "PROTOBUF")
    before = lsqlc.compile("SELECT STREAM item, n FROM orders", topics=[PROTOBUF.orders], name="out")
    (old,) = written_schemas([before])
    state.register(old.subject, old.source, old.type)
    subject = Subject(old.subject, "BACKWARD", (SubjectVersion(9, 1, "PROTOBUF", protobuf_text(old.source)),))
    plan = lsqlc.compile("SELECT STREAM card, item FROM orders", topics=[PROTOBUF.orders], name="out")
    (new,) = written_schemas([plan], {subject.name: subject})
    assert "optional string card = 3;" in new.source and "string item = 1;" in new.source
    assert protobuf_source(protobuf_text(new.source)) == new.source
