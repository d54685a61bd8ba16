"""Where the partitions of a topic begin and end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsqlc.topics.kafka.admin import partitions_of
from lsqlc.topics.kafka.client import Admin
from lsqlc.topics.kafka.failures import Task

if TYPE_CHECKING:
    from confluent_kafka.admin import OffsetSpec


def bounds(admin: Admin, name: str, task: Task, *, committed: bool = True) -> dict[int, tuple[int, int]]:
    """The first offset of each partition, and that behind its last record: the last committed one, or of all. Empty for
    a topic that does not exist. Raises LsqlcError.
    """
    from confluent_kafka.admin import OffsetSpec

    partitions = partitions_of(admin, name, task)
    if not partitions:
        return {}
    first = _offsets(admin, name, partitions, OffsetSpec.earliest(), task, committed)
    last = _offsets(admin, name, partitions, OffsetSpec.latest(), task, committed)
    return {p: (first[p], last[p]) for p in range(partitions)}


def near(admin: Admin, name: str, time: int, task: Task) -> dict[int, int]:
    """What the brokers take for the first record of each partition whose time is at or after `time`, in epoch
    milliseconds: it may be the end of a transaction, or a record of one that was aborted. Of a partition without one
    there is nothing. Raises LsqlcError.
    """
    from confluent_kafka.admin import OffsetSpec

    partitions = partitions_of(admin, name, task)
    if not partitions:
        return {}
    found = _offsets(admin, name, partitions, OffsetSpec.for_timestamp(time), task, committed=True)
    return {p: offset for p, offset in found.items() if offset >= 0}


def ends(admin: Admin, name: str, task: Task, *, committed: bool = True) -> dict[int, int]:
    """The offset behind the last record of each partition, as `bounds`."""
    from confluent_kafka.admin import OffsetSpec

    partitions = partitions_of(admin, name, task)
    return _offsets(admin, name, partitions, OffsetSpec.latest(), task, committed) if partitions else {}


def _offsets(admin: Admin, name: str, partitions: int, spec: OffsetSpec, task: Task, committed: bool) -> dict[int, int]:
    from confluent_kafka import IsolationLevel, TopicPartition

    level: Any = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
    wanted = {TopicPartition(name, p): spec for p in range(partitions)}
    answers = admin.client.list_offsets(wanted, isolation_level=level, request_timeout=admin.cluster.patience)
    return {place.partition: admin.answer(future, task).offset for place, future in answers.items()}


def left(ends: Mapping[int, tuple[int, int]], done: Mapping[int, int]) -> int:
    """How many offsets lie behind those that somebody has come to, over all partitions. `ends`: what `bounds` gives;
    `done`: by partition, the next one to read; one that is missing is not begun.
    """
    return sum(max(0, end - max(first, done.get(p, first))) for p, (first, end) in ends.items())
