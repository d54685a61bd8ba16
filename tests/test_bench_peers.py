"""What the comparison with other engines says is what it saw: results as rows, moments as figures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.peers.contest import QUICK, engines
from bench.peers.engine import Job
from bench.peers.figures import Figures, table
from bench.peers.flink.engine import Flink
from bench.peers.measure import Look, Watched
from bench.peers.output import BadRowError, rows
from bench.peers.workload import QUERIES, SESSIONS, TABLE, Workload, project
from lsqlc.api import Project

LOAD = Workload(QUICK)


def row(group: str, count: int) -> Any:
    return (("grp", group), ("n", float(count)))


def test_the_queries_are_a_project(tmp_path: Path) -> None:
    """Each has a plan, and what it must give is not nothing."""
    assert set(Project.load(project(tmp_path / "peers")).plans) == set(QUERIES)
    assert sum(LOAD.expected(TABLE).values()) > 100


def test_sessions_that_are_closed_are_compared() -> None:
    """There are some, and not the last ones."""
    found = LOAD.expected(SESSIONS)
    last = LOAD.records["bid"][-1].timestamp
    assert found and all(dict(session)["endtime"] < last - 20_000 for session in found)


def test_the_rows_of_a_table_are_the_newest_of_each_key() -> None:
    """A tombstone takes one out."""
    given = [(b"a", {"grp": "a", "n": 1}), (b"b", {"grp": "b", "n": 1}), (b"a", {"grp": "a", "n": 2}), (b"b", None)]
    assert rows(LOAD.plan(TABLE), given) == Counter([row("a", 2)])


def test_the_rows_of_changes_are_their_sum() -> None:
    """As Pathway writes them: whatever their order and their keys."""
    one, two = {"grp": "a", "n": 1}, {"grp": "a", "n": 2}
    given = [(b"1", {**two, "diff": 1}), (b"2", {**one, "diff": -1}), (b"2", {**one, "diff": 1})]
    assert rows(LOAD.plan(TABLE), given) == Counter([row("a", 2)])


def test_all_records_of_a_stream_count() -> None:
    """One that was written twice is there twice, as it is without a key."""
    given = {"auction": 1, "price": 2}
    found = rows(LOAD.plan("q02"), [(b"k", given), (b"k", given), (None, given)])
    assert list(found.values()) == [3]


def test_a_value_of_another_type_is_no_row() -> None:
    with pytest.raises(BadRowError, match="is not a row of the result"):
        rows(LOAD.plan("q02"), [(None, {"auction": "one", "price": 2})])


def test_figures_are_between_the_moments() -> None:
    """1,000 rows from second 12 to second 16, in which the processor was busy for 2 seconds."""
    looks = (Look(10, 0, 0, 0), Look(12, 3, 7, 0), Look(13, 4, 9, 1), Look(16, 5, 8, 5), Look(18, 6, 0, 5))
    figures = Figures("q00", "lsqlc", 1_000, Watched(looks), 12)
    assert (figures.start, figures.first, figures.complete) == (2, 3, 6)
    assert (figures.rate, figures.by_core, figures.processor, figures.looks.memory) == (250, 500, 5, 9)
    faster = Figures("q00", "Flink", 2_000, Watched(looks), 12)
    assert [line.count("|") for line in table([figures, faster])] == [12] * 4
    assert "| 2.0 x |" in list(table([figures, faster]))[-1]


def test_engines_have_queries_that_there_are(tmp_path: Path) -> None:
    """lsqlc has all; a script of Flink has no place left to fill in."""
    made = {engine.name: engine for engine in engines()}
    assert made["lsqlc"].queries == set(QUERIES)
    assert all(engine.queries <= set(QUERIES) for engine in made.values())
    for query in QUERIES:
        script = Flink().script(Job(query, "127.0.0.1:1", "out", tmp_path, "1"))
        assert "${" not in script and script.count("INSERT INTO") == 1
