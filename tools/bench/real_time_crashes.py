"""`lsqlc run --continuous` in real time under `kill -9` of its Spark server, of itself, or both, while records come in.

One model copies a topic, another keeps a TABLE of groups whose rows move. After a client was killed the next one runs
in real time or in micro-batches, by chance, from the same checkpoints. What they have written is compared with what
went in: no record of the copy is lost, and one that is there again was written again around a kill; the first of each
record are in the order of their keys; the newest row of each group is right.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import jars
from lsqlc.remote.server.ports import free_ports
from tools.bench.committed import Committed, committed, ends

KILLS, QUICK_KILLS = 50, 4
KEYS, GROUPS, PARTITIONS, RATE = 40, 7, 2, 50
# The copy has two sources, the groups have two and two states, and one is for other queries.
CORES = 7
# Seconds in which a run that has started must write something.
WRITES_WITHIN = 240.0
# Seconds within which the lease of a client that was killed must expire.
LEASE_WITHIN = 60.0
_VICTIMS = ("server", "client", "both")
_MODES = ("real-time", "real-time", "micro-batch")
_RIGHT = "nothing lost, the groups exact, nothing again away from a kill"
# What a query has read is noted every five seconds, which is the least that Spark allows.
_OFTEN = "SET commit.interval.ms=5000;\n"
_MODELS = {
    "copied": f"{_OFTEN}SELECT STREAM * FROM numbers",
    "sums": f"{_OFTEN}SELECT TABLE COUNT(*) AS c, SUM(n) AS s FROM numbers GROUP BY g",
}
_TOPICS = """\
version: 1
topics:
  - name: numbers
    key: STRING
    value: n INT, g STRING
    connector: kafka
