"""Operations that are null where they fail, over the time of evaluation, which is a query of its own on DuckDB."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Record, Topic

TOPICS = (Topic("r", key="STRING", value="at BIGINT, x BYTES"),)
_SOURCE = "CREATE STREAM r (k STRING KEY, at BIGINT) WITH (KAFKA_TOPIC = 'r', VALUE_FORMAT = 'JSON');"


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("CAST(NOW() AS BIGINT) - at", -5),
        ("CAST(NOW() AS BIGINT) + 9223372036854775807", 9223372036854775807),
        ("(CAST(NOW() AS BIGINT) + 1) + 9223372036854775807", None),
        ("-CAST(NOW() AS BIGINT)", 0),
        ("ABS(CAST(NOW() AS BIGINT) - 7)", 7),
        ("(CAST(NOW() AS BIGINT) + 7) % at", 2),
        ("(CAST(NOW() AS BIGINT) + 7) / at", 1),
    ],
)
def test_of_lenses(expression: str, result: Any) -> None:
    plan = lsqlc.compile(f"INSERT INTO o SELECT STREAM {expression} AS v FROM r", topics=TOPICS, name="o")
    assert [r.value for r in lsqlc.evaluate(plan, [Record("r", "a", {"at": 5, "x": None})])["o"]] == [{"v": result}]


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("UNIX_TIMESTAMP() - at", -5),
        ("TIMESTAMPADD(SECONDS, CAST(UNIX_TIMESTAMP() AS INT) + 1, FROM_UNIXTIME(0)) = FROM_UNIXTIME(1000)", True),
        ("CAST(UNIX_TIMESTAMP() AS STRING) LIKE '0!%' ESCAPE '!'", False),
    ],
)
def test_of_ksqldb(expression: str, result: Any) -> None:
    plan = lsqlc.compile(f"{_SOURCE} CREATE STREAM o AS SELECT k, {expression} AS v FROM r;", dialect="ksql", name="o")
    assert [r.value for r in lsqlc.evaluate(plan, [Record("r", "a", {"AT": 5})])["O"]] == [{"V": result}]
