"""Queries as values that may have several rows."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Record, Topic
from lsqlc.dialects.sql import DIALECT

TOPICS = (Topic("t", key="INT", value="a INT"), Topic("u", key="INT", value="x INT, g STRING"))
T = [Record("t", a, {"a": a}) for a in (1, 2)]


def _values(query: str, given: list[tuple[int, int | None, str | None]]) -> list[Any]:
    """Return the column `v` by the order of `a`, after these rows of `u`: key, `x`, `g`."""
    plan = lsqlc.compile(f"SELECT a, ({query}) AS v FROM t", dialect="sql", topics=TOPICS, name="o")
    records = [*T, *(Record("u", key, {"x": x, "g": g}) for key, x, g in given)]
    rows = [record.value for record in lsqlc.evaluate(plan, records)["o"] if record.value is not None]
    return [row["v"] for row in sorted(rows, key=lambda row: row["a"])]


@pytest.mark.parametrize(
    ("query", "given", "values"),
    [
        ("SELECT x FROM u", [], [None, None]),
        ("SELECT x FROM u", [(1, 7, None)], [7, 7]),
        ("SELECT x FROM u", [(1, 7, None), (2, 7, None)], [None, None]),
        ("SELECT x FROM u", [(1, 7, None), (1, 8, None)], [8, 8]),
        ("SELECT x FROM u WHERE g = 'a'", [(1, 7, "a"), (2, 8, "b")], [7, 7]),
        ("SELECT x + 1 FROM u WHERE u.x = t.a", [(1, 2, None)], [None, 3]),
        ("SELECT g FROM u WHERE u.x = t.a", [(1, 2, "a"), (2, 2, "a"), (3, 1, "b")], ["b", None]),
        ("SELECT DISTINCT x FROM u", [(1, 7, None), (2, 7, None)], [7, 7]),
        ("SELECT DISTINCT x FROM u", [(1, 7, None), (2, 8, None)], [None, None]),
        ("SELECT DISTINCT x FROM u", [(1, 7, None), (2, None, None)], [None, None]),
        ("SELECT DISTINCT g FROM u WHERE u.x = t.a", [(1, 2, "a"), (2, 2, "a"), (3, 1, "b")], ["b", "a"]),
        ("SELECT MAX(x) FROM u GROUP BY g", [(1, 7, "a"), (2, 8, "a")], [8, 8]),
        ("SELECT MAX(x) FROM u GROUP BY g", [(1, 7, "a"), (2, 8, "b")], [None, None]),
        ("SELECT MAX(x) FROM u HAVING COUNT(*) > 1", [(1, 7, "a")], [None, None]),
        ("SELECT MAX(x) FROM u HAVING COUNT(*) > 1", [(1, 7, "a"), (2, 8, "b")], [8, 8]),
        ("SELECT x FROM u UNION SELECT x FROM u", [(1, 7, "a"), (2, 7, "b")], [7, 7]),
        ("SELECT x FROM u ORDER BY x LIMIT 2", [(1, 7, "a")], [7, 7]),
        ("SELECT * FROM (SELECT x FROM u) AS q", [(1, 7, "a")], [7, 7]),
        ("SELECT x FROM u LIMIT 1", [(1, 7, "a"), (2, 7, "a")], [7, 7]),
        ("WITH w AS (SELECT x FROM u WHERE x > 7) SELECT x FROM w", [(1, 7, "a"), (2, 8, "a")], [8, 8]),
    ],
)
def test_the_value_of_one_row(query: str, given: list[tuple[int, int | None, str | None]], values: list[Any]) -> None:
    """It is null without rows, and while there are several."""
    assert _values(query, given) == values


@pytest.mark.parametrize(
    ("query", "warned"),
    [
        ("SELECT x FROM u", True), ("SELECT DISTINCT x FROM u", True), ("SELECT MAX(x) FROM u GROUP BY g", True),
        ("SELECT MAX(x) FROM u", False), ("SELECT x FROM u LIMIT 1", False),
        ("SELECT x FROM u WHERE _key = t.a", False),
        ("SELECT x FROM (SELECT MAX(x) AS x FROM u) AS w", False),
    ],
)  # fmt: skip
def test_several_rows_are_a_finding(query: str, warned: bool) -> None:
    """Unless it is certain that there is one, or any row of them is right."""
    text = f"SELECT a, ({query}) AS v FROM t"
    inputs = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o").inputs
    program = DIALECT.parse(text, "m.sql").program
    assert program is not None
    found = DIALECT.bind(program, {topic.name: topic for topic in inputs}, name="o").diagnostics
    assert ("LSQ355" in [each.code for each in found]) == warned
    assert not any(each.is_error for each in found)
