"""Models whose records Spark's own sink writes, on a server without Python: what holds after a failure, what changes of
`writers` do to a checkpoint, and what a user is shown.
"""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.run.events import Event
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.runner import RunOptions
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.session.session import connect
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.cli.conftest import Cli, bikes, cli
from tests.kafka import client
from tests.kafka.settings import settings_of
from tests.kafka.test_run import PROGRAMS, TOPICS, Kafka, some
from tests.kafka.without_python import WithoutPython
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

__all__ = ["bikes", "cli"]
pytestmark = pytest.mark.kafka

COPY, ROWS = PROGRAMS["a copy"], PROGRAMS["groups of a TABLE"]
PROFILE = """\
default: prod
targets:
  prod:
    type: connect
    address: {address}
    checkpoints: "file:{checkpoints}"
    kafka: {{bootstrap: "{bootstrap}", prefix: "{prefix}", writers: {writers}}}
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    with WithoutPython(tmp_path_factory.mktemp("bare")) as server:
        yield server


@pytest.fixture(scope="module")
def bare_spark(bare: EmbeddedServer) -> Iterator[SparkSession]:
    session = connect(bare.address)
    yield session
    session.stop()


@pytest.fixture
def settings(broker: SharedBroker, topic_prefix: str) -> KafkaSettings:
    return KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3, writers="native")


def model(
    program: str, settings: KafkaSettings, root: Path, spark: SparkSession, server: EmbeddedServer | SharedServer
) -> Kafka:
    plan = lsqlc.compile(program, topics=TOPICS, name="out")
    return Kafka(plan, settings, root, spark, server.address)


def append(kafka: Kafka, first: int, count: int = 40) -> None:
    choose = random.Random(first)
    for topic in kafka.plan.inputs:
        kafka.append(topic, some(kafka.plan, choose, first, count)[topic.name])


def written(kafka: Kafka) -> Counter[tuple[bytes | None, bytes | None]]:
    """How often each record is there."""
    found = client.read(settings_of(kafka.place.target).bootstrap, f"{settings_of(kafka.place.target).prefix}out")
    return Counter((m.key(), m.value()) for m in found)


def with_writers(kafka: Kafka, writers: Any) -> None:
    place = kafka.place
    kafka.place = replace(
        place, target=replace(place.target, connection=replace(settings_of(place.target), writers=writers))
    )


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "groups of a STREAM"])
def test_both_engines_agree(
    settings: KafkaSettings, bare_spark: SparkSession, bare: EmbeddedServer, tmp_path: Path, name: str
) -> None:
    """Over records that come in two parts, the second after a run: its checkpoint goes on."""
    kafka = model(PROGRAMS[name], settings, tmp_path, bare_spark, bare)
    for first in (1_000, 2_000):
        append(kafka, first)
        ran = kafka.run()
        assert all(summary.finished for summary in ran) and not kafka.differences()
    assert all(summary.resumed for summary in ran)


def test_order_in_a_key(
    settings: KafkaSettings, bare_spark: SparkSession, bare: EmbeddedServer, tmp_path: Path
) -> None:
    """Records that come out of a state by another key are written in their order: the last of a key is the newest."""
    program = """
        WITH r AS (SELECT TABLE rate FROM rates);
        SELECT STREAM o._key AS _key, o.item, r.rate FROM orders AS o LEFT JOIN r ON o.n = r._key
    """
    bare_spark.conf.set("spark.sql.shuffle.partitions", "3")
    try:
        kafka = model(program, settings, tmp_path, bare_spark, bare)
        values = [Record("orders", n % 2, {"item": f"{n:04}", "n": n % 8, "price": None}, n) for n in range(200)]
        kafka.append(next(t for t in kafka.plan.inputs if t.name == "orders"), values)
        kafka.run()
    finally:
        bare_spark.conf.unset("spark.sql.shuffle.partitions")
    found = client.read(settings.bootstrap, f"{settings.prefix}out")
    items = {key: [json.loads(m.value())["item"] for m in found if m.key() == key] for key in {m.key() for m in found}}
    assert len(items) == 2 and all(len(of) == 100 and of == sorted(of) for of in items.values())


@pytest.mark.parametrize("program", [COPY, ROWS])
def test_a_batch_that_is_written_again(
    settings: KafkaSettings, bare_spark: SparkSession, bare: EmbeddedServer, tmp_path: Path, program: str
) -> None:
    """As after a crash between the last record and Spark's own note: each record of a STREAM is there, those of that
    batch twice; a TABLE has the same rows.
    """
    kafka = model(program, replace(settings, offsets_per_batch=15), tmp_path, bare_spark, bare)
    append(kafka, 1_000)
    kafka.run()
    before = written(kafka)
    folder = next(Path(str(kafka.place.checkpoints)).glob("out/spark-*/commits"))
    last = max(int(p.name) for p in folder.iterdir() if p.name.isdigit())
    assert last > 0
    for path in (folder / str(last), folder / f".{last}.crc"):
        path.unlink(missing_ok=True)
    append(kafka, 2_000)
    kafka.run()
    after = written(kafka)
    twice = [record for record, times in after.items() if times > before[record] > 0]
    assert not before - after and twice
    if program == ROWS:
        assert not kafka.differences()
    else:
        inputs = client.read(settings.bootstrap, f"{settings.prefix}orders")
        values = Counter((m.key(), m.value()) for m in inputs)
        assert not values - after and 0 < (after - values).total() <= 15


def test_a_server_that_is_killed(settings: KafkaSettings, tmp_path: Path) -> None:
    """Twice, in the middle of its batches: the final TABLE is that of DuckDB."""
    settings = replace(settings, offsets_per_batch=20)
    for attempt in range(3):
        with WithoutPython(tmp_path / f"server{attempt}") as server:
            kafka = model(ROWS, settings, tmp_path / "project", connect(server.address), server)
            if attempt == 0:
                append(kafka, 1_000, 400)
            batches: list[Event] = []

            def killing(event: Event, pid: int = server.pid, batches: list[Event] = batches) -> None:
                batches.extend([event] if isinstance(event, BatchProgress) else [])
                if len(batches) == 3:
                    os.kill(pid, signal.SIGKILL)

            if attempt < 2:
                with pytest.raises(LsqlcError) as ended:
                    kafka.run(report=killing)
                assert ended.value.diagnostics[0].code == "LSQ663"
                continue
            (summary,) = kafka.run()
            assert summary.resumed and summary.finished and 0 < summary.batches < 18
            assert not kafka.differences()


def test_a_change_of_writers(
    settings: KafkaSettings, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> None:
    """Back and forth on one checkpoint: nothing is lost, and without a failure nothing is written twice."""
    kafka = model(COPY, replace(settings, writers=1), tmp_path, kafka_spark, kafka_spark_server)
    for first, writers in enumerate((1, "native", 2, "native", 1)):
        with_writers(kafka, writers)
        append(kafka, 1_000 * (first + 1))
        (summary,) = kafka.run()
        assert summary.resumed == (first > 0)
        inputs = client.read(settings.bootstrap, f"{settings.prefix}orders")
        assert written(kafka) == Counter((m.key(), m.value()) for m in inputs)


def test_a_refresh(settings: KafkaSettings, bare_spark: SparkSession, bare: EmbeddedServer, tmp_path: Path) -> None:
    """It removes what the sink has written before, and a lost checkpoint is noticed."""
    kafka = model(COPY, settings, tmp_path, bare_spark, bare)
    append(kafka, 1_000)
    kafka.run()
    before = written(kafka)
    kafka.run(RunOptions(refresh={"out"}))
    assert written(kafka) == before
    other = model(COPY, settings, tmp_path / "other", bare_spark, bare)
    with pytest.raises(LsqlcError) as found:
        other.run()
    assert found.value.diagnostics[0].code == "LSQ666"


def test_a_batch_that_is_written_in_part(settings: KafkaSettings) -> None:
    """The sink does not begin behind it; where none of its transactions is committed, it does."""
    log = KafkaLog(settings)
    log.prepare_markers()
    topic, key = f"{settings.prefix}{commits.TOPIC}", commits.marker_key("out", "g")
    tasks = b'{"batch":7,"tasks":2,"partitions":2,"by":"a"}'
    client.write(settings.bootstrap, topic, [(key, b'{"batch":6}', 1), (key + b"/tasks", tasks, 1)])
    log.open_generation("out", "g")
    client.write(settings.bootstrap, topic, [(key + b"/1", b'{"batch":7,"version":"v"}', 1)])
    with pytest.raises(LsqlcError) as found:
        log.open_generation("out", "g")
    assert found.value.diagnostics[0].code == "LSQ762" and "batch 7" in found.value.diagnostics[0].message
    client.write(settings.bootstrap, topic, [(key, b'{"batch":7}', 1)])
    log.open_generation("out", "g")
    assert log.markers("out") == {"g": commits.Marker(7)}


def test_a_writer_with_transactions_is_fenced(settings: KafkaSettings) -> None:
    """One that lives on somewhere cannot commit once the sink has the query."""
    from confluent_kafka import KafkaException, Producer

    log = KafkaLog(settings)
    log.prepare_markers()
    id = commits.transactional_id(settings.prefix, "out", "g")
    old = Producer({"bootstrap.servers": settings.bootstrap, "transactional.id": id, "log_level": 0})
    old.init_transactions(30)
    old.begin_transaction()
    old.produce(f"{settings.prefix}{commits.TOPIC}", b'{"batch":1}', commits.marker_key("out", "g"))
    log.open_generation("out", "g")
    with pytest.raises(KafkaException):
        old.commit_transaction(30)
    assert log.markers("out") == {"g": commits.Marker(-1)}


def test_the_command_line(
    cli: Cli, bikes: Path, broker: SharedBroker, topic_prefix: str, bare: EmbeddedServer, tmp_path: Path
) -> None:
    """The error of a run with transactions names the setting; with it, what is guaranteed is said."""

    def profile(writers: str) -> None:
        text = PROFILE.format(address=bare.address, checkpoints=tmp_path / "ck", bootstrap=broker.bootstrap,
                              prefix=topic_prefix, writers=writers)  # fmt: skip
        (bikes / "profiles.yml").write_text(text)

    profile("1")
    assert cli("seed").code == 0
    ran = cli("run")
    assert ran.code == 1 and "error[LSQ761]" in ran.err and "`writers: native`" in ran.err
    profile("native")
    ran = cli("run", "--detach")
    assert ran.code == 1 and "error[LSQ763]" in ran.err
    for command in ("plan", "run"):
        ran = cli(command)
        assert ran.code == 1 and "error[LSQ760]: the model 'rides_by_station'" in ran.err
        assert "a record that is written twice" in ran.err and "'bikes_at_station'" not in ran.err
    some = ("--exclude", "rides_by_station")
    said = (
        "Spark's own sink writes, the newest rows of 'bikes_at_station' exactly and records of 'arrivals' at least "
        "once; records have the time of writing"
    )
    assert said in cli("plan", *some).err
    assert cli("plan", *some, "--output", "json").data["delivers"] == {
        "arrivals": "at least once",
        "bikes_at_station": "newest rows",
    }
    ran = cli("run", "--verify", *some)
    assert ran.code == 0 and said in ran.err, ran.err
    lines = cli("topics", "plan", *some).out.splitlines()
    at = lines[0].index("transactions")
    cells = {line.split()[0]: line[at:].split()[0] for line in lines[2:] if line.startswith(topic_prefix)}
    assert cells[f"{topic_prefix}arrivals"] == "none"
