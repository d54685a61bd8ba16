"""A query that fails for good stops what reads from it, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.steps import Stage, Write
from lsqlc.plan.tested import name_of_tests
from lsqlc.remote.run import runner
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.events import Failed, QuerySummary, Started, Waiting
from lsqlc.remote.run.graph import Node, waiting_for
from lsqlc.remote.run.queries import Query as QueryToStart
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.query_status import QueryStatuses, RunStatus, after, status_data, status_of
from lsqlc.remote.run.restarts import Clock
from lsqlc.remote.session.failures import LastingError, query_refused
from lsqlc.report.json_report import query_data
from lsqlc.report.progress import failed_line, standings_text, summary_text
from lsqlc.tasks.failed_models import failures, not_complete
from tests.remote.test_restarts import LOST, FakeQuery, Fakes

BAD = "[MALFORMED_RECORD_IN_PARSING] Malformed records are detected in record parsing: [7,1]"
# By query those that it reads from: two chains, and a query that reads from both.
GRAPH = {"a": (), "b": ("a",), "c": ("b",), "x": (), "y": ("x",), "both": ("b", "y")}


def run(
    monkeypatch: pytest.MonkeyPatch,
    failing: Mapping[str, str],
    graph: Mapping[str, Sequence[str]] = GRAPH,
    *,
    continuous: bool = False,
    fail_fast: bool = False,
    ticks: int = 200,
) -> tuple[Fakes, dict[str, QuerySummary], dict[str, FakeQuery]]:
    """Run queries of which some fail with a text: one with `!` as it starts. `ticks`: looks after which a run that
    continues is stopped.
    """
    fakes, queries = Fakes(), dict[str, FakeQuery]()

    class Query(FakeQuery):
        def is_active(self) -> bool:
            return (continuous and self.error is None and not self.stopped) or super().is_active()

    def start(spark: Any, to_start: QueryToStart, *arguments: Any) -> FakeQuery:
        stage, model = to_start.stage, to_start.model
        fakes.starts.setdefault(stage.name, []).append(fakes.now)
        text = failing.get(stage.name)
        if text is not None and text.startswith("!"):
            raise LastingError([query_refused(model, stage.name, "the start", text)])
        queries[stage.name] = Query(len(fakes.queries), text)
        fakes.queries.append(queries[stage.name])
        return queries[stage.name]

    class Transport:
        project = None
        columns = ("line",)
        knows_unread = False

        def register_functions(self, spark: object) -> None:
            return None

        def beginning(self, places: object) -> Transport:
            return self

        def write(self, *arguments: Any, ordered: bool, version: str, headers: bool) -> None:
            return None

        def explain(self, *arguments: Any) -> None:
            return None

        def until_visible(self, topic: str) -> None:
            return None

    class Spark:
        streams = fakes
        version = "4.2.0"

        class client:
            @staticmethod
            def close() -> None:
                return None

    looks = 0

    def stop() -> bool:
        nonlocal looks
        looks += 1
        return looks > ticks

    monkeypatch.setattr(runner, "start", start)
    monkeypatch.setattr(runner, "check_supported", lambda *arguments: None)
    monkeypatch.setattr(runner._Run, "_answers", lambda self: True)
    monkeypatch.setattr(
        runner._Run, "_open", lambda self, nodes: {n.query: Checkpoint("/nowhere", "g", resumed=False) for n in nodes}
    )
    clock = Clock(lambda: fakes.now, lambda: 5_000.0, fakes.sleep, lambda: 0.0)
    options = runner.RunOptions(
        query=QueryOptions(until_read=not continuous), restarts=0, fail_fast=fail_fast, clock=clock, at_once=2
    )
    resources = runner.RunResources(Spark(), None, Transport(), Path("/nowhere"))  # type: ignore[arg-type]
    made = runner._Run(resources, options, fakes.events.append)
    nodes = tuple(
        Node(name, name, Stage(name, (), Write("v", f"to-{name}", "append")), tuple(needs))
        for name, needs in graph.items()
    )
    return fakes, {summary.query: summary for summary in made.all(nodes, stop)}, queries


def standings_of(fakes: Fakes) -> QueryStatuses:
    standings: QueryStatuses = {}
    for event in fakes.events:
        standings = after(standings, event)
    return standings


def test_what_waits_for_a_failed_query() -> None:
    """Directly or not, by the queries that failed; others are not there."""
    nodes = [Node(name, name, Stage(name, (), Write("v", name, "append")), needs) for name, needs in GRAPH.items()]
    assert waiting_for(nodes, ()) == {}
    assert waiting_for(nodes, {"a"}) == {"b": ("a",), "c": ("a",), "both": ("a",)}
    assert waiting_for(nodes, {"x", "b"}) == {"c": ("b",), "y": ("x",), "both": ("b", "x")}


@pytest.mark.parametrize("text", [BAD, LOST, "!no such function"])
def test_the_others_run_to_their_end(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Also where a start fails. What reads from the failed query is never started, and is not finished."""
    fakes, ran, _ = run(monkeypatch, {"a": text})
    assert [query for query, of in ran.items() if of.finished] == ["x", "y"]
    assert set(fakes.starts) == {"a", "x", "y"}
    assert ran["a"].failure and not ran["a"].finished
    assert {query: of.waits_for for query, of in ran.items() if of.waits_for} == {
        "b": ("a",), "c": ("a",), "both": ("a",),
    }  # fmt: skip
    (failed,) = [event for event in fakes.events if isinstance(event, Failed)]
    assert (failed.query, failed.ends_run) == ("a", False)
    assert failed_line(failed).startswith("a: failed, the queries that do not read from it continue: ")
    states = {query: standing.state for query, standing in standings_of(fakes).items()}
    assert states == {
        "a": "failed", "b": "waiting", "c": "waiting", "both": "waiting", "x": "finished", "y": "finished",
    }  # fmt: skip


