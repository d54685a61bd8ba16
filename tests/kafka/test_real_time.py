"""Models that run record by record from Kafka to Kafka: the rows of DuckDB, over changes of the latency, kills, and
servers that are too small.
"""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import lsqlc
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.checkpoints import Form
from lsqlc.remote.run.runner import _Run
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect
from lsqlc.tasks.real_time import prepared, wanted_slots
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from tests.kafka import client
from tests.kafka.fixture import fetched
from tests.kafka.real_time import differences, in_batches, running, until_noted, until_written, written
from tests.kafka.test_run import TOPICS, Kafka, some
from tests.shared import SharedBroker

pytestmark = pytest.mark.kafka

COPY = "SELECT STREAM * FROM orders"
ROWS = "SELECT TABLE item, n FROM orders WHERE n > 2"
GROUPS = "SELECT TABLE item, COUNT(*) AS c, SUM(price) AS s, AVG(n) AS a FROM orders GROUP BY item"
PROGRAMS = {
    "rows that a filter deletes": ROWS,
    "groups of a STREAM": """
        SELECT STREAM COUNT(*) AS c, SUM(n) AS s, MAXK(n, 2) AS m, COLLECT(n, 100) AS l FROM orders GROUP BY item
    """,
    "groups of a TABLE": GROUPS,
    "lists of a TABLE": "SELECT TABLE COLLECT(n, 9) AS c FROM orders GROUP BY item",
}
WINDOWS = "SELECT STREAM COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1s GROUP BY item"
Model = Callable[[str], Kafka]


def _server(work: Path) -> EmbeddedServer:
    return EmbeddedServer(work, os.environ, ServerOptions(cores=6, jars=fetched("spark-kafka"), timeout=240))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server with slots for two partitions, two states and a batch."""
    with _server(tmp_path_factory.mktemp("real-time")) as started:
        yield started


@pytest.fixture
def settings(broker: SharedBroker, topic_prefix: str) -> KafkaSettings:
    return KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=2)


@pytest.fixture
def model(server: EmbeddedServer, settings: KafkaSettings, tmp_path: Path) -> Model:
    session = connect(server.address)
    return lambda program: _model(program, settings, tmp_path, session, server)


def _model(program: str, settings: KafkaSettings, root: Path, session: object, server: EmbeddedServer) -> Kafka:
    topics = [replace(topic, partitions=2) for topic in TOPICS]
    plan = lsqlc.compile(program, topics=topics, name="out")
    return Kafka(plan, settings, root, session, server.address)  # type: ignore[arg-type]


def append(kafka: Kafka, first: int, count: int = 40) -> None:
    choose = random.Random(first)
    for topic in kafka.plan.inputs:
        kafka.append(topic, some(kafka.plan, choose, first, count)[topic.name])


def agrees(kafka: Kafka) -> Callable[[], bool]:
    return lambda: not differences(kafka)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rows_of_both_engines(model: Model, name: str) -> None:
    """While it runs, and again after a stop: of what was not noted the rows are written a second time."""
    kafka = model(PROGRAMS[name])
    for new in (True, False):
        with running(kafka, new=new) as look:
            append(kafka, 1_000 if new else 2_000)
            until_written(kafka, look, agrees(kafka))
            if new:
                until_noted(kafka, look)


def test_every_change_of_a_window(model: Model) -> None:
    """The newest row of each window is that of all of its records."""
    kafka = model(WINDOWS)
    counts: list[int] = []
    with running(kafka) as look:
        for first in (1_000, 2_000):
            append(kafka, first)
            records = some(kafka.plan, random.Random(first), first)["orders"]
            counts += Counter(record.value["item"] for record in records if record.value).values()
        until_written(kafka, look, lambda: sorted(_counts(kafka).values()) == sorted(counts))


def _counts(kafka: Kafka) -> dict[bytes | None, int]:
    return {key: json.loads(value)["c"] for key, value in written(kafka) if value}


@pytest.mark.parametrize("program", [COPY, ROWS])
def test_nothing_is_written_twice(model: Model, settings: KafkaSettings, program: str) -> None:
    """Runs that are stopped before they have noted what they have read, in real time and once in micro-batches: each
    record names the place of the one that it is made of, and none is there twice.
    """
    kafka = model(program)
    for number in range(4):
        append(kafka, 2_000 * (number + 1))
        if number == 2:
            in_batches(kafka, new=False)
            continue
        with running(kafka, new=number == 0, noted=600_000) as look:
            until_written(kafka, look, agrees(kafka))
            append(kafka, 2_000 * (number + 1) + 1_000)
            until_written(kafka, look, agrees(kafka))
    found = client.read(settings.bootstrap, f"{settings.prefix}out")
    inputs = client.read(settings.bootstrap, f"{settings.prefix}orders")
    places = Counter(dict(m.headers() or ()).get("lsqlc.source") for m in found)
    # What micro-batches have written has none.
    in_batch = places.pop(None)
    assert in_batch and set(places.values()) == {1}
    assert set(places) <= {f"{settings.prefix}orders/{m.partition()}/{m.offset()}".encode() for m in inputs}
    if program == COPY:
        assert Counter((m.key(), m.value()) for m in found) == Counter((m.key(), m.value()) for m in inputs)
    else:
        assert len(found) == len(inputs)


def test_a_topic_with_several_writers(settings: KafkaSettings, tmp_path: Path) -> None:
    """Nothing says which of them has written a record: nothing is compared, so that none is lost."""
    place = open_target(tmp_path, Target("local", connection=settings), [])
    streams, log = place.streams(), KafkaLog(settings)
    (topic,) = lsqlc.compile(COPY, topics=TOPICS, name="out").inputs
    log.prepare(topic)
    log.open_generation("orders", "aa_000001", real_time=True)
    assert streams.real_time_began("orders", "aa_000001") == {0: 0, 1: 0, 2: 0}
    log.open_generation("orders", "bb_000001")
    assert streams.real_time_began("orders", "aa_000001") is None
    log.end_generations("orders", ["bb_000001"])
    assert streams.real_time_began("orders", "aa_000001") == {0: 0, 1: 0, 2: 0}
    log.end_real_time("orders", "aa_000001")
    assert streams.real_time_began("orders", "aa_000001") is None


@pytest.mark.parametrize("program", [GROUPS, ROWS])
def test_a_change_of_the_latency(model: Model, program: str) -> None:
    """Back and forth on one checkpoint: each goes on from the state of the other."""
    kafka = model(program)
    for number in range(4):
        append(kafka, 1_000 * (number + 1))
        if number % 2 == 0:
            (summary,) = in_batches(kafka, new=number == 0)
            assert summary.resumed == (number > 0) and summary.finished
            assert not differences(kafka)
            continue
        with running(kafka, new=False) as look:
            until_written(kafka, look, agrees(kafka))
            until_noted(kafka, look)


def test_kills(settings: KafkaSettings, tmp_path: Path) -> None:
    """The server is killed again and again among records, and once before it has noted anything: the rows are exact."""
    for attempt in range(3):
        with _server(tmp_path / f"server{attempt}") as server:
            kafka = _model(GROUPS, settings, tmp_path / "project", connect(server.address), server)
            try:
                with running(kafka, new=attempt < 2) as look:
                    append(kafka, 1_000 * (attempt + 1))
                    until_written(kafka, look, agrees(kafka))
                    if attempt:
                        until_noted(kafka, look)
                        append(kafka, 1_000 * (attempt + 1) + 500)
                    if attempt < 2:
                        os.kill(server.pid, signal.SIGKILL)
                        until_written(kafka, look, lambda: False)
                    until_written(kafka, look, agrees(kafka))
            except LsqlcError as error:
                assert attempt < 2 and error.diagnostics[0].code == "LSQ663"
    assert not differences(kafka)


def test_a_state_in_the_old_form(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of a server before Spark 4.2 is refused before the start, with what to do; in batches the model goes on."""
    kafka = model(GROUPS)
    append(kafka, 1_000)
    with monkeypatch.context() as before:
        before.setattr(_Run, "_form", lambda *_: Form())
        kafka.run()
    plans = {"out": lower(kafka.plan, wires=kafka.place.wires, real_time=True)}
    with pytest.raises(LsqlcError) as found:
        prepared(plans, kafka.place, {"out"}, kafka.spark, ())
    (said,) = found.value.diagnostics
    assert said.code == "LSQ606" and "--full-refresh --select out" in (said.help or "")
    assert prepared(plans, kafka.place, {"out"}, kafka.spark, {"out"})
    append(kafka, 2_000)
    in_batches(kafka, new=False)
    assert not differences(kafka)


