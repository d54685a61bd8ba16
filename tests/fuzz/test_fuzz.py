"""A fixed sample of the random programs, and the machinery around them. `make fuzz` runs as many as one likes."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from lsqlc import compile
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.plan.nodes import Aggregate, Join, Node, inputs, with_inputs
from lsqlc.remote.cases import outcomes
from lsqlc.remote.session.failures import server_lost
from lsqlc.types.record import Case, Outcome, Record
from tests.differential.test_engines import DEPEND_ON_BATCHES, WINDOWED
from tests.differential.test_engines import plan_of as named
from tests.each import each
from tests.fuzz.compare import by_reference, comparable
from tests.fuzz.coverage import kinds, report
from tests.fuzz.ksql_syntax import KsqlProgram
from tests.fuzz.limits import cut_matters, order_is_open
from tests.fuzz.programs import LATE, Dialect, draw
from tests.fuzz.run import attempt, fuzz
from tests.fuzz.topics import cut, one_by_one, some_records
from tests.lanes import only, sampled
from tests.lower_duckdb.programs import PROGRAMS

_CORE = 12
_MORE = 36
_DIALECTS: tuple[Dialect, ...] = ("lenses", "ksql")


@pytest.mark.parametrize("seeds", [range(_CORE), range(_CORE, _CORE + _MORE)], ids=["core", "more"])
@pytest.mark.parametrize("dialect", _DIALECTS)
def test_spark_gives_what_duckdb_gives(dialect: Dialect, seeds: range, spark: Any, tmp_path: Path) -> None:
    """Random programs over random records give one result on both engines, whatever the cut into batches."""

    def on_spark(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        return outcomes.evaluate(spark, tmp_path, plan, cases)

    found = fuzz(seeds, on_spark, jobs=2, dialect=dialect, native=True)
    assert not found.differences, "\n\n".join(map(str, found.differences))
    assert found.programs > len(seeds) / 2


@pytest.mark.parametrize("seeds", sampled([range(20_000, 20_050), range(20_050, 20_150)], 2), ids=["fast", "more"])
@pytest.mark.parametrize("dialect", _DIALECTS)
def test_duckdb_gives_what_the_reference_gives(dialect: Dialect, seeds: range) -> None:
    """The same kind of programs, on DuckDB and record by record in Python."""
    found = fuzz(seeds, by_reference, dialect=dialect)
    assert not found.differences, "\n\n".join(map(str, found.differences))
    assert found.programs > len(seeds) / 2


@pytest.mark.nightly
@pytest.mark.parametrize("dialect", _DIALECTS)
def test_every_kind_is_drawn(dialect: Dialect) -> None:
    """Each node, join, window, aggregate and facet comes up, and each kind of key and clause of ksqlDB."""
    drawn: Counter[tuple[str, str]] = Counter()
    for seed in range(1000 if dialect == "lenses" else 600):
        one = draw(seed, None, dialect)
        drawn.update(kinds(one.program, one.plan, late=one.limits is LATE))
    assert report(drawn, dialect)[1] == []


@pytest.mark.parametrize("dialect", _DIALECTS)
def test_a_seed_gives_the_same_program_each_time(dialect: Dialect) -> None:
    """What a run prints can be run again."""
    first, again = ([str(draw(seed, None, dialect).program) for seed in range(20)] for _ in range(2))
    assert first == again


def test_a_lost_server_is_no_difference() -> None:
    """It ends the run: all programs behind it would differ."""

    def lost(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        raise LsqlcError([server_lost("localhost", embedded=True)])

    with pytest.raises(LsqlcError, match="LSQ663"):
        fuzz(range(5), lost)


def test_both_dialects_are_drawn_in_one_run() -> None:
    """Of nine programs three are ksqlDB's."""
    drawn = [draw(seed, None, "both").program for seed in range(9)]
    assert sum(isinstance(program, KsqlProgram) for program in drawn) == 3


def _without_eager_nulls(node: Node) -> Node:
    return replace(node, eager=False) if isinstance(node, Join) else node


def _without_empty_groups(node: Node) -> Node:
    return replace(node, keeps_empty=False) if isinstance(node, Aggregate) else node


def _looking_back(node: Node) -> Node:
    late = isinstance(node, Join) and node.style == "stream-table"
    return replace(node, retention=86_400_000) if isinstance(node, Join) and late else node


def _with_one_bound(node: Node) -> Node:
    return replace(node, within_after=None) if isinstance(node, Join) else node


