"""What the models of a project would do on a target, compared with the checkpoints that are there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from lsqlc.lower.spark import NEWEST, lower, unsupported
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.run.checkpoints import deployed, describe, foreseen, is_gone, left_behind
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.run.target_steps import Action, Deployed, Step, steps_of, without_model
from lsqlc.tasks.live_tests import LiveTests
from lsqlc.tasks.places import Place


def steps(compilation: Compilation, place: Place, store: CheckpointStore) -> tuple[Step, ...]:
    """A step for each selected model, in order of dependency, and for each that the target has and the project has
    not. Nothing is changed. Raises LsqlcError: LSQ666 for a checkpoint that cannot be read, and what the topics raise.
    """
    queries = queries_of(compilation, place)
    every = {query: parts for of in queries.values() for query, parts in of.items()}
    known, streams = foreseen(store, every), place.streams()
    lost = [q for q, parts in every.items() if q not in known and is_gone(store, q, parts.topic, streams)]
    there = Deployed(deployed(store), known, left_behind(store, every), lost)
    found = steps_of(queries, there, compilation.graph)
    models = {model.name for model in compilation.project.models}
    fresh = {topic for step in found if step.action in ("start", "rebuild") for topic in step.topics}
    return (*(_counted(step, compilation, place, fresh) for step in found), *without_model(models, there.there))


def steps_of_tests(tests: LiveTests, place: Place, store: CheckpointStore) -> tuple[Step, ...]:
    """A step for the tests of each topic beside the models: they start at the beginning of the topic, continue, or
    continue as they are now. Nothing else happens to them. Raises LsqlcError as `steps`.
    """
    found = []
    for name, plan in tests.plans.items():
        (stage,) = lower(plan, wires=place.wires).stages
        parts = describe(stage, partitions=1, server=NEWEST, model=name)
        known = foreseen(store, {name: parts}).get(name)
        action: Action = "start" if known is None else "change" if known else "continue"
        topics = (stage.write.topic,)
        replay = sum(place.log.count(topic.name) for topic in plan.inputs) if known is None else 0
        reasons = tuple(each.text for each in known or ())
        found.append(Step(name, action, reasons, topics, replay, () if known is None else (name,), action))
    return tuple(found)


def queries_of(compilation: Compilation, place: Place) -> Mapping[str, Mapping[str, Parts]]:
    """The queries of each model as any server and any number of partitions has them; none of a model that Spark cannot
    run. Those over Kafka are other ones than those over folders.
    """
    wires = place.wires
    return {
        name: {
            stage.name: describe(stage, partitions=1, server=NEWEST, model=name)
            for stage in lower(plan, wires=wires).stages
        }
        for name, plan in compilation.plans.items()
        if not unsupported(plan)
    }


def changes(compilation: Compilation, place: Place, store: CheckpointStore) -> Mapping[str, tuple[str, ...]]:
    """What has changed in each model since its queries were deployed, in words. Raises LsqlcError as `steps`."""
    queries = queries_of(compilation, place)
    every = {query: parts for of in queries.values() for query, parts in of.items()}
    found = foreseen(store, every)
    return {
        model: tuple(dict.fromkeys(finding.text for query in of for finding in found.get(query, ())))
        for model, of in queries.items()
    }


def _counted(step: Step, compilation: Compilation, place: Place, fresh: Collection[str]) -> Step:
    """The step with the number of records that its model reads from the beginning. `fresh`: topics that are written
    anew, whose records are not there yet.
    """
    if step.action not in ("start", "rebuild"):
        return step
    plan = compilation.plans.get(step.model)
    if plan is None or any(topic.files is not None or topic.name in fresh for topic in plan.inputs):
        return replace(step, replay=None)
    return replace(step, replay=sum(place.log.count(topic.name) for topic in plan.inputs))
