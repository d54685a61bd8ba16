"""The order in which records of several partitions count, on a broker: times that step back in a topic, and rows that
come late, in one batch and over several.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import View
from lsqlc.project.declared.target import Target
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Record, StoredRecord
from tests.kafka.test_run import TOPICS, Kafka, Start, start
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

__all__ = ["start"]

# Of a join: (key, what the stream has, what the table has).
Met = tuple[Any, Any, Any]


def write(kafka: Kafka, records: Iterable[Record]) -> None:
    """Records into their topics, which then have them in the partitions of their keys."""
    by_topic = defaultdict(list)
    for record in records:
        by_topic[record.topic].append(record)
    for topic in kafka.plan.inputs:
        kafka.append(topic, by_topic[topic.name])


def written(kafka: Kafka) -> list[StoredRecord]:
    """What the model wrote, in order of offsets."""
    (out,) = kafka.plan.outputs
    return list(kafka.place.log.read(out, by_time=False))


def as_they_meet(batch: Sequence[StoredRecord], table: str) -> list[StoredRecord]:
    """The records of a batch by the running maximum of their times in their partition, the table's first at a tie, then
    by topic, partition and offset. They have (0, offset, lane) as ordinals.
    """
    lanes = defaultdict(list)
    for record in sorted(batch, key=lambda r: r.ordinal):
        lanes[record.ordinal[2]].append(record)
    placed = []
    for lane, records in lanes.items():
        for highest, record in zip(accumulate((r.timestamp for r in records), max), records, strict=True):
            placed.append((highest, record.topic != table, record.topic, lane, record.ordinal[1], record))
    return [record for *_, record in sorted(placed, key=lambda p: p[:-1])]


def by_row(records: Iterable[StoredRecord]) -> list[Met]:
    """Orders with the rates of their keys."""
    rates: dict[Any, Any] = {}
    found = []
    for record in records:
        if record.topic == "rates":
            rates[record.key] = record.value
        elif record.value is not None and rates.get(record.key) is not None:
            found.append((record.key, record.value["item"], rates[record.key]["rate"]))
    return found


def by_field(records: Iterable[StoredRecord]) -> list[Met]:
    """Rates with the newest order of that number, if it still has it."""
    newest: dict[Any, StoredRecord] = {}
    now: dict[Any, StoredRecord] = {}
    found = []
    for record in records:
        if record.topic == "orders":
            now[record.key] = record
            if record.value is not None:
                newest[record.value["n"]] = record
        elif record.value is not None and record.key in newest:
            order = newest[record.key]
            if now[order.key] is order:
                found.append((record.key, record.value["rate"], order.value["item"]))
    return found


JOINS: dict[str, tuple[str, str, Callable[[Iterable[StoredRecord]], list[Met]]]] = {
    "on the key": (
        """
        WITH r AS (SELECT TABLE rate FROM rates);
        SELECT STREAM o.item AS a, r.rate AS b FROM orders AS o INNER JOIN r ON o._key = r._key
        """,
        "rates",
        by_row,
    ),
    "on a field of the table": (
        """
        WITH o AS (SELECT TABLE item, n FROM orders);
        SELECT STREAM r.rate AS a, o.item AS b FROM rates AS r INNER JOIN o ON r._key = o.n
        """,
        "orders",
        by_field,
    ),
}


def some(topics: Iterable[str], choose: random.Random, first: int) -> list[Record]:
    """Records with few keys and times, which go forth and often step back."""
    names, found = sorted(topics), []
    for n in range(60):
        name, time = choose.choice(names), first + max(0, n + choose.randrange(-12, 5))
        values = {
            "orders": {"item": f"{first}/{n}", "n": choose.randrange(6), "price": None},
            "rates": {"rate": first + n / 100},
        }
        found.append(Record(name, choose.randrange(6), values[name] if choose.random() < 0.9 else None, time))
    return found


@pytest.mark.parametrize("join", JOINS)
def test_records_meet_as_their_partitions_are_merged(start: Start, join: str) -> None:
    """In batches of which the second has older times than the first: what was there before it is older all the same."""
    program, table, expected = JOINS[join]
    kafka, choose = start(program), random.Random(join)
    met: list[StoredRecord] = []
    seen: set[tuple[int, ...]] = set()
    for first in (1_000, 980, 1_010):
        write(kafka, some((t.name for t in kafka.plan.inputs), choose, first))
        lying = [r for t in kafka.plan.inputs for r in kafka.place.log.read(t, by_time=False) if r.ordinal not in seen]
        seen.update(record.ordinal for record in lying)
        met += as_they_meet(lying, table)
        kafka.run()
    wanted, found = defaultdict(list), defaultdict(list)
    for key, a, b in expected(met):
        wanted[key].append((a, b))
    for record in written(kafka):
        found[record.key].append((record.value["a"], record.value["b"]))
    assert sum(map(len, wanted.values())) > 30
    assert found == wanted


def order(key: int, time: int, n: int = 1, item: str = "a") -> Record:
    return Record("orders", key, {"item": item, "n": n, "price": None}, time)


def rate(key: int, value: float, time: int) -> Record:
    return Record("rates", key, {"rate": value}, time)


def test_what_comes_late_moves_derived_rows(start: Start) -> None:
    """A group whose newest record stays the newest changes all the same, and the groups of groups with it."""
    kafka = start("""
        WITH g AS (SELECT STREAM item, COUNT(*) AS c FROM orders GROUP BY item);
        SELECT TABLE c, COUNT(*) AS n FROM g GROUP BY c
    """)
    for batch in ([order(1, 100)], [order(1, 80)], [order(2, 70), order(3, 60, item="b")]):
        write(kafka, batch)
        kafka.run()
    last = {record.key: record.value and record.value["n"] for record in written(kafka)}
    assert {key: n for key, n in last.items() if n is not None} == {3: 1, 1: 1}


def test_rows_of_two_topics_follow_one_another(start: Start) -> None:
    """Whatever the offsets of one topic say of those of the other."""
    kafka = start("""
        WITH o AS (SELECT TABLE n FROM orders);
        WITH r AS (SELECT TABLE rate FROM rates);
        WITH j AS (SELECT TABLE o.n AS n, r.rate AS rate FROM o INNER JOIN r ON o._key = r._key);
        SELECT TABLE rate, COUNT(*) AS c FROM j GROUP BY rate
    """)
    batches: list[list[Record]] = [[order(1, 100, n) for n in range(20)], [], []]
    batches[0].append(rate(1, 1.0, 100))
    batches[1].append(rate(1, 2.0, 101))
    batches[2] += [rate(1, 3.0, 101), order(1, 100, 99)]
    for batch in batches:
        write(kafka, batch)
        kafka.run()
    last = {record.key: record.value and record.value["c"] for record in written(kafka)}
    assert {key: c for key, c in last.items() if c is not None} == {3.0: 1}


@pytest.mark.parametrize(("together", "partitions"), [(True, "1"), (False, "1"), (True, "3")])
def test_a_row_of_joined_joins_stands_alone_again(
    start: Start, kafka_spark: SparkSession, together: bool, partitions: str
) -> None:
    """Once what it met has left, whatever was newer in the pairs that it was in. The rows of a key come out of several
    partitions of a shuffle, and the last one in the topic between the stages is the newest.
    """
    kafka_spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        _stands_alone_again(start, together)
    finally:
        kafka_spark.conf.unset("spark.sql.shuffle.partitions")


def _stands_alone_again(start: Start, together: bool) -> None:
    kafka = start("""
        WITH x AS (
          SELECT TABLE o.item AS item, o.n AS n, r.rate AS rate FROM orders AS o LEFT JOIN rates AS r ON o.n = r._key
        );
        SELECT TABLE x.item, x.rate, y.rate AS other FROM x LEFT JOIN rates AS y ON x.n = y._key
    """)
    gone = Record("rates", 7, None, 103)
    records = [order(1, 100, n=7), rate(7, 1.0, 101), rate(7, 2.0, 102), gone, order(2, 104, n=8)]
    for batch in [records] if together else [[record] for record in records]:
        write(kafka, batch)
        kafka.run()
    last = {record.key: record.value for record in written(kafka)}
    assert last == {key: {"item": "a", "rate": None, "other": None} for key in (7, 8)}


RATES_IN_FILES = """
topics:
  - name: rates
    key: id
    value: id INT, rate DOUBLE, at TIMESTAMP
    connector: files
    files: {path: data/rates, format: csv, order_by: id}
    event_time: at
  - {name: orders, key: INT, value: "item STRING, n INT", partitions: 3}
