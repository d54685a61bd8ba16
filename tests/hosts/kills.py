"""`python -m tests.hosts.kills --kills 100`: `kill -9` of all parts of a project on a standalone cluster, under input.

By turns it ends the client, an executor, a worker, the master, the Connect server and the broker. What was killed is
started again, and the queries must go on before the next kill. At the end a client of Kafka that knows nothing of lsqlc
reads the topics, and plain Python says what they must hold: each record of a STREAM once, and in the order of its key
where one query passes it on, and each row of a TABLE as the input says.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from confluent_kafka import Producer

from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.jars import jars
from tests.hosts.cluster import Cluster
from tests.hosts.processes import Process
from tests.hosts.shop import MODELS, PARTITIONS, Order, Shop, environment, orders, totals

VICTIMS = ("client", "executor", "worker", "master", "server", "broker")
# Orders that are written each second.
RATE = 25
# How long queries may take to go on after a kill, in seconds: a Spark server starts on a busy machine.
PATIENCE = 600.0
# How often a process is started that finds its port in use.
_ATTEMPTS = 10
# A master that is started again knows its workers and applications from there.
_RECOVERY = "spark.deploy.recovery"


class Feed:
    """Orders that come all the time, each once, also while the broker is away. `given` has all that were written."""

    def __init__(self, bootstrap: str, topic: str, first: int) -> None:
        settings = {
            "bootstrap.servers": bootstrap, "enable.idempotence": True, "partitioner": "murmur2_random",
            "message.timeout.ms": 900_000, "log_level": 0,
        }  # fmt: skip
        self.given: list[Order] = []
        self._producer, self._topic, self._next = Producer(settings), topic, first
        self._failures: list[Any] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        while not self._stop.wait(1 / RATE):
            [order] = orders(self._next, 1)
            key, value, time_ = order
            self._producer.produce(
                self._topic, json.dumps(value).encode(), key.to_bytes(4, "big"), timestamp=time_,
                on_delivery=lambda error, _: self._failures.append(error) if error else None,
            )  # fmt: skip
            self.given.append(order)
            self._next += 1
            self._producer.poll(0)

    def end(self) -> None:
        """Stop, once the broker has everything."""
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(PATIENCE) == 0 and not self._failures, self._failures


class Service:
    """`lsqlc run --continuous` in a process of its own, which can be killed and started again."""

    def __init__(self, shop: Shop, models: Sequence[str]) -> None:
        self._shop, self.models = shop, models
        self.said = shop.folder / "said.txt"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        words = [sys.executable, "-m", "lsqlc", "run", "--continuous", "--output", "json", "--restarts", "1000"]
        words += [word for model in self.models for word in ("--select", model)]
        with self.said.open("ab") as said:
            self._process = subprocess.Popen(
                words, cwd=self._shop.folder, env=dict(self._shop.environment), stdin=subprocess.DEVNULL, stdout=said,
                stderr=said,
            )  # fmt: skip

    def kill(self) -> None:
        """End it by `kill -9`."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it by SIGTERM."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)

    def ensure(self) -> int:
        """Start it again if it has ended, as a supervisor does: a run refuses to begin where nobody answers. How often
        that was.
        """
        assert self._process is not None
        if self._process.poll() is None:
            return 0
        self.start()
        return 1

    def batches(self) -> Counter[str]:
        """How many batches each query has ended so far."""
        found = Counter[str]()
        for line in self.said.read_text("utf-8", "replace").splitlines():
            if line.startswith('{"event": "batch"') or '"event":"batch"' in line:
                with suppress(ValueError):
                    found[json.loads(line)["query"]] += 1
        return found


class Kills:
    """A cluster, a broker and a service, of which parts are killed."""

    def __init__(self, cluster: Cluster, broker: Broker, service: Service, random: Random) -> None:
        self._cluster, self._broker, self._service, self._random = cluster, broker, service, random
        self.kills = Counter[str]()
        self.starts = 0

    def kill(self, victim: str) -> bool:
        """Kill one, and start it again a little later. False: there was none, such as an executor between two."""
        of: Mapping[str, Callable[[], bool]] = {
            "client": self._kill_client, "executor": self._kill_executor, "broker": self._kill_broker,
            "worker": lambda: self._again(self._random.choice(self._cluster.workers)),
            "master": lambda: self._again(self._cluster.master), "server": lambda: self._again(self._cluster.server),
        }  # fmt: skip
        done = of[victim]()
        self.kills[victim] += done
        return done

    def await_batches(self) -> None:
        """Wait until each query has ended more batches than now. Raises SystemExit if they do not."""
        before, deadline = self._service.batches(), time.monotonic() + PATIENCE
        while any(self._service.batches()[query] <= before[query] for query in self._service.models):
            self.starts += self._service.ensure()
            if time.monotonic() > deadline:
                raise SystemExit(f"no batches since: {before}\n{self._service.said.read_text()[-5000:]}")
            time.sleep(0.3)

    def _pause(self) -> None:
        time.sleep(self._random.uniform(0, 4))

    def _kill_client(self) -> bool:
        self._service.kill()
        self._pause()
        self._service.start()
        return True

    def _kill_executor(self) -> bool:
        executors = [*self._cluster.executors().values()]
        if not executors:
            return False
        with suppress(ProcessLookupError):
            os.kill(self._random.choice(executors), signal.SIGKILL)
        return True

    def _kill_broker(self) -> bool:
        self._broker.kill()
        self._pause()
        self._broker.start()
        return True

    def _again(self, process: Process | None) -> bool:
        assert process is not None and process.alive, "it runs"
        os.kill(process.pid, signal.SIGKILL)
        process.stop()
        self._pause()
        for attempt in range(_ATTEMPTS):
            try:
                process.start()
            except AssertionError:
                # A client that looks for it may have its port for a moment.
                if "BindException" not in process.text()[-20_000:] or attempt + 1 == _ATTEMPTS:
                    raise
            else:
                break
        return True


