"""Where queries over Kafka begin: at the first record of each partition whose time is at or after the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.project.declared.starts import Start
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.events import Event, QuerySummary, Started
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.run.start_offsets import OffsetFinder, StartOffsets
from lsqlc.remote.session.session import parse_address
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.tasks.starts import common_places
from lsqlc.tasks.verify import verify
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record
from tests.kafka.fixture import create_topics
from tests.kafka.settings import settings_of
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING, n INT", partitions=3)
LABELS = lsqlc.Topic("labels", key="STRING", value="label STRING", partitions=3)
JOIN = """
    WITH l AS (SELECT TABLE label FROM labels);
    WITH o AS (SELECT STREAM item AS _key, n FROM orders);
    SELECT STREAM o.n, l.label FROM o INNER JOIN l ON o._key = l._key
"""
COUNT = "SELECT STREAM item, COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item"
AT = Start("at 1000", at=1_000)


class Models:
    """A model over topics in Kafka that begins somewhere, and what its runs have told."""

    def __init__(self, plan: Plan, place: RunTarget, spark: SparkSession, address: str) -> None:
        self.plan, self.place, self.spark, self.address = plan, place, spark, address
        self.events: list[Event] = []
        self.summaries: tuple[QuerySummary, ...] = ()

    def run(self, start: Start | None, *, refresh: bool = False) -> None:
        create_topics(self.plan, settings_of(self.place.target))
        beginning = StartOffsets({"orders": start} if start else {}, OffsetFinder(self.place.log.place, 5_000_000))
        options = RunOptions(refresh={"out"} if refresh else (), starts={"out": beginning})
        jobs = [Job("out", lower(self.plan, wires=self.place.wires))]
        self.summaries = run(
            RunResources(self.spark, parse_address(self.address), self.place.streams(), self.place.checkpoints),
            jobs,
            options=options,
            report=self.events.append,
        )

    def append(self, records: list[Record]) -> None:
        """Records of one topic."""
        (topic,) = (topic for topic in self.plan.inputs if topic.name == records[0].topic)
        self.place.log.append(topic, records)

    @property
    def begun(self) -> list[str]:
        """How the queries have begun, in the order of their starts."""
        started = [event for event in self.events if isinstance(event, Started)]
        return [",".join(begun.text for begun in event.begun.values()) for event in started]

    def written(self) -> list[tuple[Any, Any]]:
        """Key and value of what the model wrote."""
        (topic,) = self.plan.outputs
        return sorted((record.key, tuple(record.value.values())) for record in self.place.log.read(topic))

    def differences(self, *, begun: bool = True) -> list[str]:
        """What differs from what DuckDB computes over the records from where the queries began, or over all."""
        plan, lowered = self.place.ordered(self.plan), lower(self.plan, wires=self.place.wires)
        places = common_places(self.summaries) if begun else {}
        found = verify({"out": plan}, {"out": lowered}, self.place.log, self.place.root, begun=places)
        return [f"{v.text}: {v.differences}" for v in found if not v.ok or v.skipped]


Start_ = Callable[[str], Models]


@pytest.fixture
def start(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> Start_:
    def started(program: str) -> Models:
        settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
        plan = lsqlc.compile(program, topics=[ORDERS, LABELS], name="out")
        place = open_target(tmp_path, Target("local", connection=settings), [plan])
        return Models(plan, place, kafka_spark, kafka_spark_server.address)

    return started


def orders(*times: int) -> list[Record]:
    """A record for each time, whose number is that time, over all partitions."""
    return [Record("orders", time, {"item": "ab"[time % 2], "n": time}, time) for time in times]


def test_a_query_begins_at_its_start(start: Start_) -> None:
    """In each partition; late records behind it count. Later runs go on, whatever start they ask for, and a full
    refresh starts from the beginning. DuckDB gives the same from there on.
    """
    models = start("SELECT STREAM n FROM orders")
    models.append(orders(*range(900, 1_100)))
    # Behind the start in the order of offsets, and before it in time.
    models.append(orders(*range(10)))
    models.run(AT)
    expected = sorted([*range(1_000, 1_100), *range(10)])
    assert [value[0] for _, value in models.written()] == expected
    assert models.begun == ["at 1000"]
    assert not models.differences() and models.differences(begun=False)
    models.append(orders(50, 2_000))
    models.run(Start("earliest-but-changed", at=0))
    assert [value[0] for _, value in models.written()] == sorted([*expected, 50, 2_000])
    assert models.begun == ["at 1000", "at 1000"]
    assert not models.differences()
    models.run(None, refresh=True)
    assert len(models.written()) == 212
    models.run(Start("latest"), refresh=True)
    assert not models.written() and not models.differences()
    models.append(orders(3, 4))
    models.run(Start("latest"))
    assert [value[0] for _, value in models.written()] == [3, 4]
    assert models.begun == ["at 1000", "at 1000", "", "latest", "latest"]


@pytest.mark.parametrize("program", [COUNT, JOIN], ids=["groups", "a TABLE that is read whole"])
def test_state_begins_with_the_start(start: Start_, program: str) -> None:
    """Groups count what comes from there on; a TABLE beside the STREAM has its older rows."""
    models = start(program)
    if program == JOIN:
        models.append([Record("labels", item, {"label": item * 2}, 1) for item in "ab"])
    models.append(orders(*range(900, 1_100)))
    models.run(AT)
    assert not models.differences() and models.differences(begun=False)
    models.append(orders(*range(1_100, 1_200)))
    models.run(AT)
    assert not models.differences()


def test_a_start_behind_all_records(start: Start_) -> None:
    """A partition without a record at or after the start is read from its end on."""
    models = start("SELECT STREAM n FROM orders")
    models.append(orders(*range(20)))
    models.run(replace(AT, text="at 2000", at=2_000))
    assert not models.written()
    models.append(orders(7, 2_000))
    models.run(None)
    assert [value[0] for _, value in models.written()] == [7, 2_000]
