"""What has an order in ksqlDB, as its ComparisonUtil says: numbers, texts, times and bytes, and nothing else."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc import CompileError

SOURCE = (
    "CREATE STREAM s (k INT KEY, n INT, t STRING, d DATE, y BYTES, b BOOLEAN, a ARRAY<INT>, m MAP<STRING, INT>,"
    " u STRUCT<x INT>) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');\n"
)
WITHOUT_ORDER = ("b", "a", "u")
ORDERINGS = ("# < #", "# <= #", "# > #", "# >= #", "NOT # < #", "# BETWEEN # AND #")
EQUALITIES = ("# = #", "# <> #", "# IS DISTINCT FROM #", "# IS NOT DISTINCT FROM #")


def codes(condition: str) -> list[str]:
    try:
        lsqlc.compile(SOURCE + f"CREATE STREAM o AS SELECT k, n FROM s WHERE {condition};", dialect="ksql")
    except CompileError as refused:
        return [d.code for d in refused.diagnostics]
    return []


@pytest.mark.parametrize("column", WITHOUT_ORDER)
@pytest.mark.parametrize("condition", ORDERINGS)
def test_values_with_parts_and_booleans_have_no_order(column: str, condition: str) -> None:
    """Each way to compare by it is refused."""
    assert codes(condition.replace("#", column)) == ["LSQ390"]


@pytest.mark.parametrize("column", [*WITHOUT_ORDER, "n", "t", "d", "y"])
@pytest.mark.parametrize("condition", EQUALITIES)
def test_all_values_are_equal_or_not(column: str, condition: str) -> None:
    """Which needs no order."""
    assert not codes(condition.replace("#", column))


@pytest.mark.parametrize("condition", [*ORDERINGS, *EQUALITIES])
def test_maps_are_not_compared(condition: str) -> None:
    """Spark compares no maps, so ksqlDB's comparison of their entries has no form there."""
    assert codes(condition.replace("#", "m")) == ["LSQ213"]


@pytest.mark.parametrize("column", ["n", "t", "d", "y"])
def test_other_values_have_an_order(column: str) -> None:
    """By every operator."""
    assert not codes(f"{column} < {column} OR {column} BETWEEN {column} AND {column}")
