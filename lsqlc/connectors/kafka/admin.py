"""Topics of a cluster: listed, described, created, deleted. Creation and deletion wait for their effect."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from lsqlc.connectors.kafka.client import Admin
from lsqlc.connectors.kafka.failures import Failure, Task, raised
from lsqlc.connectors.kafka.specs import TopicSpec, TopicState

_STEP = 0.02


def topic_names(admin: Admin, task: Task) -> tuple[str, ...]:
    """Return the topics that the user can see. Raises LsqlcError."""
    return tuple(admin.metadata(task).topics)


def partitions_of(admin: Admin, name: str, task: Task) -> int:
    """Return the number of partitions of a topic; 0 if it does not exist. Raises LsqlcError, LSQ735 without access."""
    description = _described(admin, [name], task)[name]
    return 0 if description is None else len(description.partitions)


def topic_id(admin: Admin, name: str, task: Task) -> str:
    """Return the id of a topic in the cluster; empty if it does not exist. Raises LsqlcError."""
    description = _described(admin, [name], task)[name]
    return "" if description is None else str(description.topic_id)


def states(admin: Admin, names: Collection[str], task: Task) -> dict[str, TopicState | None]:
    """Return the state of each topic by name, None for one that does not exist. Raises LsqlcError."""
    from confluent_kafka.admin import ConfigResource, ResourceType

    if not names:
        return {}
    descriptions = _described(admin, names, task)
    there = [name for name, description in descriptions.items() if description is not None]
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in there]
    futures = admin.client.describe_configs(resources, request_timeout=admin.cluster.patience) if there else {}
    policies = {
        resource.name: frozenset(admin.answer(future, task)["cleanup.policy"].value.split(","))
        for resource, future in futures.items()
    }
    return {
        name: None
        if description is None
        else TopicState(name, len(description.partitions), len(description.partitions[0].replicas), policies[name])
        for name, description in descriptions.items()
    }


def create(admin: Admin, spec: TopicSpec, task: Task) -> bool:
    """Create a topic, and wait until all of its partitions can be written.

    Returns False if it exists already, in whatever state. Raises LsqlcError.
    """
    from confluent_kafka.admin import NewTopic

    if partitions_of(admin, spec.name, task):
        return False
    topic = NewTopic(
        spec.name,
        num_partitions=spec.partitions,
        replication_factor=-1 if spec.replication is None else spec.replication,
        config=dict(spec.config),
    )
    future = admin.client.create_topics([topic], operation_timeout=admin.cluster.patience)[spec.name]
    created = admin.succeeds(future, task, "TOPIC_ALREADY_EXISTS")
    _wait(admin, spec.name, task, there=True)
    return created


def set_policy(admin: Admin, name: str, policy: str, task: Task) -> None:
    """Set the `cleanup.policy` of a topic, and no other property. Raises LsqlcError."""
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

    entry = ConfigEntry("cleanup.policy", policy, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[entry])
    futures = admin.client.incremental_alter_configs([resource], request_timeout=admin.cluster.patience)
    for future in futures.values():
        admin.answer(future, task)


def delete(admin: Admin, name: str, task: Task) -> None:
    """Delete a topic, and wait until its name is free; does nothing if it does not exist. Raises LsqlcError."""
    future = admin.client.delete_topics([name], operation_timeout=admin.cluster.patience)[name]
    admin.succeeds(future, task, "UNKNOWN_TOPIC_OR_PART")
    _wait(admin, name, task, there=False)


def _wait(admin: Admin, name: str, task: Task, *, there: bool) -> None:
    deadline = time.monotonic() + admin.cluster.patience
    while True:
        description = _described(admin, [name], task)[name]
        ready = description is not None and all(p.leader is not None for p in description.partitions)
        if ready if there else description is None:
            return
        if time.monotonic() > deadline:
            verb = "created" if there else "deleted"
            failure = Failure("_TIMED_OUT", f"'{name}' is not {verb} after {admin.cluster.patience:.0f} seconds")
            raise raised(failure, (), admin.cluster.settings, task)
        time.sleep(_STEP)


def _described(admin: Admin, names: Collection[str], task: Task) -> dict[str, Any]:
    """Return the description of each topic by the cluster; None for one that does not exist."""
    from confluent_kafka import TopicCollection

    futures = admin.client.describe_topics(TopicCollection(list(names)), request_timeout=admin.cluster.patience)
    return {name: admin.answer_unless(future, task, "UNKNOWN_TOPIC_OR_PART") for name, future in futures.items()}
