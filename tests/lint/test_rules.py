"""The rules of lint: what they find, what they leave alone, and that their fixes change no plan."""

from __future__ import annotations

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.lint import apply_fixes, ignore, lint_program
from lsqlc.lint.settings import LintSettings
from lsqlc.syntax.lenses.parser import parse
from tests.fixture_files import topics
from tests.syntax.test_format import ALL


def linted(text: str) -> tuple[Diagnostic, ...]:
    """What lint finds over the fixtures' topics."""
    parsed = parse(text, "it.sql")
    assert parsed.program, parsed.diagnostics
    return lint_program(parsed.program, topics())


def everything(text: str) -> tuple[Diagnostic, ...]:
    """What parsing, compiling and lint find."""
    parsed = parse(text, "it.sql")
    if parsed.program is None:
        return parsed.diagnostics
    compiled = compile_program(parsed.program, topics(), name="result")
    return (*parsed.diagnostics, *compiled.diagnostics, *lint_program(parsed.program, topics()))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT STREAM * FROM orders", [("LSQ820", 15)]),
        ("WITH c AS (SELECT TABLE * FROM customers); SELECT STREAM o.item FROM orders AS o JOIN c ON o.id = c.id", []),
        ("WITH orders AS (SELECT TABLE * FROM orders); SELECT TABLE * FROM orders", [("LSQ820", 59)]),
        (
            "WITH o AS (SELECT TABLE * FROM orders); WITH p AS (SELECT TABLE * FROM o); SELECT TABLE * FROM p",
            [("LSQ820", 89)],
        ),
        ("WITH o AS (SELECT STREAM item FROM orders); SELECT STREAM * FROM o", []),
        ("WITH o AS (SELECT STREAM item FROM orders); SELECT STREAM o._value.* FROM o", []),
        ("WITH o AS (SELECT STREAM item FROM orders); SELECT STREAM item FROM orders", [("LSQ821", 6)]),
        ("WITH orders AS (SELECT STREAM item FROM orders); SELECT STREAM item FROM orders", []),
        ("SELECT TABLE item FROM orders JOIN customers", [("LSQ822", 14)]),
        ("SELECT TABLE orders.item FROM orders JOIN customers ON customers.id = orders.id", []),
        ("SELECT TABLE o.item FROM orders AS o JOIN customers ON id = o.customer_id", [("LSQ822", 56)]),
        ("SELECT STREAM item FROM orders WHERE item = NULL", [("LSQ823", 38)]),
        ("SELECT STREAM item FROM orders WHERE NULL <> item OR item IS NULL", [("LSQ823", 38)]),
        ("SELECT STREAM UPPER(item) FROM orders", [("LSQ824", 15)]),
        ("SELECT STREAM UPPER(item) AS item, orders.id, gaming-sessions.x FROM orders", []),
        ("SELECT STREAM item AS item FROM orders", [("LSQ825", 23)]),
        ("SELECT STREAM id AS _key, _key AS id, item AS _value.item FROM orders", []),
    ],
)
def test_what_a_rule_finds(text: str, found: list[tuple[str, int]]) -> None:
    """At the column of the words that it is about, and not in the twin."""
    assert [(d.code, d.column) for d in linted(text)] == found


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("SELECT STREAM id, item, FROM orders", "SELECT STREAM id, item FROM orders"),
        ("SELECT STREAM item AS item FROM orders", "SELECT STREAM item FROM orders"),
        (
            "WITH o AS (SELECT STREAM item FROM orders);\n\nSELECT STREAM item FROM orders",
            "SELECT STREAM item FROM orders",
        ),
        (
            "SELECT TABLE item, UPPER(name) AS n FROM orders JOIN customers ON customer_id = customers.id",
            "SELECT TABLE orders.item, UPPER(customers.name) AS n "
            "FROM orders JOIN customers ON orders.customer_id = customers.id",
        ),
        (
            "SELECT STREAM COUNT(*) AS n FROM orders GROUP BY tumble(1, m), item",
            "SELECT STREAM COUNT(*) AS n FROM orders WINDOW BY TUMBLE 1m GROUP BY item",
        ),
        (
            "SELECT STREAM COUNT(*) AS n FROM orders GROUP BY item, HOP(5,m,1,m)",
            "SELECT STREAM COUNT(*) AS n FROM orders WINDOW BY HOP 5m, 1m GROUP BY item",
        ),
        (
            "SELECT STREAM orders.item FROM orders LEFT OUTER JOIN orders AS o WITHIN 5s ON orders.id = o.id WITHIN 5s",
            "SELECT STREAM orders.item FROM orders LEFT JOIN orders AS o WITHIN 5s ON orders.id = o.id",
        ),
        (
            "SELECT TABLE orders.item FROM orders JOIN customers "
            "ON orders.id = customers.id AND orders.amount > 1 OR orders.amount < 0",
            "SELECT TABLE orders.item FROM orders JOIN customers "
            "ON orders.id = customers.id AND (orders.amount > 1 OR orders.amount < 0)",
        ),
    ],
)
def test_a_fix_mends_what_it_is_for(text: str, mended: str) -> None:
    """All fixes at once give the text that is meant, and nothing is left to fix in it."""
    fixes = [d.fix for d in everything(text) if d.fix]
    assert apply_fixes(text, fixes) == (mended, len(fixes))
    assert not [d for d in everything(mended) if d.fix]


