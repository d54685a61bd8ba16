"""`lsqlc run` from Kafka to Kafka under `kill -9`: of its Spark server, of itself and of the broker, at random moments.

One model copies a topic, another keeps a TABLE of it. Their batches are written in one transaction, or in several by
tasks. What they write is compared with what went in: each record once, in the order of its key, at its time; the newest
row of each key right. The topics are read back by a client of its own.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import jars
from lsqlc.remote.server.ports import free_ports
from tools.bench.committed import committed

KILLS = 60
# A run lets through less than a hundred and fifty records between two kills.
PER_KILL, KEYS, PARTITIONS, PER_BATCH = 200, 40, 3, 90
_VICTIMS = ("server", "client", "broker")
# How many transactions write a batch: another number at each start of a run after one was killed.
_WRITERS = (1, 2, 3)
_MODELS = {
    "copied": "SELECT STREAM * FROM numbers",
    "sums": "SELECT STREAM COUNT(*) AS c, SUM(n) AS s FROM numbers GROUP BY numbers._key",
}
_TOPICS = """\
version: 1
topics:
  - name: numbers
    key: STRING
    value: n INT
    connector: kafka
"""


def run(work: Path, quick: bool, kills: int = KILLS) -> None:
    """Kill so many times, and print what was killed and what was lost or doubled. Raises RuntimeError if anything
    was.
    """
    random, root = Random(time.time_ns()), work / "kafka-crashes"
    kills = min(kills, 6) if quick else kills
    records = PER_KILL * kills
    root.mkdir(parents=True, exist_ok=True)
    with Broker(root / "broker", os.environ) as broker:
        _project(root, broker)
        # One that is started again has the same address: the client that waits for it goes on.
        port = free_ports(1)[0]
        server = EmbeddedServer(
            root / "server", os.environ, ServerOptions(port=port, jars=jars("spark-kafka", os.environ))
        )
        with server:
            _target(root, broker, server.address, max(_WRITERS))
            _fill(broker, records)
            done = _killed(root, broker, server, random, kills)
            _finish(root)
        wrong = _differences(broker, records)
    print(f"  {sum(done.values())} kills: {dict(done)}; {'; '.join(wrong) or 'nothing lost, nothing doubled'}")
    if wrong:
        raise RuntimeError(f"{len(wrong)} things differ")


def _project(root: Path, broker: Broker) -> None:
    (root / "models").mkdir(exist_ok=True)
    (root / "lsqlc.yml").write_text("name: crashes\n")
    (root / "models" / "topics.yml").write_text(_TOPICS)
    for name, text in _MODELS.items():
        (root / "models" / f"{name}.sql").write_text(text)


def _target(root: Path, broker: Broker, address: str, writers: int) -> None:
    """`writers`: the transactions of a batch."""
    kafka = {
        "bootstrap": broker.bootstrap,
        "partitions": PARTITIONS,
        "offsets_per_batch": PER_BATCH,
        "writers": writers,
    }
    checkpoints = (root / "checkpoints").absolute().as_uri()
    target = {"type": "connect", "address": address, "checkpoints": checkpoints, "kafka": kafka}
    (root / "profiles.yml").write_text(json.dumps({"default": "k", "targets": {"k": target}}))


def _fill(broker: Broker, records: int) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    for future in admin.create_topics([NewTopic("numbers", PARTITIONS, 1)]).values():
        future.result(30)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "partitioner": "murmur2_random", "log_level": 0})
    for n in range(records):
        producer.produce("numbers", b'{"n":%d}' % n, f"k{n % KEYS}".encode(), timestamp=1_000 + n)
        producer.poll(0)
    assert producer.flush(60) == 0


def _killed(root: Path, broker: Broker, server: EmbeddedServer, random: Random, kills: int) -> Counter[str]:
    """Kill and start again, until it has been done so often or the run has ended by itself."""
    done: Counter[str] = Counter()
    client = _start(root)
    while sum(done.values()) < kills:
        time.sleep(random.uniform(0.5, 12))
        if client.poll() is not None:
            if client.returncode == 0:
                break
            client = _start(root)
        victim = random.choice(_VICTIMS)
        if victim == "client":
            client.kill()
            client.wait()
            # What one run has begun the next one completes, whatever its setting is.
            _target(root, broker, server.address, random.choice(_WRITERS))
            client = _start(root)
        elif victim == "broker":
            broker.kill()
            time.sleep(random.uniform(0, 3))
            broker.start()
        else:
            with suppress(ProcessLookupError):
                os.kill(server.pid, signal.SIGKILL)
            server.__exit__(None, None, None)
            server.__enter__()
        done[victim] += 1
        print(f"  {sum(done.values())} kills, the last of the {victim}", flush=True)
    client.kill()
    client.wait()
    return done


def _start(root: Path) -> subprocess.Popen[bytes]:
    log = (root / "client.log").open("ab")
    command = (sys.executable, "-m", "lsqlc", "run", "--quiet", "--restarts", "1000")
    return subprocess.Popen(command, cwd=root, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def _finish(root: Path) -> None:
    """Run until all is read."""
    ran = subprocess.run(
        (sys.executable, "-m", "lsqlc", "run", "--quiet"), cwd=root, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise RuntimeError(f"the last run failed: {ran.stderr[-2000:]}")


def _differences(broker: Broker, records: int) -> list[str]:
    wrong = []
    copied = committed(broker.bootstrap, "copied", PARTITIONS)
    numbers = Counter(json.loads(record.value or b"")["n"] for record in copied)
    lost, twice = records - len(numbers), sum(count - 1 for count in numbers.values())
    if lost or twice:
        wrong.append(f"{lost} records lost, {twice} written twice")
    last: dict[bytes, int] = {}
    disorder = timeless = 0
    for record in copied:
        n = json.loads(record.value or b"")["n"]
        disorder += n < last.get(record.key, -1)
        timeless += record.time != 1_000 + n
        last[record.key] = n
    if disorder or timeless:
        wrong.append(f"{disorder} out of order in their key, {timeless} with another time")
    rows = {r.key: json.loads(r.value or b"{}") for r in committed(broker.bootstrap, "sums", PARTITIONS)}
    for k in range(KEYS):
        numbers_of = range(k, records, KEYS)
        row = rows.get(f"k{k}".encode(), {})
        if (row.get("c"), row.get("s")) != (len(numbers_of), sum(numbers_of)):
            wrong.append(f"the row of k{k} is {row}")
    return wrong
