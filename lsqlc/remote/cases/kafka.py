"""Run a case over Kafka: produce its records, run the model like `lsqlc run`, and read its output.

Each batch of the case is produced before the queries start, and they end when they have read it. So it is one batch of
each query. The next batch continues from their checkpoints. If windows or joins wait for later records, another batch
has such records (see `kafka_closing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lsqlc.connectors.transport import Transport
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.plan.plan import Plan
from lsqlc.remote.cases.kafka_closing import before, closing
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunResources, run
from lsqlc.types.record import Outcome, Record, StoredRecord, Topic

# Records with their ordinals in Kafka.
StoredRecords = tuple[StoredRecord, ...]


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a case, which exist and are empty.

    `log`: the topics for the client; `resources`: the server, the topics for queries, and an empty location for their
    checkpoints. A session runs one case at a time, because queries of several cases may have the same names.
    """

    log: Transport
    resources: RunResources


@dataclass(frozen=True, slots=True)
class Passed:
    """The result of a case.

    `batches`: its records by batch, with their ordinals in Kafka, (0, offset, partition id); `outcome`: a TABLE's final
    rows, and a STREAM's records, those of each partition in order.
    """

    batches: tuple[StoredRecords, ...]
    outcome: Outcome


def through_kafka(
    topics: Topics,
    plan: Plan,
    spark_plan: SparkPlan,
    batches: Sequence[Sequence[Record]],
    stop: Callable[[], bool] = lambda: False,
) -> Passed:
    """Run a plan over records, batch by batch.

    `spark_plan`: the plan for topics in Kafka; `stop`: called several times a second; once it returns true, the result
    is incomplete. Raises LsqlcError for records that do not match their topics (LSQ400), and as
    `lsqlc.remote.run.runner.run` does.
    """
    copies = closing(plan, [record for batch in batches for record in batch])
    ordinals: set[tuple[int, ...]] = set()
    stored: list[StoredRecords] = []
    # Without records, a plan may have rows that exist before the first one.
    for batch in (*batches, copies) if copies else batches or ((),):
        for topic in plan.inputs:
            topics.log.append(topic, [record for record in batch if record.topic == topic.name])
        new = [r for topic in plan.inputs for r in topics.log.read(topic, by_time=False) if r.ordinal not in ordinals]
        ordinals.update(record.ordinal for record in new)
        stored.append(tuple(new))
        run(topics.resources, [Job(plan.name, spark_plan)], stop=stop)
        if stop():
            break
    outputs = {t.name: before(topics.log.read(t, by_time=False), copies) for t in plan.outputs}
    outcome = Outcome({topic.name: _result(plan, topic, outputs[topic.name]) for topic in plan.outputs})
    return Passed(tuple(stored[: len(batches)]), outcome)


def _result(plan: Plan, topic: Topic, records: StoredRecords) -> tuple[Record, ...]:
    if plan.semantics[topic.name] == "TABLE":
        return final_rows(topic, records)
    return tuple(Record(r.topic, r.key, r.value, r.timestamp, r.headers) for r in records)
