"""`lsqlc kafka`: the broker of a project, which outlives the command that starts it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.declared.new_target import kafka_target
from lsqlc.remote.server import detached
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.lock import is_held
from lsqlc.remote.server.ports import is_free
from tests.cli.conftest import Cli, bikes, cli
from tests.kafka.client import create, read, write
from tests.kafka.fixture import fetched

__all__ = ["bikes", "cli"]
pytestmark = pytest.mark.kafka


@pytest.fixture
def folder(bikes: Path) -> Iterator[Path]:
    """Where the project keeps its broker, which is stopped after the test."""
    fetched("kafka-broker")
    yield bikes / ".lsqlc" / "kafka"
    with suppress(LsqlcError):
        detached.down(bikes / ".lsqlc" / "kafka")


def test_a_broker_of_a_project(cli: Cli, folder: Path) -> None:
    """`up` starts it once, `down` ends it, and its topics and its port are there at the next `up`; `--clean` removes
    them.
    """
    started = cli("kafka", "up", "--port", "0", "--output", "json")
    bootstrap, process = started.data["bootstrap"], started.data["process"]
    assert started.code == 0 and started.data["started"] and started.data["folder"] == str(folder)
    create(bootstrap, "rides")
    write(bootstrap, "rides", [(b"a", b"1", 0)])
    again = cli("kafka", "up")
    assert (
        again.code == 0
        and again.out == f"targets:\n  {kafka_target('kafka', bootstrap)}\n"
        and str(process) in again.err
    )
    status = cli("kafka", "status", "--output", "json").data
    assert (status["process"], status["bootstrap"], status["serves"]) == (process, bootstrap, True)
    assert bootstrap in cli("kafka", "status").out
    assert cli("kafka", "down", "--output", "json").data["process"] == process
    assert not is_held(folder / "broker.lock") and is_free(int(bootstrap.split(":")[1]))
    started = cli("kafka", "up", "--output", "json")
    assert started.data["bootstrap"] == bootstrap and started.data["process"] != process
    assert [m.value() for m in read(bootstrap, "rides")] == [b"1"]
    # A target for it: a command can use it, and a second one is not added.
    profile = folder.parents[1] / "profiles.yml"
    added = cli("kafka", "up", "--add-target", "here")
    assert added.code == 0 and "the target 'here' was added to profiles.yml" in added.err
    text = profile.read_text()
    assert cli("topics", "apply", "--target", "here").code == 0
    assert "is already in profiles.yml" in cli("kafka", "up", "--add-target", "here").err
    other = cli("kafka", "up", "--add-target", "local")
    assert other.code == 2 and "it has a target 'local' already" in other.err and profile.read_text() == text
    down = cli("kafka", "down", "--clean")
    assert down.code == 0 and "removed .lsqlc/kafka/" in down.err and not folder.exists()


def test_one_that_runs(cli: Cli, folder: Path) -> None:
    """Another port is refused, and so is removing its topics; two commands at once start one broker."""
    with ThreadPoolExecutor(2) as pool:
        ups = [pool.submit(detached.up, folder, dict(os.environ), 0, 0) for _ in range(2)]
        (broker, first), (same, second) = (up.result() for up in ups)
    assert broker == same and first != second
    other = cli("kafka", "up", "--port", str(broker.port % 65_535 + 1))
    assert other.code == 1 and "error[LSQ708]" in other.err and str(broker.port) in other.err
    clean = cli("clean", "--topics")
    assert clean.code == 1 and "error[LSQ709]" in clean.err and folder.is_dir()
    with pytest.raises(LsqlcError, match="LSQ706"), Broker(folder, os.environ):
        pass
    # One that stands still does not answer, and is ended all the same.
    os.kill(broker.pid, signal.SIGSTOP)
    status = cli("kafka", "status")
    assert status.code == 1 and "does not answer" in status.err
    assert cli("kafka", "down").code == 0
    assert "no broker of this project is running" in cli("kafka", "status").err


def test_none_runs(cli: Cli, bikes: Path) -> None:
    """The exit code says so to who asks; it is no error for who stops it."""
    for verb, code in (("status", 1), ("down", 0)):
        ran = cli("kafka", verb)
        assert ran.code == code and "no broker of this project is running" in ran.err and not ran.out
    assert cli("kafka", "status", "--output", "json").data["process"] is None
    assert cli("kafka", "down", "--clean", "--output", "json").data["removed"] is False


def test_a_port_in_use(cli: Cli, folder: Path) -> None:
    """LSQ704, as JSON too."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = cli("kafka", "up", "--port", str(taken.getsockname()[1]), "--output", "json")
    assert ran.code == 1 and ran.data["command"] == "kafka up" and not ran.data["ok"]
    assert [d["code"] for d in ran.data["diagnostics"]] == ["LSQ704"]


def test_a_folder_that_is_no_brokers(cli: Cli, folder: Path) -> None:
    """LSQ705, and `down --clean` helps."""
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "meta.properties").write_text("no such thing")
    ran = cli("kafka", "up", "--port", "0")
    assert ran.code == 1 and "error[LSQ705]" in ran.err and "Exiting Kafka" in ran.err
    assert cli("kafka", "down", "--clean").code == 0
    assert cli("kafka", "up", "--port", "0").code == 0


def test_no_java(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """LSQ650 says what it is wanted for."""
    monkeypatch.setattr("lsqlc.remote.server.java._candidates", lambda environment, tried: [])
    ran = cli("kafka", "up")
    assert ran.code == 1 and "error[LSQ650]: no Java 17 or newer was found to run a Kafka broker" in ran.err


def test_offline(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """LSQ700, with the folder to copy."""
    monkeypatch.setenv("LSQLC_OFFLINE", "1")
    monkeypatch.setenv("LSQLC_CACHE", str(tmp_path / "cache"))
    ran = cli("kafka", "up")
    assert ran.code == 1 and "error[LSQ700]" in ran.err and "kafka-broker-" in ran.err


@pytest.mark.parametrize("words", [("kafka",), ("kafka", "start"), ("kafka", "up", "--port", "70000")])
def test_wrong_usage(cli: Cli, bikes: Path, words: tuple[str, ...]) -> None:
    """Exit code 2, and nothing is made."""
    assert cli(*words).code == 2
    assert not (bikes / ".lsqlc" / "kafka").exists()
