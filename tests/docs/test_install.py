"""The lines that install lsqlc, as documents and messages have them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from lsqlc.tasks import debug

ROOT = Path(__file__).parents[2]
_LINE = re.compile(r"(lsqlc|'\.)\[([a-z]+(?:,[a-z]+)*)\]")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


def test_each_line_names_extras_that_exist() -> None:
    paths = [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "lsqlc" / "diagnostics" / "pages").glob("*.md"),
    ]
    lines = {path: _LINE.findall(path.read_text("utf-8")) for path in paths}
    for path, found in lines.items():
        assert {extra for _, extras in found for extra in extras.split(",")} <= set(EXTRAS), path
    # Of a clone: it works before there is a release.
    assert "'." in {source for source, _ in lines[ROOT / "README.md"]}


@pytest.mark.parametrize(
    ("file", "text"),
    [("parser.py", "pure Python; `pip install 'lsqlc[fast]'` reads"), ("parser.cpython-313-darwin.so", "compiled")],
)
def test_the_build_of_sqlglot(monkeypatch: pytest.MonkeyPatch, file: str, text: str) -> None:
    """The compiled one replaces `sqlglot.parser`, but not `sqlglot.tokens`."""
    monkeypatch.setattr("sqlglot.parser.__file__", f"/lib/sqlglot/{file}")
    assert text in debug._sqlglot().found
