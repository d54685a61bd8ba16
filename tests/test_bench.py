"""What the benchmarks measure is sound: the generated project compiles, and is the same every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import contest, growth, kafka, nexmark, queries, wide
from bench.models import FAMILY, write_project
from bench.orders import Size, written
from bench.spent import spent
from bench.sql_models import write_sql_project
from lsqlc.api import Project
from lsqlc.lower.spark import lower
from lsqlc.topics.log import FileLog
from tests.standard_sql.nexmark.views import QUERIES


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
