"""Forms of queries of Spark SQL, against their query as a batch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lanes import sampled
from tests.standard_sql.compare import differences_of
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.programs import Drawn

# A query, and what the oracle is asked where its engine has no such form; None: the same.
FORMS: tuple[tuple[str, str | None], ...] = (
    ("SELECT g, h, SUM(x) AS s, grouping_id() AS i FROM t GROUP BY g, h WITH CUBE HAVING COUNT(*) > 0",
     "SELECT g, h, SUM(x) AS s, GROUPING_ID(g, h) AS i FROM t GROUP BY CUBE(g, h) HAVING COUNT(*) > 0"),
    ("SELECT g, h, COUNT(*) AS n FROM t GROUP BY g, h GROUPING SETS ((g, h), g)",
     "SELECT g, h, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((g, h), (g))"),
    ("SELECT g, COUNT(*) AS n, grouping__id AS i FROM t GROUP BY GROUPING SETS ((g), (g))",
     "SELECT g, COUNT(*) AS n, 0 AS i FROM t GROUP BY g UNION ALL SELECT g, COUNT(*) AS n, 0 AS i FROM t GROUP BY g"),
    ("SELECT g, x, SUM(x) AS s, MAX(x + 1) AS m FROM t GROUP BY ROLLUP(g, x) HAVING grouping(x) = 1 AND COUNT(*) > 0",
     None),
    ("WITH q(a, b) AS (SELECT x, g FROM t) SELECT a + 1 AS c, b FROM q", None),
    ("SELECT v.p, v.q FROM (SELECT x, w FROM t JOIN u ON t.id = u.id) AS v(p, q)", None),
    ("SELECT y.c, z.d FROM (SELECT id, x FROM t) AS y(a, c) JOIN (SELECT id, w FROM u) AS z(a, d) ON y.a = z.a", None),
    ("SELECT q.x + 1 AS y FROM (SELECT * FROM t JOIN u ON t.id = u.id) q", None),
    ("SELECT n.* EXCEPT (x), x AS z FROM (SELECT g, x, y FROM t) AS n", "SELECT g, y, x AS z FROM t"),
    ("SELECT COUNT(*) AS n, c FROM (SELECT DISTINCT x AS a, w AS a, t.id AS c FROM t JOIN u ON t.id = u.id) q "
     "GROUP BY c", None),
    ("SELECT p.c, q.c AS d FROM (SELECT id AS a, x AS c FROM t UNION ALL SELECT id, w FROM u) AS p "
     "JOIN (SELECT x AS a, x AS c FROM t) AS q ON p.a = q.a", None),
    ("SELECT * FROM (SELECT id, g, x FROM t) AS p NATURAL JOIN (SELECT id, g, w FROM u) AS q", None),
    ("SELECT p.x FROM (SELECT id, x FROM t) AS p NATURAL JOIN (SELECT id, w FROM u) AS q JOIN t AS r ON r.id = q.w",
     None),
    ("SELECT x FROM (SELECT id, x FROM t) AS p NATURAL JOIN (SELECT id, w FROM u) AS q "
     "UNION ALL SELECT t.x FROM t JOIN u ON t.id = u.id", None),
    ("SELECT * FROM (SELECT id, x FROM t) AS p NATURAL FULL JOIN (SELECT id, w FROM u) AS q", None),
    ("SELECT id, x FROM t WHERE x = 1 OR x IN (SELECT w FROM u)", None),
    ("SELECT id, x IN (SELECT w FROM u) AS b, x NOT IN (SELECT w FROM u WHERE u.g = t.g) AS c FROM t", None),
    ("SELECT id, EXISTS (SELECT 1 FROM u WHERE u.id = t.id) AS e, EXISTS (SELECT 1 FROM u) AS f FROM t", None),
    ("SELECT id FROM t WHERE x NOT IN (SELECT w FROM u)", None),
    ("SELECT id FROM t WHERE x NOT IN (SELECT w FROM u WHERE u.g = t.g) AND g IS NOT NULL", None),
    ("SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE w > 3) AND id IN (SELECT id FROM u)", None),
    ("SELECT g, id, SUM(x) AS s FROM t GROUP BY g, id HAVING SUM(x) IN (SELECT w FROM u) OR COUNT(*) > 2", None),
    ("SELECT id, (SELECT MAX(w) FROM u WHERE u.id = t.id GROUP BY u.id) AS m, "
     "(SELECT COUNT(*) FROM u WHERE u.id = t.id GROUP BY u.id) AS n FROM t", None),
    ("SELECT id FROM t WHERE x > 2 OR EXISTS (SELECT 1 FROM u WHERE (u.g = t.g AND w > 1) OR (u.g = t.g AND w < 0))",
     None),
    ("SELECT id, CASE WHEN x IN (SELECT w FROM u UNION ALL SELECT id FROM u) THEN 1 ELSE 2 END AS c FROM t", None),
    ("SELECT id FROM t WHERE NOT (x IN (SELECT MAX(w) AS m FROM u GROUP BY g) AND EXISTS (SELECT w FROM u GROUP BY w))",
     None),
    ("SELECT t.id, u.w FROM t JOIN u ON t.x < u.w", None),
    ("SELECT t.x, u.w FROM t CROSS JOIN u", None),
    ("SELECT t.x, u.w FROM t, u WHERE t.x > u.w AND t.id = 3", None),
    ("SELECT p.x, q.w FROM t p, (SELECT id, w FROM u) q JOIN t s ON s.x > q.w", None),
    ("SELECT t.x, u.w FROM t LEFT JOIN u ON t.x < u.w", None),
    ("SELECT t.x, u.w FROM t RIGHT JOIN u ON t.g = u.g AND t.x < u.w", None),
    ("SELECT t.x, u.w, t.g, u.g AS h FROM t FULL JOIN u ON t.g = u.g AND t.x < u.w", None),
    ("SELECT t.x, u.w FROM t FULL JOIN u ON t.x + u.w = 3", None),
    ("SELECT t.x, u.w FROM t FULL JOIN u ON t._key = u._key AND t.x < u.w", None),
    ("SELECT t.x, u.w FROM t FULL JOIN u ON t.x > 2", None),
    ("SELECT p.x, q.w, s.x AS y FROM t AS p LEFT JOIN u AS q ON p.g = q.g AND p.x <= q.w "
     "FULL JOIN t AS s ON s.g = q.g AND s.x <> q.w", None),
    ("SELECT h, id, COUNT(x, g) AS n, COUNT(DISTINCT x, g) AS m, any(b) AS a FROM t GROUP BY h, id",
     "SELECT h, id, SUM(CASE WHEN x IS NOT NULL AND g IS NOT NULL THEN 1 ELSE 0 END) AS n, "
     "COUNT(DISTINCT CASE WHEN x IS NOT NULL AND g IS NOT NULL THEN STRUCT(x, g) END) AS m, BOOL_OR(b) AS a FROM t "
     "GROUP BY h, id"),
    ("SELECT g, x FROM t EXCEPT ALL SELECT g, w FROM u WHERE w > 1", None),
    ("SELECT g FROM t INTERSECT ALL SELECT g FROM u", None),
    ("SELECT g, COUNT(*) AS n FROM (SELECT id, g FROM t EXCEPT ALL SELECT id, g FROM u) AS q GROUP BY g, id", None),
    ("SELECT t.id, (SELECT u.w + 1 FROM u WHERE u._key = t.x) AS w FROM t", None),
    ("WITH m AS (SELECT MAX(w) AS w FROM u GROUP BY 'all') SELECT id FROM t WHERE x < (SELECT w * 2 FROM m)", None),
    ("SELECT p, v, COUNT(*) AS n FROM t LATERAL VIEW posexplode(array(x, id)) e AS p, v GROUP BY p, v",
     "SELECT p, v, COUNT(*) AS n FROM (SELECT 0 AS p, x AS v FROM t UNION ALL SELECT 1 AS p, id AS v FROM t) "
     "GROUP BY p, v"),
    ("SELECT a, c, COUNT(*) AS n FROM t LATERAL VIEW stack(2, g, x, h) e AS a, c GROUP BY a, c",
     "SELECT a, c, COUNT(*) AS n FROM (SELECT g AS a, x AS c FROM t UNION ALL SELECT h, NULL FROM t) GROUP BY a, c"),
    ("SELECT a, c, COUNT(*) AS n FROM t LATERAL VIEW inline(array(named_struct('a', x, 'c', g))) e GROUP BY a, c",
     "SELECT x AS a, g AS c, COUNT(*) AS n FROM t GROUP BY x, g"),
    ("SELECT DISTINCT c, id FROM (SELECT *, explode(array(x, id)) AS c FROM (SELECT x, id FROM t))",
     "SELECT DISTINCT c, id FROM (SELECT x AS c, id FROM t UNION ALL SELECT id, id FROM t) WHERE TRUE"),
    ("SELECT id, posexplode_outer(array(x)) AS (p, v) FROM STREAM(t)", "SELECT id, 0 AS p, x AS v FROM t_stream"),
    ("SELECT h, SUM(x) AS s, s + 1 AS s1, s1 * 2 AS s2 FROM t GROUP BY h, id", None),
    ("SELECT t.id, v.name FROM t LEFT JOIN (VALUES (1, 'a'), (2, 'b')) AS v(id, name) ON t.x > v.id AND t.g <> v.name",
     None),
    ("SELECT t.id, v.name FROM (VALUES (1, 'a'), (2, 'b')) AS v(id, name) RIGHT JOIN t ON t.id = v.id", None),
    ("SELECT t.id, v.name FROM t, (VALUES (1, 'a'), (2, NULL)) AS v(id, name) WHERE t.id = v.id", None),
    ("SELECT t.id, v.name FROM (VALUES (1, 'a'), (7, 'b')) AS v(id, name) FULL JOIN t USING (id)", None),
    ("SELECT t.id, v.top FROM t CROSS JOIN (SELECT 3 AS top) AS v WHERE t.x > v.top", None),
    ("WITH v AS (SELECT 1 AS a, 'a' AS c UNION ALL SELECT 2, 'b') SELECT t.id, v.c FROM t JOIN v ON t.id = v.a + 1",
     None),
    ("SELECT id, g FROM t UNION ALL VALUES (1, 'a'), (2, NULL)", None),
    ("SELECT id FROM t WHERE x IN (VALUES (1), (2)) OR x > (SELECT 1) OR id IN (SELECT a FROM VALUES (3) AS v(a))",
     None),
    ("SELECT a, COUNT(x) AS n FROM VALUES (1), (2), (3) AS v(a) LEFT JOIN t ON t.x = v.a GROUP BY a", None),
    ("SELECT a.i, b.j FROM VALUES (1), (2) AS a(i), VALUES (3), (4) AS b(j) WHERE EXISTS (SELECT 1 FROM t)", None),
    ("SELECT t.id, v.id AS i FROM t JOIN range(4, -1, -2) AS v ON t.x = v.id",
     "SELECT t.id, v.id AS i FROM t JOIN (VALUES (0), (2), (4)) AS v(id) ON t.x = v.id"),
    ("SELECT t.id, v.c, (SELECT x + 1) AS y FROM STREAM(t) AS t "
     "LEFT JOIN (VALUES (1, 'a'), (2, 'b')) AS v(a, c) ON t.id = a",
     "SELECT t.id, v.c, x + 1 AS y FROM t_stream AS t LEFT JOIN (VALUES (1, 'a'), (2, 'b')) AS v(a, c) ON t.id = a"),
    ("SELECT * FROM (SELECT id, g, x FROM t) PIVOT (SUM(x) FOR g IN ('a', 'Ab' AS k))",
     "SELECT id, SUM(x) FILTER (WHERE g = 'a') AS a, SUM(x) FILTER (WHERE g = 'Ab') AS k FROM t GROUP BY id"),
    ("SELECT p.id, p.a_s AS q, `a_count(1)` AS c FROM (SELECT id, g, x FROM t) AS z "
     "PIVOT (SUM(x) AS s, count(*) FOR z.g IN ('a')) AS p", "SELECT id, SUM(x) FILTER (WHERE g = 'a') AS q, "
     "NULLIF(COUNT(*) FILTER (WHERE g = 'a'), 0) AS c FROM t GROUP BY id"),
    ("SELECT * FROM (SELECT g, h, x FROM t) PIVOT (MAX(x) FOR (g, h) IN (('a', 'b') AS c, ('Ab', NULL)))",
     "SELECT MAX(x) FILTER (WHERE g = 'a' AND h = 'b') AS c, "
     "MAX(x) FILTER (WHERE g = 'Ab' AND h IS NULL) AS `{Ab, null}` FROM t"),
    ("SELECT id, n, v FROM (SELECT id, x, y FROM t) UNPIVOT (v FOR n IN (x, y AS yy))",
     "SELECT id, 'x' AS n, CAST(x AS DOUBLE) AS v FROM t WHERE x IS NOT NULL "
     "UNION ALL SELECT id, 'yy', y FROM t WHERE y IS NOT NULL"),
    ("SELECT g, n, COUNT(*) AS c, MAX(w) AS w FROM t UNPIVOT ((v, w) FOR n IN ((id, x) AS a, (x, id))) GROUP BY g, n",
     "SELECT g, n, COUNT(*) AS c, MAX(w) AS w FROM (SELECT g, 'a' AS n, id AS v, x AS w FROM t "
     "UNION ALL SELECT g, 'x_id', x, id FROM t) WHERE v IS NOT NULL OR w IS NOT NULL GROUP BY g, n"),
    ("SELECT id, n, v FROM STREAM(t) AS q UNPIVOT INCLUDE NULLS (v FOR n IN (q.g, h))",
     "SELECT id, 'g' AS n, g AS v FROM t_stream UNION ALL SELECT id, 'h', h FROM t_stream"),
    ("SELECT id, COUNT(*) OVER (PARTITION BY g ORDER BY x RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS c, "
     "SUM(x) OVER (PARTITION BY g ORDER BY x DESC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, "
     "SUM(id) OVER (ORDER BY y ASC NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) AS u FROM t", None),
    ("SELECT id, COUNT(*) OVER (ORDER BY x + 1 RANGE BETWEEN 1 FOLLOWING AND 3 FOLLOWING) AS c FROM t", None),
    ("SELECT id, COUNT(*) OVER (PARTITION BY g ORDER BY CAST(x AS TIMESTAMP) "
     "RANGE BETWEEN INTERVAL 2 SECONDS PRECEDING AND CURRENT ROW) AS c FROM t",
     "SELECT id, COUNT(*) OVER (PARTITION BY g ORDER BY x RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS c FROM t"),
    ("SELECT id, BOOL_AND(b) OVER (PARTITION BY g ORDER BY x) AS a, ANY(b) OVER (PARTITION BY g) AS o, "
     "COUNT_IF(x > 1) OVER (ORDER BY id) AS n, EVERY(x > 0) OVER (PARTITION BY h) AS e FROM t",
     "SELECT id, BOOL_AND(b) OVER (PARTITION BY g ORDER BY x) AS a, BOOL_OR(b) OVER (PARTITION BY g) AS o, "
     "COUNT(CASE WHEN x > 1 THEN 1 END) OVER (ORDER BY id) AS n, BOOL_AND(x > 0) OVER (PARTITION BY h) AS e FROM t"),
    ("SELECT id, AVG(d) OVER (PARTITION BY g ORDER BY x) AS a FROM t",
     "SELECT id, ROUND(CAST(SUM(d) OVER w AS DOUBLE) / COUNT(d) OVER w, 6) AS a FROM t "
     "WINDOW w AS (PARTITION BY g ORDER BY x)"),
    ("SELECT id, size(COLLECT_LIST(x) OVER (PARTITION BY g ORDER BY _key)) AS n FROM t",
     "SELECT id, COUNT(x) OVER (PARTITION BY g ORDER BY _key) AS n FROM t"),
    ("SELECT id, x FROM t LEFT SEMI JOIN u ON t.x < u.w", "SELECT id, x FROM t WHERE x < (SELECT MAX(w) FROM u)"),
    ("SELECT id, x FROM t LEFT ANTI JOIN u ON t.x < u.w AND u.id > 1",
     "SELECT id, x FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.x < u.w AND u.id > 1)"),
    ("SELECT id, x FROM t LEFT ANTI JOIN u", "SELECT id, x FROM t WHERE NOT EXISTS (SELECT 1 FROM u)"),
    ("SELECT x IN (SELECT w FROM u) AS b, COUNT(*) AS n FROM t GROUP BY x IN (SELECT w FROM u)", None),
    ("SELECT COUNT(*) AS n, MAX(g) AS g FROM t GROUP BY h, x > (SELECT AVG(w) FROM u)", None),
    ("SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING COUNT(*) > 1 OR EXISTS (SELECT 1 FROM u WHERE u.g = t.g)",
     "SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING COUNT(*) > 1 OR g IN (SELECT g FROM u)"),
    ("SELECT g, COUNT(*) - (SELECT COUNT(*) FROM u WHERE u.g = t.g AND w > 0) AS n, 1 AS k, SUM(x) AS s FROM t "
     "GROUP BY g HAVING SUM(x) > (SELECT MIN(w) FROM u)", None),
    ("SELECT COUNT(*) AS n, (SELECT MAX(w) FROM u) AS m FROM t", None),
    ("SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING SUM(x) IN (SELECT w FROM u WHERE u.g = t.g)", None),
    ("SELECT id FROM t WHERE (x, g) IN (SELECT w, g FROM u)", None),
    ("SELECT id FROM t WHERE (x, g) IN (SELECT w, g FROM u WHERE u.id = t.id)",
     "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND u.w = t.x AND u.g = t.g)"),
    ("SELECT id FROM t WHERE x IS NOT NULL AND g IS NOT NULL "
     "AND (x, g) NOT IN (SELECT w, g FROM u WHERE w IS NOT NULL AND g IS NOT NULL)", None),
    ("SELECT id, (x, g) = (id, h) AS e, (x, g) <> (id, h) AS n, (x, id) IN ((1, 2), (2, NULL)) AS k FROM t",
     "SELECT id, x IS NOT DISTINCT FROM id AND g IS NOT DISTINCT FROM h AS e, "
     "NOT (x IS NOT DISTINCT FROM id AND g IS NOT DISTINCT FROM h) AS n, (x IS NOT DISTINCT FROM 1 "
     "AND id IS NOT DISTINCT FROM 2) OR (x IS NOT DISTINCT FROM 2 AND id IS NULL) AS k FROM t"),
    ("SELECT t.id, u.w FROM t JOIN u ON t.id = u.id AND t.x IN (SELECT w FROM u)",
     "SELECT t.id, u.w FROM t JOIN u ON t.id = u.id WHERE t.x IN (SELECT w FROM u)"),
    ("SELECT t.id, u.w FROM t JOIN u ON t.id = u.id AND (t.x > 2 OR EXISTS (SELECT 1 FROM u AS z WHERE z.id = t.x)) "
     "AND u.w > 0 WHERE t.x > (SELECT MIN(w) FROM u)",
     "SELECT t.id, u.w FROM t JOIN u ON t.id = u.id AND u.w > 0 WHERE t.x > (SELECT MIN(w) FROM u) "
     "AND (t.x > 2 OR t.x IN (SELECT id FROM u))"),
    ("SELECT DISTINCT t.id, q.e FROM t JOIN explode(array(1, 2)) AS q(e) ON q.e = t.id",
     "SELECT DISTINCT t.id, q.e FROM t JOIN (VALUES (1), (2)) AS q(e) ON q.e = t.id"),
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    made = Oracle()
    yield made
    made.close()


@pytest.mark.parametrize("form", sampled(FORMS, 8), ids=[text for text, _ in FORMS])
def test_a_view_is_its_query(form: tuple[str, str | None], oracle: Oracle) -> None:
    """After prefixes of several inputs."""
    text, batch = form
    for seed in range(3):
        assert not differences_of(Drawn(text, batch or text), seed, oracle, 30)
