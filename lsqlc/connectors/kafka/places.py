"""Where the first record lies in each partition that has come at or after a time.

The brokers look that up, but for them the marks that end transactions count too, and records of transactions that were
aborted: a mark has the time of the broker's clock, also where records have the times of events of long ago. So what is
at the offset that they give is looked at, and where it does not count, the records behind it, until one is found.
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
    """The offset of the first committed record of each partition whose time is at or after `time`, in epoch
    milliseconds; of a partition without one, and for None, that behind its last committed record. Empty for a topic
    that does not exist. Raises LsqlcError.
    """
    # Asked for first: what comes in between is behind it.
    bounds = offsets.bounds(admin, name, task)
    if time is None:
        return {p: end for p, (_, end) in bounds.items()}
    if time <= 0:
        # A record without a time has the time 0.
        return {p: first for p, (first, _) in bounds.items()}
    near = offsets.near(admin, name, time, task)
    found = {p: min(near.get(p, end), end) for p, (_, end) in bounds.items()}
    asked = {p: (offset, min(offset + 1, bounds[p][1])) for p, offset in found.items()}
    sure = {m.partition() for m in messages(cluster, name, asked, task) if _time(m) >= time}
    for partition, offset in found.items():
        if partition in sure:
            continue
        with closing(messages(cluster, name, {partition: (offset, bounds[partition][1])}, task)) as behind:
            first = next((m.offset() for m in behind if _time(m) >= time), None)
        found[partition] = bounds[partition][1] if first is None else first
    return found


def _time(message: Message) -> int:
    time: int = message.timestamp()[1]
    return time
