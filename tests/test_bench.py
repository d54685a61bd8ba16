"""What the benchmarks measure is sound: the generated project compiles, and is the same every time."""

from __future__ import annotations

from pathlib import Path

from bench.models import FAMILY, write_project
from lsqlc.api import Project


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
