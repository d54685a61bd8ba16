"""Models over topics whose schemas are in a registry: each storage format through each shape of model.

Both engines must agree, whatever is stored as what.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.types.record import Record
from tests.kafka import client
from tests.kafka.storage import STORAGES, Start, registry, start, state
from tests.registry.stand_in import State
from tests.shared import SharedBroker

__all__ = ["registry", "start", "state"]

SHAPES = {
    "a copy": "SELECT STREAM * FROM orders",
    "into JSON": "INSERT INTO out STORE VALUE AS JSON SELECT STREAM item, at FROM orders WHERE n > 2",
    "into Avro": "INSERT INTO out STORE VALUE AS AVRO SELECT STREAM item, n FROM orders",
    "key and value": "INSERT INTO out STORE KEY AS {0} VALUE AS {0} SELECT STREAM * FROM orders",
    "groups of a TABLE": "SELECT TABLE item, COUNT(*) AS c, AVG(n) AS a FROM orders GROUP BY item",
    "groups of groups": """
        WITH g AS (SELECT TABLE item, SUM(n) AS s FROM orders GROUP BY item);
        SELECT TABLE s, COUNT(*) AS c FROM g GROUP BY s
    """,
}
LETTERS = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; "


def grid(others: Iterable[str]) -> list[Any]:
    """Return each format with each of the others."""
    return [pytest.param(*pair, id=" ".join(pair)) for pair in product(STORAGES, others)]


@pytest.mark.parametrize(("storage", "shape"), grid(SHAPES))
def test_both_engines_agree(start: Start, state: State, storage: str, shape: str) -> None:
    """Over two runs, of which the second one goes on."""
    form = STORAGES[storage]
    state.register("orders-value", form.schema, form.type)
    kafka = start(lsqlc.compile(SHAPES[shape].format(storage), topics=[form.orders], name="out"))
    for first in (1_000, 2_000):
        kafka.append(kafka.plan.inputs[0], form.some(first))
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()


@pytest.mark.parametrize(("storage", "key"), grid([*STORAGES, "STRING"]))
def test_windows(start: Start, broker: SharedBroker, topic_prefix: str, state: State, storage: str, key: str) -> None:
    """The id of a schema stands before the key inside, and the start of its window behind it. The client reads what
    Spark wrote.
    """
    form = STORAGES[storage]
    state.register("orders-value", form.schema, form.type)
    counted = "SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1s GROUP BY item"
    text = f"INSERT INTO out STORE KEY AS TW[{key}] {counted}"
    kafka = start(lsqlc.compile(text, topics=[form.orders], name="out"))
    kafka.append(kafka.plan.inputs[0], [Record("orders", "k", form.value(3), time) for time in (500, 1_500, 1_700)])
    kafka.run()
    (out,) = kafka.plan.outputs
    rows = {(r.key["key"], r.key["start"], r.key["end"]): r.value for r in kafka.place.log.read(out)}
    assert rows == {("a", 0, 1_000): {"c": 1}, ("a", 1_000, 2_000): {"c": 2}}
    keys = {message.key() for message in client.read(broker.bootstrap, f"{topic_prefix}out")}
    assert {bytes[-8:] for bytes in keys} == {start.to_bytes(8, "big") for start in (0, 1_000)}
    versions = state.subjects.get(f"{topic_prefix}out-key", [])
    assert len(versions) == (key != "STRING")
    heads = [b"\0" + version["id"].to_bytes(4, "big") for version in versions]
    assert all(bytes.startswith(head) for bytes in keys for head in heads)


@pytest.mark.parametrize(("storage", "key"), grid([*STORAGES, "STRING"]))
def test_bodies_that_cannot_be_read(
    start: Start, broker: SharedBroker, topic_prefix: str, state: State, storage: str, key: str
) -> None:
    """Each is a dead letter with its reason, the same on both engines, whatever the key is stored as."""
    form = STORAGES[storage]
    id = state.register("orders-value", form.schema, form.type)
    keys = {
        "AVRO": ('"string"', "AVRO"),
        "JSON_SR": ('{"type": "string"}', "JSON"),
        "PROTOBUF": ('syntax = "proto3"; message K { string k = 1; }', "PROTOBUF"),
    }
    declared: Any = "STRING"
    if key != "STRING":
        state.register("orders-key", *keys[key])
        declared = {"format": key.lower(), "schema": "STRING"}
    orders = lsqlc.Topic("orders", key=declared, value=form.orders.value, partitions=3)
    kafka = start(lsqlc.compile(LETTERS + SHAPES["into JSON"], topics=[orders], name="out"))
    kafka.append(kafka.plan.inputs[0], form.some(1_000, 6))
    bodies = form.bad(id.to_bytes(4, "big"))
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(None, b, 5_000 + n) for n, b in enumerate(bodies)])
    kafka.run()
    assert not kafka.differences()
    assert len(client.read(broker.bootstrap, f"{topic_prefix}letters")) == len(bodies)


@pytest.mark.parametrize("storage", STORAGES)
def test_what_is_not_registered(start: Start, state: State, storage: str) -> None:
    """Nothing is written without the id of a schema."""
    form = STORAGES[storage]
    state.register("orders-value", form.schema, form.type)
    kafka = start(lsqlc.compile(SHAPES["a copy"], topics=[form.orders], name="out"), registered=False)
    with pytest.raises(LsqlcError) as unregistered:
        _ = kafka.place.wires
    assert [d.code for d in unregistered.value.diagnostics] == ["LSQ756"]


@pytest.mark.parametrize(("storage", "code"), [("AVRO", "LSQ758"), ("JSON_SR", "LSQ862")])
def test_a_topic_without_schema_is_not_seeded(start: Start, storage: str, code: str) -> None:
    """The client writes nothing without the id of a schema either."""
    form = STORAGES[storage]
    kafka = start(lsqlc.compile(SHAPES["a copy"], topics=[form.orders], name="out"), registered=False)
    with pytest.raises(LsqlcError) as unseeded:
        kafka.append(kafka.plan.inputs[0], form.some(1_000, 1))
    assert [d.code for d in unseeded.value.diagnostics] == [code]
