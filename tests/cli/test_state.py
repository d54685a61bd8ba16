"""`--state` and `state:` in selections, and selections with a name, as a user runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_diff import edit, git

ALL = {"arrivals", "bikes_at_station", "rides_by_station"}


@pytest.fixture
def repository(bikes: Path) -> Path:
    """The template's project, committed, with a macro in one of its models."""
    (bikes / "macros").mkdir()
    (bikes / "macros" / "limits.sql").write_text("{% macro least() %}3{% endmacro %}", "utf-8")
    edit(bikes, "arrivals", "NOT cancelled", "minutes > {{ least() }}")
    git(bikes, "init", "-q")
    git(bikes, "add", "-A")
    git(bikes, "commit", "-q", "-m", "first")
    return bikes


def listed(cli: Cli, select: str, state: str = "HEAD", *words: str) -> set[str]:
    ran = cli("ls", "--select", select, "--state", state, "--output", "json", *words)
    assert ran.code == 0, ran.err
    return {model["name"] for model in ran.data["models"]}


@pytest.mark.parametrize("state", ["HEAD", "old.json"])
def test_states_by_fingerprint(cli: Cli, repository: Path, state: str) -> None:
    """Another indentation is no modification; a macro marks the models whose plan it changes, and no other."""
    assert cli("compile", "-q").code == 0
    (repository / "old.json").write_bytes((repository / "target" / "manifest.json").read_bytes())
    edit(repository, "bikes_at_station", "FROM", "-- why\n  FROM")
    assert listed(cli, "state:modified", state) == set()
    (repository / "macros" / "limits.sql").write_text("{% macro least() %}4{% endmacro %}", "utf-8")
    (repository / "models" / "long.sql").write_text("SELECT STREAM bike FROM rides", "utf-8")
    assert listed(cli, "state:modified", state) == {"arrivals", "long"}
    assert listed(cli, "state:new", state) == {"long"}
    assert listed(cli, "state:modified+", state) == {*ALL, "long"}
    assert listed(cli, "state:modified,state:old", state) == {"arrivals"}
    assert listed(cli, "state:unmodified", state) == ALL - {"arrivals"}
    assert listed(cli, "arrivals+", state, "--exclude", "state:modified") == ALL - {"arrivals"}


def test_a_column_that_readers_use_modifies_them(cli: Cli, repository: Path) -> None:
    """Their plan has changed without an edit of their own; a model that no longer compiles is modified as well."""
    edit(repository, "arrivals", "minutes\n", "minutes * 1.5 AS minutes\n")
    assert listed(cli, "state:modified") >= {"arrivals", "rides_by_station"}
    edit(repository, "arrivals", "FROM rides", "FROM riders")
    assert listed(cli, "state:modified") == ALL


def test_nothing_has_changed(cli: Cli, repository: Path) -> None:
    """Each command has nothing to do and ends well, so that CI of a change of documents alone is green."""
    for verb in ("ls", "compile", "build", "test", "lint", "run"):
        ran = cli(verb, "--select", "state:modified+", "--state", "HEAD")
        assert ran.code == 0, (verb, ran.err)
    assert cli("diff", "--against", "HEAD", "--select", "state:modified").err == "no model changed\n"


def test_commands_take_the_modified_models(cli: Cli, repository: Path) -> None:
    """`build` compiles and tests those alone; `diff` compares by the version that it is against."""
    edit(repository, "bikes_at_station", "COUNT(*)", "COUNT(*) + 1")
    ran = cli("build", "--select", "state:modified", "--state", "HEAD", "--output", "json")
    assert ran.code == 1 and "arrivals" not in {result["model"] for result in ran.data["results"]}
    assert {result["model"] for result in ran.data["results"]} == {"bikes_at_station"}
    ran = cli("diff", "--against", "HEAD", "--select", "state:modified", "--output", "json", "-q")
    assert [model["name"] for model in ran.data["models"]] == ["bikes_at_station"]


def test_no_version_to_compare_with(cli: Cli, repository: Path) -> None:
    """Wrong usage: no `--state`, an unknown revision, a manifest that is none, a state that there is not."""
    for words, help in (
        (("state:modified",), "`--state main`"),
        (("state:modified", "--state", "mian"), "use a branch"),
        (("state:modified", "--state", "no.json"), "manifest.json"),
        (("state:modifed", "--state", "HEAD"), "did you mean 'modified'?"),
    ):
        ran = cli("build", "--select", *words)
        assert ran.code == 2 and help in ran.err, ran.err


def test_a_selection_with_a_name(cli: Cli, repository: Path) -> None:
    """`selectors` of the project file, alone and as a part; an unknown name is wrong usage."""
    path = repository / "lsqlc.yml"
    text = path.read_text("utf-8")
    path.write_text(f"{text}\nselectors:\n  ci: {{select: 'state:modified+ tag:live', exclude: tag:daily}}\n", "utf-8")
    edit(repository, "arrivals", "minutes > {{ least() }}", "cancelled")
    assert listed(cli, "selector:ci") == {"arrivals", "bikes_at_station"}
    assert listed(cli, "selector:ci,arrivals") == {"arrivals"}
    ran = cli("ls", "--select", "selector:c")
    assert ran.code == 2 and "did you mean 'ci'?" in ran.err