def _in_time_of_both(node: Node) -> Node:
    return replace(node, expires=False) if isinstance(node, Join) else node


@pytest.mark.parametrize(
    "change",
    only(
        [_without_eager_nulls, _without_empty_groups, _looking_back, _with_one_bound, _in_time_of_both],
        [_without_empty_groups],
    ),
)
def test_what_ksqldb_means_otherwise_is_told_apart(change: Callable[[Node], Node]) -> None:
    """Some program differs as soon as a node of ksqlDB is read as one of the Lenses language."""

    def changed(node: Node) -> Node:
        return change(with_inputs(node, tuple(map(changed, inputs(node)))))

    def misread(plan: Plan) -> Plan:
        return dataclasses.replace(
            plan, sinks=tuple(replace(s, inputs=tuple(map(changed, s.inputs))) for s in plan.sinks)
        )

    def otherwise(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        return default_session().evaluate(misread(plan), cases)

    drawn = (draw(seed, None, "ksql") for seed in range(300))
    concerned = (one for one in drawn if misread(one.plan) != one.plan)
    assert any(attempt(one, otherwise, shrink=False).difference for one in concerned)


@pytest.mark.nightly
@pytest.mark.parametrize("dialect", _DIALECTS)
def test_what_differs_is_made_small(dialect: Dialect) -> None:
    """Of a program over many records those are left without which nothing would differ."""

    def forgets_keys(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        """An engine that loses what has the key 'p'."""
        return [
            Outcome({topic: tuple(r for r in rows if r.key != "p") for topic, rows in outcome.topics.items()})
            for outcome in default_session().evaluate(plan, cases)
        ]

    found = fuzz(range(40 if dialect == "lenses" else 12), forgets_keys, dialect=dialect)
    assert found.differences
    for difference in found.differences:
        assert len(difference.case.records) <= 3, difference
        queries = str(difference.program).partition("AS SELECT")[2] or str(difference.program)
        assert len(queries) < 200, difference


@each("name", [*PROGRAMS, *WINDOWED])
def test_the_rules_know_what_depends_on_the_cut(name: str) -> None:
    """They say of the named programs what the tests by name say."""
    assert cut_matters(named(name)) == (name in DEPEND_ON_BATCHES)


def test_a_group_that_stays_may_come_and_go_within_a_batch() -> None:
    """A derived row that moves on leaves its group behind, with a count of 0: only batches of one record show each."""
    sources = "CREATE STREAM s (a INT, b STRING) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');"
    counted = "CREATE TABLE n AS SELECT b, COUNT(*) AS n FROM s GROUP BY b;"
    again = "CREATE TABLE o AS SELECT n, COUNT(*) AS times FROM n GROUP BY n;"
    assert not cut_matters(compile(sources + counted, dialect="ksql"))
    assert cut_matters(compile(sources + counted + again, dialect="ksql"))


def test_a_deletion_of_what_never_was_makes_no_difference() -> None:
    """Neither under the key of its TABLE nor under a new one, where it would look like that of another row."""
    text = """
        CREATE STREAM s (a INT, b INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');
        CREATE TABLE n AS SELECT a, COUNT(*) AS n FROM s GROUP BY a HAVING COUNT(*) > 1;
        CREATE STREAM c (a INT KEY, n BIGINT) WITH (KAFKA_TOPIC = 'N', VALUE_FORMAT = 'JSON');
        CREATE STREAM same AS SELECT * FROM c;
        CREATE STREAM other AS SELECT n FROM c PARTITION BY NULL;
    """
    plan = compile(text, dialect="ksql")
    row, other = {"N": 2}, {"N": 3}

    def outcome(*more: Record, last: Any = row) -> Outcome:
        both = (Record("SAME", 1, last), Record("OTHER", None, last), *more)
        named = {name: tuple(r for r in both if r.topic == name) for name in ("SAME", "OTHER")}
        return Outcome({"N": (Record("N", 1, last),), **named})

    deleted = Record("SAME", 2, None), Record("OTHER", None, None)
    assert comparable(plan, outcome()) == comparable(plan, outcome(*deleted))
    assert comparable(plan, outcome()) != comparable(plan, outcome(last=other))


@pytest.mark.parametrize(
    ("name", "is_open"),
    [
        ("aggregate of a table", False),
        ("aggregate of an aggregate", False),
        ("table rekeyed", False),
        ("tables on fields, outer", False),
        ("a table with itself", False),
        ("aggregate joined and joined again", True),
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
