"""Topics that begin with a history in files: each record is read once, from one of the two, whoever is killed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.starts import Start
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.remote.run.checkpoints import note_history_read
from lsqlc.remote.run.events import Event, QuerySummary, Started
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.run.start_offsets import OffsetFinder
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect, parse_address
from lsqlc.tasks.histories import ended, history_check, history_finder
from lsqlc.tasks.run_target import open_target
from lsqlc.tasks.starts import beginnings, common_places, starts_at
from lsqlc.tasks.verify import verify
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.kafka.fixture import create_topics, fetched
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPICS = """
topics:
  - name: lake
    connector: files
    key: id
    value: "id INT, item STRING, n INT, at TIMESTAMP"
    event_time: at
    files: {path: lake, format: parquet}
  - {name: orders, key: INT, value: "item STRING, n INT", partitions: 3,
     start: {history: lake, until: "1970-01-01T00:20:00Z"}}
  - {name: labels, key: STRING, value: "label STRING", partitions: 3}
"""
MODELS = {
    "copied": "SELECT STREAM n FROM orders",
    "grouped": "SELECT TABLE item, COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item",
    "labelled": """
        WITH l AS (SELECT TABLE label FROM labels);
        WITH o AS (SELECT STREAM item AS _key, n FROM orders);
        SELECT STREAM o.n, l.label FROM o INNER JOIN l ON o._key = l._key
    """,
}


def order(n: int) -> Record:
    """The order of the second `n`."""
    return Record("orders", n % 50, {"item": f"i{n % 7}", "n": n}, n * 1_000)


NOTE = "lsqlc.remote.run.runner.note_history_read"


class Shop:
    """A project whose orders are in files up to the second 1,300, and in Kafka from the second 600 on. The boundary is
    the second 1,200.
    """

    def __init__(self, root: Path, settings: KafkaSettings, models: Iterable[str]) -> None:
        (root / "models").mkdir()
        (root / "lsqlc.yml").write_text("name: shop\ndialect: lenses\n")
        (root / "models" / "topics.yml").write_text(TOPICS)
        for name in models:
            (root / "models" / f"{name}.sql").write_text(MODELS[name])
        (root / "lake").mkdir()
        rows = "(n % 50)::INT AS id, 'i' || (n % 7) AS item, n::INT AS n, make_timestamp(n * 1000000) AS at"
        for number in range(4):
            # Each file has rows of all times.
            table = f"(SELECT {rows} FROM range(1, 1301) t(n) WHERE n % 4 = {number})"
            duckdb.sql(f"COPY {table} TO '{root}/lake/{number}.parquet'")
        project = load_project(root).project
        assert project is not None
        self.compilation = compile_project(project)
        assert self.compilation.ok, self.compilation.diagnostics
        self.place = open_target(root, Target("local", connection=settings), self.compilation.plans.values())
        self.plans = self.compilation.plans
        for plan in self.plans.values():
            create_topics(plan, settings)
        self.topics = {topic.name: topic for plan in self.plans.values() for topic in plan.inputs}
        # Older ones behind newer ones: the history has them.
        self.append(map(order, (*range(600, 2_001), *range(700, 720))))
        if "labels" in self.topics:
            times = ((item, time) for item in range(7) for time in (1, 400, 1_250, 1_900))
            labels = (Record("labels", f"i{i}", {"label": f"{i} from {t}"}, t * 1_000) for i, t in times)
            self.place.log.append(self.topics["labels"], labels)

    def append(self, records: Iterable[Record]) -> None:
        self.place.log.append(self.topics["orders"], records)

    def run(
        self,
        spark: SparkSession,
        address: str,
        report: Callable[[Event], None] = lambda event: None,
        *,
        until_read: bool = True,
        stop: Callable[[], bool] = lambda: False,
    ) -> tuple[QuerySummary, ...]:
        starts = starts_at(self.compilation, self.place)
        options = RunOptions(
            query=QueryOptions(until_read=until_read),
            files=dict.fromkeys(self.plans, 1),
            at_once=1,
            starts=beginnings(starts, self.compilation, self.place, 5_000_000.0),
            history=history_finder(self.compilation, self.place),
            call_timeout=120.0,
        )
        jobs = [Job(name, lower(plan, wires=self.place.wires)) for name, plan in self.plans.items()]
        checkpoints = self.place.checkpoints
        return run(
            RunResources(spark, parse_address(address), self.place.streams(), checkpoints),
            jobs,
            options=options,
            report=report,
            stop=stop,
        )

    def written(self, topic: str) -> list[Any]:
        (found,) = (t for plan in self.plans.values() for t in plan.outputs if t.name == topic)
        return [record.value for record in self.place.log.read(found)]

    def differences(self, summaries: tuple[QuerySummary, ...]) -> list[str]:
        """What differs from what DuckDB computes over the history and what lies in Kafka behind it."""
        plans = {name: self.place.ordered(plan) for name, plan in self.plans.items()}
        lowered = {name: lower(plan, wires=self.place.wires) for name, plan in self.plans.items()}
        begun, past = common_places(summaries), ended(self.compilation, summaries)
        found = list(verify(plans, lowered, self.place.log, self.place.root, begun=begun, ended=past))
        assert len(found) == len(plans)
        return [f"{v.text}: {v.differences}" for v in found if not v.ok or v.skipped]


def test_what_retention_has_removed(broker: SharedBroker, topic_prefix: str, tmp_path: Path) -> None:
    """A history that ends before the first record that is left is refused, one that ends behind it is not."""
    shop = Shop(tmp_path, KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3), ["copied"])
    find = OffsetFinder(shop.place.log.place, 0, history_check(shop.compilation, shop.place))
    start = starts_at(shop.compilation, shop.place)["copied"]["orders"]
    assert isinstance(start, Start)
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})

    def remove(partition: int, before: int) -> None:
        places = {TopicPartition(f"{topic_prefix}orders", partition, before): None}
        for done in admin.delete_records(list(places)).values():
            done.result()

    remove(0, 1)
    assert isinstance(shop.place.log, KafkaLog)
    (first, _), *_ = shop.place.log.offsets("orders").values()
    assert first == 1
    assert find("orders", start).places
    # The first one of the history's last second, and all before it.
    gone = dict(find("orders", start).places)[0]
    remove(0, gone)
    with pytest.raises(LsqlcError) as error:
        OffsetFinder(shop.place.log.place, 0, history_check(shop.compilation, shop.place))("orders", start)
    assert [d.code for d in error.value.diagnostics] == ["LSQ874"]
    assert "of the partition 0," in error.value.diagnostics[0].notes[0]


class Killed(BaseException):
    """The client was killed: it does nothing more."""


def test_kills(broker: SharedBroker, topic_prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is killed within a history, behind one and within a batch of both, the client before it has noted that
    a history is read: a copy has each record once, and all results are those of DuckDB.
    """
    shop = Shop(tmp_path, KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3), MODELS)
    jars, note = fetched("spark-kafka"), note_history_read

    @contextmanager
    def server(number: int) -> Any:
        with EmbeddedServer(tmp_path / f"spark-{number}", os.environ, ServerOptions(jars=jars)) as running:
            session = connect(running.address)
            try:
                yield running, session
            finally:
                with suppress(Exception):
                    session.stop()

    def killed(number: int, at: Callable[[Event, int], None]) -> None:
        with server(number) as (running, session), pytest.raises(LsqlcError) as raised:
            shop.run(session, running.address, lambda event: at(event, running.pid))
        assert [d.code for d in raised.value.diagnostics] == ["LSQ663"]

    batches: list[BatchProgress] = []

    def within_history(event: Event, pid: int) -> None:
        batches.extend([event] if isinstance(event, BatchProgress) else [])
        if len(batches) == 1:
            os.kill(pid, signal.SIGKILL)

    killed(1, within_history)
    assert batches[0].query == "copied" and batches[0].rows == 325
    assert len(shop.written("copied")) < 1_199

    def dies(*_: Any) -> None:
        raise Killed

    with server(2) as (running, session):
        # The first query at its switch, before anything is noted; then the second one.
        for query in ("copied", "grouped"):
            monkeypatch.setattr(NOTE, lambda s, q, last=query: dies() if q == last else note(s, q))
            with pytest.raises(Killed):
                shop.run(session, running.address)
            assert sorted(value["n"] for value in shop.written("copied"))[:1_199] == list(range(1, 1_200))
        assert len(shop.written("copied")) == 2_000
        monkeypatch.undo()
        pid = running.pid

        def noted(store: Any, name: str) -> None:
            note(store, name)
            os.kill(pid, signal.SIGKILL)

        monkeypatch.setattr(NOTE, noted)
        with pytest.raises(LsqlcError):
            shop.run(session, running.address)
        monkeypatch.undo()

    def in_the_join(event: Event, pid: int) -> None:
        if isinstance(event, Started) and event.query == "labelled":
            threading.Timer(2.0, lambda: os.kill(pid, signal.SIGKILL)).start()

    killed(3, in_the_join)
    shop.append(map(order, range(2_001, 2_101)))
    with server(4) as (running, session):
        summaries = shop.run(session, running.address)
        assert not shop.differences(summaries)
        # What comes into the folder by now is not of the history any more.
        duckdb.sql(
            f"COPY (SELECT 1 AS id, 'x' AS item, 9 AS n, make_timestamp(9) AS at) TO '{tmp_path}/lake/9.parquet'"
        )
        shop.run(session, running.address)
    assert sorted(value["n"] for value in shop.written("copied")) == list(range(1, 2_101))


def test_a_run_that_goes_on(
    broker: SharedBroker, topic_prefix: str, tmp_path: Path, kafka_spark: SparkSession, kafka_spark_server: SharedServer
) -> None:
    """It reads the histories to their ends, and goes over to what comes, by itself."""
    shop = Shop(tmp_path, KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3), ["copied"])
    rows: list[int] = []
    appended = iter([range(2_001, 2_051)])

    def report(event: Event) -> None:
        rows.extend([event.rows] if isinstance(event, BatchProgress) else [])
        # The files, and what lies in Kafka behind the boundary.
        if sum(rows) == 1_300 + 821:
            # Batches without records follow, too.
            shop.append(map(order, next(appended, ())))

    summaries = shop.run(
        kafka_spark, kafka_spark_server.address, report, until_read=False, stop=lambda: sum(rows) >= 1_300 + 871
    )
    assert sorted(value["n"] for value in shop.written("copied")) == list(range(1, 2_051))
    assert not shop.differences(summaries)
