"""The golden cases through Kafka, over topics of three partitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lsqlc.lower.spark import Version
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.target import Target
from lsqlc.remote.session.session import Address, parse_address, server_version
from lsqlc.tasks.kafka_bench import Bench
from lsqlc.tasks.kafka_cases import kafka_cases, run_kafka_cases
from lsqlc.types.kafka import KafkaSettings
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# A TABLE by groups, a STREAM with new keys, joins: with a TABLE, in three stages, and one that waits.
SOME = frozenset(("gaming_sessions_table", "projection_whole_key", "join_late", "join_three", "join_outer"))
# The weather consists of files.
LEFT_OUT = {"late_in_bad_weather"}


@dataclass(frozen=True, slots=True)
class _Opened:
    session: Any
    address: Address
    version: Version


@pytest.mark.parametrize("which", ["some", "all"])
def test_golden_cases(
    which: str,
    compiled: Compilation,
    broker: SharedBroker,
    kafka_spark: SparkSession,
    kafka_spark_server: SharedServer,
    tmp_path: Path,
) -> None:
    """Each gives what DuckDB gives, and all but a few give what their golden files say, though most records of a case
    have one time.
    """
    target = Target("cases", connection=KafkaSettings(broker.bootstrap))
    cases = kafka_cases(compiled, target)
    if which == "some":
        cases = replace(cases, cases=tuple(case for case in cases.cases if case.model in SOME), skipped=())
    opened = _Opened(kafka_spark, parse_address(kafka_spark_server.address), server_version(kafka_spark.version))
    bench = Bench(opened, target, tmp_path, 2)
    tested = run_kafka_cases(cases, compiled, bench, fail_fast=False, say=print)
    assert [result.path for result in tested.run.results if not result.ok] == []
    assert len(tested.run.results) == len(cases.cases)
    skipped = [d for d in tested.diagnostics if d.code == "LSQ875"]
    assert {name for name in compiled.plans if any(f"'{name}'" in d.message for d in skipped)} == (
        LEFT_OUT if which == "all" else set()
    )
    assert len([d for d in tested.diagnostics if d.code == "LSQ876"]) < len(cases.cases) / 10
    assert list(tmp_path.iterdir()) == []
