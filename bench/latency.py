"""From a record's sending to its result's arrival, from Kafka to Kafka: in micro-batches and in real time, in one run.

One producer sends records at a steady rate, and one consumer notes when the result of each comes, both in this process
and by its clock. A micro-batch writes of a group what it is last: only those changes are counted which are written.
"""

from __future__ import annotations

import json
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import quantiles

from confluent_kafka import Consumer, Producer

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.real_time import with_settings
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.events import Event, Started
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions
from lsqlc.remote.run.runner import run as run_queries
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.server.jars import jars
from lsqlc.remote.session.session import connect, parse_address
from lsqlc.tasks.places import place_of
from lsqlc.tasks.topics import applied, topics_plan
from lsqlc.types.kafka import KafkaSettings

_TOPIC = lsqlc.Topic("events", key="INT", value="id LONG, item STRING", partitions=1)
# Each result tells by `id` which record it is of. In the last one each record moves its row into a group of its own.
_MODELS = {
    "filter and projection": "SELECT STREAM id, item FROM events WHERE id >= 0",
    "groups of a STREAM": "SELECT STREAM LAST(id) AS id, COUNT(*) AS c FROM events GROUP BY item",
    "groups of a TABLE": "SELECT TABLE id AS id, COUNT(*) AS c FROM events GROUP BY id",
}
_RATES = (100, 1_000)
_ROWS, _ITEMS = 100, 20
# How often a query in real time notes what it has read: pauses that a longer interval has less often.
_NOTED = 10_000
# Records of the first seconds meet a server that compiles what it runs.
_WARM = 4.0


def run(work: Path, quick: bool) -> None:
    """Print a line for each model, rate and mode. Raises RuntimeError where no result came."""
    seconds = 3.0 if quick else 10.0
    root = work / "latency"
    connector = jars("spark-kafka", os.environ)
    with (
        Broker(root / "broker", os.environ) as broker,
        EmbeddedServer(root / "server", os.environ, cores=8, jars=connector, optimize=True, timeout=240) as server,
    ):
        print(f"  {'':24}{'records/s':>10}  {'mode':12}{'p50':>9}{'p99':>10}{'results':>9}")
        for number, (name, program) in enumerate(_MODELS.items()):
            for real_time in (False, True):
                place = root / f"{number}-{'real' if real_time else 'batches'}"
                settings = KafkaSettings(broker.bootstrap, prefix=f"m{number}{real_time:d}.", partitions=1)
                with _running(place, program, settings, server, real_time=real_time):
                    _measured(settings, _RATES[0], _WARM)
                    for rate in _RATES:
                        took = _measured(settings, rate, seconds)
                        if len(took) < 2:
                            raise RuntimeError(f"{name}: no results")
                        cuts = quantiles(took, n=100, method="inclusive")
                        mode = "real-time" if real_time else "micro-batch"
                        print(f"  {name:24}{rate:>10,}  {mode:12}{cuts[49] * 1000:>6,.0f} ms"
                              f"{cuts[98] * 1000:>7,.0f} ms{len(took):>9,}", flush=True)  # fmt: skip


@contextmanager
def _running(
    root: Path, program: str, settings: KafkaSettings, server: EmbeddedServer, *, real_time: bool
) -> Iterator[None]:
    """The model inside the `with`, on a session of its own."""
    plan = lsqlc.compile(program, topics=[_TOPIC], name="out")
    place = place_of(root, Target("local", kafka=settings), [plan])
    place.log.prepare(*plan.inputs)
    applied(topics_plan({"out": plan}, settings), settings)
    lowered = lower(plan, wires=place.wires, real_time=real_time)
    stages = (with_settings(s, 1, new=True) for s in lowered.stages)
    made = replace(lowered, stages=tuple(replace(s, interval=_NOTED) if real_time else s for s in stages))
    began, stop, failed = threading.Event(), threading.Event(), list[BaseException]()

    def report(event: Event) -> None:
        if isinstance(event, Started | BatchProgress):
            began.set()

    def work() -> None:
        spark = connect(server.address)
        try:
            options = RunOptions(query=QueryOptions(until_read=False))
            run_queries(spark, parse_address(server.address), [Job("out", made)], place.streams(), place.checkpoints,
                        options=options, report=report, stop=stop.is_set)  # fmt: skip
        except BaseException as error:
            failed.append(error)
        finally:
            began.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        began.wait()
        yield
    finally:
        stop.set()
        thread.join()
    if failed:
        raise failed[0]


def _measured(settings: KafkaSettings, rate: int, seconds: float) -> list[float]:
    """The seconds that each result took, of records at a rate over some seconds."""
    consumer = Consumer(
        {"bootstrap.servers": settings.bootstrap, "group.id": f"{time.time_ns()}", "auto.offset.reset": "latest",
         "isolation.level": "read_committed", "fetch.wait.max.ms": 1}
    )  # fmt: skip
    consumer.subscribe([f"{settings.prefix}out"])
    while not consumer.assignment():
        consumer.poll(0.1)
    first = time.time_ns()
    sent: dict[int, float] = {}
    took: dict[int, float] = {}

    def send() -> None:
        producer = Producer({"bootstrap.servers": settings.bootstrap, "linger.ms": 0, "partitioner": "murmur2_random"})
        began = time.monotonic()
        for number in range(int(rate * seconds)):
            pause = began + number / rate - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            id = first + number
            value = json.dumps({"id": id, "item": f"i{number % _ITEMS}"})
            sent[id] = time.monotonic()
            producer.produce(f"{settings.prefix}events", value, struct.pack(">i", number % _ROWS))
            producer.poll(0)
        producer.flush()

    thread = threading.Thread(target=send)
    thread.start()
    last = time.monotonic()
    # The end is a second without results.
    while thread.is_alive() or time.monotonic() - last < 3:
        message = consumer.poll(0.05)
        if message is None or message.error() or message.value() is None:
            continue
        last = time.monotonic()
        id = json.loads(message.value())["id"]
        if id in sent:
            took.setdefault(id, last - sent[id])
    thread.join()
    consumer.close()
    return list(took.values())
