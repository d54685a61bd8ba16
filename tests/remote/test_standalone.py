"""The walk through a standalone cluster in docs/how-to/production.md, command by command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from lsqlc.remote.server.ports import free_ports
from lsqlc.remote.session.probe import probe

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

_PAGE = Path(__file__).parents[2] / "docs" / "how-to/production.md"
_BLOCK = re.compile(r"^```(?:sh|yaml) (cluster|connect|profiles.yml|project)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# For a machine that is busy.
_UP = 300.0


def blocks(folder: Path, master: int, connect: int) -> dict[str, str]:
    """What the page has to be run, with these ports, and below that folder."""
    section = _PAGE.read_text("utf-8").partition("## On a standalone cluster")[2].partition("\n## ")[0]
    found: dict[str, str] = dict(_BLOCK.findall(section))
    assert list(found) == ["cluster", "connect", "profiles.yml", "project"]
    places = {":7077": f":{master}", "--port 7077": f"--port {master}", "15002": str(connect), "/srv": str(folder)}
    for old, new in places.items():
        assert any(old in text for text in found.values())
        found = {word: text.replace(old, new) for word, text in found.items()}
    return found


@contextmanager
def running(text: str, log: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The commands of a block, and what they have started, inside the `with`."""
    with log.open("wb") as file:
        shell = subprocess.Popen(
            ["bash", "-c", f"set -e\n{text}\nwait"], stdout=file, stderr=file, env=environment, start_new_session=True
        )
    try:
        yield shell
    finally:
        # It is the leader of its group, whose number is not given away before it was waited for.
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def test_the_page(tmp_path: Path) -> None:
    """A master, a worker, a Connect server with a token, and a project that is verified."""
    master, connect = free_ports(2)
    found = blocks(tmp_path, master, connect)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs, "SPARK_TOKEN": "sesame"}
    project = tmp_path / "project"
    made = subprocess.run(["lsqlc", "init", str(project)], env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (project / "profiles.yml").write_text(found["profiles.yml"])
    with ExitStack() as stack:
        logs = {word: tmp_path / f"{word}.log" for word in ("cluster", "connect")}
        started = [stack.enter_context(running(found[word], logs[word], environment)) for word in logs]
        deadline = time.monotonic() + _UP
        while probe("127.0.0.1", connect) != "serving":
            told = {word: log.read_text("utf-8", "replace")[-4_000:] for word, log in logs.items()}
            assert all(shell.poll() is None for shell in started) and time.monotonic() < deadline, told
            time.sleep(0.5)
        ran = subprocess.run(
            ["bash", "-e", "-c", found["project"]], cwd=project, env=environment, capture_output=True, text=True
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "ok    python of the server: a worker is up within" in ran.stdout
    assert re.findall(r"(\d+) rows on DuckDB, \1 on Spark, \1 equal", ran.stdout + ran.stderr)