"""
FILES = {
    "a TABLE of files": """
        WITH r AS (SELECT TABLE rate FROM rates);
        INSERT INTO out
        SELECT STREAM o.item AS a, r.rate AS b FROM orders AS o INNER JOIN r ON o._key = r._key
    """,
    "a TABLE of files by another column": """
        WITH r AS (SELECT TABLE id, rate FROM rates);
        INSERT INTO out
        SELECT STREAM o.item AS a, r.rate AS b FROM orders AS o INNER JOIN r ON o.n = r.id
    """,
    "a STREAM of files": """
        WITH o AS (SELECT TABLE item FROM orders);
        INSERT INTO out
        SELECT STREAM r.rate AS a, o.item AS b FROM rates AS r INNER JOIN o ON r._key = o._key
    """,
}


@pytest.mark.parametrize("name", FILES)
def test_rows_of_files_have_no_time_among_records(
    broker: SharedBroker,
    topic_prefix: str,
    kafka_spark: SparkSession,
    kafka_spark_server: SharedServer,
    tmp_path: Path,
    name: str,
) -> None:
    """A TABLE of files is there before all records of topics, and a STREAM of files comes behind them, whatever their
    event times are, which go back and forth in a file.
    """
    (tmp_path / "models").mkdir()
    (tmp_path / "data" / "rates").mkdir(parents=True)
    (tmp_path / "lsqlc.yml").write_text("name: files\n")
    (tmp_path / "models" / "out.sql").write_text(FILES[name])
    (tmp_path / "models" / "topics.yml").write_text(RATES_IN_FILES)
    rows = [f"{n},{n / 8},1970-01-01T00:00:{n * 7 % 60:02}Z" for n in range(40)]
    (tmp_path / "data" / "rates" / "a.csv").write_text("\n".join(["id,rate,at", *rows, ""]))
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=3)
    plan = lsqlc.Project.load(tmp_path).plan("out")
    kafka = Kafka(plan, settings, tmp_path, kafka_spark, kafka_spark_server.address)
    (orders,) = (topic for topic in plan.inputs if topic.name == "orders")
    choose = random.Random(name)
    records = [(choose.randrange(40), choose.randrange(60_000), choose.randrange(40)) for _ in range(80)]
    kafka.append(orders, [Record("orders", key, {"item": str(time), "n": n}, time) for key, time, n in records])
    kafka.run()
    met = len({key for key, *_ in records}) if name == "a STREAM of files" else 80
    assert len(written(kafka)) == met and not kafka.differences()


@pytest.mark.parametrize(
    ("program", "dated", "merged"),
    [
        ("SELECT STREAM * FROM orders", False, False),
        ("SELECT STREAM item, COUNT(*) AS c FROM orders GROUP BY item", False, False),
        ("SELECT TABLE item, COUNT(*) AS c FROM orders GROUP BY item", True, False),
        (JOINS["on the key"][0], True, True),
        (JOINS["on a field of the table"][0], True, True),
    ],
)
def test_only_what_keeps_rows_or_meets_is_dated(tmp_path: Path, program: str, dated: bool, merged: bool) -> None:
    """What needs no order has no step for it, and nothing has where topics lie in folders."""
    plan = lsqlc.compile(program, topics=TOPICS, name="out")
    wires = open_target(tmp_path, Target("local", connection=KafkaSettings("localhost:1")), [plan]).wires
    for given in (wires, None):
        steps = [
            step.sql for stage in lower(plan, wires=given).stages for step in stage.steps if isinstance(step, View)
        ]
        assert any("unix_micros" in sql for sql in steps) == (dated and given is not None)
        assert any("ROWS UNBOUNDED PRECEDING" in sql for sql in steps) == (merged and given is not None)
