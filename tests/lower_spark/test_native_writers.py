"""Which plans Spark's own sink can write, where no batch is a transaction and no record has a time of its own."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc.lower.spark.native_writers import refused

TOPICS = [
    lsqlc.Topic("orders", key="INT", value="item STRING, n INT, at BIGINT"),
    lsqlc.Topic("other", key="INT", value="item STRING, n INT, at BIGINT"),
    lsqlc.Topic("rows", key="INT", value="item STRING, n INT"),
    lsqlc.Topic("items", key="STRING", value="label STRING"),
]
COPY = "SELECT STREAM * FROM orders"
GROUPS = "SELECT STREAM item, COUNT(*) AS c FROM orders GROUP BY item"
ROWS = "SELECT TABLE item, COUNT(*) AS c FROM rows GROUP BY item"
WINDOWS = "SELECT STREAM item, COUNT(*) AS c FROM orders WINDOW BY TUMBLE 1s GROUP BY item"
OF_FIELD = "SELECT STREAM item, COUNT(*) AS c FROM orders EVENTTIME BY at WINDOW BY TUMBLE 1s GROUP BY item"
GROUPS_OF_GROUPS = """
    WITH g AS (SELECT TABLE item, SUM(n) AS s FROM rows GROUP BY item);
    SELECT TABLE s, COUNT(*) AS c FROM g GROUP BY s
"""
MEETS = """
    WITH r AS (SELECT TABLE n FROM rows);
    SELECT STREAM o.n, r.n AS m FROM orders AS o INNER JOIN r ON o._key = r._key
"""
TABLES = """
    WITH g AS (SELECT TABLE SUM(n) AS s FROM rows GROUP BY item);
    SELECT TABLE g.s, i.label FROM g INNER JOIN items AS i ON g._key = i._key
"""
MEETS_GROUPS = """
    WITH g AS (SELECT TABLE SUM(n) AS s FROM rows GROUP BY item);
    SELECT STREAM i.label, g.s FROM items AS i INNER JOIN g ON i._key = g._key
"""
COUNTS_MATCHES = """
    WITH r AS (SELECT TABLE n FROM rows);
    WITH m AS (SELECT STREAM o.item, r.n FROM orders AS o INNER JOIN r ON o._key = r._key);
    SELECT STREAM item, COUNT(*) AS c FROM m GROUP BY item
"""
NEAR = """
    SELECT STREAM o.n, p.n AS m FROM orders AS o INNER JOIN other AS p ON o._key = p._key WITHIN 1s
"""
CHANGES = """
    WITH r AS (SELECT TABLE item, n FROM rows);
    SELECT STREAM item, COUNT(*) AS c FROM r GROUP BY item
"""
TIMES = """
    CREATE STREAM o (k INT KEY, n INT) WITH (kafka_topic='orders', value_format='json');
    CREATE STREAM s WITH (kafka_topic='out') AS SELECT k, n, ROWTIME AS t FROM o;
"""
TIMESTAMP = """
    CREATE STREAM o (k INT KEY, n INT, at BIGINT) WITH (kafka_topic='orders', value_format='json');
    CREATE STREAM s WITH (kafka_topic='out', timestamp='at') AS SELECT * FROM o;
"""
TWICE = "would count twice"
OF_WRITING = "they are the times of writing"


def why(program: str, *written: str) -> list[str]:
    """The reasons for which a plan is refused, over topics of which some are written by other models."""
    plan = (
        lsqlc.compile(program, name="out", dialect="ksql")
        if "kafka_topic" in program
        else lsqlc.compile(program, topics=TOPICS, name="out")
    )
    found = refused(plan, written)
    assert all(d.code == "LSQ760" and d.help and d.help.endswith("write `writers: 1`") for d in found)
    return [d.notes[0] for d in found]


@pytest.mark.parametrize(
    "program", [COPY, GROUPS, ROWS, WINDOWS, OF_FIELD, GROUPS_OF_GROUPS, MEETS, TABLES, NEAR, TIMES]
)
def test_what_reads_topics_of_others(program: str) -> None:
    """Those records have times, and each is there once."""
    assert why(program) == []


@pytest.mark.parametrize("program", [COPY, ROWS, GROUPS_OF_GROUPS, TABLES])
def test_what_reads_topics_of_the_same_sink(program: str) -> None:
    """Records are passed on; the newest row of each key is right."""
    assert why(program, "orders", "other", "rows", "items") == []


@pytest.mark.parametrize(
    ("program", "reasons"),
    [
        (GROUPS, [TWICE]),
        (WINDOWS, [TWICE, OF_WRITING]),
        (OF_FIELD, [TWICE]),
        (NEAR, [TWICE, OF_WRITING, TWICE, OF_WRITING]),
        (CHANGES, [TWICE]),
        (TIMES, [OF_WRITING]),
        (MEETS, [TWICE, "it orders the rows of 'rows', which another model writes, by the time of writing"]),
    ],
)
def test_what_needs_more_of_the_same_sink(program: str, reasons: list[str]) -> None:
    """Records that come once, or times."""
    found = why(program, "orders", "other", "rows", "items")
    assert len(found) == len(reasons) and all(r in f for r, f in zip(reasons, found, strict=True))


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (MEETS_GROUPS, "whose order counts beyond each key"),
        (COUNTS_MATCHES, "its queries pass on the STREAM '_lsqlc.out.1'"),
        (TIMESTAMP, "it gives the records of 'out' a time"),
        ("SELECT STREAM item FROM orders EVENTTIME BY at", "it gives the records of 'out' a time"),
    ],
)
def test_what_a_model_needs_of_itself(program: str, reason: str) -> None:
    """Between its queries, and of its own records."""
    (found,) = why(program)
    assert reason in found
