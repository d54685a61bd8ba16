"""What the parser must refuse: at which place, by which code; and twins that it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.diagnostics.render import render
from lsqlc.syntax.lenses.parser import parse
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


@pytest.mark.parametrize("text", ["", " ", "-- nothing", ";;"])
def test_an_empty_program_is_one_that_writes_nothing(text: str) -> None:
    """At its very beginning."""
    assert [(d.code, d.line, d.column) for d in parse(text, "p").diagnostics] == [("LSQ105", 1, 1)]


def test_each_statement_shows_its_first_fault() -> None:
    """A fault ends its statement, not the program."""
    found = parse(
        "SELECT STREAM a FORM t;\nINSERT INTO x SELECT b FROM t;\nINSERT y SELECT STREAM c FROM t;", "p"
    ).diagnostics
    assert [(d.code, d.line) for d in found] == [("LSQ109", 1), ("LSQ108", 2), ("LSQ102", 3)]


def test_a_fault_is_shown_under_its_words() -> None:
    """As rustc does: the line, and carets under the very words, also behind wide characters."""
    text = "SELECT STREAM 'é😀' AS x, id total FROM orders"
    (found,) = parse(text, "models/p.sql").diagnostics
    shown = render(found, {"models/p.sql": text}).split("\n")
    line = next(i for i, part in enumerate(shown) if text in part)
    start = shown[line].index(text)
    carets = shown[line + 1]
    assert shown[line][carets.index("^") : carets.rindex("^") + 1] == "total" and carets.index("^") > start
