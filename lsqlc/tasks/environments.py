"""Environments: targets that run some models of a project beside another target, and read the other topics from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.lower.spark import lower
from lsqlc.plan.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.checkpoints import deployed, described, generation_of, remove_checkpoint
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.deployment import steps
from lsqlc.tasks.environment_note import NOTE, Environment, read_environment
from lsqlc.tasks.notes import keep_note
from lsqlc.tasks.run_target import RunTarget, open_target


def changed_models(compilation: Compilation, place: RunTarget, store: CheckpointStore) -> tuple[str, ...]:
    """Return the models whose program is not the one that is live at `place`, and their readers, in order of
    dependency. `store`: the checkpoints there. Raises LsqlcError as `steps`.
    """
    changed = frozenset(step.model for step in steps(compilation, place, store) if step.own != "continue")
    models = (changed | compilation.graph.below(changed)) & compilation.plans.keys()
    return tuple(name for name in compilation.graph.order if name in models)


def with_models(
    compilation: Compilation, before: Environment | None, *, added: bool, by: str, at: float
) -> Environment:
    """Return the environment once the models of a compilation run there. `added`: the models that it has stay; else
    only their topics are read from it.
    """
    plans = compilation.plans
    before = before or Environment(since=at)
    names = {model.name for model in compilation.project.models}
    remaining = {name: reads for name, reads in before.models.items() if added and name in names and name not in plans}
    writers = compilation.graph.writers
    topics = frozenset(_outputs(plans.values()))
    topics |= {topic for topic in before.topics if writers.get(topic) in remaining}
    reads = {name: tuple(t.name for t in plan.inputs if t.name in topics) for name, plan in plans.items()}
    stage_topics = {stage.write.topic for plan in plans.values() for stage in lower(plan).stages}
    return replace(
        before, models={**remaining, **reads}, topics=topics, built=before.built | topics | stage_topics, by=by
    )


def check_cluster(place: RunTarget) -> None:
    """Refuse (LSQ798) an environment whose topics are in another cluster than those that it is to read. Raises
    LsqlcError as the clusters do.
    """
    base = place.target.defers
    if base is not None:
        place.connector.check_same(place.target.name, place.target.connection, base.name, base.connection)


def check_inputs(
    before: Environment | None, now: Environment, models: Collection[str], store: CheckpointStore, target: Target
) -> None:
    """Refuse (LSQ788) models whose checkpoint is of a topic of one target and which would read the one of the other:
    they would read records of both. `models`: those that run on the `target`.
    """
    assert target.defers is not None, "an environment defers to another target"
    base = target.defers.name
    if before is None:
        return
    ran = {parts.model for query, parts in deployed(store).items()}
    conflicts = {
        name: sorted(set(before.models[name]) ^ set(now.models[name]))
        for name in models
        if name in before.models and name in ran and set(before.models[name]) != set(now.models[name])
    }
    if not conflicts:
        return
    name, topics = next(iter(conflicts.items()))
    now_here = [topic for topic in topics if topic in now.topics]
    first = topics[0]
    message = (
        f"the model '{name}' has read '{first}' from the target '{base}', and the environment now writes it"
        if first in now_here
        else f"the model '{name}' has read '{first}' of the environment, and now reads it from the target '{base}'"
    )
    notes = (f"so do {listing(sorted(set(conflicts) - {name}))}",) if len(conflicts) > 1 else ()
    of_target = f"--target {target.name}"
    help = f"recompute it: `lsqlc run {of_target} --full-refresh`, or recreate it after `lsqlc env drop {of_target}`"
    raise LsqlcError([Diagnostic("LSQ788", message, notes=notes, help=help)])


def drop(place: RunTarget, project: str, store: CheckpointStore) -> tuple[str, ...]:
    """Remove the topics and checkpoints that an environment has written, and its note. Return the topics that existed.
    Topics of the other target stay. Hold the lock and the lease of the project.
    """
    environment = read_environment(place, project) or Environment()
    for query, parts in deployed(store).items():
        description = described(store, query)
        if description is not None:
            place.log.end_generations(parts.topic, [generation_of(query, description)])
        remove_checkpoint(store, query)
    there = set(place.log.names())
    place = open_target(place.root, replace(place.target, own=environment.built))
    for topic in sorted(environment.built):
        place.log.delete(topic)
    keep_note(place, project, NOTE, None)
    return tuple(sorted(environment.topics & there))


def drop_records(place: RunTarget) -> None:
    """Remove what lsqlc notes beside the topics, unless there are other topics. Nobody may hold a lease there."""
    if not place.log.names():
        place.log.delete_notes()


def _outputs(plans: Iterable[Plan]) -> Iterable[str]:
    return (topic.name for plan in plans for topic in plan.outputs)
