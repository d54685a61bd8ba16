"""Compare the topics that models need with those of a cluster, and create the missing ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lsqlc.connectors.kafka.access import Access
from lsqlc.connectors.kafka.admin import create, set_policy, states
from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.copartition import Mismatch, mismatches
from lsqlc.connectors.kafka.failures import Task
from lsqlc.connectors.kafka.names import elsewhere, kafka_name, name_of
from lsqlc.connectors.kafka.plan import INPUT, POLICY, Change, Need, compared, needs, partitions_text
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.lower.spark import internal_topics
from lsqlc.remote.connectors.record import NeededTopics
from lsqlc.types.kafka import KafkaSettings


@dataclass(frozen=True, slots=True)
class TopicsPlan:
    """The differences between the topics that models need and those that exist."""

    changes: tuple[Change, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """The result for a topic. `outcome`: `created`, `altered`, `kept` (unchanged), or `failed`, with its `failure`."""

    change: Change
    outcome: str
    failure: Diagnostic | None = None

    def to_json(self) -> dict[str, Any]:
        return {"topic": self.change.need.topic, "name": self.change.need.spec.name, "outcome": self.outcome}


def needed_topics(requirements: NeededTopics, settings: KafkaSettings) -> tuple[Need, ...]:
    """Return the topics that models need, with their physical names.

    Raises LsqlcError LSQ600 for a model that is not supported on Spark, and LSQ737.
    """
    plans = requirements.plans
    internal = {model: internal_topics(plan) for model, plan in plans.items()}
    return tuple(_under(need, settings, requirements.renamed) for need in needs(plans, internal, settings))


def _under(need: Need, settings: KafkaSettings, renamed: Mapping[str, str]) -> Need:
    if need.topic not in renamed:
        return need
    return replace(need, spec=replace(need.spec, name=kafka_name(settings.prefix, renamed[need.topic])))


def topics_plan(requirements: NeededTopics, settings: KafkaSettings) -> TopicsPlan:
    """Compare the topics that models need with those of the cluster.

    Raises LsqlcError for a cluster that does not answer.
    """
    topics = needed_topics(requirements, settings)
    names = [need.spec.name for need in topics]
    needs_access = tuple(Access("topic", name, ("Describe", "DescribeConfigs")) for name in names)
    task = Task("the topics cannot be described", needs_access)
    topic_states = states(Cluster(settings).admin(), names, task) if names else {}
    changes = compared(topics, topic_states, requirements.written)
    partitions = {c.need.topic: c.state.partitions if c.state else c.need.spec.partitions for c in changes}
    unequal = mismatches(
        requirements.plans, {topic: count for topic, count in partitions.items() if topic not in _missing(changes)}
    )
    diagnostics = [d for change in changes for d in _findings(change, settings)]
    return TopicsPlan(changes, (*diagnostics, *(_unequal(m, settings) for m in unequal)))


def applied(
    plan: TopicsPlan,
    settings: KafkaSettings,
    *,
    alter: bool = False,
    inputs: bool = False,
    say: Callable[[Applied], None] = lambda _: None,
) -> tuple[Applied, ...]:
    """Create missing topics, and return the result for each topic.

    `alter`: also change a different cleanup policy; `inputs`: also create topics that no model writes, like `lsqlc
    seed`, but none of another target; `say`: called with each result. No topic is deleted, and no number of partitions
    is changed. An error of one topic does not prevent the creation of the others.
    """
    admin = Cluster(settings).admin()
    results = []
    for change in plan.changes:
        spec = change.need.spec
        outcome, failure = "kept", None
        try:
            if change.status == "create":
                task = Task(f"'{change.need.topic}' cannot be created", (Access("topic", spec.name, ("Create",)),))
                outcome = "created" if create(admin, spec, task) else "kept"
            elif inputs and change.status == "missing" and elsewhere(settings, change.need.topic) is None:
                task = Task(f"'{change.need.topic}' cannot be created", (Access("topic", spec.name, ("Create",)),))
                outcome = "created" if create(admin, replace(spec, config=INPUT), task) else "kept"
            elif alter and _policy_differs(change):
                access = Access("topic", spec.name, ("AlterConfigs",))
                task = Task(f"the policy of '{change.need.topic}' cannot be set", (access,))
                set_policy(admin, spec.name, spec.config[POLICY], task)
                outcome = "altered"
        except LsqlcError as error:
            outcome, failure = "failed", error.diagnostics[0]
        results.append(Applied(change, outcome, failure))
        say(results[-1])
    return tuple(results)


def create_missing(requirements: NeededTopics, settings: KafkaSettings) -> tuple[Applied, ...]:
    """Create missing topics, as `topics_plan` and `applied` do.

    Raises LsqlcError for topics that the models cannot use, before any is created, and for the first one that cannot be
    created.
    """
    planned = topics_plan(requirements, settings)
    errors = [d for d in planned.diagnostics if d.is_error]
    if errors:
        raise LsqlcError(errors)
    results = applied(planned, settings)
    failures = [one.failure for one in results if one.failure is not None]
    if failures:
        raise LsqlcError(failures[:1])
    return results


def _missing(changes: Collection[Change]) -> set[str]:
    return {change.need.topic for change in changes if change.status == "missing"}


def _policy_differs(change: Change) -> bool:
    state, policy = change.state, change.need.policy
    return state is not None and policy is not None and state.policies != frozenset(policy.split(","))


def _findings(change: Change, settings: KafkaSettings) -> list[Diagnostic]:
    need, state = change.need, change.state
    name, count = need.spec.name, need.spec.partitions
    if change.status == "missing":
        readers = ", ".join(f"'{model}'" for model in need.readers)
        command = f"{_topics_command(settings)} --create --topic {name} --partitions {count}"
        message = f"there is no topic '{name}', which {readers} read{'s' * (len(need.readers) == 1)}"
        other = elsewhere(settings, need.topic)
        help = f"create it there: {command}" if other else f"`lsqlc topics apply` creates it, or: {command}"
        note = f"it is read from the target '{other.target}'" if other else "no model of the project writes it"
        return [Diagnostic("LSQ741", message, notes=(note,), help=help)]
    if state is None:
        return []
    diagnostics = []
    if need.is_declared and state.partitions < count:
        message = f"the topic '{name}' has {partitions_text(state.partitions)}, and is declared with {count}"
        alter = f"{_topics_command(settings)} --alter --topic {name} --partitions {count}"
        note = "more partitions move keys: old and new records of a key are then in different ones"
        help = f"declare `partitions: {state.partitions}`, or: {alter}"
        diagnostics.append(Diagnostic("LSQ742", message, notes=(note,), help=help))
    if _policy_differs(change):
        has = ",".join(sorted(state.policies)) or "none"
        message = f"the topic '{name}' has {POLICY}={has}, and a {need.semantics} requires {need.policy}"
        why = (
            "rows of a TABLE that do not change would be deleted with old records"
            if need.semantics == "TABLE"
            else "records of a STREAM would be lost: only the newest of each key is kept"
        )
        help = (
            f"`lsqlc topics apply --alter`, or: kafka-configs --bootstrap-server {settings.bootstrap} --alter "
            f"--entity-type topics --entity-name {name} --add-config {POLICY}={need.policy}"
        )
        diagnostics.append(Diagnostic("LSQ743", message, notes=(why,), help=help, severity=Severity.WARNING))
    return diagnostics


def _unequal(mismatch: Mismatch, settings: KafkaSettings) -> Diagnostic:
    (few, fewer), (many, more) = sorted((mismatch.left, mismatch.right), key=lambda side: side[1])
    message = f"'{mismatch.model}' joins '{few}' of {partitions_text(fewer)} with '{many}' of {more}"
    note = "records are joined in the partition of their key, so both sides must have the same number"
    name = name_of(settings, few)
    help = f"{_topics_command(settings)} --alter --topic {name} --partitions {more}, before it has records"
    return Diagnostic("LSQ744", message, notes=(note,), help=help)


def _topics_command(settings: KafkaSettings) -> str:
    return f"kafka-topics --bootstrap-server {settings.bootstrap}"
