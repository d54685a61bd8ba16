"""The embedded server with the connector: Kafka's source and sink, and Avro's functions, over Spark Connect."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import fastavro

from tests.kafka.client import create, read, write
from tests.shared import SharedBroker

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# A schema in the form that Spark and fastavro read.
SCHEMA = '{"type": "record", "name": "ride", "fields": [{"name": "bikes", "type": "int"}]}'


def encoded(bikes: int) -> bytes:
    """A record in Avro's binary encoding, by another writer."""
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(json.loads(SCHEMA)), {"bikes": bikes})
    return buffer.getvalue()


def test_from_a_topic_to_a_topic(
    kafka_spark: SparkSession, broker: SharedBroker, topic_prefix: str, tmp_path: Path
) -> None:
    """A streaming query reads records, decodes and encodes Avro, and writes what it computes; keys and tombstones
    pass.
    """
    rides, doubled = f"{topic_prefix}rides", f"{topic_prefix}doubled"
    create(broker.bootstrap, rides, doubled)
    write(broker.bootstrap, rides, [(b"a", encoded(1), 0), (b"b", None, 0), (b"a", encoded(3), 0)])
    source = (
        kafka_spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", broker.bootstrap)
        .option("kafka.isolation.level", "read_committed")
        .option("subscribe", rides)
        .option("startingOffsets", "earliest")
        .load()
    )
    decoded = f"from_avro(value, '{SCHEMA}', map('mode', 'FAILFAST')).bikes"
    value = f"if(value IS NULL, NULL, to_avro(named_struct('bikes', {decoded} * 2), '{SCHEMA}')) AS value"
    query = (
        source.selectExpr("key", value)
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", broker.bootstrap)
        .option("topic", doubled)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    written = [(m.key(), m.value()) for m in read(broker.bootstrap, doubled)]
    assert written == [(b"a", encoded(2)), (b"b", None), (b"a", encoded(6))]
