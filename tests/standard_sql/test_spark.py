"""Random models on Spark, cut into batches, against DuckDB and the oracle."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.standard_sql.on_spark import differences
from tests.standard_sql.oracle import Oracle

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

SEEDS = range(300, 312)


@pytest.mark.parametrize("seed", SEEDS)
def test_spark_writes_what_duckdb_does(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    """And what the oracle says, after each of its batches."""
    from lsqlc.remote.cases import outcomes

    oracle = Oracle()
    try:
        assert not differences(seed, oracle, partial(outcomes.evaluate, spark, tmp_path))
    finally:
        oracle.close()
