"""The first hour of a new user: what the terminal shows after each step."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

pytest.importorskip("pyte", reason="pyte is not installed")
if os.name != "posix":
    pytest.skip("there is no terminal here", allow_module_level=True)

from tests.journeys.first_hour import SCREENS, recorded
from tests.journeys.terminal import Terminal
from tests.shared import SharedServer


@pytest.mark.nightly
def test_each_screen_is_as_it_was(tmp_path: Path) -> None:
    """`python -m tests.journeys.first_hour` records them again, to be read before they are committed."""
    known = {path.stem.partition("-")[2]: path.read_text("utf-8") for path in sorted(SCREENS.glob("*.txt"))}
    found = recorded(tmp_path)
    assert list(found) == list(known)
    differing = [
        line
        for name, text in found.items()
        for line in difflib.unified_diff(known[name].splitlines(), text.splitlines(), name, "now", lineterm="")
    ]
    assert not differing, "\n".join(differing)


@pytest.mark.spark
def test_a_first_run(tmp_path: Path, spark_server: SharedServer) -> None:
    """Its live view ends in a table, what it wrote is what DuckDB finds, and it goes on where it was."""
    with Terminal(tmp_path) as terminal:
        terminal.run("stty -echo; lsqlc init shop --quiet; cd shop; lsqlc seed --quiet")
        target = f"{{type: connect, address: '{spark_server.address}'}}"
        (tmp_path / "shop" / "profiles.yml").write_text(f"targets: {{shared: {target}}}\n")
        shown = "\n".join(terminal.run("lsqlc run --verify"))
        assert shown.count("finished") >= 3 and shown.count(" equal") == 3 and "error" not in shown
        assert terminal.run("lsqlc show bikes_at_station")[1].split() == ["_key", "station", "bikes"]
        assert "the last one ended" in "\n".join(terminal.run("lsqlc status"))
        again = "\n".join(terminal.run("lsqlc run"))
        assert "read 0 rows" in again
