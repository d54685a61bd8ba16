"""Looking up offsets of partitions: their begin, their end, and the first at a time, with one client for many
requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsqlc.connectors.aligned import Bounds, Partition
from lsqlc.connectors.kafka import offsets
from lsqlc.connectors.kafka.client import Admin
from lsqlc.connectors.kafka.failures import Task


@dataclass(frozen=True, slots=True)
class Search:
    """Requests about topics. `names`: the name of each in the cluster. Raises LsqlcError for errors of the cluster."""

    admin: Admin
    names: Mapping[str, str]
    task: Task

    def bounds(self) -> Bounds:
        """Return the offsets of `offsets.bounds`."""
        return {topic: offsets.bounds(self.admin, name, self.task) for topic, name in self.names.items()}

    def first_from(self, times: Mapping[Partition, int]) -> dict[Partition, int]:
        """Return the offsets of `offsets.near_each`."""
        topics = {name: topic for topic, name in self.names.items()}
        times_by_name = {(self.names[topic], partition): time for (topic, partition), time in times.items()}
        result = offsets.near_each(self.admin, times_by_name, self.task)
        return {(topics[name], partition): offset for (name, partition), offset in result.items()}
