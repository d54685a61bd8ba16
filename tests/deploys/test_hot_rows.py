"""`lsqlc deploy prove` while the live model runs and each of its rows changes with each batch."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, cli
from tests.kafka import client
from tests.shared import SharedBroker, SharedServer

__all__ = ["cli"]
pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = [pytest.mark.kafka, pytest.mark.spark]

VIEWS = "topics: [{name: views, key: STRING, value: 'page STRING, ms INT', connector: kafka}]"
PAGES = "SELECT STREAM COUNT(*) AS views, SUM(ms) AS ms FROM views GROUP BY page;"
# Seconds until the run and its first rows are there, at most.
PATIENCE = 300


@pytest.fixture
def project(broker: SharedBroker, topic_prefix: str, kafka_spark_server: SharedServer, tmp_path: Path) -> Path:
    """A project with one model over Kafka."""
    kafka = {"bootstrap": broker.bootstrap, "prefix": topic_prefix, "partitions": 2}
    target = {
        "type": "connect", "address": kafka_spark_server.address, "kafka": kafka,
        "checkpoints": (tmp_path / "checkpoints").as_uri(),
    }  # fmt: skip
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: hot\n")
    (tmp_path / "profiles.yml").write_text(json.dumps({"default": "live", "targets": {"live": target}}))
    (tmp_path / "models" / "topics.yml").write_text(VIEWS)
    (tmp_path / "models" / "pages.sql").write_text(PAGES)
    return tmp_path


@contextmanager
def fed(broker: SharedBroker, topic: str) -> Iterator[None]:
    """Views of four pages, some each second, inside the `with`."""
    ended = threading.Event()

    def feed() -> None:
        n = 0
        while not ended.wait(0.1):
            value = json.dumps({"page": f"p{n % 4}", "ms": n}).encode()
            client.write(broker.bootstrap, topic, [(b"k", value, 1_000_000 + n)])
            n += 1

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def running(project: Path) -> Iterator[None]:
    """A run that goes on inside the `with`, and has written each row at its beginning."""
    with (project / "run.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "lsqlc", "run", "--continuous"],
            cwd=project, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        show = [sys.executable, "-m", "lsqlc", "show", "pages", "--output", "json"]
        deadline = time.monotonic() + PATIENCE
        while subprocess.run(show, cwd=project, capture_output=True, check=False).stdout.count(b"\n") < 4:
            assert process.poll() is None, (project / "run.log").read_text()
            assert time.monotonic() < deadline, "the run has not written the four rows"
            time.sleep(0.5)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def test_rows_that_change_with_each_batch_are_compared(
    cli: Cli, project: Path, broker: SharedBroker, topic_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the four rows: a wrong sum is seen in all, and another text of the same query in none."""
    monkeypatch.chdir(project)
    assert cli("topics", "apply").code == 0
    with fed(broker, f"{topic_prefix}views"), running(project):
        model = project / "models" / "pages.sql"
        model.write_text(PAGES.replace("SUM(ms)", "SUM(ms + 1)"))
        assert cli("deploy", "stage").code == 0
        wrong = cli("deploy", "prove", "--output", "json")
        (proof,) = [line for line in wrong.lines if line.get("event") == "proof"]
        assert (wrong.code, proof["changed"], proof["moving"], proof["share"]) == (1, 4, 0, 1.0), proof
        assert proof["columns"] == {"ms": 4}
        assert cli("deploy", "abort").code == 0
        model.write_text(PAGES.replace("SUM(ms)", "SUM(ms + 0)"))
        assert cli("deploy", "stage").code == 0
        same = cli("deploy", "prove", "--output", "json")
        (proof,) = [line for line in same.lines if line.get("event") == "proof"]
        assert (same.code, proof["equal"], proof["share"]) == (0, 4, 1.0), proof
