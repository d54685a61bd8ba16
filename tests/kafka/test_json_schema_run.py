"""Models over topics in JSON_SR, whose schemas are in a registry: Spark writes what another client finds valid by the
schemas, and reads what the client and others write.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.types.record import Record
from tests.kafka import client
from tests.kafka.rows import Kept, records
from tests.kafka.storage import JSON_SR, Start, registry, start, state
from tests.registry.stand_in import State
from tests.shared import SharedBroker

__all__ = ["registry", "start", "state"]

KSQL = """
    CREATE STREAM orders (k STRING KEY, item STRING, n INT) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON_SR');
    CREATE STREAM out WITH (KAFKA_TOPIC = 'out', FORMAT = 'JSON_SR') AS SELECT k, item, n FROM orders EMIT CHANGES;
"""


def test_another_client_reads_what_is_written(
    start: Start, broker: SharedBroker, topic_prefix: str, state: State, registry: str
) -> None:
    """Key and value are valid by the schemas of the ids before them; so is what the client seeds."""
    id = state.register("orders-value", JSON_SR.schema, "JSON")
    text = "INSERT INTO out STORE KEY AS JSON_SR VALUE AS JSON_SR SELECT STREAM * FROM orders"
    kafka = start(lsqlc.compile(text, topics=[JSON_SR.orders], name="out"))
    given = JSON_SR.some(1_000)
    kafka.append(kafka.plan.inputs[0], given)
    kafka.run()
    seeded = sorted(records(broker.bootstrap, f"{topic_prefix}orders", registry), key=lambda r: r.timestamp)
    written = sorted(records(broker.bootstrap, f"{topic_prefix}out", registry), key=lambda r: r.timestamp)
    assert seeded == written == [Kept(r.key, shown(r.value), r.timestamp) for r in given]
    heads = {m.value()[:5] for m in client.read(broker.bootstrap, f"{topic_prefix}orders") if m.value()}
    assert heads == {b"\0" + id.to_bytes(4, "big")}
    assert {v["schemaType"] for s in ("out-key", "out-value") for v in state.subjects[f"{topic_prefix}{s}"]} == {"JSON"}


def shown(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """A value as JSON has it."""
    return value and {**value, "raw": b64encode(value["raw"]).decode()}


def test_a_program_of_ksqldb(
    start: Start, broker: SharedBroker, topic_prefix: str, state: State, registry: str
) -> None:
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


def test_what_has_no_schema(start: Start) -> None:
    """A column that is always null."""
    text = "INSERT INTO out STORE VALUE AS {} SELECT STREAM item, NULL AS nothing FROM orders"
    for format in ("JSON_SR", "AVRO"):
        kafka = start(lsqlc.compile(text.format(format), topics=[JSON_SR.orders], name="out"))
        with pytest.raises(LsqlcError) as without:
            _ = kafka.place.wires
        assert [d.code for d in without.value.diagnostics] == ["LSQ863"]
