"""Reading ranges of the partitions of a topic, in batches, in the order of offsets."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING

from lsqlc.connectors.kafka.client import Cluster, Heard, client_errors
from lsqlc.connectors.kafka.failures import FINAL, Failure, Task, raised
from lsqlc.connectors.kafka.merge import Merge
from lsqlc.connectors.kafka.retriable import ASKED_AGAIN

if TYPE_CHECKING:
    from confluent_kafka import Message

_BATCH = 10_000
# Records of one partition that wait for others before it pauses.
_MOST_WAITING = 100_000
_STEP = 0.1


def messages(
    cluster: Cluster, name: str, bounds: Mapping[int, tuple[int, int]], task: Task, *, patience: float | None = None
) -> Generator[Message, None, None]:
    """Yield the committed records of each partition between two offsets in order of (offset, partition).

    The end is exclusive. `patience`: seconds within which a record must arrive, if not those of the cluster. Raises
    LsqlcError.
    """
    ends = {partition: end for partition, (first, end) in bounds.items() if first < end}
    if not ends:
        return
    from confluent_kafka import TopicPartition

    events = Heard()
    consumer = cluster.consumer(events)
    merge: Merge[Message] = Merge(ends)
    paused: set[int] = set()
    limit = cluster.patience if patience is None else patience
    last = time.monotonic()
    try:
        with client_errors(cluster.settings, task, events):
            consumer.assign([TopicPartition(name, p, bounds[p][0]) for p in ends])
            while not merge.done:
                batch = consumer.consume(_BATCH, 0)
                if not batch:
                    message = consumer.poll(_STEP)
                    batch = [message] if message is not None else []
                for message in batch:
                    if message.error() is not None:
                        _end(message, ends, merge)
                        continue
                    last = time.monotonic()
                    partition, offset = message.partition(), message.offset()
                    end = ends[partition]
                    if offset < end:
                        merge.add(partition, offset, message)
                    if offset >= end - 1:
                        merge.close(partition)
                is_final = not batch and any(f.name in FINAL for f in events.failures)
                if time.monotonic() - last > limit or is_final:
                    failure = Failure("_TIMED_OUT", f"no record arrived within {limit:.0f} seconds")
                    raise raised(failure, events.failures, cluster.settings, task)
                yield from merge.ready()
                full = {p for p in ends if merge.waiting(p) > _MOST_WAITING and merge.is_open(p)}
                consumer.pause([TopicPartition(name, p) for p in full - paused])
                consumer.resume([TopicPartition(name, p) for p in paused - full])
                paused = full
            yield from merge.ready()
    finally:
        consumer.close()


def _end(message: Message, ends: Mapping[int, int], merge: Merge[Message]) -> None:
    """Close a partition at its end.

    A transient error is ignored: the consumer continues by itself. Raises KafkaException for any other message without
    a record.
    """
    from confluent_kafka import KafkaError, KafkaException

    if message.error().name() in ASKED_AGAIN:
        return
    if message.error().code() != KafkaError._PARTITION_EOF:
        raise KafkaException(message.error())
    if message.offset() >= ends[message.partition()]:
        merge.close(message.partition())
