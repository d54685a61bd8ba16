"""What a streaming query wrote, as the outcome that a golden file is compared with: a TABLE's final rows, a STREAM's
records in order of their ordinals.
"""

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
    """The outcome of each case on Spark, in the batches that the case is cut into. `work`: a folder that server and
    client share. Names of cases need not differ. No counts come with them.

    Raises LsqlcError: LSQ600 for what has no form on Spark yet, else as `cases.evaluate` and `Session.evaluate` do.
    """
    named = [replace(case, name=str(number)) for number, case in enumerate(cases)]
    inputs = topics_as_read(plan)
    with_headers = any(record.headers for case in cases for record in case.records)
    headers = [topic.name for topic in plan.outputs] if with_headers else ()
    lowered = lower(plan, cases=True, server=server_version(spark.version), headers=headers)
    found = on_spark.evaluate(spark, work, lowered, named, inputs, model=plan.name)
    return [_outcome(plan, found[case.name]) for case in named]


def final_rows(topic: Topic, records: Iterable[StoredRecord]) -> tuple[Record, ...]:
    """The live rows of a TABLE, by key, from its changelog in order of ordinals. A null key is no row."""
    rows: dict[str, StoredRecord] = {}
    encode = codec.encoder(topic.key.type)
    for record in records:
        if record.key is not None:
            rows[encode(record.key).decode()] = record
    live = [Record(topic.name, r.key, r.value, r.timestamp, r.headers) for r in rows.values() if r.value is not None]
    return tuple(sorted(live, key=lambda r: codec.sort_key(topic.key.type, r.key)))


def _outcome(plan: Plan, found: on_spark.Found) -> Outcome:
    topics: dict[str, tuple[Record, ...]] = {}
    for topic in plan.outputs:
        decode = line_decoder(topic)
        # Sorting is stable: what has one ordinal stays in the order of batches.
        stored = sorted((decode(line.encode()) for line in found.lines[topic.name]), key=lambda r: r.ordinal)
        if plan.semantics[topic.name] == "TABLE":
            topics[topic.name] = final_rows(topic, stored)
        else:
            topics[topic.name] = tuple(Record(topic.name, r.key, r.value, r.timestamp, r.headers) for r in stored)
    return Outcome(topics, state=found.state)
