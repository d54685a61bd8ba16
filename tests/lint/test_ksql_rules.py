"""The rules of lint for ksqlDB: what they find, and that their fixes change no plan."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc.diagnostics import Diagnostic
from lsqlc.lint import apply_fixes
from lsqlc.lint.ksql_rules import lint_ksql
from lsqlc.syntax.ksql.parser import parse
from tests.fixture_files import invalid
from tests.ksql.programs import SOURCES

ORDERS = (
    "CREATE STREAM orders (id INT KEY, item STRING, tags ARRAY<INT>) WITH (KAFKA_TOPIC = 'o', VALUE_FORMAT = 'JSON');\n"
)
PAID = "CREATE STREAM paid (id INT KEY, amount INT) WITH (KAFKA_TOPIC = 'p', VALUE_FORMAT = 'JSON');\n"
OPEN = "CREATE STREAM paid WITH (KAFKA_TOPIC = 'p', VALUE_FORMAT = 'AVRO');\n"
JOIN = "FROM orders o JOIN paid p WITHIN 1 HOUR ON o.id = p.id"
TEXTS = [
    *(SOURCES + entry.right for entry in invalid(Path(__file__).parents[1] / "ksql" / "fixtures")),
    ORDERS + PAID + f"CREATE STREAM s AS SELECT o.id, item, amount, TRANSFORM(tags, x => x + amount) AS t {JOIN};",
]


def linted(text: str) -> tuple[Diagnostic, ...]:
    parsed = parse(text, "it.sql")
    assert parsed.program, parsed.diagnostics
    return lint_ksql(parsed.program)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (ORDERS + PAID + "CREATE STREAM s AS SELECT id, item FROM orders;", [("LSQ821", 2, 15, True)]),
        (ORDERS + PAID + "INSERT INTO paid VALUES (1, 2); CREATE STREAM s AS SELECT id, item FROM orders;", []),
        (ORDERS + PAID + "INSERT INTO paid SELECT id, 1 AS amount FROM orders;", []),
        (ORDERS + "CREATE STREAM s AS SELECT * FROM orders WHERE item IS NOT NULL;", []),
        (ORDERS + "CREATE STREAM s AS SELECT id, UCASE(item) FROM orders;", [("LSQ824", 2, 31, False)]),
        (ORDERS + "CREATE STREAM s AS SELECT id, item AS item FROM orders;", [("LSQ825", 2, 39, True)]),
        (ORDERS + "CREATE STREAM s AS SELECT id, item AS `item` FROM orders;", []),
        (ORDERS + PAID + f"CREATE STREAM s AS SELECT o.id, amount {JOIN};", [("LSQ822", 3, 33, True)]),
        (ORDERS + OPEN + f"CREATE STREAM s AS SELECT o.id, amount {JOIN};", [("LSQ822", 3, 33, True)]),
        (ORDERS + OPEN + f"CREATE STREAM s AS SELECT o.id, item {JOIN};", [("LSQ822", 3, 33, False)]),
        (ORDERS + PAID + f"CREATE STREAM s AS SELECT o.id, o.item, p.amount {JOIN};", []),
        (ORDERS + PAID + f"CREATE STREAM s AS SELECT o.id, TRANSFORM(o.tags, x => x + 1) AS t {JOIN};", []),
    ],
)
def test_what_a_rule_finds(text: str, found: list[tuple[str, int, int, bool]]) -> None:
    """At its line and column, and whether `--fix` changes it."""
    assert [(d.code, d.line, d.column, d.fix is not None) for d in linted(text)] == found


def test_fixes_change_no_plan() -> None:
    """Over all valid programs of the tests; a second round finds nothing to fix."""
    fixed = 0
    for text in TEXTS:
        fixes = [d.fix for d in linted(text) if d.fix]
        after, made = apply_fixes(text, fixes)
        assert made == len(fixes) and not any(d.fix for d in linted(after)), text
        assert lsqlc.compile(after, dialect="ksql").tree() == lsqlc.compile(text, dialect="ksql").tree()
        fixed += made
    assert fixed > 50
