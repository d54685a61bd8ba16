"""Random queries against their parts where a condition is true, false and null.

`python -m tests.standard_sql --parts --programs 2000` draws more of them.
"""

from __future__ import annotations

import pytest

from tests.lanes import sampled
from tests.standard_sql.partitions import Parted, Partitions, differences, differences_of

COUNT = 60


@pytest.mark.parametrize("seed", sampled(range(COUNT), 6))
def test_a_query_is_its_three_parts(seed: int) -> None:
    """Rows, groups and pairs, whatever was inserted, replaced and deleted before."""
    assert not differences(seed)


def test_the_queries_have_everything() -> None:
    """Each kind of parts is drawn by some of the seeds."""
    made: set[str] = set()
    for seed in range(300):
        queries = Partitions(seed)
        queries.draw_parted()
        made |= queries.made
    assert made >= {
        "all rows", "the different rows", "the condition as a column", "groups", "an aggregate of all rows",
        "CUBE of parts", "HAVING of parts", "QUALIFY of parts", "a condition around OVER", "a condition in ON",
        "functions in the condition", "IN (SELECT", "NOT IN (SELECT", "EXISTS (SELECT", "NOT EXISTS (SELECT as a value",
        "an aggregate as a value", "JOIN", "FULL JOIN", "a comma in FROM", "SEMI JOIN", "a query in FROM", "STREAM",
    }  # fmt: skip


def _by(select: str, *conditions: str) -> tuple[str, str, str]:
    one, two, three = (f"{select} FROM t WHERE {condition}" for condition in conditions)
    return one, two, three


@pytest.mark.parametrize(
    "parted",
    [
        Parted("SELECT id FROM t", _by("SELECT id", "x > 1", "x <= 1", "x = 7"), "all"),
        Parted("SELECT SUM(x) AS s0 FROM t", _by("SELECT SUM(x) AS s0", "x > 1", "x < 1", "x IS NULL"), "by group"),
        Parted("SELECT id, x > 1 AS p FROM t", _by("SELECT id", "x <= 1", "x > 1", "x IS NULL"), "all", shows=True),
    ],
)
def test_parts_of_something_else_differ(parted: Parted) -> None:
    """A row that is in no part, in two, or in the wrong one is seen."""
    assert any(differences_of(parted, seed, None, 24) for seed in range(3))
