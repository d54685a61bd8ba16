"""docs/tutorials/leaving-*.md: the script is imported as the page says, and all commands parse."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lsqlc.cli.main import main
from tests.docs.blocks import DOCS

_PAGES = ("leaving-ksqldb", "leaving-lenses")
TEXT = "".join((DOCS / f"tutorials/{page}.md").read_text("utf-8") for page in _PAGES)


def _block(info: str) -> str:
    found = re.search(rf"^```{re.escape(info)}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def test_the_script_is_imported_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What the terminal shows, and the model that the page prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    Path("shop.sql").write_text(_block("sql shop.sql"), "utf-8")
    (command,) = (line for line in TEXT.splitlines() if line == "lsqlc import ksqldb shop.sql shop")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command)[1:])
    assert ended.value.code == 1
    said = capfd.readouterr().err
    assert said.startswith(_block("text errors"))
    assert said.endswith(_block("text summary"))
    assert Path("shop/models/per_item.sql").read_text("utf-8") == _block("sql models/per_item.sql")
    assert sorted(p.name for p in Path("shop/unsupported").iterdir()) == ["masked.sql"]


def test_each_command_has_the_arguments_of_its_verb(capfd: pytest.CaptureFixture[str]) -> None:
    """Its help is shown: an option that does not exist would be an error first."""
    commands = {line for line in TEXT.splitlines() if line.startswith("lsqlc import")}
    assert len(commands) >= 5
    for command in commands:
        with pytest.raises(SystemExit) as ended:
            main([*shlex.split(command)[1:], "--help"])
        assert ended.value.code == 0, command
    capfd.readouterr()
