"""Which models of a target run in real time, what they need there, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity, listing
from lsqlc.lower.spark.evolution import PARTITIONS_PART
from lsqlc.lower.spark.native_writers import needs_more
from lsqlc.lower.spark.real_time import fitted, shuffles, slots, with_settings
from lsqlc.lower.spark.steps import SparkPlan, Stage
from lsqlc.lower.spark.support import unsupported
from lsqlc.lower.spark.versions import Version
from lsqlc.project.build.compile import Compilation
from lsqlc.project.build.latency import latency_notes
from lsqlc.remote.run.checkpoints import described, location_of
from lsqlc.remote.run.slots import slots_of
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.run_target import RunTarget

# The version of Spark that runs aggregates in real time.
SINCE: Version = (4, 3)


@dataclass(frozen=True, slots=True)
class Latencies:
    """`models`: those that run in real time in a run that goes on and on; `found`: why others do not which are to,
    errors for those that ask for it themselves.
    """

    models: frozenset[str] = frozenset()
    found: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors, with which no run can start."""
        return tuple(d for d in self.found if d.is_error)


def latencies(compilation: Compilation, place: RunTarget) -> Latencies:
    """Return the latencies of the models of a compilation without errors, on a target."""
    qualified: set[str] = set()
    diagnostics: list[Diagnostic] = []
    for name, plan in compilation.plans.items():
        model = compilation.project.model(name)
        if model is None or unsupported(plan) or (model.latency or place.target.latency) != "real-time":
            continue
        asks = model.latency is not None
        if not place.capabilities.real_time:
            diagnostics += [_not_possible(name, place)] if asks else []
            continue
        against = [*latency_notes(model, plan), *_of_readers(name, compilation, asks=asks)]
        diagnostics += against
        if not against:
            qualified.add(name)
    return Latencies(frozenset(qualified), tuple(diagnostics))


def latency_text(known_latencies: Latencies) -> str | None:
    """Return the latencies as a sentence; None if no model runs in real time."""
    if not known_latencies.models:
        return None
    verb = "runs" if len(known_latencies.models) == 1 else "run"
    return f"with --continuous {listing(sorted(known_latencies.models))} {verb} in real time, else in micro-batches"


def check_version(models: Collection[str], version: Version) -> None:
    """Raise LsqlcError LSQ607 for a server that has no real-time mode."""
    if models and version < SINCE:
        required, has = (".".join(map(str, v)) for v in (SINCE, version))
        message = f"the server is Spark {has}, and models in real-time mode need {required}"
        help = f"run them on Spark {required} or newer, or write `latency: micro-batch`"
        raise LsqlcError([Diagnostic("LSQ607", message, notes=(listing(sorted(models)),), help=help)])


def wanted_slots(plans: Mapping[str, SparkPlan], place: RunTarget, models: Collection[str]) -> int:
    """Return the slots that an embedded server needs for models in real time, and for the batches of the other queries.

    A state needs the partitions that it has, or one for each shuffle if it is new or unknown yet.
    """
    if not models:
        return 0
    read = _partitions(place, (s for name in models for s in plans[name].stages))
    real = [stage for name in models for stage in plans[name].stages if stage.real_time]
    # Checkpoints at an address are read once there is a session.
    store = place.store() if isinstance(place.checkpoints, Path) else None
    states = {stage.name: _state(store, stage) if store else None for stage in real}
    has = {name: state.partitions or 1 if state else 1 for name, state in states.items()}
    return sum(slots(stage, read, has[stage.name]) for stage in real) + 1


def prepared(
    plans: Mapping[str, SparkPlan],
    place: RunTarget,
    models: Collection[str],
    spark: Any,
    refreshed: Collection[str],
) -> dict[str, SparkPlan]:
    """Return the plans with the settings of real time for those of `models`, whether they run in real time or not. A
    state that is made by these queries has its form, and as many partitions as there are slots for.

    `spark`: a session on the server; `refreshed`: models whose state is rebuilt. Raises LsqlcError LSQ605 where the
    server has too few slots for the stages in real time, LSQ606 for a state that cannot be taken over.
    """
    if not models:
        return dict(plans)
    store, free = place.store(spark), slots_of(spark)
    most = int(spark.conf.get("spark.sql.shuffle.partitions"))
    read = _partitions(place, (s for name in models for s in plans[name].stages))
    diagnostics: list[Diagnostic] = []
    result, used_slots = dict(plans), dict[str, int]()
    for name in sorted(models):
        states = {stage.name: None if name in refreshed else _state(store, stage) for stage in plans[name].stages}
        left = most if free is None else free - 1 - sum(used_slots.values())
        fits = most if free is None else fitted(plans[name], read, left, most)
        stages = []
        for stage in plans[name].stages:
            state = states[stage.name]
            if state is not None and state.form == "v1" and stage.real_time and stage.state:
                diagnostics.append(_old_form(name, stage))
            partitions = state.partitions if state else fits
            stages.append(with_settings(stage, partitions, new=state is None))
            if stage.real_time:
                own = dict(stages[-1].settings).get("spark.sql.shuffle.partitions", partitions)
                used_slots[stage.name] = slots(stage, read, int(own or fits))
        result[name] = replace(plans[name], stages=tuple(stages))
    if free is not None and used_slots and sum(used_slots.values()) + 1 > free:
        diagnostics.append(_too_few(plans, used_slots, free, read))
    if diagnostics:
        raise LsqlcError(diagnostics)
    return result