"""


@dataclass(frozen=True, slots=True)
class Kill:
    """`mode`: that of the run that was killed. `before`, `after`: the ends of the copy's partitions just before, and
    once a run had written again.
    """

    victim: str
    mode: str
    before: Sequence[int]
    after: Sequence[int]


@dataclass
class Feed:
    """Records that come in all the time, until it is ended."""

    bootstrap: str
    sent: list[tuple[str, str, int]] = field(default_factory=list)

    @contextmanager
    def flowing(self) -> Iterator[None]:
        """Raises RuntimeError at the end if the broker did not take all records."""
        ended = threading.Event()
        thread = threading.Thread(target=self._send, args=(ended,))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _send(self, ended: threading.Event) -> None:
        settings = {"bootstrap.servers": self.bootstrap, "enable.idempotence": True, "log_level": 0}
        producer, choose = Producer(settings), random.Random(1)
        for number in count():
            if ended.wait(1 / RATE):
                break
            key, group = f"k{choose.randrange(KEYS)}", f"g{choose.randrange(GROUPS)}"
            producer.produce("numbers", b'{"n":%d,"g":"%s"}' % (number, group.encode()), key.encode())
            producer.poll(0)
            self.sent.append((key, group, number))
        if producer.flush(60):
            raise RuntimeError("the broker did not take all records")


def run(work: Path, quick: bool, kills: int = KILLS) -> None:
    """Kill so many times, and the last client at the end; print what was killed, and what was written again. Raises
    RuntimeError for what is lost or wrong.
    """
    root = work / "real-time-crashes"
    kills = min(kills, QUICK_KILLS) if quick else kills
    (root / "models").mkdir(parents=True)
    with Broker(root / "broker", os.environ) as broker:
        _project(root, broker)
        # One that is started again has the same address: the client that waits for it goes on.
        port = free_ports(1)[0]
        connector = jars("spark-kafka", os.environ)
        server = EmbeddedServer(
            root / "server", os.environ, ServerOptions(port=port, cores=CORES, jars=connector, timeout=240)
        )
        feed = Feed(broker.bootstrap)
        with server, feed.flowing():
            done = _Killing(root, broker, server).all(kills)
        with server:
            _target(root, broker, server.address, "micro-batch")
            _finish(root)
        _judge(broker, feed.sent, done)


@dataclass
class _Killing:
    root: Path
    broker: Broker
    server: EmbeddedServer
    mode: str = "real-time"
    client: subprocess.Popen[bytes] | None = None

    def all(self, kills: int) -> list[Kill]:
        choose, done = random.Random(time.time_ns()), list[Kill]()
        self._start()
        self._until_more([0] * PARTITIONS)
        while len(done) < kills:
            time.sleep(choose.uniform(0, 8))
            victim, mode, before = choose.choice(_VICTIMS), self.mode, self._ends()
            if victim != "client":
                with suppress(ProcessLookupError):
                    os.kill(self.server.pid, signal.SIGKILL)
            if victim != "server":
                self._end()
            if victim != "client":
                self.server.__exit__(None, None, None)
                self.server.__enter__()
            if victim != "server":
                self.mode = choose.choice(_MODES)
                self._start()
            after = self._until_more(before)
            done.append(Kill(victim, mode, before, after))
            print(f"  {len(done)} kills, the last of the {victim} in {mode} mode", flush=True)
        # So is the end of the last client, which the run that finishes writes behind.
        done.append(Kill("client", self.mode, self._ends(), [sys.maxsize] * PARTITIONS))
        self._end()
        return done

    def _end(self) -> None:
        assert self.client is not None
        self.client.kill()
        self.client.wait()

    def _start(self) -> None:
        _target(self.root, self.broker, self.server.address, self.mode)
        log = (self.root / "client.log").open("ab")
        command = (sys.executable, "-m", "lsqlc", "run", "--continuous", "--quiet", "--restarts", "1000")
        self.client = subprocess.Popen(command, cwd=self.root, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def _ends(self) -> list[int]:
        return ends(self.broker.bootstrap, "copied", PARTITIONS)

    def _until_more(self, before: Sequence[int]) -> list[int]:
        """Wait until more has been written to the copy and to the groups; the ends of the copy then."""
        deadline, groups = time.monotonic() + WRITES_WITHIN, None
        while True:
            if self.client is not None and self.client.poll() is not None:
                # Until the lease of a killed one expires the next one does not begin.
                self._start()
            with suppress(Exception):
                # Until the first start the topics do not exist.
                now, of_groups = self._ends(), ends(self.broker.bootstrap, "sums", PARTITIONS)
                groups = of_groups if groups is None else groups
                if sum(now) > sum(before) and sum(of_groups) > sum(groups):
                    return now
            if time.monotonic() > deadline:
                log = (self.root / "client.log").read_text()[-3000:]
                raise RuntimeError(f"nothing was written within {WRITES_WITHIN:g} seconds: {log}")
            time.sleep(0.3)


def _project(root: Path, broker: Broker) -> None:
    (root / "lsqlc.yml").write_text("name: crashes\n")
    (root / "models" / "topics.yml").write_text(_TOPICS)
    for name, text in _MODELS.items():
        (root / "models" / f"{name}.sql").write_text(text)
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    for future in admin.create_topics([NewTopic("numbers", PARTITIONS, 1)]).values():
        future.result(30)


def _target(root: Path, broker: Broker, address: str, mode: str) -> None:
    target = {
        "type": "connect",
        "address": address,
        "checkpoints": (root / "checkpoints").absolute().as_uri(),
        "latency": mode,
        "kafka": {"bootstrap": broker.bootstrap, "partitions": PARTITIONS},
    }
    (root / "profiles.yml").write_text(json.dumps({"default": "k", "targets": {"k": target}}))


def _finish(root: Path) -> None:
    """Run until all is read, in micro-batches, once the lease of the last client, which was killed, has expired."""
    command = (sys.executable, "-m", "lsqlc", "run", "--quiet")
    deadline = time.monotonic() + LEASE_WITHIN
    while (ran := subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)).returncode:
        if "LSQ782" not in ran.stderr or time.monotonic() > deadline:
            raise RuntimeError(f"the last run failed: {ran.stderr[-2000:]}")
        time.sleep(1.0)


def _judge(broker: Broker, sent: Sequence[tuple[str, str, int]], kills: Sequence[Kill]) -> None:
    copied = committed(broker.bootstrap, "copied", PARTITIONS)
    first, again = dict[int, Committed](), list[tuple[Committed, Committed]]()
    last: dict[bytes, int] = defaultdict(lambda: -1)
    wrong = []
    for record in copied:
        number = json.loads(record.value or b"")["n"]
        if number in first:
            again.append((first[number], record))
            continue
        if number < last[record.key]:
            wrong.append(f"{number} comes behind {last[record.key]} of its key")
        first[number], last[record.key] = record, number
    lost = {number for _, _, number in sent}.difference(first)
    if lost:
        wrong.append(f"{len(lost)} records are lost, the first of them {min(lost)}")
    unexplained = [pair for pair in again if not any(_explains(kill, *pair) for kill in kills)]
    if unexplained:
        wrong.append(f"{len(unexplained)} records were written again away from a kill, such as {unexplained[0]}")
    rows = {key: (group, number) for key, group, number in sent}
    counts, sums = Counter(g for g, _ in rows.values()), Counter[str]()
    for group, number in rows.values():
        sums[group] += number
    newest = {r.key.decode(): r.value for r in committed(broker.bootstrap, "sums", PARTITIONS)}
    found = {group: json.loads(value) for group, value in newest.items() if value is not None}
    if found != (right := {group: {"c": counts[group], "s": sums[group]} for group in counts}):
        wrong.append(f"the groups are {found}, and should be {right}")
    in_real_time = sum("lsqlc.source" in record.headers for record in copied)
    print(
        f"  {len(kills)} kills: {dict(Counter(f'{k.victim} in {k.mode}' for k in kills))}\n"
        f"  {len(sent):,} records came in; {len(copied):,} were written, {in_real_time:,} of them in real time, "
        f"{len(again):,} again\n  {'; '.join(wrong[:20]) or _RIGHT}"
    )
    if wrong:
        raise RuntimeError(f"{len(wrong)} things differ")


def _explains(kill: Kill, first: Committed, second: Committed) -> bool:
    """Whether a record that is there twice was written before a run had written again, and written again after the
    kill.
    """
    return first.offset <= kill.after[first.partition] and second.offset >= kill.before[second.partition]
