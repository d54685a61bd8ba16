"""Constructs that stand in one another, against their query as a batch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lanes import sampled
from tests.standard_sql.compare import differences_of
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.programs import Drawn

_FIRST = "ROW_NUMBER() OVER (PARTITION BY g ORDER BY x DESC, _key) AS n"
# The query, and the column that is the key by itself.
QUERIES: tuple[tuple[str, str | None], ...] = (
    ("SELECT t.id, x FROM t WHERE x IN (SELECT w FROM u) "
     "QUALIFY ROW_NUMBER() OVER (PARTITION BY t.g ORDER BY t._key) <= 2", None),
    (f"SELECT r.id, u.name FROM (SELECT id, g, {_FIRST} FROM t) AS r JOIN u ON r.id = u.id WHERE r.n <= 2", None),
    (f"SELECT g AS k0, COUNT(*) AS c, MAX(x) AS m FROM (SELECT g, x, {_FIRST} FROM t) AS r "
     "WHERE n = 1 AND g IS NOT NULL GROUP BY g", "k0"),
    ("SELECT id, x FROM t WHERE t.id IN (SELECT id FROM u QUALIFY ROW_NUMBER() OVER (ORDER BY _key) <= 1)", None),
    (f"WITH r AS (SELECT g, x, {_FIRST} FROM t) "
     "SELECT a.x AS x1, b.x AS x2 FROM r a JOIN r b ON a.g = b.g WHERE a.n = 1 AND b.n <= 2", None),
    (f"SELECT DISTINCT h FROM (SELECT h, {_FIRST} FROM t) q WHERE n < 3 AND h IS NOT NULL", "h"),
    ("SELECT a, ROW_NUMBER() OVER (ORDER BY a, m) AS rk FROM (SELECT g AS a, MAX(x) AS m FROM t GROUP BY g) q "
     "QUALIFY rk <= 2", None),
    ("SELECT t.id, u.w FROM t LEFT JOIN u ON t.id = u.id "
     "WHERE u.w IS NOT NULL AND u.w NOT IN (SELECT z.x FROM t AS z WHERE z.x IS NOT NULL)", None),
    ("SELECT id FROM t WHERE id IN (SELECT id FROM u WHERE w > (SELECT AVG(x) FROM t AS y WHERE y.id = u.id))", None),
    ("SELECT id, (SELECT COUNT(*) FROM u) AS n, (SELECT MAX(w) + 1 FROM u WHERE u.g = t.g) AS m FROM t", None),
    ("SELECT id, (SELECT COUNT(*) * 2 + COALESCE(SUM(w), 100) FROM u WHERE u.g = t.g AND w > 0) AS m FROM t", None),
    ("SELECT t.id, u.w FROM t JOIN u ON t.g = u.g WHERE u.w = (SELECT MIN(z.w) FROM u AS z WHERE z.g = t.g)", None),
    ("SELECT g AS k0, SUM(x - (SELECT MIN(w) FROM u)) AS s FROM t WHERE x < (SELECT COUNT(*) FROM u) GROUP BY g", "k0"),
    ("WITH q AS (SELECT g, SUM(x) AS s FROM t GROUP BY g) SELECT g, s FROM q WHERE s = (SELECT MAX(s) FROM q)", None),
    ("SELECT g AS k0, COUNT(*) AS n FROM (SELECT g FROM t UNION ALL SELECT name FROM u) q GROUP BY g "
     "HAVING COUNT(*) > 1", "k0"),
    ("SELECT v AS k0, MAX(x) AS m FROM (SELECT x, g, h FROM t WHERE x IN (SELECT w FROM u)) q "
     "LATERAL VIEW explode(array(g, h)) e AS v GROUP BY v", "k0"),
    ("SELECT DISTINCT a.v, b.v AS w FROM (SELECT id, v FROM t LATERAL VIEW explode(array(g, h)) e AS v) a "
     "JOIN (SELECT id, v FROM u LATERAL VIEW explode(split(name, '_')) e AS v) b ON a.id = b.id", None),
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    made = Oracle()
    yield made
    made.close()


@pytest.mark.parametrize("query", sampled(QUERIES, 4), ids=[text for text, _ in QUERIES])
def test_a_view_is_its_query(query: tuple[str, str | None], oracle: Oracle) -> None:
    """After prefixes of several inputs."""
    text, bare = query
    for seed in range(6):
        assert not differences_of(Drawn(text, text, bare), seed, oracle, 30)
