# ruff: noqa: E501  a table of values reads better in long rows
"""Times of day: literals, CAST, parts, sums with intervals, aggregates. The values are those of Spark 4.3 where the type
is enabled.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

import lsqlc
from lsqlc import Plan, Record, Topic
from lsqlc.types.day_times import time_number, time_text

TOPIC = Topic("t", key="INT", value="a INT, w TIME, s STRING, ts TIMESTAMP")
ROW = {"a": 1, "w": 37_230_500_000, "s": "x", "ts": datetime.datetime(1969, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)}
# Expressions over the row with w '10:20:30.5', their types and values.
CALLS: tuple[tuple[str, str, Any], ...] = (
    ("w", "TIME", "10:20:30.5"), ("TIME '1:2:3'", "TIME", "01:02:03"), ("CAST(w AS TIME(6))", "TIME", "10:20:30.5"),
    ("CAST(w AS STRING)", "STRING", "10:20:30.5"), ("CAST(TIME '10:20:30.1200' AS STRING)", "STRING", "10:20:30.12"),
    ("CAST(w AS INT)", "INT", 37_230), ("CAST(w AS BIGINT)", "BIGINT", 37_230), ("TIME '00:01:52' :: TINYINT", "INT", 112),
    ("CAST(w AS TINYINT)", "INT", None), ("CAST(w AS DECIMAL(8,3))", "DECIMAL(8,3)", Decimal("37230.500")),
    ("CAST(TIME '23:59:59.9' AS DECIMAL(6,0))", "DECIMAL(6,0)", Decimal("86400")),
    ("CAST(TIME '23:59:59' AS DECIMAL(3,0))", "DECIMAL(3,0)", None),
    ("CAST(' T10:2:3. ' AS TIME)", "TIME", "10:02:03"), ("CAST('1:2' AS TIME)", "TIME", "01:02:00"),
    ("CAST('1:20:30.1234567' AS TIME)", "TIME", "01:20:30.123456"), ("CAST('24:00:00' AS TIME)", "TIME", None),
    ("CAST('10:20:60' AS TIME)", "TIME", None), ("CAST('10:20:30Z' AS TIME)", "TIME", None), ("CAST(s AS TIME)", "TIME", None),
    ("CAST('010:20:30' AS TIME)", "TIME", None), ("CAST(ts AS TIME)", "TIME", "23:59:59"),
    ("w - INTERVAL 1 HOUR", "TIME", "09:20:30.5"), ("w + INTERVAL 1 DAY", "TIME", None), ("w - INTERVAL 11 HOURS", "TIME", None),
    ("INTERVAL 1 HOUR + w", "TIME", "11:20:30.5"), ("CAST(w - TIME '09:00:00.5' AS STRING)", "STRING", "INTERVAL '01:20:30' HOUR TO SECOND"),
    ("EXTRACT(HOUR FROM w)", "INT", 10), ("EXTRACT(MINUTE FROM w)", "INT", 20), ("EXTRACT(SECOND FROM w)", "DECIMAL(8,6)", Decimal("30.500000")),
    ("HOUR(w)", "INT", 10), ("MINUTE(w)", "INT", 20), ("SECOND(w)", "INT", 30),
    ("w > '09:00'", "BOOLEAN", True), ("w = TIME '10:20:30.5'", "BOOLEAN", True), ("w BETWEEN '10:00' AND '10:20:30'", "BOOLEAN", False),
    ("COALESCE(w, '10:20:31')", "TIME", "10:20:30.5"), ("w || 'x'", "STRING", "10:20:30.5x"), ("IF(a = 2, w, NULL)", "TIME", None),
    ("GREATEST(w, TIME '11:00')", "TIME", "11:00:00"),
)  # fmt: skip


def _plan() -> Plan:
    items = ", ".join(f"{call} AS r{i}" for i, (call, *_) in enumerate(CALLS))
    return lsqlc.compile(f"SELECT {items} FROM STREAM(t)", dialect="sql", topics=[TOPIC], name="o")


def test_calls() -> None:
    plan = _plan()
    (record,) = lsqlc.evaluate(plan, [Record("t", 1, ROW)])["o"]
    types = {f.name: str(f.type) for f in plan.outputs[0].value.type.fields}  # type: ignore[union-attr]
    values = {n: time_text(v) if types[n] == "TIME" and v is not None else v for n, v in record.value.items()}
    assert [(call, types[f"r{i}"], values[f"r{i}"]) for i, (call, *_) in enumerate(CALLS)] == list(CALLS)


@pytest.mark.spark
def test_spark_agrees() -> None:
    plan, records = _plan(), [Record("t", 1, ROW)]
    on_spark = lsqlc.evaluate(plan, records, engine="spark")["o"]
    assert [r.value for r in on_spark] == [r.value for r in lsqlc.evaluate(plan, records)["o"]]


def test_aggregates_and_groups() -> None:
    records = [Record("t", i, ROW | {"w": w}) for i, w in enumerate((1, 2, None, 2))]
    text = "SELECT MIN(w) AS l, MAX(w) AS m, COUNT(w) AS n, COUNT(DISTINCT w) AS k FROM t"
    (record,) = lsqlc.evaluate(lsqlc.compile(text, dialect="sql", topics=[TOPIC], name="o"), records)["o"]
    assert record.value == {"l": 1, "m": 2, "n": 3, "k": 2}
    text = "SELECT w, COUNT(*) AS n FROM t GROUP BY w"
    groups = lsqlc.evaluate(lsqlc.compile(text, dialect="sql", topics=[TOPIC], name="o"), records)["o"]
    assert [tuple(r.value.values()) for r in groups] == [(None, 1), (1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("TIME '25:00'", "LSQ470", "'25:00' is not a TIME"),
        ("TIME '10:00:00.1234567'", "LSQ470", "has parts of a microsecond"),
        ("w > 'x'", "LSQ492", "the text 'x' cannot be read as TIME"),
        ("CAST(a AS TIME)", "LSQ214", "INT cannot be cast to TIME"),
        ("CAST(w AS BOOLEAN)", "LSQ214", "TIME cannot be cast to BOOLEAN"),
        ("CAST(w AS TIME(3))", "LSQ450", "a TIME has microseconds"),
        ("w + INTERVAL 1 MONTH", "LSQ212", "must be numbers, not TIME and INTERVAL MONTH"),
        ("SUM(w)", "LSQ209", "must be a number, not TIME"),
        ("EXTRACT(DAY FROM w)", "LSQ209", "not TIME"),
    ],
)
def test_what_is_refused(text: str, code: str, message: str) -> None:
    with pytest.raises(lsqlc.CompileError) as caught:
        lsqlc.compile(f"SELECT {text} AS r FROM t", dialect="sql", topics=[TOPIC], name="o")
    first = caught.value.diagnostics[0]
    assert first.code == code
    assert message in first.message


@pytest.mark.parametrize("text", ["00:00:00", "23:59:59.999999", "01:02:03.5"])
def test_a_text_is_read_as_its_number(text: str) -> None:
    number = time_number(text)
    assert number is not None
    assert time_text(number) == text
    assert time_text(-1) is None
