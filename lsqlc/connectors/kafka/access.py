"""The access of a client to a cluster, in the terms of Kafka's access control, and the command that grants it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.names import name_of
from lsqlc.types.kafka import KafkaSettings

Resource = Literal["topic", "group", "transactional-id", "cluster"]
Operation = Literal["Read", "Write", "Describe", "Create", "Delete", "DescribeConfigs", "AlterConfigs"]


@dataclass(frozen=True, slots=True)
class Access:
    """Operations on one resource, or with `prefixed` on all whose names begin with `name`.

    For the cluster, `name` is the one that Kafka gives it.
    """

    resource: Resource
    name: str
    operations: tuple[Operation, ...]
    prefixed: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data with the terms of Kafka's own `ResourceType` and `PatternType`."""
        return {
            "resource_type": self.resource.upper().replace("-", "_"),
            "resource_name": self.name,
            "pattern_type": "PREFIXED" if self.prefixed else "LITERAL",
            "operations": [operation.upper() for operation in map(_underscored, self.operations)],
        }


def command(access: Access, settings: KafkaSettings) -> str:
    """Return the command that grants it to the user of the settings.

    >>> command(Access("topic", "orders", ("Read",)), KafkaSettings("h:9092"))
    'kafka-acls --bootstrap-server h:9092 --add --allow-principal User:ANONYMOUS --operation Read --topic orders'
    """
    words = ["kafka-acls", "--bootstrap-server", settings.bootstrap, "--add", "--allow-principal", principal(settings)]
    for operation in access.operations:
        words += ["--operation", operation]
    words += ["--cluster"] if access.resource == "cluster" else [f"--{access.resource}", access.name]
    if access.prefixed:
        words += ["--resource-pattern-type", "prefixed"]
    return shlex.join(words)


def principal(settings: KafkaSettings) -> str:
    """Return the principal of the client. With a client certificate it is the subject, which only the broker maps."""
    security = settings.security
    if security.has_sasl and security.username:
        return f"User:{security.username}"
    return "User:CN=..." if security.certificate else "User:ANONYMOUS"


def merged(accesses: Iterable[Access]) -> tuple[Access, ...]:
    """Return each resource once, with all operations requested, in the order of first mention."""
    merged_operations: dict[tuple[str, str, bool], tuple[Operation, ...]] = {}
    for access in accesses:
        key = (access.resource, access.name, access.prefixed)
        merged_operations[key] = tuple(dict.fromkeys((*merged_operations.get(key, ()), *access.operations)))
    return tuple(Access(r, name, operations, prefixed) for (r, name, prefixed), operations in merged_operations.items())  # type: ignore[arg-type]


def reading(settings: KafkaSettings, topics: Iterable[str]) -> tuple[Access, ...]:
    """Return the access that a reader of topics needs; the names have no prefix."""
    of_topics = (Access("topic", name_of(settings, topic), ("Read", "Describe")) for topic in topics)
    return *of_topics, consumer_groups(settings)


def writing(settings: KafkaSettings, topic: str) -> tuple[Access, ...]:
    """Return the access that is needed to write and to create a topic; the name has no prefix."""
    return Access("topic", settings.prefix + topic, ("Write", "Describe", "Create")), transactions(settings)


def transactions(settings: KafkaSettings) -> Access:
    """Return the access that each writer needs: batches are transactions."""
    prefix = commits.transactional_prefix(settings.prefix)
    return Access("transactional-id", prefix, ("Write", "Describe"), prefixed=True)


def consumer_groups(settings: KafkaSettings) -> Access:
    """Return the access that each reader needs."""
    return Access("group", commits.group_prefix(settings.prefix), ("Read", "Describe"), prefixed=True)


def _underscored(operation: str) -> str:
    return "".join(f"_{c}" if c.isupper() and i else c for i, c in enumerate(operation))
