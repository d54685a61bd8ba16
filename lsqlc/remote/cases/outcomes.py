"""The output of streaming queries as outcomes of golden cases: a TABLE's final rows, and a STREAM's ordered records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.connectors.fields_read import topics_as_read
from lsqlc.connectors.lines import line_decoder
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.remote.cases import cases as on_spark
from lsqlc.remote.session.session import server_version
from lsqlc.types import codec
from lsqlc.types.record import Case, Outcome, Record, StoredRecord, Topic

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def evaluate(spark: SparkSession, work: Path, plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    """Evaluate cases on Spark, in their batches, and return the outcome of each. Outcomes have no counts.

    `work`: a folder that server and client share. Names of cases need not be unique. Raises LsqlcError: LSQ600 for a
    plan that is not supported on Spark, and as `cases.evaluate` does.
    """
    numbered = [replace(case, name=str(number)) for number, case in enumerate(cases)]
    inputs = topics_as_read(plan)
    with_headers = any(record.headers for case in cases for record in case.records)
    headers = [topic.name for topic in plan.outputs] if with_headers else ()
    spark_plan = lower(plan, cases=True, server=server_version(spark.version), headers=headers)
    results = on_spark.evaluate(on_spark.Model(plan.name, spark_plan, inputs), spark, work, numbered)
    return [_outcome(plan, results[case.name]) for case in numbered]


def final_rows(topic: Topic, records: Iterable[StoredRecord]) -> tuple[Record, ...]:
    """Return the rows of a TABLE, sorted by key, from its changelog in order of ordinals. Null keys are ignored."""
    rows: dict[str, StoredRecord] = {}
    encode = codec.encoder(topic.key.type)
    for record in records:
        if record.key is not None:
            rows[encode(record.key).decode()] = record
    live = [Record(topic.name, r.key, r.value, r.timestamp, r.headers) for r in rows.values() if r.value is not None]
    return tuple(sorted(live, key=lambda r: codec.sort_key(topic.key.type, r.key)))


def _outcome(plan: Plan, result: on_spark.Found) -> Outcome:
    topics: dict[str, tuple[Record, ...]] = {}
    for topic in plan.outputs:
        decode = line_decoder(topic)
        # The sort is stable: records with the same ordinal stay in the order of batches.
        stored = sorted((decode(line.encode()) for line in result.lines[topic.name]), key=lambda r: r.ordinal)
        if plan.semantics[topic.name] == "TABLE":
            topics[topic.name] = final_rows(topic, stored)
        else:
            topics[topic.name] = tuple(Record(topic.name, r.key, r.value, r.timestamp, r.headers) for r in stored)
    return Outcome(topics, state=result.state)