@pytest.mark.parametrize(
    "text",
    [
        # The field would be called otherwise.
        "SELECT TABLE UPPER(item) FROM orders JOIN customers",
        # IS NULL gives other rows.
        "SELECT STREAM item FROM orders WHERE item = NULL",
        # The comment would be gone.
        "WITH o AS (SELECT STREAM item FROM orders -- why\n); SELECT STREAM item FROM orders",
        "SELECT STREAM (item) AS item FROM orders",
    ],
)
def test_no_fix_where_it_would_change_more(text: str) -> None:
    """A finding without one."""
    found = linted(text)
    assert found and not [d for d in found if d.fix]


def test_fixes_change_no_plan() -> None:
    """Over every program of the suite, one fix after the other: the fingerprint stays."""
    tried = 0
    for text, known in ALL:
        parsed = parse(text, "it.sql")
        assert parsed.program
        compiled = compile_program(parsed.program, known, name="result")
        if compiled.plan is None:
            continue
        found = (*parsed.diagnostics, *compiled.diagnostics, *lint_program(parsed.program, known))
        for fix in (d.fix for d in found if d.fix):
            mended = parse(apply_fixes(text, [fix])[0], "it.sql").program
            assert mended, text
            again = compile_program(mended, known, name="result").plan
            assert again and again.fingerprint == compiled.plan.fingerprint, apply_fixes(text, [fix])[0]
            tried += 1
    assert tried > 30


def test_edits_that_overlap_are_made_one_by_one() -> None:
    """The first of them now, the other in the next round."""
    text = "SELECT TABLE item AS item FROM orders JOIN customers"
    fixes = [d.fix for d in linted(text) if d.fix]
    assert apply_fixes(text, [*fixes, *fixes]) == ("SELECT TABLE orders.item FROM orders JOIN customers", 2)


IGNORING = """\
SET a = 1; -- lint: ignore LSQ820

-- lint: ignore LSQ820, LSQ824: all of the statement
INSERT INTO a
SELECT STREAM *
  , UPPER(item)
FROM orders;

INSERT INTO b
SELECT STREAM
    -- lint: ignore LSQ824: the next line
    UPPER(item)
  , LOWER(item)
  , LENGTH(item) -- lint: ignore LSQ824
FROM orders; -- lint: ignore LSQ999, LSQ201
"""


def test_comments_ignore_findings() -> None:
    """Of their line, of the next one, of a statement; and what ignores nothing is found itself."""
    shown = ignore(linted(IGNORING), {"it.sql": IGNORING})
    assert [(d.code, d.line) for d in shown.remaining] == [("LSQ824", 13)]
    assert [(d.code, d.line) for d in shown.ignored] == [("LSQ820", 5), ("LSQ824", 6), ("LSQ824", 12), ("LSQ824", 14)]
    assert [(d.code, d.line, d.column) for d in shown.idle] == [
        ("LSQ826", 1, 28),
        ("LSQ826", 15, 30),
        ("LSQ826", 15, 38),
    ]


def test_a_file_is_ignored_as_a_whole() -> None:
    """Wherever the comment stands."""
    text = "SELECT STREAM UPPER(item), LOWER(item) FROM orders\n-- lint: ignore-file LSQ824: names are made elsewhere\n"
    shown = ignore(linted(text), {"it.sql": text})
    assert not shown.remaining and not shown.idle and len(shown.ignored) == 2


def test_errors_cannot_be_left_out() -> None:
    """Neither by selecting other codes nor by ignoring theirs."""
    settings = LintSettings(frozenset({"LSQ820"}), frozenset({"LSQ201", "LSQ820"}))
    assert settings.wants("LSQ201") and not settings.wants("LSQ820") and not settings.wants("LSQ821")
