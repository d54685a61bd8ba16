"""Random models on Spark, cut into batches, against DuckDB and the oracle."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from lsqlc.plan import Plan
from lsqlc.remote.server import process
from lsqlc.types.record import Case, Outcome
from tests.standard_sql.on_spark import differences
from tests.standard_sql.oracle import Oracle

SEEDS = range(300, 312)


def _spark(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    return process.evaluate(plan, cases, dict(os.environ))


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
def test_spark_writes_what_duckdb_does(seed: int) -> None:
    """And what the oracle says, after each of its batches."""
    oracle = Oracle()
    try:
        assert not differences(seed, oracle, _spark)
    finally:
        oracle.close()
