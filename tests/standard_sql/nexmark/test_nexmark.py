"""Each query of Nexmark gives what it gives over all events at once, after prefixes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import unsupported
from lsqlc.types.record import Case
from tests.lanes import sampled
from tests.standard_sql.compare import given_rows, read_by, same_rows
from tests.standard_sql.nexmark.data import events, side_input
from tests.standard_sql.nexmark.views import QUERIES, Batch, plan

CUTS = (40, 700, 3_000)


def prefix(count: int) -> list[Record]:
    """Ten events a second, of many windows."""
    return [*side_input(), *events(count, step=100)]


@pytest.fixture(scope="module")
def batches() -> Iterator[dict[int, Batch]]:
    made = {cut: Batch(prefix(cut)) for cut in CUTS}
    yield made
    for batch in made.values():
        batch.close()


def test_all_queries_are_there() -> None:
    assert list(QUERIES) == [f"q{number:02}" for number in range(23)]


@pytest.mark.parametrize("name", sampled(QUERIES, 4))
def test_a_query_on_duckdb(name: str, batches: dict[int, Batch]) -> None:
    """After every prefix; and it gives something in the end, and more than before."""
    view = plan(name)
    assert not unsupported(view)
    cases = [Case(str(cut), (read_by(view, prefix(cut)),)) for cut in CUTS]
    outcomes = default_session().evaluate(view, cases)
    answers = [batches[cut].rows(name) for cut in CUTS]
    assert [given_rows(outcome.topics[name]) for outcome in outcomes] == answers
    assert answers[-1] not in (Counter(), answers[-2])


@pytest.mark.spark
@pytest.mark.parametrize("name", QUERIES)
def test_a_query_on_spark(name: str) -> None:
    """In three batches."""
    given, view = prefix(600), plan(name)
    cuts = [0, 130, 400, len(given)]
    found = lsqlc.evaluate(view, engine="spark", batches=[read_by(view, given[a:b]) for a, b in pairwise(cuts)])
    batch = Batch(given)
    assert same_rows(given_rows(found[name]), batch.rows(name))
    batch.close()
