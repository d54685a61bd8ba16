"""What binding must refuse: at which place, by which code; and twins that it takes."""

from __future__ import annotations

from pathlib import Path

from tests.each import each
from tests.fixture_files import Invalid, compiled, invalid

ENTRIES = invalid(Path(__file__).parent / "fixtures")


@each("entry", ENTRIES)
def test_a_fault_is_found_at_its_place(entry: Invalid) -> None:
    """One error, with code, line and column, and the message of the file."""
    _, found = compiled(entry.wrong)
    errors = [(d.code, d.line, d.column, d.message) for d in found if d.is_error]
    assert errors == [(entry.code, entry.line, entry.column, entry.message)]


@each("entry", ENTRIES)
def test_the_twin_compiles(entry: Invalid) -> None:
    """So that it is the fault that is refused, and nothing else."""
    assert not [d for d in compiled(entry.right)[1] if d.is_error]


def test_all_errors_of_a_program_are_shown() -> None:
    """One run names every fault that does not follow from another."""
    text = """INSERT INTO a SELECT STREAM itm, amount + item AS x FROM orders WHERE amount;
INSERT INTO b SELECT STREAM * FROM order"""
    found = [(d.code, d.line) for d in compiled(text)[1]]
    assert found == [("LSQ201", 1), ("LSQ212", 1), ("LSQ210", 1), ("LSQ200", 2)]


def test_what_follows_from_a_broken_with_is_not_reported() -> None:
    """A WITH that has errors is known by name: a query that reads it says nothing new."""
    text = "WITH a AS (SELECT STREAM itm FROM orders);\nINSERT INTO b SELECT STREAM itm FROM a"
    assert [(d.code, d.line) for d in compiled(text)[1]] == [("LSQ201", 1)]


def test_strict_nullability_refuses_operands_that_may_be_null() -> None:
    """Only where the project asks for it; a default, an assertion or a test for null are the ways out."""
    text = "SELECT STREAM amount + 1 AS x FROM orders"
    assert [d.code for d in compiled(text, strict=True)[1]] == ["LSQ220"]
    assert not compiled(text)[1]
    for way_out in ("COALESCE(amount, 0)", "AS_NON_NULLABLE(amount)", "CASE WHEN amount IS NOT NULL THEN 1 ELSE 0 END"):
        assert not compiled(f"SELECT STREAM {way_out} + 1 AS x FROM orders", strict=True)[1], way_out
