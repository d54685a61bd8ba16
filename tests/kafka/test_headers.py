"""Headers of records in Kafka: read by queries, kept by what is made of one record, by whichever way it is written."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

import lsqlc
from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.codec import Codecs
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.connectors.kafka.settings import kafka_python_properties, librdkafka_properties
from lsqlc.connectors.lines import line_decoder
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire
from lsqlc.remote.connectors.kafka import clients
from lsqlc.remote.connectors.kafka.clients import ClientSettings
from lsqlc.remote.connectors.kafka.task_writers import header_pairs
from lsqlc.remote.run.runner import RunResources
from lsqlc.sql.spark import struct, text
from lsqlc.types import data
from lsqlc.types.headers import Headers
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Facet, Record, Topic
from tests.kafka import client
from tests.kafka.test_run import Kafka
from tests.kafka.test_task_writers import unclean
from tests.kafka.test_wire import _hex, lines
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

HEADERS: Headers = (("trace", b"\x00\xff"), ("trace", b"two"), ('\u00e9"\\\n', b""), ("none", None))
# The same as an array of Spark.
SQL = f"array({', '.join(struct((('key', text(key)), ('value', _hex(value)))) for key, value in HEADERS)})"
OUT = Topic("out", Facet(data.STRING, "string"), Facet(data.INT, "int"))
PROGRAM = """
CREATE STREAM orders (id INT KEY, n INT, hs ARRAY<STRUCT<key STRING, value BYTES>> HEADERS)
    WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON', PARTITIONS = 3);
CREATE STREAM kept WITH (KAFKA_TOPIC = 'kept', VALUE_FORMAT = 'JSON') AS SELECT id, n + 1 AS n FROM orders WHERE n > 0;
CREATE STREAM read WITH (KAFKA_TOPIC = 'read', VALUE_FORMAT = 'JSON') AS SELECT * FROM orders PARTITION BY n;
CREATE TABLE prices (id INT PRIMARY KEY, n INT, trace BYTES HEADER('trace'))
    WITH (KAFKA_TOPIC = 'prices', VALUE_FORMAT = 'JSON', PARTITIONS = 3);
CREATE TABLE high WITH (KAFKA_TOPIC = 'high', VALUE_FORMAT = 'JSON') AS SELECT * FROM prices WHERE n > 1;
CREATE TABLE counted WITH (KAFKA_TOPIC = 'counted', VALUE_FORMAT = 'JSON') AS
    SELECT hs[1]->key AS first, COUNT(*) AS c FROM orders GROUP BY hs[1]->key;
