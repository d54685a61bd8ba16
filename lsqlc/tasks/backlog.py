"""How much the queries of a run have to read before they have caught up, and which server of this machine suits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.lower.spark.checkpoint_parts import source_texts, sources_of
from lsqlc.lower.spark.steps import Source, SparkPlan, Stage
from lsqlc.remote.run.batch_log import BatchLog, UnknownLogError
from lsqlc.remote.run.checkpoints import described
from lsqlc.remote.run.query_batches import query_batches
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.run_target import RunTarget

LONG = 1_500_000
"""Records from which a query of a run that reads to the end is a long one. Java's second compiler takes as much of the
processors as it saves with some 900,000 (docs/internals/performance.md).
"""
WIDE = 100_000
"""Records from which the state of a query is large enough to be divided between the processors. In batches of some
thousand records two shuffle partitions take as long as one (docs/internals/spark-notes.md).
"""


@dataclass(frozen=True, slots=True)
class Fit:
    """What suits a run on a server of this machine: whether an embedded one has both of Java's compilers, as one that
    is kept has, and whether a new state gets as many shuffle partitions as there are processors, or one.
    """

    optimize: bool = False
    wide: bool = False


def fit(plans: Mapping[str, SparkPlan], place: RunTarget, *, anew: bool, continuous: bool) -> Fit:
    """By the query that has most to read. `anew`: all start from the beginning; `continuous`: the run goes on and on.

    What other queries of the run will write is not there yet, and files of the project are not counted.
    """
    store = place.store() if isinstance(place.checkpoints, Path) and not anew else None
    stages = [stage for plan in plans.values() for stage in plan.stages]
    behind = _counter(place, {topic for stage in stages for source in stage.sources for topic in source.topics})
    most = max((_left(stage, store, behind) for stage in stages), default=0)
    return Fit(continuous or most >= LONG, most >= WIDE)


@dataclass(frozen=True, slots=True)
class _Read:
    """What a source has read: the batches of its checkpoint, and which source of them it is."""

    log: BatchLog
    number: int


def topic_reads(stage: Stage, store: CheckpointStore | None) -> Iterator[tuple[str, BatchLog, int]]:
    """Each topic that a query reads, with the batches of its checkpoint and the number of its source among them.
    `store`: None for queries that start from the beginning.
    """
    log = _log(stage, store)
    for number, step in enumerate(sources_of(stage)):
        if isinstance(step, Source):
            yield from ((topic, log, number) for topic in step.topics)


def _left(stage: Stage, store: CheckpointStore | None, behind: Callable[[str, _Read], int]) -> int:
    return sum(behind(topic, _Read(log, number)) for topic, log, number in topic_reads(stage, store))


def _log(stage: Stage, store: CheckpointStore | None) -> BatchLog:
    known = described(store, stage.name) if store else None
    return (
        BatchLog({}) if store is None or known is None else query_batches(store, stage.name, known, source_texts(stage))
    )


def _counter(place: RunTarget, topics: Collection[str]) -> Callable[[str, _Read], int]:
    """Counts the records of one of these topics behind what was read of it."""
    progress = place.spark_connector.progress
    left = progress.left(place.log, topics)

    def records(topic: str, read: _Read) -> int:
        names = {topic: place.read_log.external_name(topic)}
        return left(topic, progress.read(read.log, read.log.committed, read.number, names)[topic])

    def behind(topic: str, read: _Read) -> int:
        try:
            return records(topic, read)
        except (UnknownLogError, KeyError, FileNotFoundError):
            # Who opens the checkpoint says what is wrong with it, and a segment may go; this only chooses a server.
            return 0

    return behind
