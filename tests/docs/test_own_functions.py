"""docs/how-to/own-functions.md: its files are a project whose build passes, and its Python example gives what
it shows.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, blocks

from ..cli.conftest import Cli, cli  # noqa: F401 (a fixture)

PAGE = DOCS / "how-to/own-functions.md"
TOPICS = 'topics: [{name: sales, key: INT, value: "item STRING, price DOUBLE"}]\n'


def test_the_files_are_a_project_that_passes(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Each block that names a file, beside a topic and the project file."""
    monkeypatch.chdir(tmp_path)
    found = {b.info[1]: b.text for b in blocks(PAGE.read_text("utf-8")) if len(b.info) > 1 and "/" in b.info[1]}
    for path, text in {**found, "lsqlc.yml": "name: shop\n", "models/topics.yml": TOPICS}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert cli("build").code == 1
    assert cli("functions", "lock").code == 0
    ran = cli("build")
    assert (ran.code, "0 failed" in ran.err or "passed" in ran.err) == (0, True), ran.err


def test_the_python_example_gives_its_comment() -> None:
    """The comment behind the last expression is its value."""
    (code,) = [b.text for b in blocks(PAGE.read_text("utf-8")) if b.info == ("python",)]
    *_, comment = code.rstrip("\n").split("\n")
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names: dict[str, object] = {}
    exec(compile(tree, PAGE.name, "exec"), names)
    assert f"# {eval(compile(ast.Expression(last.value), PAGE.name, 'eval'), names)!r}" == comment
