"""What `Project` of the Python API offers besides plans."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.dialects import NAMES
from lsqlc.tasks.scaffold import create_project
from tests.cli.test_diff import git


@pytest.fixture
def bikes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the template in a git repository of its own, with one commit."""
    monkeypatch.delenv("CI", raising=False)
    root = tmp_path / "bikes"
    assert create_project(str(root), "lenses").name == "bikes"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def test_golden_cases(bikes: Path) -> None:
    """They pass; after a change of the model they fail, until the golden file is updated."""
    project = lsqlc.Project.load(bikes)
    assert project.test()["ok"]
    model = bikes / "models" / "bikes_at_station.sql"
    model.write_text(model.read_text().replace("COUNT(*)", "COUNT(*) + 1"))
    failed = project.test()
    assert not failed["ok"] and {r["status"] for r in failed["results"]} == {"failed"}
    updated = project.test(update="changed")
    assert len(updated["written"]) == 2 and project.test()["ok"]
    model.write_text("SELECT TABLE nothing FROM rides")
    with pytest.raises(lsqlc.CompileError):
        project.test()


def test_versions(bikes: Path) -> None:
    """Only changed models, of those that are selected, and with the rows of the cases."""
    project = lsqlc.Project.load(bikes)
    assert project.diff("HEAD") == []
    model = bikes / "models" / "bikes_at_station.sql"
    model.write_text(model.read_text().replace("COUNT(*)", "COUNT(*) + 1"))
    (found,) = project.diff("HEAD")
    assert (found["name"], found["category"]) == ("bikes_at_station", "breaking") and found["rows"]
    assert project.diff("HEAD", select=["arrivals"]) == []
    with pytest.raises(LsqlcError) as refused:
        project.diff("no-such-branch")
    assert refused.value.diagnostics[0].code == "LSQ069"


def test_findings_and_fixes(bikes: Path) -> None:
    """Fixes are written where that is asked for, and what is left is returned."""
    project = lsqlc.Project.load(bikes)
    assert project.lint() == ()
    model = bikes / "models" / "bikes_at_station.sql"
    needed = "SELECT TABLE station, COUNT(*) AS bikes FROM {{ ref('arrivals') }} GROUP BY station, 1"
    model.write_text(f"WITH never AS (SELECT STREAM * FROM rides); {needed}")
    assert {found.code for found in project.lint()} >= {"LSQ821", "LSQ809"} and "never" in model.read_text()
    assert [found.code for found in project.lint(fix=True)] == ["LSQ809"]
    assert model.read_text() == needed


def test_the_one_form(bikes: Path) -> None:
    """Files that are not in it, by path; they are written if that is asked for."""
    project = lsqlc.Project.load(bikes)
    assert project.format() == {}
    model = bikes / "models" / "bikes_at_station.sql"
    right = model.read_text()
    model.write_text(right.replace("SELECT", "select", 1))
    assert project.format(write=False) == {"models/bikes_at_station.sql": right}
    assert model.read_text() != right
    assert project.format() and model.read_text() == right and project.format() == {}


def test_lineage(bikes: Path) -> None:
    """Of a model's columns, and an error for a name that nothing has."""
    project = lsqlc.Project.load(bikes)
    found = project.lineage("bikes_at_station")
    assert found["columns"] and {source["topic"] for source in found["upstream"]}
    with pytest.raises(LsqlcError) as refused:
        project.lineage("bikes_at_station.nothing")
    assert refused.value.diagnostics[0].code == "LSQ095"


@pytest.mark.parametrize("dialect", NAMES)
def test_each_dialect_has_a_project(dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It compiles without a diagnostic, and its golden case passes."""
    monkeypatch.setenv("CI", "1")
    create_project(str(tmp_path / "p"), dialect)
    project = lsqlc.Project.load(tmp_path / "p")
    assert set(project.plans) == {"arrivals", "rides_by_station", "bikes_at_station"} and not project.diagnostics
    assert project.test()["ok"]
