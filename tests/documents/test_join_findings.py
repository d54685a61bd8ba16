"""What is accepted in a join, and said to be better written otherwise: a finding at the very words, and no error."""

from __future__ import annotations

import pytest

from tests.fixture_files import compiled

WITHS = "WITH c AS (SELECT TABLE * FROM customers); WITH o AS (SELECT STREAM * FROM orders);\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (WITHS + "SELECT STREAM item FROM o JOIN c", []),
        (WITHS + "SELECT TABLE item FROM o JOIN c", [("LSQ804", 2, 1)]),
        (WITHS + "SELECT TABLE item FROM c RIGHT JOIN o", [("LSQ804", 2, 1)]),
        ("SELECT STREAM item FROM orders JOIN customers WITHIN 1h", []),
        ("SELECT STREAM item FROM orders JOIN customers WITHIN 1h WITHIN 60m", [("LSQ802", 1, 64)]),
        ("SELECT TABLE item FROM orders LEFT OUTER JOIN customers", [("LSQ807", 1, 31)]),
        ("SELECT TABLE item FROM orders RIGHT OUTER JOIN customers", [("LSQ807", 1, 31)]),
        ("SELECT TABLE item FROM orders FULL JOIN customers", [("LSQ807", 1, 31)]),
        ("SELECT TABLE item FROM orders FULL OUTER JOIN customers", [("LSQ807", 1, 31)]),
        ("SELECT TABLE item FROM orders OUTER JOIN customers", []),
        (
            WITHS + "SELECT STREAM item FROM o JOIN c ON o.customer_id = c.id AND name = 'Ann' OR name = 'Bob'",
            [("LSQ806", 2, 62)],
        ),
        (WITHS + "SELECT STREAM item FROM o JOIN c ON o.customer_id = c.id AND (name = 'Ann' OR name = 'Bob')", []),
    ],
)
def test_what_is_accepted_with_a_finding(text: str, found: list[tuple[str, int, int]]) -> None:
    """Two words for a kind, WITHIN twice, SELECT TABLE over what is a STREAM, an OR that needs parentheses."""
    result, diagnostics = compiled(text)
    assert result.plan and [(d.code, d.line, d.column) for d in diagnostics] == found


@pytest.mark.parametrize(
    ("join", "unsure"),
    [
        ("orders JOIN customers", False),
        ("orders OUTER JOIN customers", False),
        ("orders JOIN customers ON orders._key = customers._key AND amount > 1", False),
        ("orders LEFT JOIN customers ON orders._key = customers._key AND orders.id = customers.id", False),
        ("orders JOIN customers ON orders.customer_id = customers.id", True),
        ("orders JOIN customers ON orders._key = customers.id", True),
        ("orders LEFT JOIN customers ON orders.customer_id = customers._key", True),
        ("orders OUTER JOIN customers ON orders._key = customers._key AND orders.id = customers.id", True),
    ],
)
def test_a_key_that_may_not_be_unique_is_found_where_rows_are_written(join: str, unsure: bool) -> None:
    """Two tables that meet on something else than their keys; inside the program every pair is kept."""
    written = compiled(f"SELECT TABLE item, name FROM {join}")[1]
    assert [(d.code, d.column) for d in written] == ([("LSQ805", 31 + join.index("ON") + 2)] if unsure else [])
    grouped = f"WITH j AS (SELECT TABLE item FROM {join}); SELECT TABLE COUNT(*) AS n FROM j GROUP BY item"
    assert not compiled(grouped)[1]
