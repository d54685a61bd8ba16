"""What a stage needs to run in real time: slots for all of its tasks at once, and settings of its own.

Spark runs all tasks of such a query at the same time, for as long as a batch lasts: one for each partition that it
reads, and one for each partition of each shuffle. A task that finds no slot waits for ever, and the query with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lsqlc.lower.spark.evolution import PARTITIONS, STATE_FORMAT, STATE_PROVIDER
from lsqlc.lower.spark.steps import SparkPlan, Stage
from lsqlc.plan import nodes

# Spark says what it needs by errors at the start; these settings of a session would be such errors.
_SETTINGS: Mapping[str, str] = {"spark.sql.adaptive.enabled": "false"}
# Spark refuses checkpoints of the older form, since files of a state would be used again; here there is none.
_STATELESS: Mapping[str, str] = {"spark.sql.streaming.realTimeMode.dangerouslyAllowCheckpointV1.enabled": "true"}
# A state that is written batch by batch can be taken over in real time in this form only, in RocksDB.
_STATE: Mapping[str, str] = {
    STATE_FORMAT: "2",
    STATE_PROVIDER: "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}


def shuffles(stage: Stage) -> int:
    """How many shuffles a stage has: one before each operator with state; an aggregate over a TABLE keeps the rows in
    one and the groups in another.
    """
    return sum(_shuffles(node) for node in stage.origin.fed)


def slots(stage: Stage, read: Mapping[str, int], partitions: int) -> int:
    """How many slots the tasks of a stage take at once. `read`: how many partitions each topic has; `partitions`: of a
    shuffle.
    """
    sources = sum(read[topic] for source in stage.sources for topic in source.topics)
    return sources + shuffles(stage) * partitions


def with_settings(stage: Stage, partitions: int | None = None, *, new: bool) -> Stage:
    """A stage of a model that runs in real time, at some time, with the settings that it needs for it. `partitions`:
    those of its shuffles, None for those of the session; `new`: its state is made by it, in the form for real time.
    """
    own: dict[str, str] = {**_SETTINGS} if stage.real_time else {}
    if stage.real_time and not stage.state:
        own |= _STATELESS
    if stage.state:
        own |= _STATE if new else {}
        own |= {} if partitions is None else {PARTITIONS: str(partitions)}
    return replace(stage, settings=tuple(sorted({**own, **dict(stage.settings)}.items())))


def fitted(plan: SparkPlan, read: Mapping[str, int], slots_left: int, most: int) -> int:
    """How many partitions the shuffles of a plan can have so that all of its stages find slots: at least 1, and not
    more than `most`.
    """
    real = [stage for stage in plan.stages if shuffles(stage)]
    wanted = sum(shuffles(stage) for stage in real)
    taken = sum(slots(stage, read, 0) for stage in plan.stages)
    return max(1, min(most, (slots_left - taken) // wanted)) if wanted else most


def traced(stage: Stage) -> tuple[str, ...]:
    """The topics that a stage reads, if each record that it writes to a STREAM is made of one record of them."""
    if stage.held != "" or stage.write.semantics != "STREAM" or not all(map(_is_plain, stage.origin.fed)):
        return ()
    return tuple(dict.fromkeys(topic for source in stage.sources for topic in source.topics))


def _is_plain(node: nodes.Node) -> bool:
    """Whether its ordinals are those of records of a STREAM, with the numbers of elements behind."""
    return node.semantics == "STREAM" and all(map(_is_plain, nodes.inputs(node)))


def _shuffles(node: nodes.Node) -> int:
    own = (2 if node.input.semantics == "TABLE" else 1) if isinstance(node, nodes.Aggregate) else 0
    return own + sum(map(_shuffles, nodes.inputs(node)))
