"""First and last offsets of the partitions of a topic."""

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
    """Return the first offset of each partition, and the one after its last record: the last committed one, or of all.

    Empty for a topic that does not exist. Raises LsqlcError.
    """
    from confluent_kafka.admin import OffsetSpec

    partitions = partitions_of(admin, name, task)
    if not partitions:
        return {}
    first = _offsets(admin, name, partitions, OffsetSpec.earliest(), task, committed)
    last = _offsets(admin, name, partitions, OffsetSpec.latest(), task, committed)
    return {p: (first[p], last[p]) for p in range(partitions)}


def near(admin: Admin, name: str, time: int, task: Task) -> dict[int, int]:
    """Return the offsets of `near_each` for all partitions of an existing topic."""
    offsets_by_partition = near_each(
        admin, dict.fromkeys(((name, p) for p in range(partitions_of(admin, name, task))), time), task
    )
    return {partition: offset for (_, partition), offset in offsets_by_partition.items()}


def near_each(admin: Admin, times: Mapping[tuple[str, int], int], task: Task) -> dict[tuple[str, int], int]:
    """Return the brokers' offset of the first record of each partition at or after a time in epoch milliseconds.

    Keys are (topic, partition). It may be the offset of the end of a transaction, or of a record of an aborted one. A
    partition without such a record is left out. Raises LsqlcError.
    """
    from confluent_kafka.admin import OffsetSpec

    result = _answers(admin, {place: OffsetSpec.for_timestamp(time) for place, time in times.items()}, task, True)
    return {place: offset for place, offset in result.items() if offset >= 0}


def ends(admin: Admin, name: str, task: Task, *, committed: bool = True) -> dict[int, int]:
    """Return the offset after the last record of each partition, as `bounds`."""
    from confluent_kafka.admin import OffsetSpec

    partitions = partitions_of(admin, name, task)
    return _offsets(admin, name, partitions, OffsetSpec.latest(), task, committed) if partitions else {}


def _offsets(admin: Admin, name: str, partitions: int, spec: OffsetSpec, task: Task, committed: bool) -> dict[int, int]:
    result = _answers(admin, {(name, p): spec for p in range(partitions)}, task, committed)
    return {partition: offset for (_, partition), offset in result.items()}


def _answers(
    admin: Admin, specs: Mapping[tuple[str, int], OffsetSpec], task: Task, committed: bool
) -> dict[tuple[str, int], int]:
    from confluent_kafka import IsolationLevel, TopicPartition

    if not specs:
        return {}
    level: Any = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED

    def ask(places: tuple[tuple[str, int], ...]) -> dict[tuple[str, int], Future[ListOffsetsResultInfo]]:
        request = {TopicPartition(*place): specs[place] for place in places}
        answers = admin.client.list_offsets(request, isolation_level=level, request_timeout=admin.cluster.patience)
        return {(at.topic, at.partition): future for at, future in answers.items()}

    return {place: result.offset for place, result in admin.answers(ask, specs, task).items()}
