"""The offset of the first record of each partition at or after a time.

The brokers look it up, but they also count the markers that end transactions, and records of aborted transactions. A
marker has the time of the broker's clock, also if records have the times of events of long ago. So the record at the
offset is read and, if it does not count, those after it, up to the first that counts.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from lsqlc.connectors.kafka import offsets
from lsqlc.connectors.kafka.client import Admin, Cluster
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.fetch import messages

if TYPE_CHECKING:
    from confluent_kafka import Message


def at(cluster: Cluster, admin: Admin, name: str, time: int | None, task: Task) -> dict[int, int]:
    """Return the offset of the first committed record of each partition at or after `time`, in epoch milliseconds.

    For a partition without one, and for None, it is the offset after its last committed record. Empty for a topic that
    does not exist. Raises LsqlcError.
    """
    # Requested first: records that arrive in between are after these bounds.
    bounds = offsets.bounds(admin, name, task)
    if time is None:
        return {p: end for p, (_, end) in bounds.items()}
    if time <= 0:
        # A record without a time has the time 0.
        return {p: first for p, (first, _) in bounds.items()}
    near = offsets.near(admin, name, time, task)
    result = {p: min(near.get(p, end), end) for p, (_, end) in bounds.items()}
    single_records = {p: (offset, min(offset + 1, bounds[p][1])) for p, offset in result.items()}
    sure = {m.partition() for m in messages(cluster, name, single_records, task) if _time(m) >= time}
    for partition, offset in result.items():
        if partition in sure:
            continue
        with closing(messages(cluster, name, {partition: (offset, bounds[partition][1])}, task)) as behind:
            first = next((m.offset() for m in behind if _time(m) >= time), None)
        result[partition] = bounds[partition][1] if first is None else first
    return result


def _time(message: Message) -> int:
    time: int = message.timestamp()[1]
    return time
