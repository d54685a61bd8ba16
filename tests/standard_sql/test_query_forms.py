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
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    made = Oracle()
    yield made
    made.close()


@pytest.mark.parametrize("form", sampled(FORMS, 4), ids=[text for text, _ in FORMS])
def test_a_view_is_its_query(form: tuple[str, str | None], oracle: Oracle) -> None:
    """After prefixes of several inputs."""
    text, batch = form
    for seed in range(3):
        assert not differences_of(Drawn(text, batch or text), seed, oracle, 30)