def test_slots_of_a_state(model: Model) -> None:
    """An embedded server is started with those for the partitions that a state has from micro-batches."""
    kafka = model(GROUPS)
    kafka.prepare()
    plans = {"out": lower(kafka.plan, wires=kafka.place.wires, real_time=True)}
    assert wanted_slots(plans, kafka.place, {"out"}) == 2 + 2 * 1 + 1
    kafka.spark.conf.set("spark.sql.shuffle.partitions", "3")
    append(kafka, 1_000)
    kafka.run()
    assert wanted_slots(plans, kafka.place, {"out"}) == 2 + 2 * 3 + 1
    assert wanted_slots(plans, kafka.place, ()) == 0


def test_slots(model: Model) -> None:
    """A query that needs more tasks than the server runs at once is refused with the numbers, and its shuffles get as
    many partitions as there is room for.
    """
    kafka = model(GROUPS)
    kafka.prepare()
    plans = {"out": lower(kafka.plan, wires=kafka.place.wires, real_time=True)}
    kafka.spark.conf.set("spark.sql.shuffle.partitions", "200")
    try:
        (stage,) = prepared(plans, kafka.place, {"out"}, kafka.spark, ())["out"].stages
        assert dict(stage.settings)["spark.sql.shuffle.partitions"] == "1"
        three = replace(stage, settings=(("spark.sql.shuffle.partitions", "3"),))
        threads = {"out": replace(plans["out"], stages=(three,))}
        with pytest.raises(LsqlcError) as found:
            prepared(threads, kafka.place, {"out"}, kafka.spark, ())
    finally:
        kafka.spark.conf.unset("spark.sql.shuffle.partitions")
    (said,) = found.value.diagnostics
    assert said.code == "LSQ605" and "need 9 task slots, and the server has 6" in said.message
    assert said.notes[0] == "'out' takes 8: 2 partitions of its topics and 6 of its state"


def test_a_batch_that_was_not_completed(model: Model) -> None:
    """What a micro-batch had begun is computed again in real time, from the state before it."""
    kafka = model(GROUPS)
    for first in (1_000, 2_000):
        append(kafka, first)
        in_batches(kafka, new=first == 1_000)
    folder = next(Path(str(kafka.place.checkpoints)).glob("out/spark-*/commits"))
    last = max(int(path.name) for path in folder.iterdir() if path.name.isdigit())
    for path in (folder / str(last), folder / f".{last}.crc"):
        path.unlink(missing_ok=True)
    append(kafka, 3_000)
    with running(kafka, new=False) as look:
        until_written(kafka, look, agrees(kafka))
