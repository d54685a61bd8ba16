"""An aggregate without GROUP BY is one row, whatever the rows are."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.scan.data_files import SHIFT
from lsqlc.types.record import BEFORE_RECORDS
from tests.standard_sql.programs import TOPICS

GIVEN = tuple(
    Record("t", key, {"id": key, "g": "a", "h": None, "x": x, "y": None, "d": None, "b": None}, key)
    for key, x in ((1, 5), (2, 7))
)
NONE_LEFT = (*GIVEN, Record("t", 1, None, 3), Record("t", 2, None, 4))


def _rows(text: str, given: tuple[Record, ...]) -> list[tuple[Any, Any]]:
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")
    read = {topic.name for topic in plan.inputs}
    return [(r.key, r.value) for r in lsqlc.evaluate(plan, [r for r in given if r.topic in read])["o"]]


def test_it_is_a_row_under_a_constant() -> None:
    """Over tables, streams and topics without a key; over nothing but aggregates, GROUP BY ALL is the same."""
    assert _rows("SELECT COUNT(*) AS n, SUM(x) AS s FROM t", GIVEN) == [("all", {"n": 2, "s": 12})]
    assert _rows("SELECT COUNT(*) AS n FROM STREAM(t)", NONE_LEFT) == [("all", {"n": 2})]
    assert _rows("SELECT MAX(a) + 1 AS m FROM r", (Record("r", None, {"a": 1, "g": None, "z": None}, 1),)) == [
        ("all", {"m": 2})
    ]
    assert _rows("SELECT COUNT(*) AS n FROM t GROUP BY ALL", NONE_LEFT) == [("all", {"n": 0})]


def test_group_by_all_is_a_column_of_that_name() -> None:
    """It takes precedence over GROUP BY ALL."""
    text = "SELECT MAX(x) AS m FROM (SELECT x, id AS `all` FROM t) AS q GROUP BY all"
    assert [value["m"] for _, value in _rows(text, GIVEN)] == [5, 7]


def test_it_stays_when_its_last_row_goes() -> None:
    """Then COUNT is 0, and the others are null."""
    text = "SELECT COUNT(*) AS n, SUM(x) AS s, MIN(x) AS m, COUNT(DISTINCT x) AS d, AVG(x) AS a FROM t"
    assert _rows(text, NONE_LEFT) == [("all", {"n": 0, "s": None, "m": None, "d": 0, "a": None})]


@pytest.mark.parametrize("where", ["x > 100", "x > 100 AND g IS NOT NULL"])
def test_rows_that_do_not_count_are_enough(where: str) -> None:
    """A condition that no row has ever satisfied; FILTER adds to it."""
    text = f"SELECT COUNT(*) AS n, SUM(x) AS s, COUNT(x) FILTER (WHERE x > 1) AS c FROM t WHERE {where}"
    assert _rows(text, GIVEN) == [("all", {"n": 0, "s": None, "c": 0})]
    assert _rows(text.replace("t WHERE", "STREAM(t) WHERE"), GIVEN) == [("all", {"n": 0, "s": None, "c": 0})]


def test_conditions_count_what_they_are_over() -> None:
    """WHERE, HAVING, a query around it, and the functions that are written as others."""
    assert _rows("SELECT SUM(x) AS s, COUNT_IF(x > 6) AS c FROM t WHERE x > 5", GIVEN) == [("all", {"s": 7, "c": 1})]
    assert _rows("SELECT COUNT(*) AS n FROM t HAVING COUNT(*) > 1", GIVEN) == [("all", {"n": 2})]
    assert _rows("SELECT COUNT(*) AS n FROM t HAVING COUNT(*) > 1", NONE_LEFT) == []
    assert _rows("SELECT n + 1 AS m FROM (SELECT COUNT(*) AS n FROM t WHERE x > 6) AS q", GIVEN) == [
        ({"all": "all"}, {"m": 2})
    ]
    with_one = "SELECT x, q.n FROM t CROSS JOIN (SELECT COUNT(*) AS n FROM t) AS q"
    assert [value for _, value in _rows(with_one, GIVEN)] == [{"x": 5, "n": 2}, {"x": 7, "n": 2}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT COUNT(*) AS n, SUM(x) AS s FROM t", [{"n": 0, "s": None}]),
        ("SELECT COUNT(*) AS n, SUM(x) AS s FROM STREAM(t)", [{"n": 0, "s": None}]),
        ("SELECT MAX(a) + 1 AS m FROM r", [{"m": None}]),
        ("SELECT COUNT(*) AS n FROM t HAVING COUNT(*) < 1", [{"n": 0}]),
        ("SELECT COUNT(*) AS n FROM t HAVING COUNT(*) > 1", []),
        ("SELECT COUNT(*) AS n FROM t GROUP BY 'all'", []),
        ("SELECT COUNT(*) AS n FROM (SELECT COUNT(*) AS m FROM t) AS q", [{"n": 1}]),
        ("SELECT COUNT(*) AS n FROM (SELECT x FROM t WHERE x > 9) AS q", [{"n": 0}]),
        ("SELECT a.n, b.m FROM (SELECT COUNT(*) AS n FROM t) a CROSS JOIN (SELECT MAX(w) AS m FROM u) b",
         [{"n": 0, "m": None}]),
        ("SELECT COUNT(*) AS n FROM t UNION ALL SELECT MAX(w) FROM u", [{"n": 0}, {"n": None}]),
        ("SELECT (SELECT COUNT(*) FROM t) AS c", [{"c": 0}]),
        ("SELECT t.x, q.n FROM t JOIN (SELECT COUNT(*) AS n FROM u) AS q ON t.x > q.n", []),
        ("SELECT id, g FROM t UNION ALL SELECT 5, 'k'", [{"id": 5, "g": "k"}]),
    ],
)  # fmt: skip
def test_it_is_there_before_the_first_record(text: str, expected: list[Any]) -> None:
    """Over an empty source, below other operators, and with constants, which are combined with such a row."""
    assert [value for _, value in _rows(text, ())] == expected


def test_it_is_older_than_rows_of_files() -> None:
    """A row of a file that is read as a TABLE has an ordinal before all records of logs."""
    assert -2 * SHIFT == BEFORE_RECORDS
