"""The restart of a query in real-time mode that has written records of an incomplete batch.

In real-time mode Spark writes the offsets of a query only at the end of a batch, at regular intervals. A query that is
stopped within a batch has written records that its checkpoint does not cover. So the query reads the records since the
last offsets again, in micro-batches. It writes only results that the topic does not have yet. Results are compared by
the offsets of their source records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsqlc.lower.spark.real_time import in_batches, origins
from lsqlc.lower.spark.steps import Stage
from lsqlc.remote.connectors.transport import Transport
from lsqlc.remote.run.batch_log import UnknownLogError
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.stores import CheckpointStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The assumed maximum difference of clocks in a cluster, in milliseconds. A larger value only reads more records.
_CLOCK_DIFFERENCE = 300_000


@dataclass(frozen=True, slots=True)
class Recovery:
    """The recovery of an incomplete batch.

    `stage`: the stage in micro-batches, which reads the records again; `unwritten`: returns the rows of a batch that
    the topic does not have yet.
    """

    stage: Stage
    unwritten: Callable[[DataFrame], DataFrame]


def recovery_of(node: Node, checkpoint: Checkpoint, store: CheckpointStore, transport: Transport) -> Recovery | None:
    """Return the recovery that a query needs before it continues in real-time mode, or None.

    Raises LsqlcError as the topics and the store do.
    """
    of, topic = origins(node.stage), node.stage.write.topic
    began = transport.real_time_began(topic, checkpoint.generation) if of.topics else None
    if began is None:
        return None
    sources = checkpoint.of(node.stage).sources
    log = replace(store.batches(checkpoint.location), names=tuple(source.name for source in sources))
    read: dict[str, int] = {}
    try:
        for number, _ in enumerate(sources):
            for name, ends in log.offsets(log.committed, number).items():
                read |= {f"{name}/{partition}": end for partition, end in ends.items()}
        # The checkpoint covers all records of a complete batch. Later records were written after the batch began.
        since = int(log.about(log.committed)["batchTimestampMs"]) - _CLOCK_DIFFERENCE if log.committed >= 0 else 0
    except (UnknownLogError, KeyError):
        since = 0

    def unwritten(rows: DataFrame) -> DataFrame:
        return transport.without_written(rows, topic, of, began, since, read)

    return Recovery(in_batches(node.stage), unwritten)
