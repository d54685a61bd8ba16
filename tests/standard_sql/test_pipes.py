"""Pipe syntax gives the rows that Spark gives, or is refused by the name of the operator."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Plan, Record, Topic

TOPICS = [
    Topic("t", key="INT", value="id INT, g STRING, x INT"),
    Topic("u", key="INT", value="id INT, name STRING"),
]
RECORDS = [
    Record("t", 1, {"id": 1, "g": "a", "x": 5}),
    Record("t", 2, {"id": 2, "g": "a", "x": 7}),
    Record("t", 3, {"id": 3, "g": "b", "x": 1}),
    Record("u", 1, {"id": 1, "name": "one"}),
]


def _rows(plan: Plan) -> list[Any]:
    topics = {topic.name for topic in plan.inputs}
    return [record.value for record in lsqlc.evaluate(plan, [r for r in RECORDS if r.topic in topics])["o"]]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("FROM t |> WHERE x > 1 |> SELECT id", [{"id": 1}, {"id": 2}]),
        ("FROM t |> EXTEND x + 1 AS y |> WHERE y < 3", [{"id": 3, "g": "b", "x": 1, "y": 2}]),
        ("FROM t |> SELECT id, x |> EXTEND x * 2 AS y",
         [{"id": 1, "x": 5, "y": 10}, {"id": 2, "x": 7, "y": 14}, {"id": 3, "x": 1, "y": 2}]),
        ("FROM t |> SELECT id, x + 1 AS x |> WHERE x > 5", [{"id": 1, "x": 6}, {"id": 2, "x": 8}]),
        ("FROM t |> AGGREGATE SUM(x) AS s GROUP BY g |> WHERE s > 1", [{"g": "a", "s": 12}]),
        ("FROM t |> WHERE x > 1 |> AS q |> SELECT q.id", [{"id": 1}, {"id": 2}]),
        ("FROM t |> JOIN u ON t.id = u.id |> SELECT t.id, name", [{"id": 1, "name": "one"}]),
    ],
)  # fmt: skip
def test_a_pipe(text: str, rows: list[dict[str, object]]) -> None:
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")
    assert _rows(plan) == rows


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("SELECT id, x FROM t |> EXTEND x AS y", "a pipe behind a SELECT"),
        ("SELECT id, x + 1 AS x FROM t |> WHERE x > 5", "a pipe behind a SELECT"),
        ("SELECT * FROM (SELECT id FROM t |> WHERE x > 5) AS q", "a pipe behind a SELECT"),
        ("FROM t |> SET x = 1", "the pipe operator SET"),
        ("FROM t |> DROP x", "the pipe operator DROP"),
        ("FROM t |> SELECT x |> UNION ALL SELECT x FROM t", "the pipe operator UNION of a query without parentheses"),
        ("FROM t |> WHERE x > 1 |> RIGHT JOIN u ON t.id = u.id", "the pipe operator RIGHT JOIN behind WHERE"),
        ("FROM t |> LIMIT 5 |> WHERE x > 1", "the pipe operator WHERE behind LIMIT"),
    ],
)
def test_an_operator_that_would_mean_something_else(text: str, what: str) -> None:
    with pytest.raises(lsqlc.CompileError, match=f"LSQ450.*{what} is not supported"):
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o", key=["id"])


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("SELECT id FROM t UNION SELECT id FROM t WHERE id > 1 INTERSECT SELECT id FROM u", [1, 2, 3]),
        ("(SELECT id FROM t UNION SELECT id FROM t) INTERSECT SELECT id FROM u", [1]),
        ("SELECT id FROM t EXCEPT SELECT id FROM t INTERSECT SELECT id FROM u", [2, 3]),
        ("(SELECT id FROM t EXCEPT SELECT id FROM u) INTERSECT SELECT id FROM u", []),
    ],
)
def test_intersect_binds_closer(text: str, ids: list[int]) -> None:
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")
    assert [row["id"] for row in _rows(plan)] == ids