"""


def order(id: int, headers: Headers | None = None, time: int = 1_000) -> Record:
    return Record("orders", id, {"N": id}, time + id, headers)


def headers_in(broker: SharedBroker, topic: str) -> dict[int, list[Any]]:
    """Of each record of a topic of JSON, by the number in its value."""
    found: dict[int, list[Any]] = {}
    for message in client.read(broker.bootstrap, topic):
        found.setdefault(json.loads(message.value())["N"], []).append(message.headers())
    return found


@pytest.fixture
def start(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> Callable[..., Kafka]:
    def started(program: str = PROGRAM, **settings: Any) -> Kafka:
        place = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3, **settings)
        plan = lsqlc.compile(program, dialect="ksql", name="shop")
        return Kafka(plan, place, tmp_path, kafka_spark, kafka_spark_server.address)

    return started


def test_the_client_keeps_headers(broker: SharedBroker, topic_prefix: str) -> None:
    """Also in the lines that DuckDB reads; a record without any is as ever."""
    log = KafkaLog(KafkaSettings(broker.bootstrap, prefix=topic_prefix), by_time=False)
    log.append(OUT, [Record("out", "k", 1, 5, HEADERS), Record("out", "k", 2, 6), Record("out", "k", 3, 7, ())])
    assert [r.headers for r in log.read(OUT)] == [HEADERS, None, None]
    assert [m.headers() for m in client.read(broker.bootstrap, f"{topic_prefix}out")] == [list(HEADERS), None, None]


def test_lines_are_those_of_spark(spark: SparkSession) -> None:
    """Of records that can be read, and of those whose bytes cannot."""
    facet = Facet(data.INT, "int")
    of, wire = Topic("t", value=facet, ordinal_width=3), TopicWire(None, encoding(facet))
    write = line_writer(of, Codecs())
    for raw in (b"\0\0\0\1", b"\0"):
        (found,) = lines(spark, wire, [(None, raw)], SQL)
        place = json.loads(found.rpartition("\t")[2])["ordinal"]
        assert found + "\n" == write(None, raw, 0, tuple(place), HEADERS).decode()
    assert (
        line_decoder(of)(found.encode() if found[0] == "{" else write(None, None, 0, (0, 0, 0), HEADERS)).headers
        == HEADERS
    )
    assert "headers" not in lines(spark, wire, [(None, b"\0\0\0\1")])[0]


@pytest.mark.parametrize("writers", [1, 2])
def test_what_is_made_of_one_record_keeps_its_headers(
    start: Callable[..., Kafka], broker: SharedBroker, topic_prefix: str, writers: int
) -> None:
    """Written by one transaction or by several, and after the checkpoint; columns of headers are those of DuckDB."""
    kafka = start(writers=writers)
    orders, prices = kafka.plan.inputs
    for time in (1_000, 2_000):
        kafka.append(
            prices,
            [replace(order(n, headers, time), topic="prices") for n, headers in enumerate((None, None, None, HEADERS))],
        )
        kafka.append(
            orders,
            [order(n, headers, time) for n, headers in enumerate((HEADERS, HEADERS, None, HEADERS[:1]))],
        )
        ran = kafka.run()
        assert all(summary.finished for summary in ran) and not kafka.differences()
    assert all(summary.resumed for summary in ran)
    assert headers_in(broker, f"{topic_prefix}kept") == {
        2: 2 * [list(HEADERS)], 3: 2 * [None], 4: 2 * [list(HEADERS[:1])]
    }  # fmt: skip
    rows = [
        (m.value() and json.loads(m.value())["TRACE"], m.headers())
        for m in client.read(broker.bootstrap, f"{topic_prefix}high")
    ]
    assert [row for row in rows if row[0]] == 2 * [("dHdv", list(HEADERS))] and (None, None) in rows
    counted = client.read(broker.bootstrap, f"{topic_prefix}counted")
    assert counted and all(m.headers() is None for m in counted)
    read = {m.headers()[0][0] if m.headers() else None for m in client.read(broker.bootstrap, f"{topic_prefix}read")}
    assert read == {"trace", None}
    markers = client.read(broker.bootstrap, f"{topic_prefix}{commits.TOPIC}")
    assert any(m.key().endswith(b"/tasks") for m in markers) == (writers == 2)


def test_the_sink_of_spark_keeps_headers(start: Callable[..., Kafka], broker: SharedBroker, topic_prefix: str) -> None:
    """Where the server writes without Python, a record without headers has none."""
    kafka = start(PROGRAM.partition("CREATE TABLE prices")[0], writers="native")
    kafka.append(kafka.plan.inputs[0], [order(1, HEADERS), order(2), order(3, HEADERS[:1])])
    assert all(summary.finished for summary in kafka.run())
    assert headers_in(broker, f"{topic_prefix}kept") == {2: [list(HEADERS)], 3: [None], 4: [list(HEADERS[:1])]}


def test_a_checkpoint_from_before_goes_on(start: Callable[..., Kafka], broker: SharedBroker, topic_prefix: str) -> None:
    """One of a query that kept no headers: new records have theirs."""
    kafka = start()
    orders, _ = kafka.plan.inputs
    kafka.append(orders, [order(1, HEADERS)])
    run_without_headers(kafka)
    kafka.append(orders, [order(2, HEADERS)])
    ran = kafka.run()
    assert all(summary.finished and summary.resumed for summary in ran)
    assert headers_in(broker, f"{topic_prefix}kept") == {2: [None], 3: [list(HEADERS)]}


def run_without_headers(kafka: Kafka) -> None:
    """Run the model as a release does that knows of no headers to be kept."""
    from lsqlc.lower.spark import stages
    from lsqlc.remote.run.graph import Job
    from lsqlc.remote.run.runner import run
    from lsqlc.remote.session.session import server_version

    kafka.prepare()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "keeps_headers", lambda node: False)
        lowered = lower(kafka.plan, server=server_version(kafka.spark.version), wires=kafka.place.wires)
    assert not any(stage.write.headers for stage in lowered.stages)
    run(
        RunResources(kafka.spark, kafka.address, kafka.place.streams(), kafka.place.checkpoints), [Job("shop", lowered)]
    )


@unclean
@pytest.mark.parametrize("kind", ["confluent_client", "python_client"])
def test_both_clients_write_headers(broker: SharedBroker, topic_prefix: str, kind: str) -> None:
    """kafka-python writes no header without a value: it is empty then."""
    log = KafkaLog(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    log.prepare(OUT)
    log.prepare_markers()
    settings = ClientSettings(
        f"{topic_prefix}{commits.TOPIC}", commits.marker_key("out", "g"), librdkafka_properties(log.settings),
        kafka_python_properties(log.settings),
    )  # fmt: skip
    opened = getattr(clients, kind)(settings)(commits.transactional_id(topic_prefix, "out", "g"))
    opened.send(f"{topic_prefix}out", [(-1, b"k", b"1", 5, list(HEADERS)), (0, b"k", b"2", 6, None)])
    opened.commit(settings.markers, [(settings.marker, b'{"batch":0}')])
    opened.close()
    gc.collect()
    wanted = list(HEADERS) if kind == "confluent_client" else [(k, v or b"") for k, v in HEADERS]
    found = [(m.value(), m.headers()) for m in client.read(broker.bootstrap, f"{topic_prefix}out")]
    assert found == [(b"1", wanted), (b"2", None)]


def test_headers_of_rows() -> None:
    """A column of nulls costs no object for each row, and none is no headers."""
    type = pyarrow.list_(pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())]))
    rows = [[{"key": k, "value": v} for k, v in HEADERS], None, []]
    pairs = header_pairs()
    assert pairs(pyarrow.table({"_headers": pyarrow.array(rows, type)}), 0) == [list(HEADERS), None, []]
    assert pairs(pyarrow.table({"_headers": pyarrow.array([None, None], type)}), 0) == [None, None]
    assert pairs(pyarrow.table({"key": pyarrow.array([b"k"])}), 4) == [None]


def test_bad_records_are_passed_over(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> None:
    """The others keep their headers, and the line in a letter has those of the bad one."""
    topic = lsqlc.Topic("orders", key="INT", value="N INT", partitions=3)
    program = "SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; SELECT STREAM N FROM orders"
    plan = lsqlc.compile(program, topics=[topic], name="kept")
    place = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
    kafka = Kafka(plan, place, tmp_path, kafka_spark, kafka_spark_server.address)
    kafka.append(plan.inputs[0], [order(1, HEADERS)])
    raw = Topic("orders", Facet(data.INT, "int"), Facet(data.STRING, "string"))
    kafka.append(raw, [Record("orders", 2, "{", 5, HEADERS), Record("orders", 2, '{"N":"x"}', 6, HEADERS[:1])])
    assert all(summary.finished for summary in kafka.run()) and not kafka.differences()
    assert headers_in(broker, f"{topic_prefix}kept") == {1: [list(HEADERS)]}
    letters = [json.loads(m.value())["record"] for m in client.read(broker.bootstrap, f"{topic_prefix}bad")]
    assert len(letters) == 2 and all('"headers":[{"key":"trace","value":"AP8="}' in letter for letter in letters)
