"""Where the partitions of a topic begin and end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.kafka.admin import partitions_of
from lsqlc.connectors.kafka.client import Admin
from lsqlc.connectors.kafka.failures import Task

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import ListOffsetsResultInfo, OffsetSpec


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
    """As `near_each`, of all partitions of a topic that exists."""
    found = near_each(admin, dict.fromkeys(((name, p) for p in range(partitions_of(admin, name, task))), time), task)
    return {partition: offset for (_, partition), offset in found.items()}


def near_each(admin: Admin, times: Mapping[tuple[str, int], int], task: Task) -> dict[tuple[str, int], int]:
    """What the brokers take for the first record of each partition whose time is at or after the one asked for, in
    epoch milliseconds, by topic and partition: it may be the end of a transaction, or a record of one that was aborted.
    Of a partition without one there is nothing. Raises LsqlcError.
    """
    from confluent_kafka.admin import OffsetSpec

    found = _answers(admin, {place: OffsetSpec.for_timestamp(time) for place, time in times.items()}, task, True)
    return {place: offset for place, offset in found.items() if offset >= 0}


def ends(admin: Admin, name: str, task: Task, *, committed: bool = True) -> dict[int, int]:
    """The offset behind the last record of each partition, as `bounds`."""
    from confluent_kafka.admin import OffsetSpec

    partitions = partitions_of(admin, name, task)
    return _offsets(admin, name, partitions, OffsetSpec.latest(), task, committed) if partitions else {}


def _offsets(admin: Admin, name: str, partitions: int, spec: OffsetSpec, task: Task, committed: bool) -> dict[int, int]:
    found = _answers(admin, {(name, p): spec for p in range(partitions)}, task, committed)
    return {partition: offset for (_, partition), offset in found.items()}


def _answers(
    admin: Admin, asked: Mapping[tuple[str, int], OffsetSpec], task: Task, committed: bool
) -> dict[tuple[str, int], int]:
    from confluent_kafka import IsolationLevel, TopicPartition

    if not asked:
        return {}
    level: Any = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED

    def ask(places: tuple[tuple[str, int], ...]) -> dict[tuple[str, int], Future[ListOffsetsResultInfo]]:
        wanted = {TopicPartition(*place): asked[place] for place in places}
        answers = admin.client.list_offsets(wanted, isolation_level=level, request_timeout=admin.cluster.patience)
        return {(at.topic, at.partition): future for at, future in answers.items()}

    return {place: result.offset for place, result in admin.answers(ask, asked, task).items()}
