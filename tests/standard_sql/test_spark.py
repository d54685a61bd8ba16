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
from tests.standard_sql.programs import Drawn, Programs, compiled, records

SEEDS = range(300, 312)


def _cut(given: tuple[lsqlc.Record, ...], seed: int) -> list[tuple[lsqlc.Record, ...]]:
    """The records in two or three batches."""
    rand = random.Random(f"cuts {seed}")
    cuts = sorted({0, len(given), *(rand.randint(0, len(given)) for _ in range(2))})
    return [given[a:b] for a, b in pairwise(cuts)] or [()]


# Forms that few of these draw.
FORMS = (
    "SELECT g, id FROM t INTERSECT SELECT g, id FROM u",
    "SELECT id, g FROM t EXCEPT SELECT id, g FROM u",
    "SELECT p.x, q.w, s.w AS v FROM t AS p, u AS q, u AS s WHERE s.g = p.g AND q.id = s.id AND p.x > 0",
    "SELECT id, g, p.x, q.w FROM t AS p FULL JOIN u AS q USING (id, g)",
    "SELECT p.x, m.w FROM t AS p CROSS JOIN (SELECT MAX(w) AS w FROM u GROUP BY 'all') AS m",
    "SELECT p.id, p.x FROM t AS p LEFT ANTI JOIN u ON p.id = u.id AND p.x > 0 AND u.w <= p.x",
    "SELECT id, x FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND u.w <> t.x)",
    "SELECT g, SUM(x) AS s FROM t GROUP BY ALL HAVING s >= (SELECT AVG(w) FROM u) OR COUNT(*) = 1",
)


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize("text", FORMS)
def test_a_form_on_spark(text: str) -> None:
    """In batches, against the oracle."""
    bare = "g" if "GROUP BY ALL" in text else None
    drawn, every = Drawn(text, text, bare), records(7, 60)
    plan = compiled(drawn)
    found = lsqlc.evaluate(plan, engine="spark", batches=_cut(read_by(plan, every), 3))["out"]
    oracle = Oracle()
    try:
        assert given_rows(found) == oracle.rows(drawn, every) != Counter()
    finally:
        oracle.close()


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
