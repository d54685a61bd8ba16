"""A fixed sample of the random programs, and the machinery around them. `make fuzz` runs as many as one likes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.remote import outcomes
from lsqlc.types.record import Case, Outcome
from tests.differential.test_engines import DEPEND_ON_BATCHES, WINDOWED
from tests.differential.test_engines import plan_of as named
from tests.fuzz.compare import by_reference
from tests.fuzz.coverage import kinds, report
from tests.fuzz.limits import cut_matters, order_is_open
from tests.fuzz.programs import LATE, draw
from tests.fuzz.run import fuzz
from tests.fuzz.topics import cut, one_by_one, some_records
from tests.lower_duckdb.programs import PROGRAMS

_CORE = 12
_MORE = 36


@pytest.mark.parametrize(
    "seeds", [range(_CORE), pytest.param(range(_CORE, _CORE + _MORE), marks=pytest.mark.slow)], ids=["core", "more"]
)
def test_spark_gives_what_duckdb_gives(seeds: range, spark: Any, tmp_path: Path) -> None:
    """Random programs over random records give one result on both engines, whatever the cut into batches."""

    def on_spark(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        return outcomes.evaluate(spark, tmp_path, plan, cases)

    found = fuzz(seeds, on_spark, jobs=2)
    assert not found.differences, "\n\n".join(map(str, found.differences))
    assert found.programs > len(seeds) / 2


def test_duckdb_gives_what_the_reference_gives() -> None:
    """The same kind of programs, on DuckDB and record by record in Python."""
    found = fuzz(range(20_000, 20_150), by_reference)
    assert not found.differences, "\n\n".join(map(str, found.differences))
    assert found.programs > 75


def test_every_kind_is_drawn() -> None:
    """Each node, join, window, aggregate and facet comes up in programs that Spark can run."""
    drawn: Counter[tuple[str, str]] = Counter()
    for seed in range(1000):
        one = draw(seed)
        drawn.update(kinds(one.program, one.plan, late=one.limits is LATE))
    assert report(drawn)[1] == []


def test_a_seed_gives_the_same_program_each_time() -> None:
    """What a run prints can be run again."""
    assert [str(draw(seed).program) for seed in range(20)] == [str(draw(seed).program) for seed in range(20)]


def test_what_differs_is_made_small() -> None:
    """Of a program over many records those are left without which nothing would differ."""

    def forgets_keys(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        """An engine that loses what has the key 'p'."""
        return [
            Outcome({topic: tuple(r for r in rows if r.key != "p") for topic, rows in outcome.topics.items()})
            for outcome in default_session().evaluate(plan, cases)
        ]

    found = fuzz(range(40), forgets_keys)
    assert found.differences
    for difference in found.differences:
        assert len(difference.case.records) <= 3, difference
        assert len(str(difference.program)) < 200, difference


@pytest.mark.parametrize("name", [*PROGRAMS, *WINDOWED])
def test_the_rules_know_what_depends_on_the_cut(name: str) -> None:
    """They say of the named programs what the tests by name say."""
    assert cut_matters(named(name)) == (name in DEPEND_ON_BATCHES)


@pytest.mark.parametrize(
    ("name", "is_open"),
    [
        ("aggregate of a table", False),
        ("aggregate of an aggregate", False),
        ("table rekeyed", False),
        ("tables on fields, outer", False),
        ("a table with itself", True),
        ("lateral of a table, rekeyed", False),
        ("a stream with itself", False),
    ],
)
def test_order_among_rows_of_one_record_is_left_alone(name: str, is_open: bool) -> None:
    """Where it would decide which row of a key is the newest, a program is not drawn."""
    assert order_is_open(named(name)) == is_open


def test_a_cut_keeps_the_records() -> None:
    """Batches are the records in order, and none is empty."""
    for seed in range(20):
        one = draw(seed)
        records = some_records(one.plan.inputs, Random(seed))
        for batches in (cut(records, Random(seed)), one_by_one(records)):
            assert tuple(r for batch in batches for r in batch) == records
            assert all(batches)
