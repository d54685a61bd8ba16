"""A run that goes on, seen and stopped from another terminal, over a server that is killed under it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import Cli

pytest.importorskip("pyspark", reason="pyspark is not installed")


@pytest.fixture
def going_on(cli: Cli, bikes: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`lsqlc run --continuous` of the template's project, in a process of its own."""
    assert cli("seed").code == 0
    words = [sys.executable, "-m", "lsqlc", "run", "--continuous", "--output", "json"]
    with (bikes / "out.jsonl").open("wb") as out, subprocess.Popen(words, stdout=out, stderr=out) as process:
        yield process
        process.kill()


def until(found: Callable[[], bool], seconds: float = 400) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.2)


def test_nothing_runs(cli: Cli, bikes: Path) -> None:
    """Without a run `status` says so with exit code 1, its metrics too, and `stop` has nothing to do."""
    status = cli("status")
    assert status.code == 1 and "none has before" in status.out
    assert "lsqlc_run_up 0\n" in cli("status", "--metrics").out
    assert cli("stop").code == 0
    assert cli("stop", "--output", "json").data == {"version": 1, "command": "stop", "ok": True, "process": None}


def test_a_killed_server(cli: Cli, bikes: Path, going_on: subprocess.Popen[bytes]) -> None:
    """The run starts again from its checkpoints, says so, reads what came meanwhile, and ends when it is told to."""

    def queries() -> dict[str, int]:
        return {q["query"]: q["rows"] for q in cli("status", "--output", "json").data["run"].get("queries", ())}

    def lines() -> list[dict[str, object]]:
        text = (bikes / "out.jsonl").read_text().splitlines()
        return [json.loads(line) for line in text if line.startswith("{")]

    until(lambda: queries().get("arrivals", 0) > 0 and len(queries()) == 3)
    status = cli("status")
    assert status.code == 0 and f"process {going_on.pid} has run for" in status.out
    servers = subprocess.run(["ps", "-ewwo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
    mine = [line for line in servers if str(bikes) in line and "SparkConnectServer" in line and "watchdog" not in line]
    os.kill(int(mine[0].split()[0]), signal.SIGKILL)
    until(lambda: any(line["event"] == "restarting" for line in lines()))
    until(lambda: sum(line["event"] == "started" for line in lines()) == 6)
    assert cli("status", "--output", "json").data["run"]["restarts"] == 1
    assert cli("stop").code == 0
    assert going_on.wait(60) == 0
    assert lines()[-1]["event"] == "summary"
    assert "no run holds this project; the last one ended" in cli("status").out
    assert cli("run", "--verify", "--quiet").code == 0
