"""What a client that is not lsqlc finds in topics: all committed records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from confluent_kafka import Consumer, TopicPartition


@dataclass(frozen=True, slots=True)
class Committed:
    """A record. `time`: in epoch milliseconds."""

    partition: int
    offset: int
    key: bytes
    value: bytes | None
    time: int
    headers: Mapping[str, bytes]


def committed(bootstrap: str, topic: str, partitions: int) -> list[Committed]:
    """All committed records of a topic, partition by partition. Raises RuntimeError where it cannot be read."""
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": "check",
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
        "log_level": 0,
    }
    consumer = Consumer(settings)
    found = []
    for partition in range(partitions):
        consumer.assign([TopicPartition(topic, partition, 0)])
        while True:
            message = consumer.poll(30)
            if message is None:
                raise RuntimeError(f"'{topic}' cannot be read")
            if message.error():
                break
            headers = dict(message.headers() or ())
            time = message.timestamp()[1]
            found.append(Committed(partition, message.offset(), message.key(), message.value(), time, headers))
    consumer.close()
    return found


def ends(bootstrap: str, topic: str, partitions: int) -> list[int]:
    """The offsets behind the last record of each partition, committed or not."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "check", "log_level": 0})
    try:
        return [consumer.get_watermark_offsets(TopicPartition(topic, p), timeout=30)[1] for p in range(partitions)]
    finally:
        consumer.close()
