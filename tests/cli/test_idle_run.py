"""A run that has nothing to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.connectors.skips import Skip
from lsqlc.lower.spark import lower
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.remote.run.checkpoints import describe
from lsqlc.remote.run.graph import Job, nodes
from lsqlc.remote.server.home import installed_version
from lsqlc.tasks.run_target import open_target
from lsqlc.tasks.skipped_records import change_skips
from tests.remote.left import leave

from .conftest import Cli


def test_a_run_starts_no_server(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queries are told of as of any other run, and status has them too. A record more, and a server is needed."""
    version = installed_version()
    if version is None:
        pytest.skip("pyspark is not installed")
    assert cli("seed").code == 0
    loaded = load_project(bikes).project
    assert loaded is not None
    plans = compile_project(loaded).plans
    place = open_target(bikes, Target("embedded"), plans.values())
    found = nodes(Job(name, lower(plan, server=version)) for name, plan in plans.items())
    leave(place, found, lambda node: describe(node.stage, partitions=1, server=version, model=node.model))

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
    change_skips(place, loaded.config.name, skipped=[Skip("rides", None, 0)])
    assert cli("run").code == 0
    assert "skipped by all queries: rides:0" in cli("status").out
    Path("more.jsonl").write_text('{"key": "b1", "value": {"bike": "b1", "station": "park", "minutes": 1}}\n')
    assert cli("produce", "rides", "--file", "more.jsonl").code == 0
    assert "a server is opened" in cli("run").err
