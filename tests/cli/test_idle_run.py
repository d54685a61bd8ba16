"""A run that has nothing to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.skips import Skip
from lsqlc.lower.spark import NEWEST, lower, stages
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.remote.run.checkpoints import describe
from lsqlc.remote.run.graph import Job, nodes
from lsqlc.remote.server.home import installed_version
from lsqlc.tasks import run, run_context
from lsqlc.tasks.real_time import latencies
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.tasks.skipped_records import change_skips
from tests.remote.left import leave

from .conftest import Cli


def finished_bikes(cli: Cli, bikes: Path) -> RunTarget:
    """Seed the project, and leave the checkpoints of queries that have read everything."""
    version = installed_version()
    if version is None:
        pytest.skip("pyspark is not installed")
    assert cli("seed").code == 0
    loaded = load_project(bikes).project
    assert loaded is not None
    plans = compile_project(loaded).plans
    place = open_target(bikes, Target("embedded"), plans.values())
    queries = nodes(Job(name, lower(plan, server=version)) for name, plan in plans.items())
    leave(place, queries, lambda node: describe(node.stage, partitions=1, server=version, model=node.model))
    return place


def test_a_run_lowers_each_plan_once(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks, compiled SQL and queries share the lowered plans, and the latencies are computed once."""
    finished_bikes(cli, bikes)
    calls: Counter[str] = Counter()

    def count(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            calls[f"{name} {arguments[0].name}" if name == "lower" else name] += 1
            return function(*arguments, **options)

        return counted

    monkeypatch.setattr(stages, "_drafted", count("lower", stages._drafted))
    for module in (run, run_context):
        monkeypatch.setattr(module, "latencies", count("latencies", latencies))
    ran = cli("run")
    assert ran.code == 0 and "nothing to read" in ran.err
    # The compiled SQL is for the newest Spark.
    lowerings = 1 if installed_version() == NEWEST else 2
    models = ("arrivals", "bikes_at_station", "rides_by_station")
    assert calls == {"latencies": 1, **{f"lower {model}": lowerings for model in models}}


def test_a_run_starts_no_server(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queries are told of as of any other run, and status has them too. A record more, and a server is needed."""
    place = finished_bikes(cli, bikes)

    def refuse(*_: object, **__: object) -> object:
        raise AssertionError("a server is opened")

    monkeypatch.setattr("lsqlc.cli.spark.opened", refuse)
    ran = cli("run", "--output", "json")
    assert ran.code == 0, ran.err
    assert [(e["event"], e["query"]) for e in ran.lines[:-1]] == [
        (event, name) for name in ("arrivals", "bikes_at_station", "rides_by_station") for event in ("started", "ended")
    ]
    assert all(q["finished"] and q["resumed"] and q["batches"] == 0 for q in ran.lines[-1]["queries"])
    said = cli("run")
    assert "nothing to read: the topics have nothing new, and no query is started" in said.err
    assert "nothing to read, resumed" in said.err and "3 queries read 0 rows in " in said.err
    assert "nothing to read" in cli("status").out + cli("status").err
    change_skips(place, "bikes", skipped=[Skip("rides", None, 0)])
    assert cli("run").code == 0
    assert "skipped by all queries: rides:0" in cli("status").out
    Path("more.jsonl").write_text('{"key": "b1", "value": {"bike": "b1", "station": "park", "minutes": 1}}\n')
    assert cli("produce", "rides", "--file", "more.jsonl").code == 0
    assert "a server is opened" in cli("run").err
