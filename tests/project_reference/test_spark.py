"""The golden cases on Spark, however their records are cut into batches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.golden.cases import LoadedCases
from lsqlc.golden.files import read_golden_files
from lsqlc.golden.run import Goldens, Options, run
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.cases.outcomes import evaluate
from lsqlc.types.record import Case, Outcome
from tests.figures import PROJECT

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


@pytest.mark.parametrize("batches", [1, 3, 100])
def test_golden_files_hold(
    batches: int, compiled: Compilation, cases: LoadedCases, spark: SparkSession, tmp_path: Path
) -> None:
    """Spark gives the committed records and rows: all at once, in up to three batches, and in batches of one record."""
    files = read_golden_files(PROJECT, compiled.project.config.golden_path)
    goldens = Goldens(files.texts, files.broken, compiled.project.config.golden_path)

    def on_spark(plan: Plan, some: Sequence[Case]) -> Sequence[Outcome]:
        return evaluate(spark, tmp_path, plan, some)

    plans = {name: plan for name, plan in compiled.plans.items() if not unsupported(plan)}
    found = run(plans, cases, on_spark, goldens, Options(ci=True, batches=batches, orphans=False))
    assert [r.path for r in found.results if not r.ok] == []