def test_a_second_failure_is_waited_for_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads from two failed queries waits for both."""
    fakes, ran, _ = run(monkeypatch, {"a": BAD, "y": BAD})
    assert ran["both"].waits_for == ("a", "y") and ran["x"].finished
    assert [e.waits_for for e in fakes.events if isinstance(e, Waiting) and e.query == "both"][-1] == ("a", "y")
    assert not_complete(tuple(ran.values())) == {"a", "b", "c", "y", "both"}


def test_a_continuous_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure is an event at once; what reads from the query is stopped, and the others run until they are."""
    fakes, ran, queries = run(monkeypatch, {"a": BAD}, continuous=True)
    assert set(fakes.starts) == set(GRAPH) and len(fakes.starts["a"]) == 1
    kinds = [type(event) for event in fakes.events]
    assert Failed in kinds and kinds.index(Waiting) < kinds.index(QuerySummary)
    assert [query for query, of in ran.items() if of.waits_for] == ["b", "c", "both"]
    assert all(query.stopped for query in queries.values() if query.error is None)
    assert {query: of.finished for query, of in ran.items()} == dict.fromkeys(GRAPH, False)


def test_a_continuous_run_ends_where_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself, when each query has failed or waits."""
    fakes, ran, _ = run(monkeypatch, {"a": BAD}, {"a": (), "b": ("a",)}, continuous=True, ticks=10**9)
    assert [bool(ran[query].failure) for query in ("a", "b")] == [True, False]
    assert [type(event) for event in fakes.events].count(Started) >= 1


def test_the_first_failure_ends_the_run_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LsqlcError) as raised:
        run(monkeypatch, {"a": BAD}, fail_fast=True)
    assert [d.code for d in raised.value.diagnostics] == ["LSQ667"]


def test_failed_tests_are_no_failed_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models end as they do without them, however the run takes failures."""
    tests = name_of_tests("to-x")
    for fail_fast in (True, False):
        _, ran, _ = run(monkeypatch, {tests: BAD}, {"x": (), tests: ("x",)}, fail_fast=fail_fast)
        assert ran["x"].finished and not failures(tuple(ran.values()))


def test_what_is_said_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each failure with its error, and LSQ640 with what waits for what; in the table, the status and the results."""
    fakes, ran, _ = run(monkeypatch, {"a": BAD})
    summaries = tuple(ran.values())
    assert failures(tuple(of for of in summaries if of.finished)) == ()
    *found, last = failures(summaries)
    assert [d.code for d in found] == ["LSQ667"]
    assert (last.code, last.message) == ("LSQ640", "the model 'a' failed")
    assert last.notes == ("'b' waits for 'a'", "'c' waits for 'a'", "'both' waits for 'a'")
    table = summary_text(summaries, width=120)
    assert "a: the model 'a' cannot read a record of its topics" in table and table.count("waits for 'a'") == 3
    standings = tuple(standings_of(fakes).values())
    assert standings_text(standings, width=120).count("waits for 'a'") == 3
    status = RunStatus(1, 0, 0, "ended", queries=standings)
    assert status_of(json.loads(json.dumps(status_data(status)))) is not None
    results = {query: query_data(of) for query, of in ran.items()}
    assert {query: of["status"] for query, of in results.items()} == {
        "a": "failed", "b": "waiting", "c": "waiting", "both": "waiting", "x": "finished", "y": "finished",
    }  # fmt: skip
    assert results["a"]["diagnostics"][0]["code"] == "LSQ667" and results["b"]["waits_for"] == ["a"]
