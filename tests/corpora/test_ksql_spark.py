"""The cases of ksqlDB's own tests on Spark, each record in a batch of its own, so that late ones are late there too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.lower.spark import unsupported
from lsqlc.remote.cases import outcomes
from lsqlc.types.record import Case
from tests.corpora.ksql import judge, load, statements
from tests.corpora.verdict import corpus

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

PATH = corpus("ksql_cases.json")
CASES = {c["id"]: c for c in load(PATH) if not c["negative"]} if PATH.is_file() else {}
# One of each kind for every run; `make test-all` runs the others too.
CORE = (
    "as_value#0", "partition-by#3", "partition-by#34", "group-by#45", "count#3", "count#5", "joins#4", "joins#44/JSON",
    "joins#57/JSON", "joins#60/JSON", "fk-join#8", "multi-joins#11", "tumbling-windows#2", "hopping-windows#1",
    "joins#13", "insert-into#0",
)  # fmt: skip
_LATE = "Kafka Streams keeps late records on each side by the side's own time, Spark drops them by the time of both"
EXPECTED_FAILURES = {"joins#47/JSON": _LATE, "joins#48/JSON": _LATE, "joins#49/JSON": _LATE}


def _parameters() -> list[Any]:
    if not CASES:
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"no {PATH.name} beside the repository"))]
    found = []
    for name, case in CASES.items():
        marks = [] if name in CORE else [pytest.mark.slow]
        if name in EXPECTED_FAILURES:
            marks.append(pytest.mark.xfail(reason=EXPECTED_FAILURES[name], strict=True))
        found.append(pytest.param(case, id=name, marks=marks))
    return found


def _on_spark(
    spark: SparkSession, work: Path, plan: lsqlc.Plan, records: Sequence[Record]
) -> Mapping[str, Sequence[Record]]:
    case = Case("", tuple((r,) for r in records))
    return outcomes.evaluate(spark, work, plan, [case])[0].topics


@pytest.mark.parametrize("case", _parameters())
def test_a_case_of_ksqldb_passes_on_spark(case: Mapping[str, Any], spark: SparkSession, tmp_path: Path) -> None:
    """Where the lowering does not refuse it."""
    refused = unsupported(lsqlc.compile("\n".join(statements(case)), dialect="ksql"))
    if refused:
        pytest.skip(refused[0].message)
    verdict = judge(case, partial(_on_spark, spark, tmp_path))
    assert verdict.status == "passed", verdict.reason
