"""A server that runs between commands: which commands use it, and when it ends.

The server of these tests is `sleep`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.server import background_server, keeper
from lsqlc.remote.server.background_server import BackgroundServer, StartRequest
from lsqlc.remote.server.lock import inherited_lock, is_held

NOTHING = 3600.0


def until(found: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not found():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.05)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as a server has one."""
    made = tmp_path / "server"
    (made / "uses").mkdir(parents=True)
    made.chmod(0o700)
    return made


class Keeping:
    """A keeper of a process that would never end by itself, and holds the folder's lock."""

    def __init__(self, folder: Path, idle: float) -> None:
        with inherited_lock(folder / "server.lock", 1) as lock:
            os.truncate(lock, 0)
            self.process = subprocess.Popen(
                [sys.executable, "-m", keeper.__name__, str(folder / "uses"), str(idle), "1", "sleep", "600"],
                pass_fds=(lock,),
            )
            signed = BackgroundServer(self.process.pid, 1, "secret", 2048, False, idle, time.time(), folder)
            os.write(lock, json.dumps(background_server.signature(signed)).encode())


@pytest.fixture
def keep(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], Keeping]]:
    monkeypatch.setattr(BackgroundServer, "serves", True)
    started = []

    def start(idle: float) -> Keeping:
        started.append(Keeping(folder, idle))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


def kill_user(folder: Path, *, queries: bool) -> None:
    """A command that uses the server is killed."""
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom lsqlc.remote.server import background_server\n"
        "background_server.BackgroundServer.serves = True\nfolder = Path(sys.argv[1])\n"
        "alone = folder.parent / 'work' if len(sys.argv) > 2 else None\n"
        "with background_server.use_server(folder, 1, 1, kafka=False, alone=alone):\n"
        "    print('used', flush=True)\n    time.sleep(600)\n"
    )
    words = [sys.executable, "-c", program, str(folder), *(["queries"] if queries else [])]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as command:
        assert command.stdout is not None and command.stdout.readline() == b"used\n"
        (use,) = (folder / "uses").iterdir()
        assert is_held(use)
        command.kill()


def test_it_ends_when_nobody_uses_it(folder: Path, keep: Callable[[float], Keeping]) -> None:
    """However long it is used; the time counts from the last use."""
    server = keep(1.5)
    with background_server.use_server(folder, 1, 1, kafka=False, alone=None) as found:
        assert isinstance(found, BackgroundServer) and found.uses == 1
        time.sleep(3)
        assert server.process.poll() is None
    assert server.process.wait(60) == 0
    assert not is_held(folder / "server.lock")
    assert background_server.running(folder) is None


def test_it_ends_with_a_command_that_was_killed(folder: Path, keep: Callable[[float], Keeping]) -> None:
    """Its queries would otherwise go on over checkpoints that the next run starts from."""
    server = keep(NOTHING)
    kill_user(folder, queries=True)
    assert server.process.wait(60) == 0


def test_it_outlives_a_test_that_was_killed(folder: Path, keep: Callable[[float], Keeping]) -> None:
    """Its queries are over topics that nobody else reads; what it left is removed."""
    server = keep(NOTHING)
    kill_user(folder, queries=False)
    until(lambda: not list((folder / "uses").iterdir()))
    assert server.process.poll() is None


def test_what_a_killed_command_left_is_not_used(folder: Path, keep: Callable[[float], Keeping]) -> None:
    """The server is about to end: who comes in between waits for that."""
    server = keep(NOTHING)
    kill_user(folder, queries=True)
    with background_server.use_server(folder, 1, 1, kafka=False, alone=folder.parent / "work") as found:
        assert not isinstance(found, BackgroundServer)
        assert server.process.wait(60) == 0


def test_it_ends_when_it_is_stopped(folder: Path, keep: Callable[[float], Keeping]) -> None:
    """In order, and what it left is removed."""
    server = keep(NOTHING)
    found = background_server.running(folder)
    assert found is not None and found.pid == server.process.pid
    background_server.stop(found)
    assert background_server.running(folder) is None
    assert not (folder / "uses").exists()


def test_a_lock_that_is_free_names_nobody(folder: Path) -> None:
    """Whatever the file says: the process may be another one by now."""
    signed = {"pid": 1, "port": 2, "token": "t", "memory": 1, "kafka": False, "idle": 1, "began": 1}
    (folder / "server.lock").write_text(json.dumps(signed))
    assert background_server.running(folder) is None


def test_a_folder_that_others_can_open_is_not_trusted(folder: Path, keep: Callable[[float], Keeping]) -> None:
    """Whoever may write there could have commands send their programs elsewhere."""
    keep(NOTHING)
    assert background_server.running(folder) is not None
    folder.chmod(0o755)
    assert background_server.running(folder) is None


def test_a_lock_that_names_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LSQ891: something holds it, and it does not say what."""
    monkeypatch.setattr(background_server, "_SIGNED_WITHIN", 0.1)
    with inherited_lock(folder / "server.lock", 1), pytest.raises(LsqlcError, match="LSQ891"):
        background_server.running(folder)


@pytest.mark.parametrize(
    ("memory", "cores", "kafka", "why"),
    [(4096, 1, False, "2048 MB"), (1, 3, False, "runs 2 tasks"), (1, 1, True, "no connector for Kafka")],
)
def test_one_that_does_not_fit_is_not_used(
    folder: Path, keep: Callable[[float], Keeping], memory: int, cores: int, kafka: bool, why: str
) -> None:
    """The command says why, and starts its own."""
    keep(NOTHING)
    with background_server.use_server(folder, memory, cores, kafka=kafka, alone=None) as found:
        assert isinstance(found, str) and why in found
    assert not list((folder / "uses").iterdir())


@pytest.mark.parametrize(("memory", "kafka"), [(4096, False), (2048, True)])
def test_one_that_lacks_what_is_asked_for_is_not_replaced(
    folder: Path, keep: Callable[[float], Keeping], memory: int, kafka: bool
) -> None:
    """LSQ890: commands may be using it."""
    keep(NOTHING)
    with pytest.raises(LsqlcError, match="LSQ890"):
        background_server.start(folder, {}, StartRequest(memory, 60, 0, kafka))
    again, started = background_server.start(folder, {}, StartRequest(2048, 60, 0))
    assert not started and again.token == "secret"


def test_a_folder_of_others_is_refused(folder: Path) -> None:
    """LSQ892, before anything is written there."""
    folder.chmod(0o770)
    with pytest.raises(LsqlcError, match="LSQ892"):
        background_server.start(folder, {}, StartRequest(2048, 60, 0))
    assert [path.name for path in folder.iterdir()] == ["uses"]


def test_an_installation_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of lsqlc, or another Python, finds another folder."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("")
    java.chmod(0o755)
    (tmp_path / "release").write_text('JAVA_VERSION="17.0.1"\n')
    monkeypatch.setattr(background_server, "spark_home", lambda: tmp_path)
    environment = {"LSQLC_CACHE": str(tmp_path), "JAVA_HOME": str(tmp_path)}
    first, second = (background_server.folder_of(environment, lsqlc) for lsqlc in ("1", "2"))
    assert first == background_server.folder_of(environment, "1")
    monkeypatch.setattr(sys, "executable", "/elsewhere/python")
    assert len({first, second, background_server.folder_of(environment, "1")}) == 3
