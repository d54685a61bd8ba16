"""COUNT_IF, BOOL_AND, BOOL_OR and their like over STREAMs and TABLEs, of which a row that leaves is taken out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

import lsqlc
from lsqlc import Record, Topic

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPIC = Topic("t", key="INT", value="id INT, g STRING, v INT")
QUERY = """SELECT g, count_if(v > 1) AS a, bool_and(v > 1) AS b, every(v < 9) AS c, bool_or(v > 1) AS d,
    some(v > 8) AS e, mean(v) AS f, count_if(v > 0) FILTER (WHERE v < 3) AS h
    FROM {source} WHERE g IS NOT NULL GROUP BY g"""
ROWS = [(1, "x", 1), (2, "x", 5), (3, "y", None), (4, "z", 2), (5, "z", None), (1, "x", 9), (2, None, None)]


def values(source: str, engine: Literal["duckdb", "spark"] = "duckdb") -> dict[str, tuple[Any, ...]]:
    """The row of each group without its name."""
    plan = lsqlc.compile(QUERY.format(source=source), dialect="sql", topics=[TOPIC], name="o")
    records = [Record("t", id, {"id": id, "g": g, "v": v}) for id, g, v in ROWS]
    found = lsqlc.evaluate(plan, records, engine=engine)["o"]
    return {str(r.value["g"]): tuple(v for k, v in r.value.items() if k != "g") for r in found if r.value is not None}


OF_STREAM = {
    "x": (2, False, False, True, True, 5.0, 1),
    "y": (0, None, None, None, None, None, 0),
    "z": (1, True, True, True, False, 2.0, 1),
}
# Of x only the row of the id 1 is left, and that has changed.
OF_TABLE = OF_STREAM | {"x": (1, True, False, True, True, 9.0, 0)}


def test_over_a_stream() -> None:
    assert values("STREAM t") == OF_STREAM


def test_over_a_table() -> None:
    """The rows that have changed and left count no more."""
    assert values("t") == OF_TABLE


@pytest.mark.parametrize(("source", "expected"), [("STREAM t", OF_STREAM), ("t", OF_TABLE)])
def test_spark_agrees(source: str, expected: dict[str, tuple[Any, ...]], spark: SparkSession) -> None:
    assert values(source, "spark") == expected
