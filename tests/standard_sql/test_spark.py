"""Random models on Spark, cut into batches, against DuckDB: both engines write the same records."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

import lsqlc
from lsqlc.lower.spark import unsupported
from tests.standard_sql.compare import given_rows, read_by
from tests.standard_sql.oracle import Oracle, canonical
from tests.standard_sql.programs import Programs, compiled, records

SEEDS = range(300, 312)


def _cut(given: tuple[lsqlc.Record, ...], seed: int) -> list[tuple[lsqlc.Record, ...]]:
    """The records in two or three batches."""
    rand = random.Random(f"cuts {seed}")
    cuts = sorted({0, len(given), *(rand.randint(0, len(given)) for _ in range(2))})
    return [given[a:b] for a, b in pairwise(cuts)] or [()]


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS)
def test_spark_writes_what_duckdb_does(seed: int) -> None:
    """And what the oracle says, after all batches."""
    drawn = Programs(seed).draw()
    plan = compiled(drawn)
    assert not unsupported(plan)
    every = records(seed, 20)
    given = read_by(plan, every)
    ours = lsqlc.evaluate(plan, given)["out"]
    theirs = lsqlc.evaluate(plan, engine="spark", batches=_cut(given, seed))["out"]
    timed = plan.semantics["out"] == "STREAM"
    assert _rows(theirs, timed) == _rows(ours, timed), drawn.text
    oracle = Oracle()
    try:
        assert given_rows(theirs) == oracle.rows(drawn, every), drawn.text
    finally:
        oracle.close()


def _rows(found: list[lsqlc.Record], timed: bool) -> Counter[Any]:
    """Keys, values and times; of the rows of a TABLE the time is not defined."""
    keys = ({"key": record.key} if not isinstance(record.key, dict) else record.key for record in found)
    return Counter(
        (canonical(key), canonical(r.value), r.timestamp if timed else 0) for key, r in zip(keys, found, strict=True)
    )
