"""Records into a topic at a rate, and results out of another as they come, by a client beside lsqlc."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from random import Random

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tools.bench.changes import Received, Sent

# A row comes again after so many others: the next change of a row is of a later batch.
ROWS, GROUPS = 5_000, 100
# Times of records: each is a millisecond behind the one before, whatever the rate, so that runs are alike.
_FIRST_TIME = 1_700_000_000_000


@dataclass
class Load:
    """Records of `ROWS` rows by turns, which move among `GROUPS` groups, to a topic of one partition. `key_in_value`:
    the value has the key too, for readers of values alone.
    """

    bootstrap: str
    topic: str
    sent: list[Sent] = field(default_factory=list)
    key_in_value: bool = False

    def __post_init__(self) -> None:
        settings = {"bootstrap.servers": self.bootstrap, "linger.ms": 0, "acks": "all", "log_level": 0}
        self._producer = Producer(settings)
        self._random, self._numbers = Random(1), count(1)

    def send(self, rate: int, seconds: float) -> range:
        """Send so many records a second for so long; their numbers. What a late moment leaves is sent at once."""
        first, began = len(self.sent) + 1, time.monotonic()
        for n in range(int(rate * seconds)):
            wait = began + n / rate - time.monotonic()
            if wait > 0:
                self._producer.poll(0)
                time.sleep(max(0.0, began + n / rate - time.monotonic()))
            self._one()
        if self._producer.flush(30):
            raise RuntimeError(f"the broker did not take all records of '{self.topic}' within 30 seconds")
        return range(first, len(self.sent) + 1)

    def _one(self) -> None:
        number = next(self._numbers)
        key, group = f"k{number % ROWS}", f"g{self._random.randrange(GROUPS)}"
        record = Sent(number, key, group, _FIRST_TIME + number, time.monotonic())
        fields = {"k": key} if self.key_in_value else {}
        value = json.dumps({**fields, "g": group, "n": number}).encode()
        self._producer.produce(self.topic, value, key.encode(), timestamp=record.time)
        self.sent.append(record)


@dataclass
class Results:
    """What has been received of a topic: committed records only."""

    bootstrap: str
    topic: str
    received: list[Received] = field(default_factory=list)
    failed: list[Exception] = field(default_factory=list)

    @contextmanager
    def receiving(self) -> Iterator[Results]:
        """Inside the `with` results are received as they come."""
        ended = threading.Event()
        thread = threading.Thread(target=self._receive, args=(ended,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()

    def _receive(self, ended: threading.Event) -> None:
        consumer = Consumer(_reading(self.bootstrap, "read_committed"))
        try:
            consumer.assign([TopicPartition(self.topic, 0, 0)])
            while not ended.is_set():
                message = consumer.poll(0.2)
                if message is None:
                    continue
                if message.error():
                    raise KafkaException(message.error())
                self.received.append(Received(message.key() or b"", message.value(), time.monotonic()))
        except Exception as error:
            self.failed.append(error)
        finally:
            consumer.close()


def make_topic(bootstrap: str, topic: str) -> None:
    """A topic of one partition: the order of its records is that of all of its changes."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    (made,) = admin.create_topics([NewTopic(topic, 1, 1)]).values()
    made.result(30)


def state_of_topic(bootstrap: str, topic: str) -> str:
    """What is in a topic, for people: how many offsets it has, and how many of these no transaction holds back."""
    found = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0}).list_topics(timeout=30).topics
    if topic not in found:
        return f"the topic '{topic}' does not exist"
    ends = []
    for isolation in ("read_uncommitted", "read_committed"):
        consumer = Consumer(_reading(bootstrap, isolation))
        ends.append(consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=30)[1])
        consumer.close()
    return f"the topic '{topic}' has {ends[0]} offsets, {ends[1]} of them readable as committed"


def _reading(bootstrap: str, isolation: str) -> dict[str, str | int | bool]:
    return {
        "bootstrap.servers": bootstrap,
        "group.id": "bench-latency",
        "isolation.level": isolation,
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
        # A topic is looked at as soon as there is something.
        "fetch.wait.max.ms": 100,
        "log_level": 0,
    }
