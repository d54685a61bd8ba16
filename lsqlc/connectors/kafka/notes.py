"""A note about a project beside its leases, in the compacted topic `_lsqlc.leases`: the newest one of a name counts."""

from __future__ import annotations

from lsqlc.connectors.kafka import offsets
from lsqlc.connectors.kafka.access import Access, Operation
from lsqlc.connectors.kafka.admin import create
from lsqlc.connectors.kafka.client import Cluster, Heard, append_one
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.fetch import messages
from lsqlc.connectors.kafka.lease_log import CONFIG
from lsqlc.connectors.kafka.names import LEASES, kafka_name
from lsqlc.connectors.kafka.specs import TopicSpec


def read_note(cluster: Cluster, project: str, note: str) -> str | None:
    """Return the newest text, None if there is none. Raises LsqlcError as `KafkaLog` for errors of the cluster."""
    name, task = _place(cluster, "read", "Read", "Describe")
    bounds = offsets.bounds(cluster.admin(), name, task, committed=False)
    newest = None
    for message in messages(cluster, name, bounds, task):
        if message.key() == _key(project, note):
            newest = message.value()
    return None if newest is None else newest.decode("utf-8", "replace")


def write_note(cluster: Cluster, project: str, note: str, text: str | None, replication: int | None = None) -> None:
    """Replace the text; None removes it.

    `replication`: of the topic if it does not exist. Raises as `read_note`.
    """
    name, task = _place(cluster, "written", "Read", "Write", "Describe", "Create")
    create(cluster.admin(), TopicSpec(name, 1, replication, CONFIG), task)
    events = Heard()
    producer = cluster.appender(events, cluster.patience)
    value = None if text is None else text.encode()
    append_one(producer, name, _key(project, note), value, cluster.settings, task, events)


def _place(cluster: Cluster, verb: str, *operations: Operation) -> tuple[str, Task]:
    name = kafka_name(cluster.settings.prefix, LEASES)
    return name, Task(f"the topic '{name}' cannot be {verb}", (Access("topic", name, operations),))


def _key(project: str, note: str) -> bytes:
    # The keys of leases have the id of a run in place of the name of a note.
    return f"{project}/{note}".encode()
