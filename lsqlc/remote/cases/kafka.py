"""A case through Kafka: its records are produced into topics, the model runs over them as `lsqlc run` runs it, and what
it wrote is read back.

Each batch of the case is there before the queries start, and they end when they have read it, so that it is one batch
of theirs. The next one goes on from their checkpoints. Where windows or joins wait for later records, such records make
a batch more (see `kafka_closing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.connectors.transport import Transport
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.plan.plan import Plan
from lsqlc.remote.cases.kafka_closing import before, closing
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.connectors.transport import Transport as Streams
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunResources, run
from lsqlc.remote.session.session import Address
from lsqlc.types.record import Outcome, Record, StoredRecord, Topic

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# Records by topic, with their places in Kafka.
Lying = tuple[StoredRecord, ...]


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one case, which exist and are empty: as the client sees them, and as queries do. `checkpoints`: a
    place for those of the queries, with nothing in it.
    """

    log: Transport
    streams: Streams
    checkpoints: Path | str


@dataclass(frozen=True, slots=True)
class Passed:
    """What became of a case. `batches`: its records by batch as they lie in Kafka, with (0, offset, lane) as ordinals;
    `outcome`: a TABLE's final rows, and a STREAM's records, those of each partition in order.
    """

    batches: tuple[Lying, ...]
    outcome: Outcome


def through_kafka(
    spark: SparkSession,
    address: Address,
    plan: Plan,
    lowered: SparkPlan,
    topics: Topics,
    batches: Sequence[Sequence[Record]],
    *,
    stop: Callable[[], bool] = lambda: False,
) -> Passed:
    """Run a plan over records, batch by batch. `lowered`: the plan for topics in Kafka; `stop` is asked several times a
    second, and once true what comes back is incomplete.

    The session runs one case at a time: the queries of another one could have the same names. Raises LsqlcError for
    records that do not fit their topics (LSQ400), and as `lsqlc.remote.run.runner.run`.
    """
    job = Job(plan.name, lowered)
    copies = closing(plan, [record for batch in batches for record in batch])
    known: set[tuple[int, ...]] = set()
    lying: list[Lying] = []
    for batch in (*batches, copies) if copies else batches:
        for topic in plan.inputs:
            topics.log.append(topic, [record for record in batch if record.topic == topic.name])
        found = [r for topic in plan.inputs for r in topics.log.read(topic, by_time=False) if r.ordinal not in known]
        known.update(record.ordinal for record in found)
        lying.append(tuple(found))
        run(RunResources(spark, address, topics.streams, topics.checkpoints), [job], stop=stop)
        if stop():
            break
    written = {t.name: before(topics.log.read(t, by_time=False), copies) for t in plan.outputs}
    outcome = Outcome({topic.name: _written(plan, topic, written[topic.name]) for topic in plan.outputs})
    return Passed(tuple(lying[: len(batches)]), outcome)


def _written(plan: Plan, topic: Topic, records: Lying) -> tuple[Record, ...]:
    if plan.semantics[topic.name] == "TABLE":
        return final_rows(topic, records)
    return tuple(Record(r.topic, r.key, r.value, r.timestamp, r.headers) for r in records)
