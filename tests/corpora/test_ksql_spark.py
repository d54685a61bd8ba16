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
_LATE = "Kafka Streams keeps late records on each side by the side's own time, Spark drops them by the time of both"
EXPECTED_FAILURES = {"joins#47/JSON": _LATE, "joins#48/JSON": _LATE, "joins#49/JSON": _LATE}


def _parameters() -> list[Any]:
    if not CASES:
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"no {PATH.name} beside the repository"))]
    found = []
    for name, case in CASES.items():
        marks = []
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
