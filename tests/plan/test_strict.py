"""Where the strict check points, and what passes it: each fault with a twin that differs in the fault alone."""

from __future__ import annotations

import pytest

from tests.fixture_files import compiled

# What is refused, the column of the operand, and the twin.
PAIRS = [
    ("SELECT STREAM amount + 1 AS x FROM orders", 15, "SELECT STREAM COALESCE(amount, 0) + 1 AS x FROM orders"),
    ("SELECT STREAM -amount AS x FROM orders", 16, "SELECT STREAM -AS_NON_NULLABLE(amount) AS x FROM orders"),
    ("SELECT STREAM amount = 1 AS x FROM orders", 15, "SELECT STREAM amount IS NULL AS x FROM orders"),
    ("SELECT STREAM UPPER(item) AS x FROM orders", 21, "SELECT STREAM UPPER(COALESCE(item, '')) AS x FROM orders"),
    ("SELECT STREAM id FROM orders WHERE amount > 1", 36, "SELECT STREAM id FROM orders WHERE amount IS NULL"),
    (
        "SELECT STREAM id FROM orders WHERE amount > 1 AND amount IS NOT NULL",
        36,
        "SELECT STREAM id FROM orders WHERE amount IS NOT NULL AND amount > 1",
    ),
    (
        "SELECT STREAM id FROM orders WHERE amount IS NULL AND amount > 1",
        55,
        "SELECT STREAM id FROM orders WHERE amount IS NULL OR amount > 1",
    ),
    (
        "SELECT STREAM amount + 1 AS x FROM orders WHERE amount IS NULL",
        15,
        "SELECT STREAM amount + 1 AS x FROM orders WHERE amount IS NOT NULL",
    ),
    (
        "SELECT STREAM CASE WHEN amount IS NULL THEN amount + 1 ELSE 0 END AS x FROM orders",
        45,
        "SELECT STREAM CASE WHEN amount IS NOT NULL THEN amount + 1 ELSE 0 END AS x FROM orders",
    ),
    (
        "SELECT STREAM SUM(amount + 1) AS x FROM orders WHERE id IS NOT NULL GROUP BY item",
        19,
        "SELECT STREAM SUM(amount + 1) AS x FROM orders WHERE amount IS NOT NULL GROUP BY item",
    ),
]


@pytest.mark.parametrize(("wrong", "column", "right"), PAIRS)
def test_an_operand_that_may_be_null_is_refused(wrong: str, column: int, right: str) -> None:
    """At the operand, and only in strict mode; the twin compiles in both."""
    assert [(d.code, d.line, d.column) for d in compiled(wrong, strict=True)[1]] == [("LSQ220", 1, column)]
    assert not compiled(wrong)[1]
    assert not compiled(right, strict=True)[1]
    assert not compiled(right)[1]
