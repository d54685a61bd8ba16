"""Have the next batch of a query end at a chosen place, before the query starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from lsqlc.connectors.aligned import Partition, PartitionOffsets, Spans, Unread
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.checkpoint_parts import source_text
from lsqlc.lower.spark.source_names import source_names
from lsqlc.lower.spark.steps import FileSource, Source, Stage
from lsqlc.remote.run.batch_log import BatchLog
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.session.failures import PassingError, is_lost, is_passing, query_failed
from lsqlc.tasks.run_target import RunTarget


def topic_sources(stage: Stage) -> Iterable[Source]:
    """The sources in the order in which a checkpoint counts them. Those of files of other kinds are refused before."""
    for step in stage.steps:
        assert not isinstance(step, FileSource), "where a batch ends is chosen for topics only"
        if isinstance(step, Source):
            yield step


def read_log(store: CheckpointStore, node: Node, checkpoint: Checkpoint) -> BatchLog:
    """What Spark keeps of the batches of a query. Raises LsqlcError LSQ784 as the store does."""
    log = store.batches(checkpoint.location)
    if not checkpoint.form.named:
        return log
    return replace(log, names=source_names([source_text(step) for step in topic_sources(node.stage)]))


def end_batch(
    store: CheckpointStore, node: Node, checkpoint: Checkpoint, log: BatchLog, texts: Mapping[str, str]
) -> bool:
    """Write where the next batch of a query ends, as `next_batch` gives it; see `CheckpointStore.end_batch`. Raises
    PassingError where it may be when it is tried again, LsqlcError as `query_failed` says where it cannot be; a lost
    server raises what pyspark raises.
    """
    try:
        return store.end_batch(checkpoint.location, log, texts, dict(checkpoint.of(node.stage).settings))
    except Exception as error:
        if is_lost(error) or isinstance(error, LsqlcError):
            raise
        failed = [query_failed(node.model, node.query, error, skip_setting=node.stage.skip_setting)]
        if is_passing(error) or isinstance(error, TimeoutError):
            raise PassingError(failed) from None
        raise LsqlcError(failed) from None


def next_offsets(
    place: RunTarget, checkpoint: Checkpoint, log: BatchLog, batch: int, number: int, source: Source
) -> PartitionOffsets:
    """The next offset of each partition that a source reads behind a batch, or where it starts. A partition that is
    not there is read from its first record. Raises UnknownLogError, KeyError.
    """
    read, log_names = log.offsets(batch, number), place.read_log
    found: dict[Partition, int] = {}
    for topic in source.topics:
        begun = checkpoint.begun.get(topic)
        places = (dict(begun.places) if begun else {}) | dict(read.get(log_names.external_name(topic), {}))
        found |= {(topic, partition): offset for partition, offset in places.items()}
    return found


def unread(place: RunTarget, source: Source, spans: Spans) -> Unread:
    """What a source has not read, with the number of records that a batch of it takes."""
    return Unread(spans, None if source.together else place.capabilities.records_per_batch)


def external_names(place: RunTarget, stage: Stage) -> dict[str, str]:
    """The names of the topics that a stage reads in the system that holds them."""
    log = place.read_log
    return {topic: log.external_name(topic) for source in topic_sources(stage) for topic in source.topics}
