"""Models over topics in PROTOBUF, whose schemas are in a registry: Spark reads what other clients write, both engines
agree, and other clients read what Spark writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan import Plan
from lsqlc.project.declared.profiles import Target
from lsqlc.project.declared.registry_target import RegistryTarget
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
      message Place { double x = 1; bytes raw = 2; }
    }
"""
NEW = OLD.replace("bool cash = 10; }", "bool cash = 10; } optional uint64 more = 11;")
COLUMNS = """
    item STRING NOT NULL, n INT, placed TIMESTAMP, note STRING, at STRUCT<x: DOUBLE NOT NULL, raw: BYTES NOT NULL>,
    tags ARRAY<STRING> NOT NULL, counts MAP<STRING,BIGINT> NOT NULL, state STRING NOT NULL, card STRING, cash BOOLEAN
"""
ORDERS = lsqlc.Topic("orders", key="STRING", value={"format": "protobuf", "schema": COLUMNS}, partitions=3)
PROGRAMS = {
    "a copy": "SELECT STREAM * FROM orders",
    "into JSON": "INSERT INTO out STORE VALUE AS JSON SELECT STREAM item, at, counts, state FROM orders WHERE n > 2",
    "key and value": "INSERT INTO out STORE KEY AS PROTOBUF VALUE AS PROTOBUF SELECT STREAM * FROM orders",
    "groups of a TABLE": "SELECT TABLE item, COUNT(*) AS c, AVG(n) AS a, MAX(placed) AS p FROM orders GROUP BY item",
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
        "item": ("a", "b", "ü\n")[number % 3], "n": None if number % 7 == 0 else number % 5, "placed": None,
        "note": "" if number % 2 else None, "at": at, "tags": ["x", ""][: number % 3],
        "counts": {"y": 2**40, "z": -1} if number % 4 else {}, "state": "SENT" if number % 2 else "OPEN",
        "card": "1" if number % 3 == 1 else None, "cash": False if number % 3 == 2 else None,
    }  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_agree(start: Start, state: State, name: str) -> None:
    """Over two runs, of which the second one goes on."""
    state.register("orders-value", OLD, "PROTOBUF")
    kafka = start(lsqlc.compile(PROGRAMS[name], topics=[ORDERS], name="out"))
    for first in (1_000, 2_000):
        kafka.append(kafka.plan.inputs[0], some(first))
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()
