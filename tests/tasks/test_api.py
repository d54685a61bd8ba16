"""What `Project` of the Python API offers besides plans."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc.cli.main import main
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


def test_a_diff_without_a_version(bikes: Path) -> None:
    """It is with where the branch began; as text it is what the command prints."""
    project = lsqlc.Project.load(bikes)
    assert str(project.diff()) == "no model changed"
    git(bikes, "branch", "-M", "main")
    git(bikes, "switch", "-q", "-c", "topic")
    model = bikes / "models" / "bikes_at_station.sql"
    model.write_text(model.read_text().replace("COUNT(*)", "COUNT(*) + 1"))
    git(bikes, "commit", "-q", "-a", "-m", "second")
    found = project.diff(rows=False)
    assert [model["name"] for model in found] == ["bikes_at_station"]
    assert str(found).startswith("~ bikes_at_station: breaking\n") and "&lt;" in found._repr_html_()


def test_what_a_session_shows(bikes: Path) -> None:
    """A plan is its tree, a project its models, a run of the cases what the command prints."""
    project = lsqlc.Project.load(bikes)
    plan = project.plan("arrivals")
    assert repr(plan) == plan.tree().rstrip("\n")
    assert "  <b>Filter</b> [STREAM] NOT (cancelled)\n" in plan._repr_html_()
    assert "STRUCT&lt;bike" in plan._repr_html_() and "STRUCT<" not in plan._repr_html_()
    assert repr(project) == f"<lsqlc.Project 'bikes': 3 models in {str(bikes)!r}>"
    assert "<tr><td>arrivals</td><td>STREAM</td><td>rides</td><td>arrivals</td></tr>" in project._repr_html_()
    assert str(project.test()) == "3 models compiled\n1 case: 1 passed"


def test_errors_with_carets(bikes: Path) -> None:
    """As text, an error has the line and the carets, of a program and of a project's file."""
    with pytest.raises(lsqlc.CompileError) as wrong:
        lsqlc.compile("SELECT STREAM idd FROM t", topics=[lsqlc.Topic("t", value="id INT")])
    assert str(wrong.value).splitlines()[:5] == [
        "error[LSQ201]: unknown column 'idd'",
        " --> <text>:1:15",
        "  |",
        "1 | SELECT STREAM idd FROM t",
        "  |               ^^^",
    ]
    (bikes / "models" / "arrivals.sql").write_text("SELECT STREAM bikes FROM rides")
    with pytest.raises(lsqlc.CompileError) as wrong:
        lsqlc.Project.load(bikes)
    assert "1 | SELECT STREAM bikes FROM rides\n  |               ^^^^^\n" in str(wrong.value)


def test_compiled_again(bikes: Path) -> None:
    """The files as they are now; the project that was loaded stays as it is."""
    project = lsqlc.Project.load(bikes)
    (bikes / "models" / "more.sql").write_text("SELECT STREAM bike FROM rides")
    assert "more" in project.compile().plans and "more" not in project.plans


def test_topics_of_a_target(bikes: Path) -> None:
    """Records of a topic, the first or the last; unknown names are refused."""
    project = lsqlc.Project.load(bikes)
    assert project.show("rides") == []
    # An empty topic has its columns.
    assert project.show("arrivals").topic.name == "arrivals"
    assert main_seed(bikes) == 0
    shown = project.show("rides", limit=2)
    assert len(shown) == 2 and shown[0].value["station"] and "station" in str(shown)
    every = project.show("rides", limit=0)
    assert every[:2] == shown and project.show("rides", limit=2, tail=True) == every[-2:]
    with pytest.raises(LsqlcError) as refused:
        project.show("ride")
    assert refused.value.diagnostics[0].code == "LSQ063"
    with pytest.raises(LsqlcError):
        project.show("rides", target="nowhere")
    (bikes / "models" / "two.sql").write_text(
        "INSERT INTO x SELECT STREAM bike FROM rides; INSERT INTO y SELECT STREAM bike FROM rides"
    )
    with pytest.raises(ValueError, match="'x', 'y'; name one of them"):
        project.show("two")


def test_a_query(bikes: Path) -> None:
    """Rows as mappings, as text and as tables; what is wrong has its line and carets."""
    project = lsqlc.Project.load(bikes)
    assert main_seed(bikes) == 0
    found = project.query("SELECT station, count(*) AS n FROM STREAM(rides) GROUP BY 1 ORDER BY n DESC", dialect="sql")
    assert next(iter(found)) == {"station": "harbour", "n": 16} and len(found) == 6
    assert str(found).splitlines()[2:4] == ["harbour  16", "station  13"]
    assert found.to_arrow().to_pydict()["n"] == [16, 13, 11, 10, 7, 3]
    assert project.query("SELECT STREAM bike FROM rides WHERE minutes > 99").to_arrow().num_rows == 0
    assert len(project.query("SELECT STREAM bike FROM rides", limit=2)) == 2
    with pytest.raises(lsqlc.CompileError) as wrong:
        project.query("SELECT STREAM bikes FROM rides")
    assert " --> <query>:1:15" in str(wrong.value)


def main_seed(bikes: Path) -> int:
    """`lsqlc seed`; its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["seed", "-q", "--project-dir", str(bikes)])
    return int(ended.value.code or 0)


def test_names_for_completion(bikes: Path) -> None:
    """The public names of the package, and of a project no private one."""
    assert set(dir(lsqlc)) == set(lsqlc.__all__)
    project = lsqlc.Project.load(bikes)
    public = {name for name in dir(project) if not name.startswith("_")}
    own = {"compile", "test", "diff", "lineage", "show", "query", "lint", "format", "plan", "plans", "load"}
    assert public == own | {"root", "name", "diagnostics", "vars"}


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
