"""The demo over Kafka: what it reads back by another client, and that all of it runs."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import fastavro
import pytest

from tests.figures import ANSWERS, differences, in_kafka
from tests.kafka import client, demo
from tests.kafka.rows import Kept, records
from tests.registry.stand_in import State, stand_in
from tests.shared import SharedBroker

if TYPE_CHECKING:
    pass

SCHEMA = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "n", "type": "int"},
    ],
}
ANSWER = next(answer for answer in ANSWERS if answer.model == "gaming_sessions_table")


def test_bytes_are_read_by_their_beginning(broker: SharedBroker, topic_prefix: str) -> None:
    """Avro behind the id of its schema, JSON, text, and none."""
    state, body = State(), io.BytesIO()
    id = state.register("s-value", json.dumps(SCHEMA))
    fastavro.schemaless_writer(body, fastavro.parse_schema(SCHEMA), {"at": datetime(2013, 1, 1, 5, tzinfo=UTC), "n": 1})
    avro = b"\0" + id.to_bytes(4, "big") + body.getvalue()
    written = [(b"k", avro, 1), (b'{"a": 1}', b'{"n": 1.5}', 2), (None, None, 3)]
    client.create(broker.bootstrap, f"{topic_prefix}t")
    client.write(broker.bootstrap, f"{topic_prefix}t", written)
    with stand_in(state) as registry:
        found = list(records(broker.bootstrap, f"{topic_prefix}t", registry))
    assert found == [
        Kept("k", {"at": "2013-01-01T05:00:00Z", "n": 1}, 1), Kept({"a": 1}, {"n": 1.5}, 2), Kept(None, None, 3),
    ]  # fmt: skip


def test_the_newest_rows_are_compared(broker: SharedBroker, topic_prefix: str) -> None:
    """The last record of a key counts, a tombstone is no row; a row that is missing is a difference."""
    topic, rows = f"{topic_prefix}{ANSWER.topic}", ANSWER.rows()
    right = [(str(row.key).encode(), json.dumps(row.value).encode(), 0) for row in rows]
    client.create(broker.bootstrap, topic, partitions=3)
    client.write(broker.bootstrap, topic, [(right[0][0], b'{"total_points": 1}', 0), (b"x", b"{}", 0), *right])
    client.write(broker.bootstrap, topic, [(b"x", None, 0)], {"partitioner": "consistent_random"})
    assert differences(ANSWER, rows, in_kafka(broker.bootstrap, topic_prefix, None, ANSWER)) == []
    client.write(broker.bootstrap, topic, [(right[0][0], None, 0)], {"partitioner": "consistent_random"})
    assert differences(ANSWER, rows, in_kafka(broker.bootstrap, topic_prefix, None, ANSWER))


@pytest.mark.kafka
@pytest.mark.spark
def test_the_demo_over_a_few_flights(capfd: pytest.CaptureFixture[str]) -> None:
    """All commands end well, both engines agree, and nothing is left behind."""
    assert demo.main(["--limit", "300"]) == 0
    said = "".join(capfd.readouterr())
    assert "planes_by_airport: 'planes-by-airport' TABLE" in said and "planes that last flew to ATL: " in said
    assert not demo.FOLDER.exists()
