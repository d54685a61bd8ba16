"""A run that goes on, seen and stopped from another terminal, over a server that is killed under it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
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


@dataclass(frozen=True, slots=True)
class GoingOn:
    """`lsqlc run --continuous` of the template's project, in a process of its own."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What it has told so far."""
        text = (self.folder / "out.jsonl").read_text().splitlines()
        # The last line may be half written.
        return [json.loads(line) for line in text if line.startswith("{") and line.endswith("}")]

    def events(self, kind: str) -> int:
        return sum(line["event"] == kind for line in self.lines)

    def until(self, found: Callable[[], bool], seconds: float = 500) -> None:
        """Wait until it is so, as long as the run lives. On a busy machine a server takes minutes to come up."""
        deadline = time.monotonic() + seconds
        while not found():
            assert self.process.poll() is None, (self.folder / "out.jsonl").read_text()[-4000:]
            assert time.monotonic() < deadline, (self.folder / "out.jsonl").read_text()[-4000:]
            time.sleep(0.2)

    def until_all_read(self) -> None:
        """Wait until the three queries have started (since the last restart) and the records have come out."""
        kinds = [line["event"] for line in self.lines]
        restarted = len(kinds) - kinds[::-1].index("restarting") if "restarting" in kinds else 0
        self.until(lambda: sum(line["event"] == "started" for line in self.lines[restarted:]) >= 3)
        topic = Project.load(self.folder).plan("arrivals").inputs[0]
        read = sum(1 for _ in FileLog(self.folder / ".lsqlc/topics").read(topic))

        def rows() -> int:
            return sum(line["rows"] for line in self.lines if line["event"] == "batch" and line["query"] == "arrivals")

        self.until(lambda: rows() >= read)

    def append(self) -> None:
        """More records: a few of those that there are, once more."""
        topic = Project.load(self.folder).plan("arrivals").inputs[0]
        log = FileLog(self.folder / ".lsqlc/topics")
        some = list(islice(log.read(topic), 5))
        log.append(topic, [Record(topic.name, r.key, r.value, r.timestamp) for r in some])


@contextmanager
def going(folder: Path) -> Iterator[GoingOn]:
    words = [sys.executable, "-m", "lsqlc", "run", "--continuous", "--output", "json"]
    with (folder / "out.jsonl").open("wb") as out, subprocess.Popen(words, stdout=out, stderr=out) as process:
        yield GoingOn(folder, process)
        process.kill()


@pytest.fixture
def going_on(cli: Cli, bikes: Path) -> Iterator[GoingOn]:
    """A run on the embedded server."""
    assert cli("seed").code == 0
    with going(bikes) as run:
        yield run


