"""A client of a broker for tests: topics are made, records are written and read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

_SECONDS = 30.0


def create(bootstrap: str, *names: str, partitions: int = 1, **settings: str) -> None:
    """Make topics. `settings` of the topics by name, with `_` for `.`."""
    config = {name.replace("_", "."): value for name, value in settings.items()}
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    made = admin.create_topics([NewTopic(name, partitions, 1, config=config) for name in names])
    for future in made.values():
        future.result(_SECONDS)


def write(
    bootstrap: str,
    topic: str,
    records: Iterable[tuple[bytes | None, bytes | None, int]],
    settings: Mapping[str, str] | None = None,
) -> None:
    """Write records of (key, value, milliseconds), and wait until the broker has them. A lost one is an error."""
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0, **(settings or {})})
    failed = []
    for key, value, time in records:
        producer.produce(
            topic, value, key, timestamp=time, on_delivery=lambda error, _: failed.append(error) if error else None
        )
        producer.poll(0)
    assert producer.flush(_SECONDS) == 0 and not failed, failed


def read(bootstrap: str, topic: str, settings: Mapping[str, str] | None = None) -> list[Message]:
    """All records of a topic that are there now and committed, by partition and offset."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap, "group.id": "tests", "enable.auto.commit": False, "log_level": 0,
            "enable.partition.eof": True, "isolation.level": "read_committed", **(settings or {}),
        }
    )  # fmt: skip
    try:
        partitions = consumer.list_topics(topic, timeout=_SECONDS).topics[topic].partitions
        consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
        ended, messages = 0, []
        while ended < len(partitions):
            message = consumer.poll(_SECONDS)
            assert message is not None, f"no end of {topic} within {_SECONDS:g} seconds"
            if message.error() is None:
                messages.append(message)
            else:
                assert message.error().name() == "_PARTITION_EOF", message.error()
                ended += 1
    finally:
        consumer.close()
    return sorted(messages, key=lambda m: (m.partition(), m.offset()))
