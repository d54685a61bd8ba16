"""The storage formats of values whose schemas are in a registry, and models over topics in them.

A format is one declaration: its columns, a value for each number, the schema that another client has registered, and
bytes that are no record. `test_storage_run.py` runs every format through every shape of model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.formats.avro.write import avro_text
from lsqlc.formats.json_schema.write import json_schema_text
from lsqlc.plan import Plan
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.project.declared.target import Target
from lsqlc.registry.written import written_schemas
from lsqlc.tasks.run_target import open_target
from lsqlc.types.ddl import parse_columns
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.kafka.test_run import Kafka
from tests.registry.stand_in import State, stand_in
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

Start = Callable[..., Kafka]


@dataclass(frozen=True)
class Storage:
    """A storage format. `name`: in SQL; `columns`: of its values, as DDL; `value`: the value of a number; `schema`: as
    another client registers it; `type`: what a registry calls it; `bad`: bytes that are no record, from the id of the
    schema in four bytes.
    """

    name: str
    columns: str
    value: Callable[[int], dict[str, Any]]
    schema: str
    type: str
    bad: Callable[[bytes], list[bytes]]

    @property
    def orders(self) -> lsqlc.Topic:
        """The topic of its values, with keys in STRING."""
        value = {"format": self.name.lower(), "schema": self.columns}
        return lsqlc.Topic("orders", key="STRING", value=value, partitions=3)

    def some(self, first: int, count: int = 30) -> list[Record]:
        """Return records with rising times from `first` on, of which every fifth is a tombstone."""
        return [
            Record("orders", f"k{number % 6}", self.value(number) if number % 5 else None, number)
            for number in range(first, first + count)
        ]


def _avro_value(number: int) -> dict[str, Any]:
    at = {"x": number / 3, "tags": ["a", None]} if number % 3 else None
    return {"item": "abc"[number % 3], "n": None if number % 7 == 0 else number % 5, "placed": None, "at": at}


_AVRO = "item STRING, n INT, placed TIMESTAMP, at STRUCT<x DOUBLE, tags ARRAY<STRING>>"
AVRO = Storage(
    "AVRO", _AVRO, _avro_value, avro_text(parse_columns(_AVRO), "order"), "AVRO",
    lambda id: [b"", b"{}", b"\0", b"\0" + id, b"\0" + id + b"\2"],
)  # fmt: skip


def _json_value(number: int) -> dict[str, Any]:
    at = {"x": number / 3, "tags": ["a\n", None]} if number % 3 else None
    return {
        "item": "abü"[number % 3], "n": None if number % 7 == 0 else number % 5, "price": None, "placed": None,
        "raw": bytes([number % 256]), "at": at,
    }  # fmt: skip


_JSON = "item STRING, n INT, price DECIMAL(6,2), placed TIMESTAMP, raw BYTES, at STRUCT<x: DOUBLE, tags: ARRAY<STRING>>"
JSON_SR = Storage(
    "JSON_SR", _JSON, _json_value, json_schema_text(parse_columns(_JSON)), "JSON",
    lambda id: [b"", b"\0", *(b"\0" + id + body for body in (b"", b'{"n":"x"}', b"{}}", b"\xff")), b"\1{}"],
)  # fmt: skip

# What other clients register: the second version has a field more, and none of the first is lost.
PROTOBUF_SCHEMA = """
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
NEWER_PROTOBUF_SCHEMA = PROTOBUF_SCHEMA.replace("bool cash = 10; }", "bool cash = 10; } optional uint64 more = 11;")
_PROTOBUF = """
    item STRING NOT NULL, n INT, placed TIMESTAMP, note STRING, at STRUCT<x: DOUBLE NOT NULL, raw: BYTES NOT NULL>,
    tags ARRAY<STRING> NOT NULL, counts MAP<STRING,BIGINT> NOT NULL, state STRING NOT NULL, card STRING, cash BOOLEAN,
    places MAP<INT,STRUCT<x: DOUBLE NOT NULL, raw: BYTES NOT NULL>> NOT NULL
"""


def _protobuf_value(number: int) -> dict[str, Any]:
    at = {"x": number / 3, "raw": bytes([number % 256])} if number % 3 else None
    return {
        "item": ("a", "b", "ü\n")[number % 3], "n": None if number % 7 == 0 else number % 5,
        "placed": datetime(2024, 1, 1, 0, 0, number % 60, number, UTC),
        "note": "" if number % 2 else None, "at": at, "tags": ["x", ""][: number % 3],
        "counts": {"y": 2**40, "z": -1} if number % 4 else {}, "state": "SENT" if number % 2 else "OPEN",
        "card": "1" if number % 3 == 1 else None, "cash": False if number % 3 == 2 else None,
        "places": {-number: {"x": 0.5, "raw": b""}} if number % 2 else {},
    }  # fmt: skip


def _bad_protobuf(id: bytes) -> list[bytes]:
    head = b"\0" + id
    return [b"", b"{}", b"\0", head, head + b"\0\xff", head + b"\2\2\x0a\1x", head + b"\0\x0a\1\xff"]


PROTOBUF = Storage("PROTOBUF", _PROTOBUF, _protobuf_value, PROTOBUF_SCHEMA, "PROTOBUF", _bad_protobuf)
STORAGES = {storage.name: storage for storage in (AVRO, JSON_SR, PROTOBUF)}


class Prefixed(State):
    """Subjects that tests name without the prefix of the target."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    def register(self, subject: str, schema: str, type: str = "AVRO", references: list[Any] | None = None) -> int:
        name = subject if subject.startswith(self.prefix) else self.prefix + subject
        return super().register(name, schema, type, references)


@pytest.fixture
def state(topic_prefix: str) -> State:
    """What the stand-in for a registry holds."""
    return Prefixed(topic_prefix)


@pytest.fixture
def registry(state: State) -> Iterator[str]:
    """The address of the stand-in for a registry."""
    with stand_in(state) as url:
        yield url


@pytest.fixture
def start(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer,
    tmp_path: Path, state: State, registry: str,
) -> Start:  # fmt: skip
    """A model over empty topics of its own. `registered`: the schemas of what it writes are."""

    def started(plan: Plan, *, registered: bool = True) -> Kafka:
        for schema in written_schemas([plan]) if registered else ():
            state.register(schema.subject, schema.source, schema.type)
        settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
        kafka = Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)
        kafka.place = open_target(
            tmp_path, Target("local", connection=settings, registry=RegistryTarget(registry)), [plan]
        )
        return kafka

    return started
