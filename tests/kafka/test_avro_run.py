"""Models over topics in Avro, whose schemas are in a registry: both engines agree, and other clients read what is
written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.cli.watch import Watch
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.registry.wire import avro_encoder
from lsqlc.registry.written import written_schemas
from lsqlc.remote.run.events import Event
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.session.session import parse_address, server_version
from lsqlc.tasks.places import place_of
from lsqlc.tasks.run import Console, RunRequest, run_models
from lsqlc.types.avro_write import avro_text
from lsqlc.types.ddl import parse_columns
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.kafka import client
from tests.kafka.rows import Kept, records
from tests.kafka.test_run import Kafka
from tests.registry.stand_in import State, stand_in

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

COLUMNS = "item STRING, n INT, placed TIMESTAMP, at STRUCT<x DOUBLE, tags ARRAY<STRING>>"
TYPE = parse_columns(COLUMNS)
ORDERS = lsqlc.Topic("orders", key="STRING", value={"format": "avro", "schema": COLUMNS}, partitions=3)
KEYED = lsqlc.Topic("orders", key={"format": "avro", "schema": "INT"}, value={"format": "avro", "schema": COLUMNS})
PROGRAMS = {
    "a copy": "SELECT STREAM * FROM orders",
    "into JSON": "INSERT INTO out STORE VALUE AS JSON SELECT STREAM item, at FROM orders WHERE n > 2",
    "key and value": "INSERT INTO out STORE KEY AS AVRO VALUE AS AVRO SELECT STREAM * FROM orders",
    "groups of a TABLE": "SELECT TABLE item, COUNT(*) AS c, AVG(n) AS a FROM orders GROUP BY item",
    "groups of groups": """
        WITH g AS (SELECT TABLE item, SUM(n) AS s FROM orders GROUP BY item);
        SELECT TABLE s, COUNT(*) AS c FROM g GROUP BY s
    """,
}


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
def registry(state: State) -> Iterator[str]:
    with stand_in(state) as url:
        yield url


Start = Callable[..., Kafka]


@pytest.fixture
def start(
    broker: Broker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: EmbeddedServer, tmp_path: Path,
    state: State, registry: str,
) -> Start:  # fmt: skip
    """A model over an empty topic of its own, after the schemas of both have been registered."""

    def started(program: str, orders: lsqlc.Topic = ORDERS) -> Kafka:
        plan = lsqlc.compile(program, topics=[orders], name="out")
        state.register("orders-value", avro_text(TYPE, "order"))
        state.register("orders-key", '"int"')
        for schema in written_schemas([plan]):
            state.register(schema.subject, schema.text)
        settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
        kafka = Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)
        kafka.place = place_of(tmp_path, Target("local", kafka=settings, registry=RegistryTarget(registry)), [plan])
        return kafka

    return started


def some(plan: Plan, first: int, count: int = 30) -> list[Record]:
    """Records with rising times, of which every fifth is a tombstone."""
    (topic,) = plan.inputs
    found = []
    for number in range(first, first + count):
        at = {"x": number / 3, "tags": ["a", None]} if number % 3 else None
        value = {"item": "abc"[number % 3], "n": None if number % 7 == 0 else number % 5, "placed": None, "at": at}
        key: Any = number % 6 if str(topic.key.type) == "INT" else f"k{number % 6}"
        found.append(Record("orders", key, value if number % 5 else None, number))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_agree(start: Start, name: str) -> None:
    """Over two runs, of which the second one goes on."""
    kafka = start(PROGRAMS[name])
    for first in (1_000, 2_000):
        kafka.append(kafka.plan.inputs[0], some(kafka.plan, first))
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()


def test_keys_in_avro(start: Start, broker: Broker, topic_prefix: str, registry: str) -> None:
    """Keys and values that another client reads, by the ids that stand before them."""
    kafka = start("SELECT STREAM item, n FROM orders", KEYED)
    given = some(kafka.plan, 1_000)
    kafka.append(kafka.plan.inputs[0], given)
    kafka.run()
    assert not kafka.differences()
    found = sorted(records(broker.bootstrap, f"{topic_prefix}out", registry), key=lambda r: r.timestamp)
    wanted = [Kept(r.key, r.value and {n: r.value[n] for n in ("item", "n")}, r.timestamp) for r in given]
    assert found == wanted


@pytest.mark.parametrize("store", ["TW[AVRO]", "TW[STRING]"])
def test_windows(start: Start, broker: Broker, topic_prefix: str, state: State, store: str) -> None:
    """A key in Avro has the id of its own schema in front, and the window's start behind it; the client reads what
    Spark wrote.
    """
    key = "a"
    store_as = f"INSERT INTO out STORE KEY AS {store} VALUE AS AVRO"
    kafka = start(f"{store_as} SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1s GROUP BY item")
    (topic,) = kafka.plan.inputs
    value = {"item": key, "n": 1, "placed": None, "at": None}
    kafka.append(topic, [Record("orders", "k", value, time) for time in (500, 1_500, 1_700)])
    kafka.run()
    (out,) = kafka.plan.outputs
    found = {(r.key["key"], r.key["start"], r.key["end"]): r.value for r in kafka.place.log.read(out)}
    assert found == {(key, 0, 1_000): {"c": 1}, (key, 1_000, 2_000): {"c": 2}}
    keys = {message.key()[-8:] for message in client.read(broker.bootstrap, f"{topic_prefix}out")}
    assert keys == {(0).to_bytes(8, "big"), (1_000).to_bytes(8, "big")}
    assert [v["schema"] for v in state.subjects.get("out-key", ())] == ['"string"'] * (store == "TW[AVRO]")


def test_bodies_that_cannot_be_read(start: Start, broker: Broker, topic_prefix: str, state: State) -> None:
    """Each is a letter with its reason, the same on both engines."""
    letters = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; "
    kafka = start(letters + PROGRAMS["a copy"])
    kafka.append(kafka.plan.inputs[0], some(kafka.plan, 1_000))
    id = state.subjects["orders-value"][0]["id"].to_bytes(4, "big")
    bad = [(b"k", body, 5_000 + n) for n, body in enumerate([b"", b"{}", b"\0", b"\0" + id, b"\0" + id + b"\2"])]
    client.write(broker.bootstrap, f"{topic_prefix}orders", bad)
    kafka.run()
    assert not kafka.differences()
    assert len(client.read(broker.bootstrap, f"{topic_prefix}letters")) == len(bad)


def test_a_schema_that_came_since(
    broker: Broker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: EmbeddedServer, tmp_path: Path,
    state: State, registry: str,
) -> None:  # fmt: skip
    """The registry is asked for an id that nobody knew when the run began, and the query goes on."""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: orders\n")
    declared = {"name": "orders", "key": "STRING", "value": {"format": "avro", "schema": COLUMNS}}
    (tmp_path / "models" / "topics.yml").write_text(json.dumps({"topics": [declared]}))
    (tmp_path / "models" / "out.sql").write_text("SELECT STREAM item, n FROM orders")
    project = load_project(tmp_path).project
    assert project is not None
    compilation = compile_project(project)
    plans = compilation.plans.values()
    state.register("orders-value", avro_text(TYPE, "order"))
    for schema in written_schemas(plans):
        state.register(schema.subject, schema.text)
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix)
    target = Target("local", kafka=settings, registry=RegistryTarget(registry))
    place = place_of(tmp_path, target, plans, project=compilation.project)
    place.log.append(next(iter(plans)).inputs[0], some(next(iter(plans)), 1_000, 4))
    newer = parse_columns(f"{COLUMNS}, more BIGINT")
    text = avro_text(newer, "order")
    id = state.register("orders-value", text)
    value = {"item": "z", "n": 9, "placed": None, "at": None, "more": 5}
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", avro_encoder(newer, text, id)(value), 9_000)])
    said: list[str] = []

    class Opened:
        session, address = kafka_spark, parse_address(kafka_spark_server.address)
        version = server_version(kafka_spark.version)

    @contextmanager
    def opened(files: tuple[Any, ...], fit: object) -> Iterator[tuple[Any, Callable[[Event], None]]]:
        yield Opened, lambda event: None

    console = Console(
        said.append, lambda found: None, opened, lambda event: None, lambda: False, lambda seconds: False,
        lambda: Watch(place.state),
    )  # fmt: skip
    place.state.mkdir(exist_ok=True)
    lowered = {name: lower(plan, wires=place.wires) for name, plan in compilation.plans.items()}
    run_models(place, compilation, lowered, RunRequest(1), console)
    assert [text for text in said if f"the schema with the id {id}" in text]
    found = list(records(broker.bootstrap, f"{topic_prefix}out", registry))
    assert len(found) == 5 and found[-1].value == {"item": "z", "n": 9}
