"""Columns that are intervals: of topics, of queries, of groups, and of results, which have their texts."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Plan, Record, Topic
from lsqlc.types import data
from lsqlc.types.ddl import DdlError, parse_stored, parse_type
from lsqlc.types.intervals import interval_named, interval_number, interval_text

TOPIC = Topic("t", key="INT", value="a INT, m INTERVAL YEAR TO MONTH, d INTERVAL DAY TO SECOND, h INTERVAL HOUR")
ROWS: tuple[dict[str, Any], ...] = (
    {"a": 1, "m": "INTERVAL '11-8' YEAR TO MONTH", "d": "31 16:50:06.789", "h": "5"},
    {"a": 1, "m": "1-13", "d": "INTERVAL '-1 00:00:00' DAY TO SECOND", "h": "-7"},
    {"a": 2, "m": "-0-3", "d": "0 05:00:00", "h": None},
)
RECORDS = [Record("t", i, row) for i, row in enumerate(ROWS)]


def _plan(text: str) -> Plan:
    return lsqlc.compile(text, dialect="sql", topics=[TOPIC], name="o")


QUERIES: tuple[tuple[str, list[tuple[Any, ...]]], ...] = (
    ("SELECT m, d * 2 AS e, -h AS h FROM t", [
        ("'11-8' YEAR TO MONTH", "'63 09:40:13.578' DAY TO SECOND", "'-05' HOUR"),
        (None, "'-2 00:00:00' DAY TO SECOND", "'07' HOUR"),
        ("'-0-3' YEAR TO MONTH", "'0 10:00:00' DAY TO SECOND", None),
    ]),
    ("WITH x AS (SELECT a, d + h AS k FROM t) SELECT k, k > INTERVAL 1 DAY AS b FROM x WHERE a = 1", [
        ("'31 21:50:06.789' DAY TO SECOND", True), ("'-1 07:00:00' DAY TO SECOND", False),
    ]),
    ("SELECT a, SUM(d) AS s, MIN(d) AS l, AVG(d) AS v, COUNT(m) AS n, COUNT(DISTINCT h) AS k FROM t GROUP BY a", [
        (1, "'30 16:50:06.789' DAY TO SECOND", "'-1 00:00:00' DAY TO SECOND", "'15 08:25:03.3945' DAY TO SECOND", 1, 2),
        (2, "'0 05:00:00' DAY TO SECOND", "'0 05:00:00' DAY TO SECOND", "'0 05:00:00' DAY TO SECOND", 1, 0),
    ]),
    ("SELECT m, COUNT(*) AS n FROM t GROUP BY m HAVING COUNT(*)", [
        (None, 1), ("'-0-3' YEAR TO MONTH", 1), ("'11-8' YEAR TO MONTH", 1),
    ]),
    ("SELECT m, COUNT(*) AS n FROM t GROUP BY m HAVING m IS NOT NULL", [
        ("'-0-3' YEAR TO MONTH", 1), ("'11-8' YEAR TO MONTH", 1),
    ]),
    ("SELECT DISTINCT h FROM t", [(None,), ("'-07' HOUR",), ("'05' HOUR",)]),
    ("SELECT d FROM t INTERSECT SELECT CAST(h AS INTERVAL DAY TO SECOND) FROM t", [("'0 05:00:00' DAY TO SECOND",)]),
    ("SELECT h FROM t EXCEPT ALL SELECT INTERVAL 5 HOURS AS h FROM t", [(None,), ("'-07' HOUR",)]),
    ("SELECT a, h FROM t WHERE a = 1 UNION ALL SELECT a, d FROM t WHERE a = 2", [
        (1, "'0 05:00:00' DAY TO SECOND"), (1, "'-0 07:00:00' DAY TO SECOND"), (2, "'0 05:00:00' DAY TO SECOND"),
    ]),
    ("SELECT x.a, y.h FROM t x JOIN t y ON x.d = y.h", [(2, "'05' HOUR")]),
    ("SELECT a, d FROM t ORDER BY d LIMIT 1", [(1, "'-1 00:00:00' DAY TO SECOND")]),
    ("SELECT a, LAG(h) OVER (ORDER BY d) AS l, MAX(d) OVER (ORDER BY d) AS m FROM t", [
        (1, None, "'31 16:50:06.789' DAY TO SECOND"), (1, None, "'-1 00:00:00' DAY TO SECOND"),
        (2, "'-07' HOUR", "'0 05:00:00' DAY TO SECOND"),
    ]),
    ("SELECT x.i FROM (VALUES (INTERVAL 1 DAY), (INTERVAL 5 HOURS)) AS x(i), t WHERE a = 2", [
        ("'1 00' DAY TO HOUR",), ("'0 05' DAY TO HOUR",),
    ]),
    ("SELECT (SELECT MAX(d) FROM t) AS x FROM t WHERE a = 2", [("'31 16:50:06.789' DAY TO SECOND",)]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "rows"), QUERIES, ids=[text for text, _ in QUERIES])
def test_a_query(text: str, rows: list[tuple[Any, ...]]) -> None:
    found = [tuple(record.value.values()) for record in lsqlc.evaluate(_plan(text), RECORDS)["o"]]
    wanted = [tuple(f"INTERVAL {v}" if isinstance(v, str) else v for v in row) for row in rows]
    assert sorted(found, key=repr) == sorted(wanted, key=repr)


_LARGEST = "CAST(2147483647 AS INTERVAL MONTH)"
LONG: tuple[tuple[str, str | None], ...] = (
    ("INTERVAL '178956970-7' YEAR TO MONTH", "'178956970-7' YEAR TO MONTH"),
    ("INTERVAL '-178956970-8' YEAR TO MONTH", "'-178956970-8' YEAR TO MONTH"),
    ("INTERVAL '106751991 04:00:54.775807' DAY TO SECOND", "'106751991 04:00:54.775807' DAY TO SECOND"),
    ("INTERVAL 20000000 DAYS", "'20000000' DAY"),
    ("INTERVAL 106751991 DAYS + INTERVAL 1 DAY", None),
    (f"{_LARGEST} * 1", "'178956970-7' YEAR TO MONTH"),
    (f"{_LARGEST} * 2", None),
    (f"{_LARGEST} * 1.5", None),
    (f"{_LARGEST} + INTERVAL 1 MONTH", None),
    ("CAST(9223372036854775807 AS INTERVAL MONTH)", None),
    ("CAST(2147483647 AS INTERVAL YEAR)", None),
    ("-CAST(-2147483648 AS INTERVAL MONTH)", None),
    ("ABS(CAST(-2147483648 AS INTERVAL MONTH))", None),
    (f"(SELECT SUM({_LARGEST}) FROM t)", None),
)


@pytest.mark.parametrize(("interval", "text"), LONG, ids=[interval for interval, _ in LONG])
def test_a_long_interval(interval: str, text: str | None) -> None:
    """One that is longer than an interval of Spark can be is null."""
    rows = lsqlc.evaluate(_plan(f"SELECT {interval} AS i FROM t WHERE a = 2"), RECORDS)["o"]
    assert [row.value["i"] for row in rows] == [text and f"INTERVAL {text}"]


@pytest.mark.parametrize("interval", ["300000000 YEARS", "999999999 DAYS", "'106751992 00' DAY TO HOUR"])
def test_a_literal_that_is_too_long_is_an_error(interval: str) -> None:
    with pytest.raises(lsqlc.CompileError, match="LSQ450"):
        _plan(f"SELECT INTERVAL {interval} AS i FROM t")


@pytest.mark.spark
@pytest.mark.parametrize("text", [text for text, _ in QUERIES])
def test_spark_agrees(text: str) -> None:
    plan = _plan(text)
    batches = [RECORDS[:1], RECORDS[1:]]
    on_spark = lsqlc.evaluate(plan, batches=batches, engine="spark")["o"]
    assert list(map(repr, on_spark)) == list(map(repr, lsqlc.evaluate(plan, RECORDS)["o"]))


@pytest.mark.spark
def test_spark_agrees_on_long_intervals() -> None:
    columns = ", ".join(f"{interval} AS c{place}" for place, (interval, _) in enumerate(LONG))
    plan = _plan(f"SELECT {columns} FROM t WHERE a = 2")
    on_spark = lsqlc.evaluate(plan, batches=[RECORDS], engine="spark")["o"]
    assert list(map(repr, on_spark)) == list(map(repr, lsqlc.evaluate(plan, RECORDS)["o"]))


def test_a_result_has_texts() -> None:
    """The topic holds STRINGs, a model that reads it has intervals, and no interval is left in a plan."""
    plan = _plan("SELECT a, d FROM t")
    (topic,) = plan.outputs
    assert topic.intervals == (("d", "INTERVAL DAY TO SECOND"),)
    assert str(topic.value.type) == "STRUCT<a: INT, d: STRING>"
    assert "INTERVAL" not in repr([s.inputs for s in plan.sinks]).replace("intervals=", "").split("Topic(")[0]


@pytest.mark.parametrize(
    ("text", "name", "number"),
    [
        ("INTERVAL -'-1 02:03:04.5' DAY TO SECOND", "INTERVAL DAY TO SECOND", 93_784_500_000),
        (" interval  '1-2'\tyear to MONTH ", "INTERVAL YEAR TO MONTH", 14),
        ("-100:59", "INTERVAL MINUTE TO SECOND", -6_059_000_000),
        ("7.1234567", "INTERVAL SECOND", 7_123_456),
        ("1-12", "INTERVAL YEAR TO MONTH", None),
        ("1 24", "INTERVAL DAY TO HOUR", None),
        ("INTERVAL '5' HOUR", "INTERVAL DAY", None),
        ("99999999999", "INTERVAL DAY", None),
    ],
)
def test_the_number_of_a_text(text: str, name: str, number: int | None) -> None:
    assert interval_number(text, name) == number


@pytest.mark.parametrize("name", [str(type) for type in data.INTERVALS])
def test_a_text_is_read_as_its_number(name: str) -> None:
    """Up to the parts that are smaller than the last field."""
    sizes = [0, 1, -1, 11, -1_000_000, 86_399_999_999, -90_061_000_001]
    for number in sizes[:5] if data.is_of_months(interval_named(name)) else sizes:
        text = interval_text(number, name)
        again = interval_number(text, name)
        assert again is not None
        assert interval_text(again, name) == text


def test_a_declaration() -> None:
    type, intervals = parse_stored("a INT, i INTERVAL MONTH NOT NULL, interval STRING")
    assert str(type) == "STRUCT<a: INT, i: STRING NOT NULL, interval: STRING>"
    assert intervals == (("i", "INTERVAL MONTH"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ARRAY<INTERVAL DAY>", "a column by itself"),
        ("a STRUCT<i: INTERVAL DAY>", "unknown type 'INTERVAL'|a column by itself"),
        ("a INTERVAL", "expected fields such as DAY TO SECOND"),
        ("a INTERVAL SECOND TO DAY", "expected fields such as DAY TO SECOND"),
        ("a INTERVAL DAY TO MONTH", "expected fields such as DAY TO SECOND"),
    ],
)
def test_a_declaration_that_is_none(text: str, message: str) -> None:
    with pytest.raises(DdlError, match=message):
        parse_stored(text)
    with pytest.raises(DdlError, match="unknown type"):
        parse_type("INTERVAL DAY")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("INTERVAL DAY", "a INT"),
        ("id INT, d INTERVAL DAY TO SECOND", "a INT"),
        ("TW[id INT, d INTERVAL DAY]", "a INT"),
        ({"format": "json", "schema": "d INTERVAL YEAR"}, "a INT"),
        ("INT", "INTERVAL YEAR TO MONTH"),
    ],
)
def test_an_interval_that_is_no_column_of_a_value_is_an_error(key: Any, value: str) -> None:
    """A column of a key was a STRING before."""
    with pytest.raises(lsqlc.CompileError, match="LSQ583"):
        lsqlc.compile("SELECT * FROM STREAM(x)", dialect="sql", topics=[Topic("x", key=key, value=value)])
