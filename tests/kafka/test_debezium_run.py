"""Models over topics that Debezium writes, on Spark and Kafka: both engines agree, over two runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.types.kafka import KafkaSettings
from tests.kafka import client
from tests.kafka.rows import records
from tests.kafka.test_run import Kafka
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

ORDERS = lsqlc.Topic(
    "orders",
    key="id INT",
    value={"format": "debezium", "schema": "id INT, status STRING, total DECIMAL(20,4)", "decimals": "number"},
)
TABLE = "SELECT TABLE status, COUNT(*) AS n, SUM(total) AS total FROM orders GROUP BY status"
LETTERS = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; "


def change(op: str, id: int, row: str, time: int, *, schemas: bool = False) -> tuple[bytes, bytes, int]:
    """A record of an envelope. `row`: the text of `after`, or of a deletion `before`."""
    before, after = (row, "null") if op == "d" else ("null", row)
    text = f'{{"before":{before},"after":{after},"source":{{"connector":"postgresql","lsn":{time}}},"op":"{op}"}}'
    text = f'{{"schema":{{"type":"struct","fields":[]}},"payload":{text}}}' if schemas else text
    return f'{{"id":{id}}}'.encode(), text.encode(), time


def row(id: int, status: str, total: str) -> str:
    return f'{{"id":{id},"status":"{status}","total":{total}}}'


FIRST = [
    change("r", 1, row(1, "new", "12345678901234.5600"), 1_000),
    change("c", 2, row(2, "new", "7"), 2_000, schemas=True),
    change("c", 3, row(3, "new", "1.5"), 3_000),
    change("u", 1, row(1, "paid", "12345678901234.5600"), 4_000),
]
SECOND = [
    # An envelope of before once more.
    change("u", 1, row(1, "paid", "12345678901234.5600"), 5_000),
    change("d", 2, row(2, "new", "7"), 6_000, schemas=True),
    (b'{"id":2}', None, 6_001),
    change("u", 3, row(3, "sent", "1.5"), 7_000),
]
BAD = [
    (b'{"id":4}', b'{"op":"t","ts_ms":1}', 8_000),
    (b'{"id":4}', b'{"id":4,"status":"new"}', 8_001),
    (b'{"id":4}', b'{"op":"c","after":{"total":"x"}}', 8_002),
    (b'{"id":4}', b"\xff{", 8_003),
]


@pytest.fixture
def orders(broker: SharedBroker, topic_prefix: str) -> str:
    name = f"{topic_prefix}orders"
    client.create(broker.bootstrap, name, partitions=2)
    return name


@pytest.mark.parametrize("policy", ["", LETTERS], ids=["fails", "writes letters"])
def test_a_table_has_the_rows_of_the_database(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer,
    tmp_path: Path, orders: str, policy: str,
) -> None:  # fmt: skip
    """After inserts, updates, deletions with their tombstones, and an envelope that is written again."""
    plan = lsqlc.compile(policy + TABLE, topics=[ORDERS], name="out")
    kafka = Kafka(plan, KafkaSettings(broker.bootstrap, prefix=topic_prefix), tmp_path, kafka_spark,
                  kafka_spark_server.address)  # fmt: skip
    for part in (FIRST, SECOND, BAD if policy else []):
        client.write(broker.bootstrap, orders, part)
        assert all(summary.finished for summary in kafka.run()) and not kafka.differences()
    newest = {record.key: record.value for record in records(broker.bootstrap, f"{topic_prefix}out")}
    assert {key: value for key, value in newest.items() if value is not None} == {
        "paid": {"status": "paid", "n": 1, "total": 12345678901234.56},
        "sent": {"status": "sent", "n": 1, "total": 1.5},
    }
    if policy:
        letters = [record.value for record in records(broker.bootstrap, f"{topic_prefix}letters")]
        assert [letter["reason"] for letter in letters] == [
            "value: a truncation (op t) has no row",
            "value: the envelope has no 'op'",
            "value.total: expected DECIMAL(20,4)",
            "value: expected JSON",
        ]
        assert letters[0]["value"] == '{"op":"t","ts_ms":1}'
