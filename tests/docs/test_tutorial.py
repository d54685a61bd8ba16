"""docs/tutorials/first-project.md: its files and commands, in order, print what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, blocks

PAGE = (DOCS / "tutorials/first-project.md").read_text("utf-8")
# Durations and commits differ from run to run.
_DURATION = re.compile(r"\b(?:\d+ min )?\d+(?:\.\d+)? s\b")
_ANYTHING = "...\n"


@pytest.mark.spark
def test_the_lesson_on_spark(tmp_path: Path) -> None:
    """All of it."""
    _follow(tmp_path, spark=True)


@pytest.mark.nightly
def test_the_lesson_without_spark(tmp_path: Path) -> None:
    """The blocks `console spark` are left out."""
    _follow(tmp_path, spark=False)


def _follow(folder: Path, *, spark: bool) -> None:
    count = 0
    for block in blocks(PAGE):
        match block.info:
            case ("console", *words) if spark or "spark" not in words:
                for command, shown in _commands(block.text):
                    count += 1
                    output = _output(command, folder)
                    assert _matches(shown, output), f"line {block.line}: {command}\n{output}"
            case ("yaml" | "sql" | "text", name):
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(block.text, "utf-8")
            case _:
                pass
    assert count >= 7


def _commands(text: str) -> list[tuple[str, str]]:
    """Each command with what the page shows behind it."""
    return [(m[1], m[2]) for m in re.finditer(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)]


def _output(command: str, folder: Path) -> str:
    """What a terminal of 120 columns gets of both streams."""
    people = {
        f"GIT_{role}_{what}": "reader@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    # With CI set no golden file is written.
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    ran = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**environment, **people, "PATH": path, "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return ran.stdout.decode("utf-8")


def _matches(shown: str, output: str) -> bool:
    """A line `...` of the page stands for any lines."""
    parts = (re.escape(_DURATION.sub("T", part)) for part in shown.split(_ANYTHING))
    return re.fullmatch("(?:.*\n)*".join(parts), _DURATION.sub("T", output)) is not None
