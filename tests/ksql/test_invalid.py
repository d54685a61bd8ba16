"""What programs of ksqlDB must not say: at which place, by which code; and twins that compile."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc import CompileError
from lsqlc.diagnostics import Diagnostic
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


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.title)
def test_a_fault_is_found_at_its_place(entry: Invalid) -> None:
    """One error, with code, line and column, and the message of the file."""
    found = [(d.code, (d.line or 0) - LINES, d.column, d.message) for d in errors(entry.wrong)]
    assert found == [(entry.code, entry.line, entry.column, entry.message)]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.title)
def test_the_twin_compiles(entry: Invalid) -> None:
    """So that it is the fault that is refused, and nothing else."""
    assert not errors(entry.right)


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