def wrong(shop: Shop, given: list[Order], models: Sequence[str]) -> list[str]:
    """What is not as it must be, each as a line."""
    checks = {"large_orders": _orders, "priced": _priced, "totals": _totals, "items_by_count": _counts}
    return [f"{model}: {problem}" for model in models for problem in checks[model](shop, given)]


def _orders(shop: Shop, given: list[Order]) -> Iterator[str]:
    kept = Counter((key.to_bytes(4, "big"), time_, value["n"] * 2) for key, value, time_ in given if value["n"] > 2)
    found, last, back = Counter[tuple[bytes, int, int]](), dict[bytes, int](), 0
    for message in shop.read("large_orders"):
        time_ = message.timestamp()[1]
        found[message.key(), time_, json.loads(message.value())["twice"]] += 1
        back += time_ <= last.get(message.key(), -1)
        last[message.key()] = time_
    lost, more = sum((kept - found).values()), sum((found - kept).values())
    if lost or more or back:
        yield f"{lost} lost, {more} too many, {back} not in the order of their key"


def _priced(shop: Shop, given: list[Order]) -> Iterator[str]:
    met = Counter(message.timestamp()[1] for message in shop.read("priced"))
    wanted = Counter(time_ for _, _, time_ in given)
    if met != wanted:
        yield f"{sum((wanted - met).values())} lost, {sum((met - wanted).values())} too many"


def _totals(shop: Shop, given: list[Order]) -> Iterator[str]:
    if (rows := shop.rows("totals")) != (right := totals(given)):
        yield f"{rows} in place of {right}"


def _counts(shop: Shop, given: list[Order]) -> Iterator[str]:
    by_count = Counter(row["c"] for row in totals(given).values())
    counts = sorted((row["c"], row["items"]) for row in shop.rows("items_by_count").values())
    if counts != sorted(by_count.items()):
        yield f"{counts} in place of {sorted(by_count.items())}"


def live(folder: Path, asked: argparse.Namespace) -> None:
    """Kill so often, or for so long. Raises SystemExit with what is wrong at the end."""
    random, began = Random(asked.seed), time.monotonic()
    (folder / "recovery").mkdir()
    recovery = {f"{_RECOVERY}Mode": "FILESYSTEM", f"{_RECOVERY}Directory": str(folder / "recovery")}
    with (
        Broker(folder / "broker", os.environ) as broker,
        Cluster(
            folder / "cluster", jars("spark-kafka", os.environ), {}, master_settings=recovery, warm=True
        ) as cluster,
    ):
        profile = {
            "address": cluster.address, "checkpoints": f"file:{folder}/checkpoints", "bootstrap": broker.bootstrap,
            "server_bootstrap": broker.bootstrap, "prefix": "",
        }  # fmt: skip
        shop = Shop(folder / "client", profile, environment(folder / "home"))
        first = orders(0, 60)
        shop.write(first, writers=asked.writers)
        shop.lsqlc("seed")
        service = Service(shop, asked.models)
        proof = Kills(cluster, broker, service, random)
        feed = Feed(broker.bootstrap, "orders", len(first))
        try:
            service.start()
            proof.await_batches()
            number = 0
            while sum(proof.kills.values()) < asked.kills and time.monotonic() - began < asked.minutes * 60:
                # Each of them once in a row, in another order each time.
                if number % len(VICTIMS) == 0:
                    turn = random.sample(VICTIMS, len(VICTIMS))
                proof.kill(turn[number % len(VICTIMS)])
                proof.await_batches()
                time.sleep(random.uniform(0, 3))
                number += 1
                total, seconds = sum(proof.kills.values()), time.monotonic() - began
                print(f"  {total} kills {dict(proof.kills)}, {len(feed.given):,} orders, {seconds:.0f} s", flush=True)
        finally:
            feed.end()
            service.stop()
        # A master that was killed last may still look for its workers.
        shop.lsqlc("run", *(word for model in asked.models for word in ("--select", model)))
        given = first + feed.given
        problems = wrong(shop, given, asked.models)
    print(f"kills {dict(proof.kills)}; {len(given):,} orders; the client was started {proof.starts} times by itself")
    if problems:
        raise SystemExit("\n".join(problems))
    print("nothing lost, nothing written twice, all in order, all rows right")


def main() -> None:
    """Live through the kills. Raises SystemExit with what is wrong at the end."""
    parser = argparse.ArgumentParser(description="kill -9 of all parts of a project on a standalone cluster, by turns.")
    parser.add_argument("--kills", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--minutes", type=float, default=600, help="no kill after so many (default: 600)")
    parser.add_argument("--seed", type=int, default=0, help="of what is killed when")
    parser.add_argument("--writers", type=int, default=PARTITIONS, help="tasks that write a batch")
    parser.add_argument(
        "--models", nargs="+", choices=[*MODELS], default=[*MODELS], help="those that run (default: all)"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lsqlc-kills-") as name:
        live(Path(name), asked)


if __name__ == "__main__":
    main()
