"""ORDER BY and LIMIT at the end of a query."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Record, Topic
from lsqlc.dialects.sql import DIALECT

TOPICS = (Topic("t", key="INT", value="a INT, g STRING"),)
GIVEN = [Record("t", i, {"a": a, "g": g}, i) for i, (a, g) in enumerate([(5, "x"), (3, "y"), (9, "x"), (1, None)], 1)]
# The row 3, which has the largest `a`, is deleted.
RECORDS = [*GIVEN, Record("t", 3, None, 9)]


def _rows(text: str) -> list[Any]:
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")
    return [list(record.value.values()) for record in lsqlc.evaluate(plan, RECORDS)["o"]]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT a FROM t ORDER BY a DESC LIMIT 2", [[5], [3]]),
        ("SELECT g FROM t ORDER BY a LIMIT 1", [[None]]),
        ("SELECT a + 1 AS b FROM t ORDER BY b LIMIT 1", [[2]]),
        ("SELECT g, a FROM t ORDER BY 2 LIMIT 2", [["y", 3], [None, 1]]),
        ("SELECT * FROM t ORDER BY 1 LIMIT 2", [[3, "y"], [1, None]]),
        ("SELECT DISTINCT * FROM t ORDER BY 2 DESC, 1 LIMIT 1", [[3, "y"]]),
        ("SELECT * EXCEPT (a) FROM t WHERE a > 1 ORDER BY 1 LIMIT 1", [["x"]]),
        ("SELECT * FROM t UNION SELECT * FROM t ORDER BY 1 LIMIT 1", [[1, None]]),
        ("SELECT -a AS b, t.* FROM t ORDER BY 2 LIMIT 1", [[-1, 1, None]]),
        ("SELECT t.a, -a AS g FROM t ORDER BY g LIMIT 1", [[5, -5]]),
        ("SELECT v.a FROM t JOIN t AS v ON t.a = v.a ORDER BY a LIMIT 1", [[1]]),
        ("SELECT g, SUM(a) AS s FROM t GROUP BY g ORDER BY s DESC LIMIT 2", [["x", 5], ["y", 3]]),
        ("SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY COUNT(*) DESC, g LIMIT 1", [[None, 1]]),
        ("SELECT g FROM t GROUP BY g ORDER BY MAX(a) DESC, COUNT(*) LIMIT 1", [["x"]]),
        ("SELECT g AS h FROM t GROUP BY g ORDER BY h DESC, SUM(a) LIMIT 1", [["y"]]),
        ("SELECT DISTINCT g FROM t ORDER BY g NULLS LAST LIMIT 2", [["x"], ["y"]]),
        ("SELECT a FROM t UNION SELECT a FROM t ORDER BY a LIMIT 2", [[1], [3]]),
        ("SELECT a FROM t EXCEPT SELECT a FROM t WHERE a = 1 ORDER BY a LIMIT 1", [[3]]),
        ("SELECT COUNT(*) AS n FROM t ORDER BY n LIMIT 1", [[3]]),
        ("SELECT COUNT(*) AS n FROM (SELECT a FROM t ORDER BY a LIMIT 2) AS q", [[2]]),
        ("WITH q AS (SELECT a FROM t ORDER BY a LIMIT 2) SELECT SUM(a) AS s FROM q", [[4]]),
        ("SELECT a FROM t WHERE a IN (SELECT a FROM t ORDER BY a LIMIT 2)", [[3], [1]]),
        ("SELECT a FROM t ORDER BY a LIMIT 1 OFFSET 1", [[3]]),
        ("SELECT a FROM t ORDER BY a OFFSET 2", [[5]]),
        ("SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY g NULLS LAST LIMIT 5 OFFSET 1", [[None, 1], ["y", 1]]),
        ("SELECT a FROM t UNION SELECT a FROM t ORDER BY a LIMIT 1 OFFSET 2", [[5]]),
        ("WITH q AS (SELECT a FROM t ORDER BY a OFFSET 1) SELECT SUM(a) AS s FROM q", [[8]]),
    ],
)
def test_both_are_the_first_rows(text: str, rows: list[Any]) -> None:
    """Of rows, groups and different rows, by what is in the SELECT list or in FROM."""
    assert _rows(text) == rows


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("SELECT a FROM t ORDER BY a", "ORDER BY"),
        ("SELECT a FROM t LIMIT 2", "LIMIT"),
        ("SELECT a FROM t UNION ALL SELECT a FROM t ORDER BY a", "ORDER BY"),
        ("SELECT COUNT(*) AS n FROM (SELECT a FROM t ORDER BY a) AS q", "ORDER BY"),
        ("SELECT a FROM STREAM(t) LIMIT 1", "LIMIT"),
    ],
)
def test_one_alone_is_ignored(text: str, word: str) -> None:
    """With a finding."""
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")
    program = DIALECT.parse(text, "m.sql").program
    assert program is not None
    (found,) = DIALECT.bind(program, {t.name: t for t in plan.inputs}, name="o").diagnostics
    assert (found.code, found.message, found.is_error) == ("LSQ466", f"{word} is ignored", False)
    assert _rows(text)


@pytest.mark.parametrize("text", ["SELECT * FROM t ORDER BY 3 LIMIT 1", "SELECT a FROM t ORDER BY 2 LIMIT 1"])
def test_a_position_is_one_of_the_list(text: str) -> None:
    """Of the list with the columns of a star."""
    with pytest.raises(lsqlc.CompileError) as caught:
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")
    (found,) = caught.value.diagnostics
    assert found.code == "LSQ462" and "has no column" in found.message
