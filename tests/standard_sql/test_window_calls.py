"""Calls with OVER against their query as a batch, after inserts, updates and deletes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import lsqlc
from tests.lanes import sampled
from tests.standard_sql.compare import differences_of
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.programs import TOPICS, Drawn

_BY_X = "PARTITION BY g ORDER BY x, _key"
QUERIES = (
    f"SELECT id, ROW_NUMBER() OVER ({_BY_X}) n, LAG(x) OVER ({_BY_X}) b, LEAD(x, 2, 0) OVER ({_BY_X}) l FROM t",
    "SELECT id, RANK() OVER (ORDER BY g, x DESC) AS r, DENSE_RANK() OVER (ORDER BY g, x DESC) AS d FROM t",
    "SELECT id, PERCENT_RANK() OVER (ORDER BY x) AS p, CUME_DIST() OVER (PARTITION BY h ORDER BY x) AS c FROM t",
    f"SELECT id, NTILE(3) OVER (ORDER BY x, _key) AS n, NTILE(2) OVER ({_BY_X}) AS m FROM t",
    "SELECT id, SUM(x) OVER (PARTITION BY g ORDER BY x) AS s, SUM(x) OVER (PARTITION BY g) AS t FROM t",
    f"SELECT id, SUM(y) OVER ({_BY_X} ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s, COUNT(h) OVER () AS n FROM t",
    f"SELECT id, AVG(x) OVER ({_BY_X} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS a FROM t",
    f"SELECT id, MIN(h) OVER ({_BY_X} ROWS 2 PRECEDING) AS m, MAX(y) OVER (PARTITION BY g ORDER BY x DESC) AS n FROM t",
    f"SELECT id, FIRST_VALUE(h) OVER ({_BY_X}) AS f, LAST_VALUE(h) OVER ({_BY_X}) AS l FROM t",
    f"SELECT id, LAST_VALUE(h) IGNORE NULLS OVER ({_BY_X} ROWS BETWEEN UNBOUNDED PRECEDING AND 0 FOLLOWING) l FROM t",
    f"SELECT id, NTH_VALUE(x, 2) OVER ({_BY_X} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS n FROM t",
    "SELECT id, x - LAG(x) OVER w AS d, COUNT(*) OVER w AS n FROM t WHERE b WINDOW w AS (PARTITION BY g ORDER BY _key)",
    "SELECT id, SUM(x) FILTER (WHERE b) OVER (PARTITION BY g) AS s FROM t",
    "SELECT g, SUM(x) AS s, RANK() OVER (ORDER BY SUM(x) DESC, g) AS r, SUM(SUM(x)) OVER () AS u FROM t GROUP BY g",
    "SELECT q.g, s FROM (SELECT g, SUM(x) s, ROW_NUMBER() OVER (ORDER BY SUM(x), g) n FROM t GROUP BY g) q WHERE n < 3",
    "SELECT g, h, ROW_NUMBER() OVER (PARTITION BY g ORDER BY COUNT(*), h) + 1 AS n FROM t GROUP BY g, h",
    "SELECT g, h, COUNT(*) AS n FROM t GROUP BY 1, h QUALIFY n = MAX(n) OVER (PARTITION BY g) AND COUNT(*) > 0",
    f"SELECT id, x FROM t QUALIFY x > AVG(x) OVER (PARTITION BY g) OR ROW_NUMBER() OVER ({_BY_X}) = 2",
    f"SELECT DISTINCT g, n FROM (SELECT g, ROW_NUMBER() OVER ({_BY_X}) AS n FROM t) AS q",
    "SELECT t.id, u.name, SUM(u.w) OVER (PARTITION BY t.g) AS s FROM t JOIN u ON t.id = u.id",
    "SELECT g, h, SUM(d) AS s FROM (SELECT g, h, x - LAG(x, 1, 0) OVER (ORDER BY _key) AS d FROM t) AS q GROUP BY g, h",
    "SELECT id, RANK() OVER (ORDER BY x) AS r FROM t UNION ALL SELECT id, ROW_NUMBER() OVER (ORDER BY _key) FROM u",
)  # fmt: skip
QUERIES_IN_QUERIES = (
    "SELECT id FROM t WHERE x IN (SELECT RANK() OVER (ORDER BY w) FROM u)",
    "SELECT id, x NOT IN (SELECT RANK() OVER (ORDER BY w) FROM u) AS b FROM t",
    "SELECT id, EXISTS (SELECT 1 FROM u QUALIFY RANK() OVER (ORDER BY w) = 2) AS b FROM t",
    "SELECT id, x IN (SELECT w FROM u QUALIFY RANK() OVER (ORDER BY w) = 2) AS b FROM t",
)
REFUSED = (
    (
        "SELECT id FROM t WHERE x IN (SELECT w FROM u WHERE u.g = t.g QUALIFY RANK() OVER (ORDER BY w) = 1)",
        "LSQ462",
        "in a query that refers to the one around it",
    ),
    ("SELECT a, SUM(z) OVER (PARTITION BY g) AS s FROM STREAM(r)", "LSQ462", "OVER cannot be computed over a stream"),
    ("SELECT id, RANK() OVER (PARTITION BY g) AS r FROM t", "LSQ462", "RANK requires ORDER BY"),
    ("SELECT id, LAG(x) OVER (ORDER BY x ROWS 1 PRECEDING) AS r FROM t", "LSQ462", "LAG takes no frame"),
    ("SELECT id, SUM(x) OVER w AS r FROM t", "LSQ200", "unknown window 'w'"),
    ("SELECT id, LAG(x, id) OVER (ORDER BY x) AS r FROM t", "LSQ209", "the number of rows of LAG must be a literal"),
    ("SELECT id, NTILE(0) OVER (ORDER BY x) AS r FROM t", "LSQ209", "the number of rows of NTILE must be a literal"),
    ("SELECT id, SUM(h) OVER () AS r FROM t", "LSQ209", "'value' of SUM must be a number, not STRING"),
    ("SELECT id, UPPER(h) OVER () AS r FROM t", "LSQ462", "UPPER cannot be called with OVER"),
    ("SELECT id, COUNT(DISTINCT h) OVER () AS r FROM t", "LSQ462", "COUNT(DISTINCT ...) cannot be called with OVER"),
    ("SELECT id FROM t WHERE RANK() OVER (ORDER BY x) = 1", "LSQ450", "OVER is not supported"),
    ("SELECT id, SUM(x) OVER (ORDER BY x, id RANGE 1 PRECEDING) AS s FROM t", "LSQ462", "requires one expression"),
    ("SELECT id, SUM(x) OVER (ORDER BY g RANGE 1 PRECEDING) AS s FROM t", "LSQ462", "does not fit an order by STRING"),
    ("SELECT id, SUM(x) OVER (ORDER BY x GROUPS 1 PRECEDING) AS s FROM t", "LSQ450", "a frame of GROUPS"),
    ("SELECT id, STDDEV(x) OVER (ORDER BY x) AS s FROM t", "LSQ462", "STDDEV cannot be called with OVER"),
)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    made = Oracle()
    yield made
    made.close()


@pytest.mark.parametrize("text", sampled((*QUERIES, *QUERIES_IN_QUERIES), 8))
def test_a_view_is_its_query(text: str, oracle: Oracle) -> None:
    """After prefixes of several inputs."""
    for seed in range(6):
        assert not differences_of(Drawn(text, text), seed, oracle, 30)


@pytest.mark.parametrize(("text", "code", "message"), REFUSED)
def test_what_is_refused(text: str, code: str, message: str) -> None:
    with pytest.raises(lsqlc.CompileError) as caught:
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="out")
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert message in caught.value.diagnostics[0].message
