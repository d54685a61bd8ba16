"""What the comparison with other engines says is what it saw: results as rows, moments as figures."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lsqlc.api import Project
from tools.bench import peers_latency
from tools.bench.changes import Received
from tools.bench.latency import QUERIES as MODELS
from tools.bench.latency_waits import RATES
from tools.bench.peers.contest import QUICK, engines
from tools.bench.peers.engine import Job
from tools.bench.peers.figures import Figures, table
from tools.bench.peers.flink.engine import Flink
from tools.bench.peers.flink.live import FlinkLive
from tools.bench.peers.live import LiveJob
from tools.bench.peers.measure import Look, Watched
from tools.bench.peers.output import BadRowError, rows
from tools.bench.peers.pathway.live import PathwayLive
from tools.bench.peers.workload import QUERIES, SESSIONS, TABLE, Workload, project

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


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
def test_a_script_of_flink_for_latency_has_its_topics_and_its_guarantee(guarantee: str, tmp_path: Path) -> None:
    """With no place left to fill in."""
    for model in MODELS:
        script = FlinkLive(guarantee, 1).script(LiveJob(model, "127.0.0.1:1", "in", "out", tmp_path, "1"))
        assert "${" not in script and script.count("INSERT INTO") == 1
        assert all(f"'{word}'" in script for word in ("in", "out", guarantee))


def test_a_window_of_flink_is_known_by_its_group() -> None:
    given = [Received(b'{"g":"a","began":"2023-11-14 22:00:00Z"}', b"{}", 1.0), Received(b"a", None, 2.0)]
    assert [(each.key, each.at) for each in FlinkLive("at-least-once", 1).read(given)] == [(b"a", 1.0), (b"a", 2.0)]


def of_pathway(diff: int, count: int, at: float) -> Received:
    return Received(b"a", json.dumps({"g": "a", "c": count, "s": 7, "diff": diff, "time": 2}).encode(), at)


def test_rows_of_pathway_that_come_are_its_results() -> None:
    """The one in the place of another may come before that goes."""
    found = PathwayLive().read([of_pathway(1, 1, 1.0), of_pathway(1, 2, 2.0), of_pathway(-1, 1, 3.0)])
    assert [(json.loads(each.value or b""), each.at) for each in found] == [
        ({"c": 1, "s": 7}, 1.0),
        ({"c": 2, "s": 7}, 2.0),
    ]


def test_a_row_of_pathway_that_goes_was_there() -> None:
    with pytest.raises(RuntimeError, match="goes, and is not there"):
        PathwayLive().read([of_pathway(1, 1, 1.0), of_pathway(-1, 2, 2.0)])


def test_latencies_are_compared_with_those_of_flink() -> None:
    """Of the same model; a line has as many cells as the head."""
    flink = peers_latency.Latency("m", "Flink, at least once", dict.fromkeys(RATES, (2.0, 4.0, 6.0)))
    other = peers_latency.Latency("m", "lsqlc, real-time", dict.fromkeys(RATES, (1.0, 2.0, 9.0)))
    head, _, *lines = peers_latency.table([other, flink])
    assert [line.count("|") for line in lines] == [head.count("|")] * 2
    assert lines[0] == "| m | lsqlc, real-time | 2.0 | 0.5 x | 9.0 | 9.0 | 2.0 | 0.5 x | 9.0 | 9.0 |"
    assert lines[1] == "| m | Flink, at least once | 4.0 |  | 6.0 | 6.0 | 4.0 |  | 6.0 | 6.0 |"
