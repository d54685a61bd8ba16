"""The lease of a project's run, in a broker."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.leases import run_lease
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server.broker import Broker
from lsqlc.types.kafka import KafkaSettings
from tests.cli.conftest import Cli, bikes, cli
from tests.kafka import client
from tests.kafka.fixture import fetched
from tests.shared import SharedBroker

__all__ = ["bikes", "cli"]
pytestmark = pytest.mark.kafka

TOPIC = "_lsqlc.leases"


def refused(cluster: Cluster, project: str = "shop") -> Diagnostic:
    with pytest.raises(LsqlcError) as raised, run_lease(cluster, project):
        pass
    (found,) = raised.value.diagnostics
    return found


def test_one_run_at_a_time(broker: SharedBroker, topic_prefix: str) -> None:
    """The second one is told who the first one is; other projects and other prefixes do not mind. The topic is none of
    the project's.
    """
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix)
    cluster = Cluster(settings)
    with run_lease(cluster, "shop") as check:
        check()
        found = refused(cluster)
        assert found.code == "LSQ782"
        assert found.message == (
            f"this project is already being run by process {os.getpid()} on '{socket.gethostname()}'"
        )
        with run_lease(cluster, "other"), run_lease(Cluster(KafkaSettings(broker.bootstrap, prefix="o.")), "shop"):
            check()
        assert KafkaLog(settings).names() == ()
    with run_lease(cluster, "shop") as check:
        check()


def test_it_is_renewed(broker: SharedBroker, topic_prefix: str) -> None:
    """For as long as it takes, and a refused claim does not disturb it."""
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix)
    cluster, log = Cluster(settings), KafkaLog(settings)
    with run_lease(cluster, "shop", seconds=5, renewal=0.2) as check:
        while log.offsets(TOPIC)[0][1] < 30:
            check()
            assert refused(cluster).code == "LSQ782"
    values = [m.value() for m in client.read(broker.bootstrap, f"{topic_prefix}{TOPIC}")]
    assert values[-1] is None


RUN = """
import sys, time
from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.leases import run_lease
from lsqlc.types.kafka import KafkaSettings
cluster = Cluster(KafkaSettings(sys.argv[1], prefix=sys.argv[2]))
with run_lease(cluster, "shop", seconds=float(sys.argv[3]), renewal=0.2) as check:
    print("held", flush=True)
    while True:
        time.sleep(0.05)
        check()
"""


@contextmanager
def another(broker: SharedBroker, prefix: str, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own, which has the lease."""
    command = [sys.executable, "-c", RUN, broker.bootstrap, prefix, str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None and running.stdout.readline() == "held\n"
            yield running
        finally:
            running.kill()


def taken(cluster: Cluster, seconds: float = 5.0) -> None:
    """Take the lease once it is free."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with run_lease(cluster, "shop", seconds=seconds) as check:
                return check()
        except LsqlcError as error:
            assert error.diagnostics[0].code == "LSQ782" and time.monotonic() < deadline
            time.sleep(0.2)


def test_a_run_that_was_killed_gives_way(broker: SharedBroker, topic_prefix: str) -> None:
    """Once its lease has expired, and not before."""
    cluster = Cluster(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    with another(broker, topic_prefix, 6) as running:
        assert f"process {running.pid} " in refused(cluster).message
    assert refused(cluster).code == "LSQ782"
    taken(cluster)


def test_a_run_that_stood_still_finds_out(broker: SharedBroker, topic_prefix: str) -> None:
    """As a machine does that was suspended: another run has the lease by then, and keeps it."""
    cluster = Cluster(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    with another(broker, topic_prefix, 2) as running:
        os.kill(running.pid, signal.SIGSTOP)
        deadline = time.monotonic() + 60
        while True:
            try:
                with run_lease(cluster, "shop", seconds=60) as check:
                    os.kill(running.pid, signal.SIGCONT)
                    _, said = running.communicate(timeout=60)
                    check()
                    break
            except LsqlcError as error:
                assert error.diagnostics[0].code == "LSQ782" and time.monotonic() < deadline
                time.sleep(0.2)
    assert running.returncode == 1 and "LSQ783" in said


def test_brokers_that_are_gone(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The run finds out by itself, by its own clock, and ends."""
    fetched("kafka-broker")
    with Broker(tmp_path_factory.mktemp("leases"), os.environ) as broker:
        lease = run_lease(Cluster(KafkaSettings(broker.bootstrap)), "shop", seconds=3, renewal=0.2)
        with pytest.raises(LsqlcError) as raised, lease as check:
            check()
            broker.kill()
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                time.sleep(0.05)
                check()
        assert raised.value.diagnostics[0].code == "LSQ783"


def test_a_command_that_finds_a_lease(broker: SharedBroker, topic_prefix: str, cli: Cli, bikes: Path) -> None:
    """`run` and `seed --full-refresh` end with LSQ782 before they touch anything."""
    kafka = f'{{bootstrap: "{broker.bootstrap}", prefix: {topic_prefix}}}'
    (bikes / "profiles.yml").write_text(f"targets: {{t: {{type: embedded, kafka: {kafka}}}}}\n")
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix)
    name = str(yaml.safe_load((bikes / "lsqlc.yml").read_text())["name"])
    with run_lease(Cluster(settings), name):
        for words in (("run",), ("seed", "--full-refresh")):
            ran = cli(*words, "--target", "t")
            assert ran.code == 1 and "error[LSQ782]" in ran.err and f"process {os.getpid()}" in ran.err
    with run_lease(Cluster(settings), f"{name}/deployed", doing="deployed"):
        ran = cli("deploy", "abort", "--target", "t")
        assert ran.code == 1 and "error[LSQ782]: this project is already being deployed by process" in ran.err
    assert KafkaLog(settings).names() == ()


def test_a_topic_with_the_times_of_hosts(broker: SharedBroker, topic_prefix: str) -> None:
    """Is refused, with the command that mends it."""
    client.create(broker.bootstrap, f"{topic_prefix}{TOPIC}", cleanup_policy="compact")
    found = refused(Cluster(KafkaSettings(broker.bootstrap, prefix=topic_prefix)))
    assert found.code == "LSQ785" and found.help and "message.timestamp.type=LogAppendTime" in found.help
