"""Plans for older servers give what DuckDB gives: on the server at hand, which runs them as well, and on an older one
where `LSQLC_SPARK_HOME` names it (`make test-version`).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from random import Random
from typing import Any

import pytest

import lsqlc
from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import NEWEST, OLDEST, Version, lower
from lsqlc.lower.spark.steps import Source, SparkPlan, Stage, View, Write
from lsqlc.plan import Plan
from lsqlc.project.declared.target import Target
from lsqlc.remote.cases import outcomes
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.graph import Job, nodes
from lsqlc.remote.run.preflight import check_supported
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.session.session import parse_address, server_version
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Case, Record
from tests.differential.test_engines import agree, comparable, cut, plan_of
from tests.lower_duckdb.programs import TOPICS
from tests.lower_duckdb.test_reference import some_records
from tests.remote.server_fixture import other_home
from tests.shared import SharedServer

# One for each place at which an old server gets other words.
OTHERWISE = ("aggregate of a table", "table rekeyed", "stream with left tables on a field", "greatest and least")


def older(plan: Plan, *, cases: bool, server: Version, headers: Collection[str]) -> SparkPlan:
    """The plan as the oldest server gets it, in other words than the newest one does, whatever `server` is."""
    found = lower(plan, cases=cases, server=OLDEST)
    assert found != lower(plan, cases=cases) and not headers
    return found


@pytest.mark.parametrize("name", OTHERWISE)
def test_the_words_for_old_servers_mean_the_same(
    name: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over random logs, whatever the batches."""
    plan, random = plan_of(name), Random(name)
    cases = [Case(str(i), cut(some_records(plan, random), random)) for i in range(16)]
    monkeypatch.setattr(outcomes, "lower", older)
    agree(plan, cases, spark, tmp_path)


def test_what_a_server_lacks_is_told_before_anything_starts(spark: Any) -> None:
    """Every query that it refuses, with what it says; the newest version that was tried is not asked."""
    steps = (Source("lines", ("t",)), View("out", "SELECT not_there_yet(_line) AS line FROM lines", "too new"))
    jobs = [Job(n, SparkPlan((Stage(n, steps, Write("out", n, "append")),))) for n in ("one", "two")]
    fine = Job("fine", lower(plan_of("table rekeyed"), server=OLDEST))
    with pytest.raises(LsqlcError) as raised:
        check_supported(spark, nodes([*jobs, fine]), OLDEST)
    found = raised.value.diagnostics
    assert [(d.code, "'one'" in d.message, "4.0" in d.message) for d in found] == [
        ("LSQ698", True, True), ("LSQ698", False, True),
    ]  # fmt: skip
    assert "UNRESOLVED_ROUTINE" in found[0].notes[0]
    check_supported(spark, nodes(jobs), NEWEST)


@pytest.mark.parametrize(
    "program",
    [
        "SELECT STREAM * FROM orders",
        "SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; SELECT STREAM id FROM orders",
        "SELECT STREAM COUNT(*) AS n FROM orders GROUP BY item",
        "SELECT STREAM l.id AS id FROM orders AS l INNER JOIN more AS r WITHIN 1m",
    ],
)
def test_queries_over_kafka_are_rehearsed(program: str, spark: Any) -> None:
    """Each column that a source has is there: lines or parts of records, places and headers."""
    topics = [lsqlc.Topic(name, key="INT", value="id INT, item STRING") for name in ("orders", "more")]
    place = open_target(Path(), Target("local", connection=KafkaSettings("localhost:1")), [])
    plan = lsqlc.compile(program, topics=topics, name="out")
    check_supported(spark, nodes([Job("out", lower(plan, wires=place.wires, server=OLDEST))]), OLDEST)


@pytest.mark.skipif(other_home() is None, reason="LSQLC_SPARK_HOME names no other Spark: see `make test-version`")
@pytest.mark.parametrize("name", ["aggregate of a table", "stream with left tables on a field"])
def test_another_server_runs_and_resumes(name: str, spark: Any, spark_server: SharedServer, tmp_path: Path) -> None:
    """A model with a checkpoint, in two runs on that version."""
    server, log, random, plan = server_version(spark.version), FileLog(tmp_path / "topics"), Random(1), plan_of(name)
    assert server != NEWEST
    address, transport, options = parse_address(spark_server.address), FileTransport(log.root), QueryOptions(4)
    records: list[Record] = []
    for resumed in (False, True):
        more = some_records(plan, random)
        for record in more:
            log.append(TOPICS[record.topic], [record])
        records += more
        summaries = run(
            RunResources(spark, address, transport, tmp_path / "checkpoints"),
            [Job("out", lower(plan, server=server))],
            options=RunOptions(options),
        )
        assert all(s.finished and s.resumed == resumed for s in summaries)
        (wanted,) = default_session().evaluate(plan, [Case("all", (tuple(records),))])
        (topic,) = plan.outputs
        found: Any = list(log.read(topic))
        if plan.semantics[topic.name] == "TABLE":
            found = outcomes.final_rows(topic, found)
        assert comparable(plan, topic.name, found) == comparable(plan, topic.name, wanted.topics[topic.name])
