"""Somebody installs the wheel alone: what works, and what each missing extra says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path
from venv import EnvBuilder

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROFILE = """default: spark
targets:
  spark: {type: embedded}
  kafka: {type: embedded, kafka: {bootstrap: "127.0.0.1:1"}}
"""
# What a user types next, and the extras that it asks for.
MISSING = {
    "run": "spark",
    "test --engine spark": "spark",
    "run --target kafka": "kafka,spark",
    "topics plan --target kafka": "kafka",
    "run --otlp http://127.0.0.1:1": "otlp,spark",
    "run --openlineage events.jsonl": "openlineage,spark",
    "lsp": "editor",
    "mcp": "mcp",
}


def needed(name: str, seen: set[str]) -> Iterator[Distribution]:
    """A distribution and all that it requires, without extras."""
    found = distribution(name)
    normal = found.metadata["Name"].lower().replace("_", "-")
    if normal in seen:
        return
    seen.add(normal)
    if normal != "lsqlc":
        yield found
    for text in found.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from needed(requirement.name, seen)


@pytest.fixture(scope="module")
def lsqlc(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of an environment that has the wheel and what it requires, by links to what is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    pytest.importorskip("build", reason="the package build is not installed")
    # Without the backend it is fetched, as for anybody who builds the wheel.
    own = ["--no-isolation"] if find_spec("hatchling") else []
    built = [sys.executable, "-m", "build", "--wheel", *own, "--outdir", str(folder), str(ROOT)]
    subprocess.run(built, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    EnvBuilder(symlinks=True).create(folder / "env")
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(site)], check=True)
    for found in needed("lsqlc", set()):
        for file in found.files or ():
            top = file.parts[0]
            source = Path(str(found.locate_file(top)))
            if top not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(source)
    return [str(folder / "env/bin/python"), "-m", "lsqlc"]


def ran(command: list[str], words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "LSQLC_CACHE": str(folder.parent / "cache"), "HOME": str(folder.parent)}
    return subprocess.run(
        [*command, *words.split()],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="environments are laid out otherwise on Windows")
def test_the_wheel_alone(lsqlc: list[str], tmp_path: Path) -> None:
    """A project is made, built, seeded and read; each command that needs more prints the line that installs it."""
    made = ran(lsqlc, "init shop --dialect sql", tmp_path)
    assert made.returncode == 0, made.stderr
    shop = tmp_path / "shop"
    for words in ("build", "seed", "show rides --limit 2", "lint", "docs build", "explain LSQ099", "lineage busy"):
        answer = ran(lsqlc, words.replace("busy", "bikes_at_station"), shop)
        assert answer.returncode == 0, (words, answer.stderr)
    (shop / "profiles.yml").write_text(PROFILE)
    for words, extras in MISSING.items():
        answer = ran(lsqlc, words, shop)
        assert answer.returncode != 0 and "error[LSQ099]" in answer.stderr, (words, answer.stderr)
        assert f"pip install 'lsqlc[{extras}]'" in answer.stderr, (words, answer.stderr)
        assert "Traceback" not in answer.stderr and "internal error" not in answer.stderr
