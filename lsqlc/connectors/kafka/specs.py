"""Specifications of topics in Kafka, and their states: data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic to create: its name in Kafka, and the settings that it must have.

    `replication` None: the broker's default.
    """

    name: str
    partitions: int
    replication: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "partitions": self.partitions,
            "replication": self.replication,
            "config": dict(self.config),
        }


@dataclass(frozen=True, slots=True)
class TopicState:
    """The state of a topic in the cluster; `policies` are those of `cleanup.policy`."""

    name: str
    partitions: int
    replication: int
    policies: frozenset[str]
