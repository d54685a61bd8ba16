"""The topics that a project needs in a cluster, by its plans alone, and the comparison with the existing ones. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lsqlc.connectors.kafka import commits, lease_log, names
from lsqlc.connectors.kafka.names import kafka_name, name_of
from lsqlc.connectors.kafka.specs import TopicSpec, TopicState
from lsqlc.plan.nodes import Semantics
from lsqlc.plan.plan import Plan
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Topic

Role = Literal["input", "output", "internal", "commits", "leases"]
Status = Literal["create", "matches", "differs", "missing"]
# The topics between the stages of a plan, by name.
Internal = Mapping[str, tuple[Topic, Semantics]]

POLICY = "cleanup.policy"
# A record keeps its own time, whatever the broker's default.
_OWN_TIME = {"message.timestamp.type": "CreateTime"}
# A topic that no model writes, created for records of any age.
INPUT = {POLICY: "delete", "retention.ms": "-1", **_OWN_TIME}
# The output of a stage is kept until the next one reads it, however late.
_KEPT = {"retention.ms": "-1"}


@dataclass(frozen=True, slots=True)
class Need:
    """A topic that models need. `topic`: its name in the project; `spec`: its specification in the cluster.

    For an input that no model writes, `spec` contains the properties that its declaration requires: a run does not
    create it, and `topics apply` does.
    """

    topic: str
    role: Role
    spec: TopicSpec
    writers: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    semantics: Semantics | None = None
    # Whether the number of partitions is declared, and not a default.
    is_declared: bool = False

    @property
    def policy(self) -> str | None:
        """Return the `cleanup.policy` that it must have; None if each is valid."""
        return self.spec.config.get(POLICY)


@dataclass(frozen=True, slots=True)
class Change:
    """A needed topic compared with the existing one. `differences` are clauses: "has 2 partitions, and needs 4"."""

    need: Need
    status: Status
    state: TopicState | None = None
    differences: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        need, state = self.need, self.state
        return {
            "topic": need.topic,
            "name": need.spec.name,
            "role": need.role,
            "semantics": need.semantics,
            "status": self.status,
            "differences": list(self.differences),
            "partitions": need.spec.partitions,
            "replication": need.spec.replication,
            "config": dict(need.spec.config),
            "writers": list(need.writers),
            "readers": list(need.readers),
            "there": None
            if state is None
            else {
                "partitions": state.partitions,
                "replication": state.replication,
                POLICY: ",".join(sorted(state.policies)),
            },
        }


def needs(plans: Mapping[str, Plan], internal: Mapping[str, Internal], settings: KafkaSettings) -> tuple[Need, ...]:
    """Return the topics that models need, inputs first, each once, in order of the models. `internal`: by model.

    A TABLE is compacted: the newest record of a key is its row. A STREAM is not: each record counts. Raises LsqlcError
    LSQ737 for a name that is invalid in Kafka.
    """
    written_topics: dict[str, tuple[Topic, Semantics, Role]] = {}
    writers: dict[str, list[str]] = {}
    readers: dict[str, list[str]] = {}
    read: dict[str, Topic] = {}
    for model, plan in plans.items():
        outputs: dict[str, tuple[Topic, Semantics, Role]] = {
            topic.name: (topic, plan.semantics[topic.name], "output") for topic in plan.outputs
        }
        passed: dict[str, tuple[Topic, Semantics, Role]] = {
            name: (topic, semantics, "internal") for name, (topic, semantics) in internal.get(model, {}).items()
        }
        for name, entry in (outputs | passed).items():
            if entry[0].is_log:
                output = written_topics.setdefault(name, entry)
                if output[0].partitions is None:
                    written_topics[name] = entry
                writers.setdefault(name, []).append(model)
        for topic in plan.inputs:
            if topic.is_log:
                read.setdefault(topic.name, topic)
                readers.setdefault(topic.name, []).append(model)
        for name in passed:
            readers.setdefault(name, []).append(model)

    def need(topic: Topic, role: Role, semantics: Semantics | None) -> Need:
        spec = TopicSpec(
            name_of(settings, topic.name),
            topic.partitions or settings.partitions,
            settings.replication,
            {} if semantics is None else _config(role, semantics),
        )
        name = topic.name
        return Need(
            name,
            role,
            spec,
            tuple(writers.get(name, ())),
            tuple(readers.get(name, ())),
            semantics,
            topic.partitions is not None,
        )

    topics = [need(topic, "input", None) for name, topic in read.items() if name not in written_topics]
    topics += [need(topic, role, semantics) for topic, semantics, role in written_topics.values()]
    if written_topics:
        markers = TopicSpec(kafka_name(settings.prefix, commits.TOPIC), 1, settings.replication, commits.CONFIG)
        everybody = tuple(plans)
        topics.append(Need(commits.TOPIC, "commits", markers, everybody, everybody, "TABLE", True))
        runs = TopicSpec(kafka_name(settings.prefix, names.LEASES), 1, settings.replication, lease_log.CONFIG)
        topics.append(Need(names.LEASES, "leases", runs, everybody, everybody, "TABLE", True))
    return tuple(topics)


def _config(role: Role, semantics: Semantics) -> dict[str, str]:
    policy = {POLICY: "compact"} if semantics == "TABLE" else {POLICY: "delete"}
    retention = _KEPT if role == "internal" and semantics == "STREAM" else {}
    return policy | retention | _OWN_TIME


def compared(
    all_needs: Collection[Need], there: Mapping[str, TopicState | None], others: Collection[str] = ()
) -> tuple[Change, ...]:
    """Return each needed topic compared with the existing one, by its name in the cluster.

    `others`: topics that other models of the project write, which are not selected: a missing input is created by its
    writer.
    """
    return tuple(_compared(need, there.get(need.spec.name), need.topic in others) for need in all_needs)


def _compared(need: Need, state: TopicState | None, is_written: bool) -> Change:
    if state is None:
        return Change(need, "missing" if need.role == "input" and not is_written else "create")
    differences = tuple(_differences(need, state))
    return Change(need, "differs" if differences else "matches", state, differences)


def _differences(need: Need, state: TopicState) -> Iterator[str]:
    if need.is_declared and state.partitions < need.spec.partitions:
        yield f"has {partitions_text(state.partitions)}, and needs {need.spec.partitions}"
    if need.policy is not None and state.policies != frozenset(need.policy.split(",")):
        yield f"has {POLICY}={','.join(sorted(state.policies)) or 'none'}, and needs {need.policy}"


def transactions(change: Change, settings: KafkaSettings) -> str | None:
    """Return the number of transactions that write a batch to the topic; None for one without batches."""
    if change.need.role not in ("output", "internal"):
        return None
    if settings.writers == "native":
        return "none"
    most = change.state.partitions if change.state else change.need.spec.partitions
    if settings.writers == "auto":
        return "1" if most == 1 else f"1 to {most}"
    return str(min(settings.writers, most))


def partitions_text(count: int) -> str:
    """Return a number of partitions as text for messages."""
    return f"{count} partition{'s' * (count != 1)}"
