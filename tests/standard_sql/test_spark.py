"""Random models on Spark, cut into batches, against DuckDB and the oracle."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.standard_sql.on_spark import differences, differences_of
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.programs import Drawn

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

SEEDS = range(300, 312)

# Forms that few of these draw.
TOTALS = (
    "SELECT COUNT(*) AS n, SUM(x) AS s, MAX(x) AS m, COUNT(DISTINCT g) AS c FROM t WHERE x > 3",
    "SELECT COUNT(*) AS n, SUM(x) AS s FROM t WHERE x > 100",
    "SELECT COUNT(*) AS n, SUM(q.w) AS s FROM t AS p JOIN u AS q ON p.g = q.g WHERE q.w > 0 HAVING COUNT(*) <> 2",
    "SELECT m.n FROM (SELECT COUNT(*) AS n FROM t WHERE id IN (SELECT id FROM u)) AS m",
)
FORMS = (
    "SELECT id, LAG(x) OVER (PARTITION BY g ORDER BY x, _key) AS b, LEAD(x, 2, -1) OVER (ORDER BY _key) AS a FROM t",
    "SELECT id, SUM(x) OVER (PARTITION BY g ORDER BY x) AS s, SUM(x) OVER (PARTITION BY g) AS t FROM t",
    "SELECT g, SUM(x) AS s FROM t GROUP BY g ORDER BY s DESC NULLS LAST, g LIMIT 2",
    "SELECT g, COUNT(*) AS n, MAX(x) AS m FROM t GROUP BY g",
    "SELECT DISTINCT g FROM t WHERE x > 0",
    "SELECT g FROM t EXCEPT SELECT g FROM u",
    "SELECT g FROM t INTERSECT SELECT name FROM u",
    "SELECT g, id FROM t INTERSECT SELECT g, id FROM u",
    "SELECT id, g FROM t EXCEPT SELECT id, g FROM u",
    "SELECT p.x, q.w, s.w AS v FROM t AS p, u AS q, u AS s WHERE s.g = p.g AND q.id = s.id AND p.x > 0",
    "SELECT id, g, p.x, q.w FROM t AS p FULL JOIN u AS q USING (id, g)",
    "SELECT p.x, q.w FROM t AS p JOIN u AS q ON p.g = q.g WHERE p.x < q.w",
    "SELECT p.x, q.w FROM t AS p LEFT JOIN u AS q ON p.g = q.g WHERE coalesce(q.w, 3) > p.x",
    "SELECT p.x, q.w, s.x AS y FROM t AS p LEFT JOIN u AS q ON p.g = q.g FULL JOIN t AS s ON s.g = q.g AND s.x > 1",
    "SELECT a.g, a.s, p.x FROM (SELECT g, SUM(w) AS s FROM u GROUP BY g) AS a JOIN t AS p ON p.g = a.g WHERE p.x < a.s",
    "SELECT p.x, m.w FROM t AS p CROSS JOIN (SELECT MAX(w) AS w FROM u GROUP BY 'all') AS m",
    "SELECT p.id, p.x FROM t AS p LEFT ANTI JOIN u ON p.id = u.id AND p.x > 0 AND u.w <= p.x",
    "SELECT id, x FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND u.w <> t.x)",
    "SELECT g, h, COUNT(*) AS n, MAX(x) AS m, GROUPING(g) AS i FROM t GROUP BY ROLLUP(g, h) HAVING COUNT(*) > 0",
    "SELECT t.g, u.g AS k, COUNT(*) AS n FROM t JOIN u ON t.id = u.id GROUP BY t.g, GROUPING SETS((u.g), (t.h, u.g))",
    "SELECT id, x IN (SELECT w FROM u) AS b, x NOT IN (SELECT w FROM u WHERE u.g = t.g) AS c FROM t",
    "SELECT g, id, SUM(x) AS s FROM t GROUP BY g, id HAVING SUM(x) IN (SELECT w FROM u) OR COUNT(*) > 2",
    "SELECT COUNT(*) AS n, c FROM (SELECT DISTINCT x AS a, w AS a, t.id AS c FROM t JOIN u ON t.id = u.id) GROUP BY c",
    "SELECT t.x, u.w, t.g, u.g AS h FROM t FULL JOIN u ON t.g = u.g AND t.x < u.w",
    "SELECT t.x, u.w FROM t LEFT JOIN u ON t.x < u.w",
    "SELECT g, x FROM t EXCEPT ALL SELECT g, w FROM u WHERE w > 1",
    "SELECT h, id, COUNT(DISTINCT x, g) AS m FROM t GROUP BY h, id",
    "SELECT id, COUNT(*) OVER (PARTITION BY g ORDER BY x RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS c, "
    "BOOL_AND(b) OVER (PARTITION BY g ORDER BY y DESC RANGE 1 PRECEDING) AS s FROM t",
    "SELECT g, COUNT(*) - (SELECT SUM(w) FROM u WHERE u.g = t.g AND w > 0) AS n FROM t GROUP BY g HAVING MAX(x) > 0",
    "SELECT id, x FROM t LEFT ANTI JOIN u ON t.x < u.w AND u.id > 1",
    "SELECT g, SUM(x) AS s FROM t GROUP BY ALL HAVING s >= (SELECT AVG(w) FROM u) OR COUNT(*) = 1",
    "SELECT x, e.v FROM t LATERAL VIEW explode(split(g, '_')) e AS v",
    "SELECT v, n.x, u.w FROM (SELECT x, v FROM t LATERAL VIEW explode(array(x, id)) e AS v) n LEFT JOIN u ON u.id = v",
    "SELECT explode(array(x, id)) AS v FROM t UNION ALL SELECT w FROM u",
    "SELECT x, w, m FROM t JOIN u ON t.g = u.g LEFT JOIN (SELECT id, MAX(x) m FROM t GROUP BY id) k3 ON k3.id = w",
)
# A row that stands alone for a moment, within one record.
ELEMENTS = "SELECT p.w, e.v FROM u AS p LEFT JOIN t AS q ON p.id <> q.id LATERAL VIEW explode(split(p.g, '_')) e AS v"

# Rows of constants.
CONSTANTS = (
    "SELECT t.id, v.name FROM t LEFT JOIN (VALUES (1, 'a'), (2, 'b')) AS v(id, name) ON t.id = v.id AND t.x > 0",
    "SELECT t.id, v.name FROM t FULL JOIN (VALUES (1, 'a'), (7, 'b')) AS v(id, name) ON t.id = v.id",
    "SELECT id, g FROM t UNION ALL SELECT 5, 'k' UNION ALL VALUES (1, 'a'), (2, NULL)",
)

# Groups that more than one part of a query reads.
_BY_G = "WITH c AS (SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g)"
_BY_N = f"{_BY_G}, d AS (SELECT n, COUNT(*) AS k FROM c GROUP BY n)"
COMMON = (
    f"{_BY_G} SELECT c.g, c.n, m.n AS most FROM c JOIN (SELECT MAX(n) AS n FROM c GROUP BY 'all') AS m ON c.n = m.n",
    f"{_BY_G} SELECT a.g, a.s, b.g AS h FROM c AS a JOIN c AS b ON a.n = b.n",
    f"{_BY_G} SELECT a.g, a.n, b.s FROM c AS a FULL JOIN c AS b ON a.g = b.g AND b.n > 1",
    f"{_BY_G} SELECT a.g, a.n, b.g AS h FROM c AS a LEFT JOIN c AS b ON a.n = b.s",
    f"{_BY_N} SELECT c.g, c.s, d.k FROM c JOIN d ON c.n = d.n",
    f"{_BY_N} SELECT d.n, d.k, e.n AS m, c.g FROM d JOIN d AS e ON d.k = e.k JOIN c ON c.n = e.n",
    f"{_BY_G} SELECT g, n FROM c WHERE s = (SELECT MAX(s) FROM c)",
    f"{_BY_G} SELECT g, n FROM c INTERSECT SELECT g, s FROM c WHERE n > 1",
    f"{_BY_G} SELECT u.id, a.n, b.s FROM u LEFT JOIN c AS a ON u.g = a.g LEFT JOIN c AS b ON u.w = b.n",
)


@pytest.mark.parametrize("text", (*FORMS, *TOTALS, *CONSTANTS, *COMMON))
def test_a_form_on_spark(text: str, spark: SparkSession, tmp_path: Path) -> None:
    """As a random model with this text."""
    from lsqlc.remote.cases import outcomes

    drawn = Drawn(text, text)
    oracle = Oracle()
    try:
        assert not differences_of(drawn, 7, oracle, partial(outcomes.evaluate, spark, tmp_path), 60)
    finally:
        oracle.close()


def test_the_elements_of_a_row_that_one_record_ends_go_with_it(spark: SparkSession, tmp_path: Path) -> None:
    """All of them, though the ordinal of the end begins with that of the row."""
    from lsqlc.remote.cases import outcomes

    oracle, drawn = Oracle(), Drawn(ELEMENTS, ELEMENTS)
    try:
        assert not differences_of(drawn, 502, oracle, partial(outcomes.evaluate, spark, tmp_path), 24)
    finally:
        oracle.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_spark_writes_what_duckdb_does(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    """And what the oracle says, after each of its batches."""
    from lsqlc.remote.cases import outcomes

    oracle = Oracle()
    try:
        assert not differences(seed, oracle, partial(outcomes.evaluate, spark, tmp_path))
    finally:
        oracle.close()
