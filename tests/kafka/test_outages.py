"""A broker that is away under a continuous run, and one that stands by: nothing is lost, and nothing is doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from lsqlc.remote.server.broker import Broker
from tests.kafka import client
from tests.kafka.fixture import fetched
from tests.shared import SharedServer

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

TOPICS = """\
topics:
  - {name: orders, key: INT, value: "item STRING, n INT"}
"""
MODELS = {
    "copies": "SELECT STREAM item, n FROM orders",
    "counts": "SELECT TABLE COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item",
}
PROFILE = """\
default: prod
targets:
  prod:
    type: connect
    address: {address}
    checkpoints: "file:{checkpoints}"
    kafka: {{bootstrap: "{bootstrap}"}}
"""
# For a machine that is busy.
_WAIT = 400.0


@dataclass(frozen=True, slots=True)
class Running:
    """`lsqlc run --continuous --standby` in a process of its own, and what it says."""

    name: str
    process: subprocess.Popen[bytes]
    said: Path

    def events(self) -> list[dict[str, Any]]:
        lines = self.said.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def count(self, event: str) -> int:
        return sum(each["event"] == event for each in self.events())

    def until(self, found: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _WAIT
        while not found():
            assert self.process.poll() is None, f"{self.name}: {self.said.read_text()[-6000:]}"
            assert time.monotonic() < deadline, f"{self.name}: {self.said.read_text()[-6000:]}"
            time.sleep(0.5)


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    said = folder / "said.txt"
    words = [sys.executable, "-m", "lsqlc", "run", "--continuous", "--standby", "--output", "json"]
    with said.open("wb") as out, subprocess.Popen(words, cwd=folder, stdout=out, stderr=out) as process:
        try:
            yield Running(folder.name, process, said)
        finally:
            process.kill()


class Feed:
    """Orders that are written all the time, each once, also over an outage."""

    def __init__(self, bootstrap: str) -> None:
        settings = {"enable.idempotence": True, "message.timeout.ms": 900_000, "log_level": 0}
        self._producer = Producer({"bootstrap.servers": bootstrap, **settings})
        self._stop = threading.Event()
        self._failed: list[Any] = []
        self.count = 0
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        while not self._stop.wait(0.02):
            n, item = self.count, "abc"[self.count % 3]
            value = json.dumps({"item": item, "n": n}).encode()
            self._producer.produce("orders", value, n.to_bytes(4, "big"), on_delivery=self._delivered)
            self._producer.poll(0)
            self.count += 1

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._failed.append(error)

    def end(self) -> None:
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(_WAIT) == 0 and not self._failed, self._failed


def project(folder: Path, profile: str) -> Path:
    (folder / "models").mkdir(parents=True)
    (folder / "lsqlc.yml").write_text("name: shop\ndialect: lenses\n")
    (folder / "profiles.yml").write_text(profile)
    (folder / "models" / "topics.yml").write_text(TOPICS)
    for name, program in MODELS.items():
        (folder / "models" / f"{name}.sql").write_text(program)
    return folder


def values(bootstrap: str, topic: str) -> list[tuple[bytes | None, Any]]:
    return [(m.key(), json.loads(m.value())) for m in client.read(bootstrap, topic) if m.value()]


def away(broker: Broker, kind: str, seconds: float) -> None:
    """Have a broker away, which does not answer or is killed, and be there again at its port."""
    if kind == "stopped":
        os.kill(broker.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(broker.pid, signal.SIGCONT)
    else:
        broker.kill()
        time.sleep(seconds)
        broker.start()


# Seconds of outages: less than a lease is live without a renewal, and more.
OUTAGES = (5.0, 30.0)


@pytest.mark.parametrize("kind", ["stopped", "killed"])
def test_a_broker_that_is_away(kind: str, tmp_path: Path, kafka_spark_server: SharedServer) -> None:
    """Both runs go on, in their roles; the results are those of all orders."""
    fetched("kafka-broker")
    with Broker(tmp_path / "broker", os.environ) as broker:
        bootstrap = broker.bootstrap
        client.create(bootstrap, "orders")
        profile = PROFILE.format(address=kafka_spark_server.address, checkpoints=tmp_path / "ck", bootstrap=bootstrap)
        feed = Feed(bootstrap)
        try:
            with running(project(tmp_path / "active", profile)) as active:
                active.until(lambda: active.count("batch") >= 4)
                with running(project(tmp_path / "second", profile)) as second:
                    second.until(lambda: second.count("standing-by") == 1)
                    for seconds in OUTAGES:
                        backs, batches = active.count("brokers-back"), active.count("batch")
                        away(broker, kind, seconds)
                        lapses = seconds > 20
                        active.until(lambda: active.count("brokers-back") >= backs + lapses)  # noqa: B023
                        if lapses:
                            batches = active.count("batch")
                        active.until(lambda: active.count("batch") >= batches + 4)  # noqa: B023
                    feed.end()
                    active.until(lambda: len(values(bootstrap, "copies")) >= feed.count)
                    active.until(lambda: sum(v["c"] for v in dict(values(bootstrap, "counts")).values()) >= feed.count)
                    second.until(lambda: second.count("brokers-away") == second.count("brokers-back"))
                    assert active.process.poll() is None and second.process.poll() is None
                    assert second.count("started") == 0
        finally:
            feed.end()
        assert sorted(value["n"] for _, value in values(bootstrap, "copies")) == list(range(feed.count))
        rows = dict(values(bootstrap, "counts")).values()
        counts = Counter("abc"[n % 3] for n in range(feed.count))
        sums = [sum(range(first, feed.count, 3)) for first in range(3)]
        assert sorted((row["c"], row["s"]) for row in rows) == sorted(zip(counts.values(), sums, strict=True))