@pytest.fixture
def standing(bikes: Path, tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server that is not the run's own, which closes a session that nobody talks to for 20 seconds."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    manager = "spark.connect.session.manager"
    settings = {f"{manager}.defaultSessionTimeout": "20s", f"{manager}.maintenanceInterval": "2s"}
    with EmbeddedServer(tmp_path / "server", os.environ, ServerOptions(port=port, settings=settings)) as server:
        target = f"{{type: connect, address: '{server.address}'}}"
        (bikes / "profiles.yml").write_text(f"default: standing\ntargets:\n  standing: {target}\n")
        yield server


@pytest.fixture
def going_there(cli: Cli, bikes: Path, standing: EmbeddedServer) -> Iterator[GoingOn]:
    """A run on that server that has read all there is."""
    assert cli("seed").code == 0
    with going(bikes) as run:
        run.until_all_read()
        yield run


def ended_well(cli: Cli, run: GoingOn) -> None:
    """The run stops when it is told to, and all that it wrote is what DuckDB computes."""
    assert cli("stop", "--wait", "400").code == 0
    assert run.process.wait(60) == 0, (run.folder / "out.jsonl").read_text()[-4000:]
    assert run.lines[-1]["event"] == "summary"
    assert cli("run", "--verify", "--quiet").code == 0


def test_debug_of_a_target(cli: Cli, bikes: Path, standing: EmbeddedServer) -> None:
    """The server is asked for each folder, in both directions, and nothing is left there."""
    ran = cli("debug", "--target", "standing", "--output", "json")
    assert ran.code == 0, ran.out
    checks = {c["name"]: c for c in ran.data["checks"]}
    for name in ("topics", "checkpoints"):
        assert "the server and lsqlc read each other's files" in checks[f"{name} folder"]["found"]
        assert list((bikes / f".lsqlc/{name}").iterdir()) == []
    profile = bikes / "profiles.yml"
    profile.write_text(profile.read_text().replace("}", ", topics: /dev/null/topics}"))
    ran = cli("debug", "--target", "standing")
    assert ran.code == 1 and "fail  topics folder: LSQ697" in ran.out and "lsqlc cannot write to it" in ran.out


def test_nothing_runs(cli: Cli, bikes: Path) -> None:
    """Without a run `status` says so with exit code 1, its metrics too, and `stop` has nothing to do."""
    status = cli("status")
    assert status.code == 1 and "has never been run" in status.out
    assert "lsqlc_run_up 0\n" in cli("status", "--metrics").out
    assert cli("stop").code == 0
    assert cli("stop", "--output", "json").data == {"version": 1, "command": "stop", "ok": True, "process": None}


def test_a_killed_server(cli: Cli, bikes: Path, going_on: GoingOn) -> None:
    """The run starts again from its checkpoints, says so, reads what came meanwhile, and ends when it is told to."""
    going_on.until_all_read()
    status = cli("status")
    assert status.code == 0 and f"process {going_on.process.pid} has run for" in status.out
    servers = subprocess.run(["ps", "-ewwo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
    mine = [line for line in servers if str(bikes) in line and "SparkConnectServer" in line and "watchdog" not in line]
    os.kill(int(mine[0].split()[0]), signal.SIGKILL)
    going_on.append()
    going_on.until(lambda: going_on.events("restarting") > 0)
    going_on.until_all_read()
    assert cli("status", "--output", "json").data["run"]["restarts"] >= 1
    ended_well(cli, going_on)
    assert "this project is not being run; the last one ended" in cli("status").out


def test_a_killed_worker(cli: Cli, bikes: Path, going_on: GoingOn) -> None:
    """The query whose Python worker dies is started again, the server and the other queries are left alone, and
    `status` says what was wrong and when.
    """
    going_on.until_all_read()
    processes = subprocess.run(["ps", "-ewwo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
    server = next(p.split()[0] for p in processes if str(bikes) in p and "SparkConnectServer" in p)
    # All are looked for before the first is killed: the workers of a killed daemon are no longer below the server.
    workers = [int(p.split()[0]) for p in processes if "foreach_batch_worker" in p and _below(int(p.split()[0]), bikes)]
    assert len(workers) >= 3
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    going_on.append()
    going_on.until(lambda: going_on.events("restarting query") > 0)
    going_on.until(lambda: going_on.events("started") > 3)
    assert going_on.events("restarting") == 0 and Path(f"/proc/{server}").exists()
    queries = cli("status", "--output", "json").data["run"]["queries"]
    failed = [q for q in queries if q["failure"]]
    assert failed and all("failed" in q["failure"] and abs(time.time() - q["failed"]) < 500 for q in failed)
    assert "the last failure" in cli("status").out
    ended_well(cli, going_on)


def _below(process: int, folder: Path) -> bool:
    """Whether a process was started by the server that works in a folder."""
    while process > 1:
        if str(folder) in Path(f"/proc/{process}/cmdline").read_text():
            return True
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return False


def test_a_session_that_expires(cli: Cli, going_there: GoingOn) -> None:
    """A run keeps its session alive, with nothing to read as well. Frozen for longer than the server bears, it loses
    the session and its queries with it, and goes on in a new one.
    """
    time.sleep(45)
    assert going_there.events("restarting") == 0
    going_there.process.send_signal(signal.SIGSTOP)
    time.sleep(35)
    going_there.append()
    going_there.process.send_signal(signal.SIGCONT)
    going_there.until(lambda: going_there.events("restarting") > 0)
    going_there.until_all_read()
    ended_well(cli, going_there)


def test_a_server_that_is_started_anew(cli: Cli, going_there: GoingOn, standing: EmbeddedServer) -> None:
    """A server that is ended in good order and started again at once does not end the run."""
    standing.stop()
    going_there.append()
    standing.start()
    going_there.until(lambda: going_there.events("restarting") > 0)
    going_there.until_all_read()
    ended_well(cli, going_there)


def test_a_server_that_refuses_for_a_minute(cli: Cli, going_there: GoingOn, standing: EmbeddedServer) -> None:
    """A server that is away for longer than the failures that are borne would last is waited for."""
    os.kill(standing.pid, signal.SIGKILL)
    standing.stop()
    going_there.append()
    time.sleep(65)
    assert going_there.process.poll() is None
    assert going_there.events("restarting") > 5
    standing.start()
    going_there.until_all_read()
    ended_well(cli, going_there)
