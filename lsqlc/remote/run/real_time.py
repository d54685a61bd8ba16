"""What a query has written in real time, and its checkpoint does not know, when it starts again.

In real time Spark notes what a query has read at the end of a batch, by the clock; a query that is stopped within a
batch, by a person or a failure, has written records that nothing is noted of. They are compared by their sources: the
query reads what it had read since the last note again in micro-batches, and writes what the topic does not have.
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

# By which clocks of a cluster may differ, in milliseconds. Nothing is lost by more, which only reads more.
_APART = 300_000


@dataclass(frozen=True, slots=True)
class Unknown:
    """`stage`: as it reads it again, in micro-batches; `left`: those rows of a batch that are not written yet."""

    stage: Stage
    left: Callable[[DataFrame], DataFrame]


def unknown(node: Node, checkpoint: Checkpoint, store: CheckpointStore, transport: Transport) -> Unknown | None:
    """What a query has to compare before it goes on, None if there is nothing. Raises LsqlcError as the topics and the
    store do.
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
        # Of a batch that is done all is noted, and what lies behind was written after its begin.
        since = int(log.about(log.committed)["batchTimestampMs"]) - _APART if log.committed >= 0 else 0
    except (UnknownLogError, KeyError):
        since = 0

    def left(rows: DataFrame) -> DataFrame:
        return transport.without_written(rows, topic, of, began, since, read)

    return Unknown(in_batches(node.stage), left)
