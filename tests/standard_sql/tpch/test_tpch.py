"""Each view of TPC-H equals its query over the rows as they are, after prefixes of inserts, updates and deletes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import unsupported
from lsqlc.types.record import Case
from tests.standard_sql.compare import given_rows, read_by, same_rows
from tests.standard_sql.tpch.data import key_columns, stream
from tests.standard_sql.tpch.views import VIEWS, Batch, plan

PARTS = 6


@pytest.fixture(scope="module")
def given() -> list[Record]:
    return stream(1, 3)


@pytest.fixture(scope="module")
def batches(given: list[Record]) -> list[Batch]:
    return [Batch(given[:cut]) for cut in _cuts(given)]


def _cuts(given: Sequence[Record]) -> list[int]:
    return [len(given) * part // PARTS for part in range(1, PARTS + 1)]


@pytest.mark.nightly
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_its_query(name: str, given: list[Record], batches: list[Batch]) -> None:
    """After every part of the stream, on DuckDB; and it has rows in the end, which are not those of the part before."""
    view = plan(name)
    assert not unsupported(view)
    cases = [Case(str(cut), (read_by(view, given[:cut]),)) for cut in _cuts(given)]
    outcomes = default_session().evaluate(view, cases)
    for batch, outcome in zip(batches, outcomes, strict=True):
        assert same_rows(given_rows(outcome.topics[name]), batch.rows(name))
    last, before = batches[-1].rows(name), batches[-2].rows(name)
    assert last
    assert last != before


def test_the_stream_has_all_kinds_of_changes(given: list[Record]) -> None:
    """Updates of live rows, deletes of them, and rows that come again."""
    live: set[tuple[str, str]] = set()
    gone: set[tuple[str, str]] = set()
    kinds: set[str] = set()
    for record in given:
        row = (record.topic, str(record.key))
        if record.value is None:
            kinds |= {"delete"} if row in live else set()
            live.discard(row)
            gone.add(row)
        else:
            kinds.add("update" if row in live else "again" if row in gone else "insert")
            live.add(row)
    assert kinds == {"insert", "update", "delete", "again"}
    assert key_columns("lineitem") == ("l_orderkey", "l_linenumber")


@pytest.mark.spark
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_on_spark(name: str) -> None:
    """In four batches, with fewer orders."""
    given, view = stream(2, 15), plan(name)
    cuts = [0, len(given) // 3, len(given) // 2, len(given) * 5 // 6, len(given)]
    found = lsqlc.evaluate(view, engine="spark", batches=[read_by(view, given[a:b]) for a, b in pairwise(cuts)])
    batch = Batch(given)
    assert same_rows(given_rows(found[name]), batch.rows(name))
