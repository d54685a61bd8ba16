"""An opened project, as every entry point of lsqlc opens it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lsqlc
from lsqlc.cli.mcp_tools import Tools
from lsqlc.diagnostics import LsqlcError
from lsqlc.project import workspace
from lsqlc.project.declared.config import project_config
from lsqlc.project.workspace import ProjectError, open_workspace, sound

TOPICS = "topics: [{name: orders, key: STRING, value: 'item STRING, n INT'}]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one model."""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\n")
    (tmp_path / "models/topics.yml").write_text(TOPICS)
    (tmp_path / "models/items.sql").write_text("SELECT STREAM item FROM orders")
    return tmp_path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a project has been loaded and compiled."""
    counts: Counter[str] = Counter()

    def count(name: str) -> None:
        function: Callable[..., Any] = getattr(workspace, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            counts[name] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(workspace, name, counted)

    for name in ("load_project", "compile_project"):
        count(name)
    return counts


def test_the_compilation_is_computed_once(root: Path, calls: Counter[str]) -> None:
    """Each use of it is the same object."""
    opened = open_workspace(root)
    assert opened.compilation is opened.compilation and opened.name == "shop"
    assert list(opened.compilation.plans) == ["items"]
    assert calls == {"load_project": 1, "compile_project": 1}


def test_a_tool_opens_the_project_once(root: Path, calls: Counter[str]) -> None:
    """Tools of agents and methods of the Python API load and compile it once."""
    tools = Tools(root, {})
    once = {"load_project": 1, "compile_project": 1}
    for call in (
        lambda: tools.query("SELECT STREAM * FROM orders"),
        lambda: tools.show("orders"),
        lambda: tools.lineage("items"),
        lambda: lsqlc.Project.load(root),
    ):
        calls.clear()
        call()
        assert calls == once


def test_a_query_of_a_project_with_an_error(root: Path) -> None:
    """Only errors of the models that a query reads keep it from an answer."""
    project = lsqlc.Project.load(root)
    (root / "models/broken.sql").write_text("SELECT STREAM price FROM orders")
    assert list(project.query("SELECT STREAM * FROM orders")) == []
    with pytest.raises(lsqlc.CompileError, match="price"):
        project.query("SELECT STREAM * FROM broken")


def test_other_contents(root: Path) -> None:
    """A project can be opened with files that are not on the disk."""
    other = open_workspace(root).with_files({"models/items.sql": b"SELECT STREAM n FROM orders"})
    (topic,) = other.compilation.plans["items"].outputs
    assert str(topic.value.type) == "STRUCT<n: INT>"


def test_errors_have_their_texts(root: Path) -> None:
    """A project that cannot be read, or has errors, is reported with the texts of its files."""
    (root / "models/items.sql").write_text("SELECT STREAM price FROM orders")
    with pytest.raises(ProjectError) as broken:
        sound(open_workspace(root).compilation)
    assert broken.value.texts["models/items.sql"].startswith("SELECT STREAM price")
    (root / "lsqlc.yml").write_text("name: [\n")
    for read in (open_workspace, project_config):
        with pytest.raises(ProjectError) as unreadable:
            read(root)
        assert unreadable.value.texts == {"lsqlc.yml": "name: [\n"}


def test_a_target_that_does_not_exist(root: Path) -> None:
    """Targets are those of profiles.yml."""
    assert open_workspace(root).target().type == "embedded"
    with pytest.raises(LsqlcError):
        open_workspace(root).target("production")
