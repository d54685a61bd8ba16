"""Random models against their query as a batch, after prefixes of inserts, updates and deletes.

`python -m tests.standard_sql --programs 2000` draws more of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import lsqlc
from tests.lanes import sampled
from tests.standard_sql.compare import differences, given_rows, prefixes, read_by
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.programs import Drawn, Programs, compiled, records

COUNT = 60


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    made = Oracle()
    yield made
    made.close()


@pytest.mark.parametrize("seed", sampled(range(COUNT), 3))
def test_a_view_is_its_query_over_the_current_rows(seed: int, oracle: Oracle) -> None:
    """Whatever was inserted, replaced and deleted before."""
    assert not differences(seed, oracle)


def test_the_programs_have_everything() -> None:
    """Each construct is drawn by some of the seeds."""
    made: set[str] = set()
    for seed in range(400):
        programs = Programs(seed)
        programs.draw()
        made |= programs.made
    assert made == {
        "STREAM", "records", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "two joins", "expressions in ON",
        "conditions in ON", "a query in FROM", "WITH", "GROUP BY", "HAVING", "FILTER", "DISTINCT", "COUNT(*)", "COUNT",
        "SUM", "AVG", "MIN", "MAX", "COUNT(DISTINCT", "SUM(DISTINCT", "AVG(DISTINCT", "UNION ALL",
        "a stream with a table", "window", "key=", "key_format=",
        "two streams", "IN (SELECT", "NOT IN (SELECT", "EXISTS (SELECT", "NOT EXISTS (SELECT", "GROUP BY (SELECT",
        "UNION ALL of tables", "UNION of tables", "UNION in FROM", "LATERAL VIEW", "LATERAL VIEW of records",
        "an aggregate as a value", "an aggregate of what equals",
        "an outer join of two streams", "QUALIFY", "QUALIFY a name", "a ranked query in FROM", "a ranked query in WITH",
        "USING", "a comma in FROM", "CROSS JOIN of one row", "equalities of each side of OR", "SEMI JOIN", "ANTI JOIN",
        "GROUP BY ALL", "a query as a value in HAVING", "a comparison in EXISTS", "INTERSECT of tables",
        "EXCEPT of tables", "an aggregate without GROUP BY", "ORDER BY with LIMIT", "STDDEV_POP", "VAR_SAMP", "MEDIAN",
        "BIT_OR",
        "COUNT(DISTINCT of several", "CUBE", "EXCEPT ALL of tables", "EXISTS (SELECT as a value", "GROUPING SETS",
        "IN (SELECT as a value", "NATURAL JOIN", "NOT EXISTS (SELECT as a value", "NOT IN (SELECT as a value",
        "ROLLUP", "VALUES", "PIVOT", "UNPIVOT", "LATERAL VIEW as it is", "records as they are",
        "a comparison in ON", "a lateral column alias", "a list of column names", "a column of intervals",
    }  # fmt: skip


def test_the_oracle_sees_a_difference(oracle: Oracle) -> None:
    """A model that does something else is found out."""
    drawn = Drawn("SELECT id FROM t WHERE x > 1", "SELECT id FROM t WHERE x > 2")
    plan, given = compiled(drawn), records(2, 40)
    assert given_rows(lsqlc.evaluate(plan, read_by(plan, given))["out"]) != oracle.rows(drawn, given)
    assert prefixes(1, 40)[-1] == 40
