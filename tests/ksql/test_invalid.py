"""What programs of ksqlDB must not say: at which place, by which code; and twins that compile."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lsqlc
from lsqlc import CompileError
from lsqlc.diagnostics import Diagnostic
from tests.each import each
from tests.fixture_files import Invalid, invalid
from tests.ksql.programs import SOURCES

ENTRIES = invalid(Path(__file__).parent / "fixtures")
# The sources stand before each program.
LINES = SOURCES.count("\n")


def errors(text: str) -> list[Diagnostic]:
    try:
        lsqlc.compile(SOURCES + text, dialect="ksql")
    except CompileError as refused:
        return [d for d in refused.diagnostics if d.is_error]
    return []


@each("entry", ENTRIES)
def test_a_fault_is_found_at_its_place(entry: Invalid) -> None:
    """One error, with code, line and column, and the message of the file."""
    found = [(d.code, (d.line or 0) - LINES, d.column, d.message) for d in errors(entry.wrong)]
    assert found == [(entry.code, entry.line, entry.column, entry.message)]


@each("entry", ENTRIES)
def test_the_twin_compiles(entry: Invalid) -> None:
    """So that it is the fault that is refused, and nothing else."""
    assert not errors(entry.right)


# Errors whose help is the whole statement as it has to be.
CORRECTED = ("LSQ130", "LSQ305", "LSQ350", "LSQ351", "LSQ352", "LSQ353", "LSQ368", "LSQ373", "LSQ380")
WRONG = [
    *(e.wrong for e in ENTRIES if e.code in CORRECTED and "VALUES" not in e.wrong),
    "SELECT item FROM orders -- the newest first\n  EMIT CHANGES;",
    "SELECT city FROM users;",
    "SELECT COUNT(*) FROM orders GROUP BY item, id;",
    "SELECT item, paid FROM orders o FULL JOIN payments p WITHIN 1 HOUR ON o.id = p.id;",
    "SELECT u.city, v.size FROM users u JOIN cities v ON u.city = v.name;",
    "CREATE STREAM o AS SELECT\n  item /* what */, amount -- how much\nFROM orders WHERE item <> '--';",
    "CREATE STREAM o AS SELECT item AS id, amount FROM orders;",
    "CREATE STREAM o AS SELECT *, id AS again FROM orders;",
    "CREATE STREAM o AS SELECT id, id AS `again`, 1 FROM orders;",
    "CREATE TABLE o WITH (KEY_FORMAT='JSON') AS SELECT COUNT(*) AS n FROM orders GROUP BY id AS x, item AS y;",
    "CREATE TABLE o AS SELECT COUNT(*) AS n FROM orders GROUP BY (LEN(item) AS `size`) HAVING COUNT(*) > 1;",
    "CREATE STREAM o AS SELECT paid, item FROM orders a JOIN payments b WITHIN 1 DAY ON ABS(a.id) = ABS(b.id) AS k;",
    "CREATE TABLE o AS SELECT item FROM orders GROUP BY item HAVING COUNT(*) > 1;",
    "CREATE STREAM o AS SELECT id, rowtime FROM orders;",
    "CREATE STREAM o AS SELECT *, LEN(item) AS item FROM orders;",
]  # fmt: skip


@each("wrong", WRONG)
def test_the_help_shows_a_statement_that_compiles(wrong: str) -> None:
    """It can be taken as it stands, in the place of the query or of the whole statement."""
    found = errors(wrong)
    assert len(found) == 1 and found[0].code in CORRECTED and found[0].help
    words = re.search(r"\b(?:CREATE|SELECT)\b.*", found[0].help, re.DOTALL)
    assert words is not None
    corrected = words[0] if words[0].startswith("CREATE") else re.sub(r"(?s)\bSELECT\b.*", lambda _: words[0], wrong)
    assert not errors(corrected)


@each("on", ["o.id = c.name", "c.name = o.id", "o.amount = c.name"])
def test_the_help_converts_the_side_that_can_be_converted(on: str) -> None:
    """A table is looked up by its primary key as it is."""
    program = "CREATE STREAM o AS SELECT o.id, c.name, c.size FROM orders o JOIN cities c ON {};"
    (found,) = errors(program.format(on))
    assert found.code == "LSQ359" and found.help is not None
    side = on.replace("c.name", "").replace("=", "").strip()
    converted = found.help.removeprefix("convert one side: ")
    assert not errors(program.format(on.replace(side, converted)))


def test_the_primary_key_comes_before_its_type() -> None:
    """A condition on another column has the wrong column, whatever its type."""
    (found,) = errors("CREATE STREAM o AS SELECT o.id, c.size FROM orders o JOIN cities c ON o.item = c.size;")
    assert found.code == "LSQ356" and found.help == "its primary key is NAME"


def test_a_select_of_its_own_keeps_its_key() -> None:
    """The statement that the help shows has the key in its projection, and is of the kind that the query gives."""
    found = errors("SELECT city FROM users;")
    assert found[0].help == "CREATE TABLE name AS SELECT ID, city FROM users;"


@pytest.mark.parametrize(
    "text",
    [
        "", ";", "CREATE", "CREATE STREAM", "CREATE STREAM o AS", "CREATE STREAM o AS SELECT", "CREATE STREAM o (", "'",
        "CREATE STREAM o AS SELECT id FROM orders WHERE (", "INSERT INTO", "SET 'a'",
        "CREATE STREAM o AS SELECT * FROM",
        "CREATE STREAM o AS SELECT id, CASE FROM orders", "CREATE STREAM o AS SELECT id, a[ FROM orders", "\x00",
        "CREATE STREAM o AS SELECT id, " + "(" * 300 + "1" + ")" * 300 + " FROM orders",
        "CREATE STREAM o AS SELECT id, " + "-" * 300 + "1 FROM orders",
        "CREATE STREAM o AS SELECT id, 99999999999999999999 FROM orders",
        "CREATE STREAM s (id " + "ARRAY<" * 200 + "INT" + ">" * 200 + ") WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON')",
    ],
    ids=lambda t: repr(t[:40]),
)  # fmt: skip
def test_bad_input_ends_in_a_diagnostic(text: str) -> None:
    """Never in another exception."""
    with pytest.raises(CompileError):
        lsqlc.compile(text, dialect="ksql")


def test_a_long_chain_of_conditions_is_no_deep_one() -> None:
    """As many ORs as one likes, up to what the next stages walk."""
    chain = " OR ".join(f"amount = {i}" for i in range(60))
    assert not errors(f"CREATE STREAM o AS SELECT id, item FROM orders WHERE {chain};")
