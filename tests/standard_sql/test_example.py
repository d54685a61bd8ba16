"""The project of examples/shop: it builds, its cases pass, and its seeds give what can be counted by hand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "shop"
# What the seeds leave: what was delivered and sent back, without what orders that stand have.
STOCK = {"chair": 10, "desk": 2, "lamp": 26, "shelf": 3}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("example") / "shop"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("target", ".lsqlc"))
    yield root


def lsqlc(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CI": "1"}
    command = [sys.executable, "-m", "lsqlc", *words]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def test_it_builds(project: Path) -> None:
    """Every model compiles without a finding, and has a case that passes."""
    done = lsqlc(project, "build")
    assert done.returncode == 0, done.stderr
    models = sorted(path.stem for path in (project / "models").glob("*.sql"))
    assert models == sorted(path.name for path in (project / "golden").iterdir())
    assert "warning" not in done.stderr
    assert f"{len(models)} models compiled" in done.stderr


@pytest.mark.spark
def test_it_runs(project: Path) -> None:
    """On Spark, with the results that DuckDB has."""
    for words in (("seed",), ("run", "--verify")):
        done = lsqlc(project, *words)
        assert done.returncode == 0, done.stderr
    shown = lsqlc(project, "show", "stock", "--output", "json").stdout
    for item, left in STOCK.items():
        assert f'"item":"{item}","quantity":{left}' in shown.replace(" ", "")
