"""Look up where partitions begin, end and come to a time, with one client for many questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsqlc.connectors.aligned import Bounds, Partition
from lsqlc.connectors.kafka import offsets
from lsqlc.connectors.kafka.client import Admin
from lsqlc.connectors.kafka.failures import Task


@dataclass(frozen=True, slots=True)
class Search:
    """Questions about topics. `names`: what each is called in the cluster. Raises LsqlcError for what that refuses."""

    admin: Admin
    names: Mapping[str, str]
    task: Task

    def bounds(self) -> Bounds:
        """As `offsets.bounds`."""
        return {topic: offsets.bounds(self.admin, name, self.task) for topic, name in self.names.items()}

    def first_from(self, times: Mapping[Partition, int]) -> dict[Partition, int]:
        """As `offsets.near_each`."""
        topics = {name: topic for topic, name in self.names.items()}
        asked = {(self.names[topic], partition): time for (topic, partition), time in times.items()}
        found = offsets.near_each(self.admin, asked, self.task)
        return {(topics[name], partition): offset for (name, partition), offset in found.items()}
