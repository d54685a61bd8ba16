"""The order that DuckDB gets the records of a case in that lie in Kafka, and which models and cases are left out."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

import lsqlc
from lsqlc.lower import duckdb
from lsqlc.plan import Plan
from lsqlc.plan.kafka_order import lane
from lsqlc.remote.cases.kafka_closing import before, closing
from lsqlc.remote.cases.kafka_limits import lacking_case, lacking_outcome, lacking_plan
from lsqlc.remote.cases.kafka_records import arranged, ordered_streams, orders
from lsqlc.types.record import LATEST, Case, Outcome, Raw, Record, StoredRecord

TOPICS = [
    lsqlc.Topic("orders", key="INT", value="item STRING, n INT"),
    lsqlc.Topic("rates", key="INT", value="rate DOUBLE"),
]
JOIN = """
    WITH r AS (SELECT TABLE rate FROM rates);
    SELECT STREAM o.item, r.rate FROM orders AS o INNER JOIN r ON o._key = r._key
"""
OUTER = """
    WITH j AS (SELECT STREAM o.n FROM orders AS o LEFT JOIN rates AS r ON o._key = r._key WITHIN 1h)
"""
LASTS = "SELECT STREAM LAST(n) AS n FROM orders GROUP BY item"


def plan_of(program: str) -> Plan:
    return lsqlc.compile(program, topics=TOPICS, name="out")


def lying(topic: str, partition: int, offset: int, time: int) -> StoredRecord:
    key = 1000 * partition + offset
    return StoredRecord(topic, key, None, time, (0, offset, lane(topic, partition)))


def keys(records: Sequence[Record]) -> list[tuple[str, int]]:
    return [(r.topic, r.key) for r in records]


def next_of_each(records: Sequence[StoredRecord], table: str) -> list[StoredRecord]:
    """The records as they are taken one by one: of the next of each partition the one with the least time, at a tie the
    table's, then that of the first partition.
    """
    waiting: dict[int, list[StoredRecord]] = {}
    for record in sorted(records, key=lambda r: r.ordinal):
        waiting.setdefault(record.ordinal[2], []).append(record)
    found = []
    while waiting:

        def place(lane: int) -> tuple[int, bool, int]:
            first = waiting[lane][0]
            return first.timestamp, first.topic != table, lane & 0xFFFF

        chosen = min(waiting, key=place)
        found.append(waiting[chosen].pop(0))
        if not waiting[chosen]:
            del waiting[chosen]
    return found


def test_topics_meet_as_the_next_of_each_partition() -> None:
    """To take the one with the least time each time is the order that a join of topics has, in each batch."""
    random, plan = Random(1), plan_of(JOIN)
    for _ in range(200):
        times = random.sample(range(100), 24)
        records = [lying(random.choice(("orders", "rates")), random.randrange(3), n, t) for n, t in enumerate(times)]
        batches = (records[:12], records[12:])
        (found,) = orders(plan, batches)
        assert keys(found) == [(r.topic, r.key) for batch in batches for r in next_of_each(batch, "rates")]


def test_at_a_tie_the_row_comes_before_the_record() -> None:
    """Whatever their partitions and offsets are; of one topic the first partition comes first."""
    batch = [lying("orders", 0, 0, 0), lying("rates", 2, 5, 0), lying("orders", 1, 0, 0), lying("orders", 0, 1, 0)]
    (found,) = orders(plan_of(JOIN), [batch])
    assert keys(found) == [("rates", 2005), ("orders", 0), ("orders", 1), ("orders", 1000)]


def test_lists_go_by_time_whatever_the_batch() -> None:
    """Of one time by the offset, then by the partition."""
    batches = [[lying("orders", 0, 1, 50), lying("orders", 1, 0, 50)], [lying("orders", 0, 2, 10)]]
    (found,) = orders(plan_of(LASTS), batches)
    assert keys(found) == [("orders", 2), ("orders", 1000), ("orders", 1)]


def test_rows_of_a_table_go_by_offset() -> None:
    """Not by their times."""
    plan = plan_of("SELECT TABLE rate FROM rates")
    (found,) = orders(plan, [[lying("rates", 0, 0, 90), lying("rates", 0, 1, 20)]])
    assert keys(found) == [("rates", 0), ("rates", 1)]


def test_a_stream_that_is_copied_and_listed_has_two_orders() -> None:
    """One for the copy, in which each partition keeps its records as they lie, and one for the list."""
    plan = plan_of(f"INSERT INTO copy SELECT STREAM item FROM orders; INSERT INTO latest {LASTS}")
    found = orders(plan, [[lying("orders", 0, 0, 90), lying("orders", 0, 1, 20)]])
    assert [keys(order) for order in found] == [[("orders", 0), ("orders", 1)], [("orders", 1), ("orders", 0)]]


def test_only_what_has_no_order_is_arranged() -> None:
    """Under new keys the records of different partitions come in any order; a copy keeps that of each partition."""
    programs = {"item AS _key, n": False, "n": True}
    for columns, kept in programs.items():
        plan = plan_of(f"SELECT STREAM {columns} FROM orders")
        assert ordered_streams(plan) == (frozenset({"out"}) if kept else frozenset())
        (topic,) = plan.outputs
        key = "a" if not kept else 1
        one, two, three = (Record(topic.name, key, {"n": n}, 0) for n in (1, 2, 3))
        outcome = arranged(plan, Outcome({"out": (one, two)}), Outcome({"out": (three, two, one)}))
        assert outcome.topics["out"] == ((three, two, one) if kept else (one, two, three))


def test_records_without_a_key_have_no_order() -> None:
    """They lie in any partition, so a copy keeps the order of the others only."""
    plan = plan_of("SELECT STREAM n FROM orders")
    one, two = (Record("out", None, {"n": n}, 0) for n in (1, 2))
    three, four = (Record("out", 1, {"n": n}, 0) for n in (3, 4))
    outcome = arranged(plan, Outcome({"out": (one, three, two, four)}), Outcome({"out": (two, four, one, three)}))
    assert outcome.topics["out"] == (four, three, one, two)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("SELECT STREAM item FROM orders", None),
        (JOIN, None),
        ("SELECT STREAM item, COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1m GROUP BY item", None),
        ("SELECT STREAM item, COUNT(*) AS c FROM orders WINDOW BY SESSION 1m GROUP BY item", None),
        ("SELECT STREAM o.n FROM orders AS o LEFT JOIN rates AS r ON o._key = r._key WITHIN 1h", None),
        (f"{OUTER}; SELECT STREAM n, COUNT(*) AS c FROM j GROUP BY n", "waits for later records"),
        ("SELECT STREAM item, NOW() AS at FROM orders", "NOW returns the time of the server"),
    ],
)
def test_models_that_are_left_out(program: str, why: str | None) -> None:
    """Those that wait for a time that no record has, and those that say where or when they run."""
    found = lacking_plan(plan_of(program))
    assert (found is None) if why is None else (found is not None and why in found)


def test_cases_that_are_left_out() -> None:
    """Of which Kafka has no form, and of which it depends on the batches what comes out."""
    record = Record("orders", 1, {"item": "a", "n": 1}, 0)
    assert lacking_case(Case("c", ((record,),))) is None
    assert "without a record" in str(lacking_case(Case("c", ((record,),), advances=((0, 5),))))
    assert "raw" in str(lacking_case(Case("c", ((Record("orders", 1, Raw("{"), 0),),))))
    plan = plan_of("SELECT STREAM item, COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1m GRACE BY 0s GROUP BY item")
    times = (0, 600_000, 1)
    late, in_time = (
        duckdb.evaluate(plan, [Case("c", (tuple(Record("orders", 1, {"item": "a", "n": 1}, t) for t in some),))])[0]
        for some in (times, times[:2])
    )
    assert "late" in str(lacking_outcome(late)) and lacking_outcome(in_time) is None


def test_what_waits_is_closed_by_copies() -> None:
    """Of one time, after all that the records of a case can be waited for; of tombstones there is none."""
    plan = plan_of("SELECT STREAM item, COUNT(*) AS c FROM orders WINDOW BY SESSION 1m GRACE BY 10s GROUP BY item")
    value = {"item": "a", "n": 1}
    records = [Record("orders", 1, value, 7_000), Record("orders", 2, value, 5_000), Record("orders", 1, None, 9_000)]
    copies = closing(plan, records)
    assert [(c.key, c.value) for c in copies] == [(1, value), (2, value)]
    assert {c.timestamp > 9_000 + 70_000 for c in copies} == {True} == {len({c.timestamp for c in copies}) == 1}
    end = copies[0].timestamp
    written = [StoredRecord("out", "a", None, time, (0, n, 0)) for n, time in enumerate((5_000, end, end - 1))]
    assert [r.timestamp for r in before(written, copies)] == [5_000, end - 1]
    assert closing(plan_of(JOIN), records) == () and len(before(written, ())) == 3
    assert closing(plan, [Record("orders", 1, value, LATEST)]) == ()
