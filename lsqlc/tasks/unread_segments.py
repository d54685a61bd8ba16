"""The segments that the queries of a run have still to read must be as they were written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from lsqlc.connectors.findings import Findings
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.remote.run.batch_log import UnknownLogError, file_address
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.backlog import topic_reads
from lsqlc.tasks.run_target import RunTarget


def check_unread(
    plans: Mapping[str, SparkPlan], place: RunTarget, store: CheckpointStore | None, refreshed: Collection[str] = ()
) -> None:
    """Raise LsqlcError with a LSQ764 for each segment that some query has not read and that is missing or not as it was
    written. What all have read is not looked at, so that the cost is that of the input of the run. `store`: the
    checkpoints; None: all queries start from the beginning. `refreshed`: topics whose segments the run removes first.
    """
    log = place.log
    if not place.capabilities.has_checksums:
        return
    # By topic, the segments that all its queries have read.
    read: dict[str, frozenset[str]] = {}
    for stage in (stage for plan in plans.values() for stage in plan.stages):
        for topic, batches, source in topic_reads(stage, store):
            try:
                done = frozenset(batches.files(batches.committed, source))
            except (UnknownLogError, KeyError):
                # Who opens the checkpoint says what is wrong with it.
                done = frozenset()
            read[topic] = read[topic] & done if topic in read else done
    wrong = Findings()
    for topic in sorted(read.keys() - set(refreshed)):
        done = read[topic]

        def skipped(segment: Path, done: frozenset[str] = done) -> bool:
            return file_address(segment) in done

        wrong.add(log.faults(topic, skipped))
    if wrong:
        raise wrong.error()
