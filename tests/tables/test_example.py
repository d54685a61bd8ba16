"""The project of examples/lake: it builds, its cases pass, and it reads the versions of its tables."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "lake"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("target", ".lsqlc", "tables"))
    return root


def _python(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CI": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def test_it_builds(project: Path) -> None:
    """Without a finding, and without the tables."""
    built = _python(project, "-m", "lsqlc", "build").stderr
    assert "2 models compiled" in built and "2 cases: 2 passed" in built and "warning" not in built


def test_its_tables_are_read(project: Path) -> None:
    """A correction is a change of one row, and an appended reading one record."""
    _python(project, "make_tables.py")
    first = _python(project, "-m", "lsqlc", "tables", "load").stderr
    assert "'meters' has 3 records more" in first and "'readings' has 4 records more" in first
    _python(project, "make_tables.py", "more")
    later = _python(project, "-m", "lsqlc", "tables", "load").stderr
    assert "'meters' has 2 records more" in later and "'readings' has 1 record more" in later


@pytest.mark.spark
def test_it_runs(project: Path) -> None:
    """On Spark, with the results that DuckDB has."""
    for words in ((), ("more",)):
        _python(project, "make_tables.py", *words)
        _python(project, "-m", "lsqlc", "run", "--verify")
    warned = _python(project, "-m", "lsqlc", "show", "warnings", "--output", "json").stdout.replace(" ", "")
    assert sorted(line[: line.index(",")] for line in warned.split('"meter":')[1:]) == ['"m1"', '"m2"', '"m3"']
