"""What the benchmarks measure is sound: the generated project compiles, and is the same every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.spark import lower
from lsqlc.plan.real_time import obstacles
from tests.standard_sql.nexmark.views import QUERIES
from tools.bench import contest, growth, kafka, latency, nexmark, queries, wide
from tools.bench.changes import Received, Sent, answers, of_each_record, of_groups, of_groups_of_rows
from tools.bench.models import FAMILY, write_project
from tools.bench.orders import Size, written
from tools.bench.spent import spent
from tools.bench.sql_models import write_sql_project


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    """Two projects of one size are equal, cases included."""
    for name in ("a", "b"):
        write_project(tmp_path / name, FAMILY + 3, cases=2)
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_every_generated_model_compiles(tmp_path: Path) -> None:
    """A project has as many models as were asked for, and each has a plan without a finding."""
    write_project(tmp_path, FAMILY + 3)
    project = Project.load(tmp_path)
    assert len(project.plans) == FAMILY + 3
    assert project.diagnostics == ()


def test_every_generated_model_in_standard_sql_compiles(tmp_path: Path) -> None:
    """As above, and the queries of Nexmark are the project that is measured."""
    write_sql_project(tmp_path / "sql", FAMILY + 3)
    project = Project.load(tmp_path / "sql")
    assert len(project.plans) == FAMILY + 3
    assert project.diagnostics == ()
    root = nexmark.written(tmp_path / "nexmark", 120, 2)
    assert list(Project.load(root).plans) == list(QUERIES)
    assert len(FileLog(root / ".lsqlc" / "topics").segments("bid")) == 2


def test_the_topics_are_the_same_for_the_same_numbers(tmp_path: Path) -> None:
    """Orders and tables too; and what is there is not written again."""
    size = Size(orders=20, updates=10, customers=5, segments=2)
    for name in ("a", "b", "a"):
        written(tmp_path / name, size)
    assert files(tmp_path / "a") == files(tmp_path / "b")


@pytest.mark.parametrize(
    "sql", [*(query.sql for query in (*queries.QUERIES, *kafka.QUERIES)), *growth.QUERIES.values()]
)
def test_what_is_measured_is_one_query(sql: str) -> None:
    """Beside the one by hand: another stage would go unmeasured."""
    assert len(lower(contest.plan_of(sql, "measured")).stages) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_processor_time_is_counted_by_kind(tmp_path: Path) -> None:
    """A program called java is the server, what it leaves behind in its group is Python, and all else the client."""
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\n(sh -c 'while :; do :; done' &)\nwhile :; do :; done\n")
    java.chmod(0o700)
    with subprocess.Popen([str(java)], start_new_session=True) as server:
        try:
            began, kinds = spent(os.getpid()), set[str]()
            while kinds != {"client", "server", "Python"}:
                kinds = {kind for kind, seconds in spent(os.getpid()).items() if seconds > began[kind]}
        finally:
            os.killpg(server.pid, 9)


@pytest.mark.parametrize("format", wide.FORMATS)
def test_the_wide_files_are_asked_for_what_is_summed(tmp_path: Path, format: str) -> None:
    """A plan of one stage over one topic, whose scan asks for the columns of the sums and no more."""
    wide.write(tmp_path / "data", format, 6, 40)
    plan = wide.plan_of("data", format, 6, (0, 5))
    assert f"reads c0 INT, c5 INT of {format} 'data'" in plan.tree()
    assert len(lower(plan).stages) == 1
    seconds, sums = wide.on_duckdb(plan, tmp_path)
    assert (seconds > 0, sums) == (True, [{"s0": sum(range(40)), "s5": sum((i * 11 + 5) % 1000 for i in range(40))}])


SENT = [Sent(1, "k1", "a", 0, 10.0), Sent(2, "k2", "a", 0, 11.0), Sent(3, "k1", "b", 0, 12.0)]


def received(*of: tuple[str, Mapping[str, object] | None]) -> list[Received]:
    """Results that come at 1.0, 2.0, 3.0 ..."""
    texts = [(key, None if value is None else json.dumps(value).encode()) for key, value in of]
    return [Received(key.encode(), value, 1.0 + place) for place, (key, value) in enumerate(texts)]


def test_a_record_is_answered_when_all_its_changes_have_come() -> None:
    """One of a TABLE's groups by the groups where its row is and where it was, in any order; by each change as it comes
    or by the last of a batch.
    """
    a1, a2, a, b = {"c": 1, "s": 1}, {"c": 2, "s": 3}, {"c": 1, "s": 2}, {"c": 1, "s": 3}
    each = received(("a", a1), ("a", a2), ("b", b), ("a", a))
    assert answers(of_groups_of_rows(SENT), each) == {1: 1.0, 2: 2.0, 3: 4.0}
    assert answers(of_groups_of_rows(SENT), each[:3]) == {1: 1.0, 2: 2.0}
    assert answers(of_groups_of_rows(SENT), received(("b", b), ("a", a))) == {1: 2.0, 2: 2.0, 3: 2.0}
    gone = of_groups_of_rows([SENT[0], Sent(2, "k1", "b", 0, 0.0)])
    assert answers(gone, received(("a", a1), ("a", None), ("b", {"c": 1, "s": 2}))) == {1: 1.0, 2: 3.0}
    stays = [SENT[0], Sent(2, "k1", "a", 0, 0.0)]
    for between in ({"c": 2, "s": 3}, None):
        seen = received(("a", a1), ("a", between), ("a", {"c": 1, "s": 2}))
        assert answers(of_groups_of_rows(stays), seen) == {1: 1.0, 2: 3.0}
    of_stream = received(("a" + "\0" * 8, a1), ("a" + "\0" * 8, a2))
    assert answers(of_groups(SENT), of_stream) == {1: 1.0, 2: 2.0}
    assert answers(of_each_record(SENT), received(("k1", {"g": "b", "n": 3}))) == {1: 1.0, 3: 1.0}


@pytest.mark.parametrize("wrong", [{"c": 1, "s": 1}, {"c": 3, "s": 3}, None])
def test_a_result_that_no_record_makes_fails_the_benchmark(wrong: dict[str, int] | None) -> None:
    """Or one that was there before."""
    with pytest.raises(RuntimeError, match="wrong or repeated"):
        answers(of_groups(SENT), received(("a", {"c": 2, "s": 3}), ("a", wrong)))


@pytest.mark.parametrize("query", latency.QUERIES, ids=lambda query: query.name)
def test_what_is_measured_in_real_time_qualifies(tmp_path: Path, query: latency.Query) -> None:
    """Else it would run in micro-batches twice."""
    place = latency.Place(tmp_path, "localhost:1", "sc://localhost:1")
    latency.write_model(tmp_path / "p", place, query, "real-time", "p.")
    project = Project.load(tmp_path / "p")
    assert not [d for d in project.diagnostics if d.is_error]
    assert not obstacles(project.plans[latency.OUTPUT])