@dataclass(frozen=True, slots=True)
class _State:
    """That of a query that ended a batch: its form, as Spark calls it, and its partitions; None of one without any."""

    form: str
    partitions: int | None


def _state(store: CheckpointStore, stage: Stage) -> _State | None:
    description = described(store, stage.name)
    if description is None:
        return None
    log = store.batches(location_of(store, stage.name, description))
    number = description["parts"]["runtime"].get(PARTITIONS_PART)
    # Until a batch has ended there is no state.
    text = log.texts.get(f"commits/{log.committed}", "v2")
    return _State(text.split("\n", 1)[0], int(number) if number else None)


def _partitions(place: RunTarget, stages: Iterable[Stage]) -> dict[str, int]:
    """Return the number of partitions of each topic that stages read."""
    topics = {topic for stage in stages for source in stage.sources for topic in source.topics}
    return {topic: len(place.log.offsets(topic)) or 1 for topic in sorted(topics)}


def _of_readers(name: str, compilation: Compilation, *, asks: bool) -> Iterator[Diagnostic]:
    """LSQ603 for each model that needs more of the topics of another one than real time gives."""
    output_topics = [topic.name for topic in compilation.plans[name].outputs]
    for reader, plan in compilation.plans.items():
        if reader == name:
            continue
        for why in needs_more(plan, output_topics):
            yield Diagnostic(
                "LSQ603",
                f"the model '{name}' cannot run in real-time mode: '{reader}' needs more than it delivers",
                notes=(f"of '{reader}': {why}", *(() if asks else (f"'{name}' runs in micro-batches on this target",))),
                help=f"write `latency: micro-batch` for '{name}', or have '{reader}' read what '{name}' reads",
                severity=Severity.ERROR if asks else Severity.NOTE,
            )


def _not_possible(name: str, place: RunTarget) -> Diagnostic:
    return Diagnostic(
        "LSQ604",
        f"the model '{name}' runs in micro-batches on the target '{place.target.name}'",
        notes=(f"only topics in Kafka are read record by record, and those of the target are {place.connector.where}",),
        severity=Severity.NOTE,
    )


def _old_form(name: str, stage: Stage) -> Diagnostic:
    return Diagnostic(
        "LSQ606",
        f"the state of the query '{stage.name}' cannot be taken over in real time",
        notes=("its checkpoint has the format 1 of Spark's state, and real-time mode requires format 2",),
        help=f"run with `--full-refresh --select {name}` to rebuild it, or beside it with `lsqlc deploy stage`; "
        "or write `latency: micro-batch` to continue from it",
    )


def _too_few(
    plans: Mapping[str, SparkPlan], used_slots: Mapping[str, int], free: int, read: Mapping[str, int]
) -> Diagnostic:
    def said(stage: Stage) -> str:
        sources = sum(read[topic] for source in stage.sources for topic in source.topics)
        of_shuffles = used_slots[stage.name] - sources
        more = f" and {of_shuffles} of its state" if shuffles(stage) else ""
        return f"'{stage.name}' takes {used_slots[stage.name]}: {sources} partitions of its topics{more}"

    notes = [said(stage) for plan in plans.values() for stage in plan.stages if stage.name in used_slots]
    return Diagnostic(
        "LSQ605",
        f"models in real-time mode need {sum(used_slots.values()) + 1} task slots, and the server has {free}",
        notes=(
            *notes,
            "one more is for the batches of other queries",
            "all tasks of a query run at the same time",
        ),
        help="give the server more cores, run fewer of them in real time, or read topics with fewer partitions",
    )
