"""The requirements of a stage in real time: slots for all of its tasks at once, and settings of its own.

Spark runs all tasks of such a query at the same time, for as long as a batch lasts: one for each partition that it
reads, and one for each partition of each shuffle. A task without a slot waits forever, and the query with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsqlc.lower.spark.evolution import PARTITIONS, STATE_FORMAT, STATE_PROVIDER
from lsqlc.lower.spark.steps import Source, SparkPlan, Stage
from lsqlc.plan import nodes

# Spark reports its requirements by errors at the start; these settings of a session would cause such errors.
_SETTINGS: Mapping[str, str] = {"spark.sql.adaptive.enabled": "false"}
# Spark rejects checkpoints of the older form, since files of a state would be used again; here there is none.
_STATELESS: Mapping[str, str] = {"spark.sql.streaming.realTimeMode.dangerouslyAllowCheckpointV1.enabled": "true"}
# A state that is written batch by batch can be continued in real time in this form only, in RocksDB.
_STATE: Mapping[str, str] = {
    STATE_FORMAT: "2",
    STATE_PROVIDER: "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}


def shuffles(stage: Stage) -> int:
    """Return the number of shuffles of a stage: one before each stateful operator.

    An aggregate over a TABLE keeps the rows in one and the groups in another.
    """
    return sum(_shuffles(node) for node in stage.origin.fed)


def slots(stage: Stage, read: Mapping[str, int], partitions: int) -> int:
    """Return the number of slots that the tasks of a stage need at once.

    `read`: the number of partitions of each topic; `partitions`: of a shuffle.
    """
    sources = sum(read[topic] for source in stage.sources for topic in source.topics)
    return sources + shuffles(stage) * partitions


def with_settings(stage: Stage, partitions: int | None = None, *, new: bool) -> Stage:
    """Return a stage of a model in real time with the settings that it needs.

    The model may run in batches now, and in real time later. `partitions`: those of its shuffles, None for those of the
    session; `new`: the stage creates its state, in the form for real time.
    """
    own: dict[str, str] = {**_SETTINGS} if stage.real_time else {}
    if stage.real_time and not stage.state:
        own |= _STATELESS
    if stage.state:
        own |= _STATE if new else {}
        own |= {} if partitions is None else {PARTITIONS: str(partitions)}
    return replace(stage, settings=tuple(sorted({**own, **dict(stage.settings)}.items())))


def fitted(plan: SparkPlan, read: Mapping[str, int], slots_left: int, most: int) -> int:
    """Return the number of partitions of a plan's shuffles with which all of its stages have slots.

    It is at least 1, and at most `most`.
    """
    real = [stage for stage in plan.stages if shuffles(stage)]
    shuffle_count = sum(shuffles(stage) for stage in real)
    fixed_slots = sum(slots(stage, read, 0) for stage in plan.stages)
    return max(1, min(most, (slots_left - fixed_slots) // shuffle_count)) if shuffle_count else most


@dataclass(frozen=True, slots=True)
class Origins:
    """The topics, if each output record of a stage is computed from one record of them; else none.

    `dated`: its ordinal is that of the record after the time of a batch.
    """

    topics: tuple[str, ...] = ()
    dated: bool = False


def origins(stage: Stage) -> Origins:
    """Return the topics of the records from which the stage's records are computed, one from one."""
    roots = stage.origin.fed
    for semantics in ("STREAM", "TABLE"):
        if stage.held == "" and stage.write.semantics == semantics and all(_is_all(semantics, node) for node in roots):
            topics = dict.fromkeys(topic for source in stage.sources for topic in source.topics)
            # The rows of a later batch are newer (see `rows.upserts`).
            return Origins(tuple(topics), dated=semantics == "TABLE")
    return Origins()


def _is_all(semantics: str, node: nodes.Node) -> bool:
    """Return True if its ordinals are those of records, with the numbers of elements at the end."""
    return node.semantics == semantics and all(_is_all(semantics, part) for part in nodes.inputs(node))


def in_batches(stage: Stage) -> Stage:
    """Return a stage without state in micro-batches, each of which ends at its limit of records."""
    steps = (replace(s, real_time=False, together=False) if isinstance(s, Source) else s for s in stage.steps)
    return replace(stage, steps=tuple(steps), real_time=False) if stage.real_time else stage


def _shuffles(node: nodes.Node) -> int:
    own = (2 if node.input.semantics == "TABLE" else 1) if isinstance(node, nodes.Aggregate) else 0
    return own + sum(map(_shuffles, nodes.inputs(node)))
