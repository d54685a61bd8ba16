"""The topics that models need in a Kafka cluster: planned, created, and the access that they take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from lsqlc.connectors.kafka.access import Access
from lsqlc.connectors.kafka.connector import settings_of
from lsqlc.connectors.kafka.grants import environment_grants, grants
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan.plan import Plan
from lsqlc.project.workspace import Workspace
from lsqlc.remote.connectors.kafka.topics import Applied, TopicsPlan, applied, needed_topics, topics_plan
from lsqlc.remote.connectors.record import NeededTopics
from lsqlc.tasks.environment_note import read_environment
from lsqlc.tasks.run_target import open_target
from lsqlc.tasks.selection import ModelSelection, sound_selection
from lsqlc.types.kafka import KafkaSettings


@dataclass(frozen=True, slots=True)
class TopicsRequest:
    """The models and the target of a command about topics.

    `noted`: on a target that defers to another one, only the models that its note lists.
    """

    target: str | None = None
    select: Sequence[str] = ()
    exclude: Sequence[str] = ()
    noted: bool = True


@dataclass(frozen=True, slots=True)
class KafkaTopics:
    """The selected models and their cluster.

    `written`: the topics that any model of the project writes there; `other`: the cluster of the target that this one
    defers to.
    """

    plans: Mapping[str, Plan]
    settings: KafkaSettings
    written: Collection[str]
    other: KafkaSettings | None = None

    def plan(self) -> TopicsPlan:
        """Compare the topics that the models need with those of the cluster. Raises LsqlcError as `topics_plan`."""
        return topics_plan(NeededTopics(self.plans, self.written), self.settings)

    def access(self) -> tuple[Access, ...]:
        """Return the access that the models take. No broker is asked."""
        if self.other is not None:
            return tuple(environment_grants(self.settings, self.other))
        return tuple(grants(needed_topics(NeededTopics(self.plans, self.written), self.settings), self.settings))


@dataclass(frozen=True, slots=True)
class AppliedTopics:
    """Topics after they were created and altered. `diagnostics`: failures, and differences that remain."""

    outcomes: tuple[Applied, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether no error remains."""
        return not any(d.is_error for d in self.diagnostics)

    @property
    def is_unchanged(self) -> bool:
        """Whether all topics were as they should be."""
        return all(applied.outcome == "kept" for applied in self.outcomes)


def kafka_topics(workspace: Workspace, request: TopicsRequest) -> KafkaTopics:
    """Return the selected models and the cluster of a target.

    Raises LsqlcError LSQ746 for a target without a cluster, and for models that do not compile.
    """
    target = workspace.target(request.target)
    settings = settings_of(target)
    if settings is None:
        message = f"the topics of the target '{target.name}' are not in Kafka"
        help = "add `kafka: {bootstrap: host:9092}` to it in profiles.yml, or choose another: --target NAME"
        raise LsqlcError([Diagnostic("LSQ746", message, help=help)])
    compilation = sound_selection(workspace, ModelSelection(request.select, request.exclude))
    if target.defers is None:
        return KafkaTopics(compilation.plans, settings, tuple(compilation.graph.writers))
    plans, own = compilation.plans, frozenset[str]()
    if request.noted:
        environment = read_environment(open_target(workspace.root, target), workspace.name)
        plans = {name: plan for name, plan in plans.items() if environment and name in environment.models}
        own = environment.topics if environment else own
        own_settings = settings_of(open_target(workspace.root, replace(target, own=own)).target)
        assert own_settings is not None, "the connector stays the same"
        settings = own_settings
    return KafkaTopics(plans, settings, tuple(own), settings_of(target.defers))


def apply_topics(topics: KafkaTopics, *, alter: bool, report: Callable[[Applied], None]) -> AppliedTopics:
    """Create the topics that are missing, also those that no model writes. `alter`: set other cleanup policies too.

    `report`: called for each topic. Raises LsqlcError for a cluster that does not answer.
    """
    planned = topics.plan()
    outcomes = applied(planned, topics.settings, alter=alter, inputs=True, say=report)
    names = {kind: {o.change.need.spec.name for o in outcomes if o.outcome == kind} for kind in ("altered", "created")}
    remaining = [
        d
        for d in planned.diagnostics
        if not (d.code == "LSQ743" and _is_about(d, names["altered"]))
        and not (d.code == "LSQ741" and _is_about(d, names["created"]))
    ]
    failed = [outcome.failure for outcome in outcomes if outcome.failure is not None]
    if failed:
        remaining += [*failed, _incomplete(len(failed), len(outcomes), len(names["altered"]) + len(names["created"]))]
    return AppliedTopics(tuple(outcomes), tuple(remaining))


def _is_about(diagnostic: Diagnostic, topics: Collection[str]) -> bool:
    return any(f"'{name}'" in diagnostic.message for name in topics)


def _incomplete(failed: int, total: int, changed: int) -> Diagnostic:
    were, stay = ("was", "stays") if changed == 1 else ("were", "stay")
    return Diagnostic(
        "LSQ745",
        f"{failed} of {total} topics could not be created or altered",
        notes=(f"{changed} {were} created or altered, and {stay}",),
        help="fix the cause, and run the same command again",
    )
