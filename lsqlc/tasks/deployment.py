"""What the models of a project would do on a target, compared with the checkpoints that are there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from lsqlc.lower.spark import NEWEST, lower, unsupported
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.starts import Begun, Start, shown
from lsqlc.remote.run.checkpoints import deployed, describe, foreseen, is_gone, left_behind
from lsqlc.remote.run.start_offsets import OffsetFinder
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.run.target_steps import Action, Deployed, Step, steps_of, without_model
from lsqlc.tasks.histories import history_check, history_text
from lsqlc.tasks.live_tests import LiveTests
from lsqlc.tasks.losses import losses
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.starts import Starts, begun_live, counter

_NO_STARTS: Starts = MappingProxyType({})


def steps(
    compilation: Compilation, place: RunTarget, store: CheckpointStore, starts: Starts = _NO_STARTS, now: float = 0.0
) -> tuple[Step, ...]:
    """A step for each selected model, in order of dependency, and for each that the target has and the project has
    not. Nothing is changed. `starts`: where new queries begin; `now`: seconds since 1970. Raises LsqlcError: LSQ666 for
    a checkpoint that cannot be read, and what the topics raise.
    """
    queries = queries_of(compilation, place)
    every = {query: parts for of in queries.values() for query, parts in of.items()}
    known, streams = foreseen(store, every), place.streams()
    lost = [q for q, parts in every.items() if q not in known and is_gone(store, q, parts.topic, streams)]
    plans = {name: lower(compilation.plans[name], wires=place.wires) for name in queries}
    missing = {loss.query: loss.texts for loss in losses(plans, place, store)}
    there = Deployed(deployed(store), known, left_behind(store, every), lost, missing)
    found = steps_of(queries, there, compilation.graph)
    models = {model.name for model in compilation.project.models}
    fresh = {topic for step in found if step.action in ("start", "rebuild") for topic in step.topics}
    counted = (_counted(step, compilation, place, fresh, starts.get(step.model, {}), now) for step in found)
    begun = begun_live(store, compilation.plans)

    def files(start: Start | Begun) -> str:
        return f" ({history_text(compilation, place, start.history)})" if start.history else ""

    told = (_with_starts(s, starts.get(s.model, {}), begun.get(s.model, {}), now, files) for s in counted)
    return (*told, *without_model(models, there.there))


def steps_of_tests(tests: LiveTests, place: RunTarget, store: CheckpointStore) -> tuple[Step, ...]:
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


def queries_of(compilation: Compilation, place: RunTarget) -> Mapping[str, Mapping[str, Parts]]:
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


def changes(compilation: Compilation, place: RunTarget, store: CheckpointStore) -> Mapping[str, tuple[str, ...]]:
    """What has changed in each model since its queries were deployed, in words. Raises LsqlcError as `steps`."""
    queries = queries_of(compilation, place)
    every = {query: parts for of in queries.values() for query, parts in of.items()}
    found = foreseen(store, every)
    return {
        model: tuple(dict.fromkeys(finding.text for query in of for finding in found.get(query, ())))
        for model, of in queries.items()
    }


def _counted(
    step: Step,
    compilation: Compilation,
    place: RunTarget,
    fresh: Collection[str],
    starts: Mapping[str, Start | Begun],
    now: float,
) -> Step:
    """The step with the number of records that its model reads from the beginning, or from its `starts`. `fresh`:
    topics that are written again, whose records are not there yet.
    """
    if step.action not in ("start", "rebuild"):
        return step
    plan = compilation.plans.get(step.model)
    if plan is None or any(topic.files is not None or topic.name in fresh for topic in plan.inputs):
        return replace(step, replay=None)
    count = counter(place, OffsetFinder(place.log.place, int(now * 1000), history_check(compilation, place)))
    return replace(step, replay=sum(count(topic.name, starts.get(topic.name)) for topic in plan.inputs))


def _with_starts(
    step: Step,
    starts: Mapping[str, Start | Begun],
    begun: Mapping[str, Start | Begun],
    now: float,
    files: Callable[[Start | Begun], str],
) -> Step:
    """The step with where its model begins to read; of one that continues, with what its checkpoint does not know.
    `files`: of how many a history consists.
    """
    millis = int(now * 1000)
    new = [f"reads '{topic}' from {shown(start, millis)}{files(start)}" for topic, start in starts.items()]
    if step.action in ("start", "rebuild"):
        return replace(step, starts=tuple(new))
    changed = [
        f"began to read '{topic}' from {_told(begun.get(topic), millis)}, "
        f"and with a new checkpoint would begin from {_told(starts.get(topic), millis)}"
        for topic in dict.fromkeys((*starts, *begun))
        if _text(starts.get(topic)) != _text(begun.get(topic))
    ]
    return replace(step, starts=tuple(changed))


def _told(start: Start | Begun | None, now: int) -> str:
    return "its first record" if start is None else shown(start, now)


def _text(start: Start | Begun | None) -> str:
    return "earliest" if start is None else start.text
