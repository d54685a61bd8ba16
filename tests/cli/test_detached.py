"""A run that is left to its Spark server: its queries go on without a client, and other commands reach them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.types.record import Record

from .conftest import Cli

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = pytest.mark.spark

MANAGER = "spark.connect.session.manager"
# The session ends after so many seconds without a call.
TIMEOUT = 20


@pytest.fixture
def server(bikes: Path, tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server that is not the run's own, and the target that names it."""
    settings = {f"{MANAGER}.defaultSessionTimeout": f"{TIMEOUT}s", f"{MANAGER}.maintenanceInterval": "1s"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        # One that is started again has the same address.
        port = int(free.getsockname()[1])
    with EmbeddedServer(tmp_path / "server", os.environ, ServerOptions(port=port, settings=settings)) as running:
        target = f"{{type: connect, address: '{running.address}'}}"
        (bikes / "profiles.yml").write_text(f"default: standing\ntargets:\n  standing: {target}\n")
        yield running


def append(bikes: Path) -> None:
    topic = Project.load(bikes).plan("arrivals").inputs[0]
    log = FileLog(bikes / ".lsqlc/topics")
    some = list(log.read(topic))[:5]
    log.append(topic, [Record(topic.name, r.key, r.value, r.timestamp) for r in some])


def until(found: Callable[[], bool], seconds: float = 200) -> None:
    deadline = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.3)


def written(bikes: Path) -> int:
    topic = Project.load(bikes).plan("arrivals").outputs[0]
    return sum(1 for _ in FileLog(bikes / ".lsqlc/topics").read(topic))


def detach(bikes: Path) -> dict[str, Any]:
    """In a process of its own, which is gone afterwards."""
    words = [sys.executable, "-m", "lsqlc", "run", "--detach", "--output", "json"]
    ran = subprocess.run(words, cwd=bikes, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    left: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    assert left["event"] == "left" and left["ok"]
    return left


def test_a_run_that_is_detached(cli: Cli, bikes: Path, server: EmbeddedServer) -> None:
    """Its queries outlive the session's time limit and read on; `status` sees them, a bounded run, a seed and `clean`
    are refused, `stop` ends them and their session, and the next run goes on from there.
    """
    assert cli("seed").code == 0
    left = detach(bikes)
    assert len(left["queries"]) == 3 and left["target"] == "standing"
    before = written(bikes)
    time.sleep(TIMEOUT + 5)
    append(bikes)
    until(lambda: written(bikes) > before)
    status = cli("status")
    assert status.code == 0 and "a run that was detached" in status.out and "running" in status.out
    data = cli("status", "--output", "json").data
    assert data["ok"] and {q["state"] for q in data["run"]["queries"]} == {"running"}
    metrics = cli("status", "--metrics").out
    assert 'lsqlc_run_up{project="bikes",target="standing"} 1\n' in metrics and "_total" not in metrics
    for words in (("run",), ("seed", "--full-refresh"), ("clean", "--topics")):
        refused = cli(*words)
        assert refused.code == 1 and "error[LSQ787]" in refused.err, words
    stopped = cli("stop", "--output", "json")
    assert stopped.code == 0 and stopped.data["detached"] == {"stopped": 3}
    assert cli("status").code == 1 and "has been stopped" in cli("status").out
    assert cli("stop", "--output", "json").data == {"version": 1, "command": "stop", "ok": True, "process": None}
    append(bikes)
    assert cli("run", "--verify", "--quiet").code == 0


def test_a_run_that_takes_over(cli: Cli, bikes: Path, server: EmbeddedServer) -> None:
    """A second detached run stops the queries of the first, and goes on from its checkpoints. After the server was
    started again its queries are lost, which `status` says, and a bounded run is free to go on.
    """
    assert cli("seed").code == 0
    first = detach(bikes)
    append(bikes)
    second = detach(bikes)
    assert first["session"] != second["session"]
    status = cli("status", "--output", "json")
    assert status.code == 0 and status.data["detached"]["session"] == second["session"]
    server.stop()
    server.start()
    lost = cli("status", "--output", "json")
    assert lost.code == 1 and {q["state"] for q in lost.data["run"]["queries"]} == {"lost"}
    assert cli("run", "--verify", "--quiet").code == 0


def test_a_query_that_fails(cli: Cli, bikes: Path, server: EmbeddedServer) -> None:
    """It stays so: `status` has the failure, and ends with 1."""
    assert cli("seed").code == 0
    detach(bikes)
    topic = Project.load(bikes).plan("arrivals").inputs[0]
    log = FileLog(bikes / ".lsqlc/topics")
    behind = sum(1 for _ in log.read(topic))
    (log.data_dir(topic.name) / f"{behind:020d}.jsonl").write_text("no JSON\n", "utf-8")
    until(lambda: cli("status").code == 1)
    failed = [q for q in cli("status", "--output", "json").data["run"]["queries"] if q["state"] == "failed"]
    assert failed and "LSQ" not in failed[0]["failure"]
    assert failed[0]["failure"] in cli("status").out
    server.stop()
    assert cli("status").code == 1 and "error[LSQ655]" in cli("status").err
    metrics = cli("status", "--metrics")
    assert metrics.code == 1 and "error[LSQ655]" in metrics.err
    assert 'lsqlc_run_up{project="bikes",target="standing"} 0\n' in metrics.out
    stopped = cli("stop")
    assert stopped.code == 0 and "warning[LSQ864]" in stopped.err
    assert "this project is not being run" in cli("stop").err


def test_an_embedded_server(cli: Cli) -> None:
    """It ends with the command, and so a run on it cannot be detached."""
    ran = cli("run", "--detach")
    assert ran.code == 1 and "error[LSQ792]" in ran.err
