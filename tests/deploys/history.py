"""`python -m tests.deploys.history --changes 20`: changes of a project that runs, deployed over Kafka one by one.

Input comes all the time. Each command is ended once by `kill -9` at a random moment, or the Spark server while it runs.

What it leaves is read back by a client of its own: each record once in each STREAM, in the order of its key; each TABLE
right, and none of its rows ever went back.
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
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import jars
from lsqlc.remote.server.ports import free_ports
from tests.kafka import client

PARTITIONS, STATIONS, BIKES, RATE = 2, 6, 30, 25
TOPICS = """\
version: 1
topics:
  - {name: rides, key: STRING, value: 'n INT, station STRING, minutes INT', connector: kafka}
"""
# How long a command may take, with those that are killed before it, in seconds.
PATIENCE = 600
# Of the kills of a command, how many are of the server instead.
OF_SERVER = 0.3

# The changes that there are, of which one takes its turn. A source that has gone cannot come back.
STEPS, BOTH = 11, ("rides", "arrivals")
# The query whose state gets another number of partitions, and the numbers by turns.
REPARTITIONED, NUMBERS = "counts", (3, 2)

# A record of the input: its key, its number, its station and its minutes.
Ride = tuple[str, int, str, int]


@dataclass(frozen=True, slots=True)
class Version:
    """The texts of the models that change, as values to fill in."""

    more: int = 0
    counts: str = ""
    least: int = 3
    met: str = ""
    comment: str = ""
    extra: bool = False
    sources: tuple[str, ...] = ("rides",)

    def models(self) -> dict[str, str]:
        """The models by name."""
        more = f", minutes + {self.more} AS more" if self.more else ""
        counts = f"SELECT STREAM station, COUNT(*) AS rides{self.counts} FROM arrivals GROUP BY station;"
        found = {
            "arrivals": f"SELECT STREAM n, station, minutes{more} FROM rides WHERE minutes > 0;",
            "counts": f"{self.comment}{counts}",
            "busy": f"SELECT TABLE station, rides FROM counts WHERE rides > {self.least};",
            "met": "WITH c AS (SELECT TABLE station AS at, rides FROM counts);\nINSERT INTO met\n"
            f"SELECT STREAM a.n, c.rides{self.met} FROM arrivals AS a INNER JOIN c ON a.station = c._key;",
        }
        found["all"] = "".join(
            f"INSERT INTO all SELECT STREAM n, '{source}' AS source FROM {source};\n" for source in self.sources
        )
        return found | ({"extra": "SELECT STREAM n FROM rides WHERE minutes > 10;"} if self.extra else {})


@dataclass(slots=True)
class Lived:
    """What was done: changes by kind, and how often what was killed."""

    changes: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)


def changed(version: Version, number: int) -> tuple[str, Version]:
    """The change of that number: what it is called, and the version after it."""
    steps = (
        ("a TABLE gets a column", replace(version, counts=", SUM(minutes) AS minutes")),
        ("a TABLE has other rows", replace(version, least=version.least + 4)),
        ("a source comes", replace(version, sources=BOTH if number < STEPS else version.sources)),
        ("the partitions of a state", version),
        ("a STREAM gets a column", replace(version, more=version.more + 1)),
        ("sources change places", replace(version, sources=version.sources[::-1])),
        ("a STREAM with state gets a column", replace(version, met=", a.minutes" if not version.met else "")),
        ("a TABLE loses a column", replace(version, counts="")),
        ("a model comes", replace(version, extra=True, comment=f"-- {number}\n")),
        ("two at once", replace(version, counts=", AVG(minutes) AS mean", least=version.least + 1)),
        ("a model and a source go", replace(version, extra=False, sources=BOTH[:1])),
    )
    assert len(steps) == STEPS
    return steps[number % len(steps)]


class History:
    """A project over a broker and a Spark server, with a run that goes on while it is changed."""

    def __init__(self, folder: Path, broker: Broker, server: EmbeddedServer, random: Random) -> None:
        self.root = root = folder / "project"
        self.broker, self.server, self.random = broker, server, random
        self.lived = Lived()
        self._run: subprocess.Popen[bytes] | None = None
        (root / "models").mkdir(parents=True)
        (root / "lsqlc.yml").write_text("name: history\n")
        (root / "models" / "topics.yml").write_text(TOPICS)
        kafka = {"bootstrap": broker.bootstrap, "partitions": PARTITIONS}
        target = {
            "type": "connect",
            "address": server.address,
            "checkpoints": (root / "state").as_uri(),
            "kafka": kafka,
        }
        (root / "profiles.yml").write_text(json.dumps({"default": "live", "targets": {"live": target}}))

    def write(self, version: Version) -> None:
        """Make the files of the models those of a version."""
        models = version.models()
        for path in (self.root / "models").glob("*.sql"):
            if path.stem not in models:
                path.unlink()
        for name, text in models.items():
            (self.root / "models" / f"{name}.sql").write_text(text)

    def start(self) -> None:
        """Start the run."""
        log = (self.root / "run.log").open("ab")
        self._run = subprocess.Popen(
            [sys.executable, "-m", "lsqlc", "run", "--continuous", "--quiet", "--restarts", "1000"],
            cwd=self.root, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip

    def stop(self) -> None:
        """End the run, by a signal or by `kill -9`."""
        assert self._run is not None, "it was started"
        if self.random.random() < 0.5:
            self._run.send_signal(signal.SIGTERM)
        else:
            self._run.kill()
            self.lived.kills["run"] += 1
        self._run.wait(PATIENCE)

    def call(self, words: str, *, accepted: Sequence[int] = (0,), kill: bool = True) -> str:
        """Run a command until it ends by itself with one of these codes, killed once before, or its server. What it
        said. A lease that a killed command has left is waited for.
        """
        deadline, killed = time.monotonic() + PATIENCE, not kill
        while True:
            process = subprocess.Popen(
                [sys.executable, "-m", "lsqlc", *words.split()],
                cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
            try:
                said, _ = process.communicate(timeout=PATIENCE if killed else self.random.uniform(1, 9))
            except subprocess.TimeoutExpired:
                killed = True
                if self.random.random() < OF_SERVER:
                    self.lived.kills[f"the server in {words}"] += 1
                    self.kill_server()
                    said, _ = process.communicate(timeout=PATIENCE)
                else:
                    self.lived.kills[words] += 1
                    process.kill()
                    process.communicate()
                    continue
            if process.returncode in accepted:
                return said
            if time.monotonic() > deadline:
                raise SystemExit(f"`lsqlc {words}` ended with {process.returncode}:\n{said[-3000:]}")
            time.sleep(2)

    def kill_server(self) -> None:
        """End the Spark server by `kill -9`, and start it again at its address."""
        with suppress(ProcessLookupError):
            os.kill(self.server.pid, signal.SIGKILL)
        self.server.__exit__(None, None, None)
        self.server.__enter__()

    def deploy(self, what: str, version: Version) -> bool:
        """Deploy a version while the one before runs. Whether something was promoted, and so can be rolled back."""
        self.lived.changes[what] += 1
        self.write(version)
        staged = "no model has to be staged" not in self.call("deploy stage")
        if staged:
            self.call("deploy prove", accepted=(0, 1))
        self.stop()
        if staged:
            self.call("deploy promote")
        if what == "the partitions of a state":
            number = NUMBERS[(self.lived.changes[what] - 1) % len(NUMBERS)]
            self.call(f"state repartition {REPARTITIONED} --partitions {number}")
        self.start()
        return staged

    def roll_back(self, version: Version) -> None:
        """Have the version of before take over again."""
        self.lived.changes["a rollback"] += 1
        self.stop()
        self.write(version)
        self.call("deploy rollback")
        self.start()

    def finish(self) -> None:
        """Read the rest of the input."""
        self.stop()
        self.call("run --quiet", kill=False)


def feed(bootstrap: str, ended: threading.Event, rides: list[Ride]) -> None:
    """Write rides, some each second, until it is ended; all are in `rides` in the end."""
    random = Random(7)
    producer = Producer({"bootstrap.servers": bootstrap, "partitioner": "murmur2_random", "log_level": 0})
    while not ended.wait(1 / RATE):
        n = len(rides)
        ride = (f"b{random.randrange(BIKES)}", n, f"s{random.randrange(STATIONS)}", random.randrange(1, 40))
        value = {"n": n, "station": ride[2], "minutes": ride[3]}
        producer.produce("rides", json.dumps(value).encode(), ride[0].encode(), timestamp=1_000_000 + n)
        rides.append(ride)
        producer.poll(0)
    assert producer.flush(60) == 0


def wrong(bootstrap: str, rides: Sequence[Ride], version: Version) -> list[str]:
    """What is not as it must be."""
    found: list[str] = []
    for topic in ("arrivals", "met"):
        records = [(m.key(), json.loads(m.value())["n"]) for m in client.read(bootstrap, topic)]
        counts = Counter(n for _, n in records)
        twice = sum(count - 1 for count in counts.values())
        # The first records of a station may have met no row yet.
        lost = len(rides) - len(counts) if topic == "arrivals" else 0
        if twice or lost:
            found.append(f"{topic}: {lost} records lost, {twice} written twice")
        last: dict[bytes, int] = {}
        back = 0
        for key, n in records if topic == "arrivals" else ():
            back += n < last.get(key, -1)
            last[key] = n
        if back:
            found.append(f"{topic}: {back} records out of order in their key")
    all = Counter(
        (value["source"], value["n"]) for m in client.read(bootstrap, "all") if (value := json.loads(m.value()))
    )
    lost = len(rides) - sum(source == "rides" for source, _ in all)
    twice = sum(count - 1 for count in all.values())
    if twice or lost:
        found.append(f"all: {lost} records of 'rides' lost, {twice} written twice")
    expected: dict[str, int] = defaultdict(int)
    for _, _, station, _ in rides:
        expected[station] += 1
    found += _table(bootstrap, "counts", expected)
    found += _table(bootstrap, "busy", {s: count for s, count in expected.items() if count > version.least})
    return found


def _table(bootstrap: str, topic: str, expected: Mapping[str, int]) -> list[str]:
    """What is wrong with the rows of a TABLE, and how often a row went back to fewer rides."""
    rows: dict[str, int] = {}
    back = 0
    for message in client.read(bootstrap, topic):
        key = message.key().decode()
        if message.value() is None:
            rows.pop(key, None)
            continue
        count = json.loads(message.value())["rides"]
        back += count < rows.get(key, 0)
        rows[key] = count
    found = [f"{topic}: {back} rows went back"] if back else []
    differing = {k: (rows.get(k), expected.get(k)) for k in {**rows, **expected} if rows.get(k) != expected.get(k)}
    return found + ([f"{topic}: rows and what they must be: {differing}"] if differing else [])


@contextmanager
def servers(folder: Path) -> Iterator[tuple[Broker, EmbeddedServer]]:
    """A broker with the topic of the rides, and a Spark server that has one address whenever it is started."""
    spark = jars("spark-kafka", os.environ)
    with (
        Broker(folder / "broker", os.environ) as broker,
        EmbeddedServer(folder / "server", os.environ, ServerOptions(port=free_ports(1)[0], jars=spark)) as server,
    ):
        admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        for future in admin.create_topics([NewTopic("rides", PARTITIONS, 1)]).values():
            future.result(30)
        yield broker, server


def wait_for(root: Path, topic: str) -> None:
    """Until a topic has records."""
    command = [sys.executable, "-m", "lsqlc", "show", topic, "--limit", "1", "--output", "json"]
    for _ in range(PATIENCE):
        shown = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if shown.stdout.strip():
            return
        time.sleep(1)
    raise SystemExit(f"'{topic}' has no records:\n{shown.stderr}")


def main() -> None:
    """Live through the changes. Raises SystemExit with what is wrong at the end."""
    parser = argparse.ArgumentParser(description="Changes of a project that runs, deployed one after the other.")
    parser.add_argument("--changes", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of what is killed when")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lsqlc-history-") as name:
        live(Path(name), asked.changes, asked.seed)


def live(folder: Path, changes: int, seed: int) -> None:
    """So many changes. Raises SystemExit with what is wrong at the end."""
    with servers(folder) as (broker, server):
        rides: list[Ride] = []
        ended = threading.Event()
        feeder = threading.Thread(target=feed, args=(broker.bootstrap, ended, rides))
        feeder.start()
        history = History(folder, broker, server, Random(seed))
        try:
            version = before = Version()
            promoted = False
            history.write(version)
            history.start()
            wait_for(history.root, "busy")
            for number in range(changes):
                if number % 4 == 3 and promoted:
                    history.roll_back(before)
                    version, promoted = before, False
                else:
                    what, after = changed(version, number)
                    promoted = history.deploy(what, after)
                    before, version = version, after
                print(f"  {number + 1} changes, {len(rides):,} records, kills {dict(history.lived.kills)}", flush=True)
        finally:
            ended.set()
            feeder.join()
        history.finish()
        found = wrong(broker.bootstrap, rides, version)
    print(f"{dict(history.lived.changes)}; kills {dict(history.lived.kills)}; {len(rides):,} records")
    if found:
        raise SystemExit("\n".join(found))
    print("nothing lost, nothing written twice, no row went back")


if __name__ == "__main__":
    main()
