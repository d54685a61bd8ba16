"""The SQL of every fixture is the one that was reviewed, and another parser reads it."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tests.snapshots import ENGINES, folder, statements, texts

# Valid SQL of an engine that sqlglot does not read, by what stands in it, with the reason: none is known.
UNREAD: dict[str, str] = {}


@pytest.mark.parametrize("engine", ENGINES)
def test_sql_is_what_was_reviewed(engine: str) -> None:
    """`python -m tests.snapshots` writes what differs."""
    found = {p.relative_to(folder(engine)).as_posix(): p.read_text("utf-8") for p in folder(engine).rglob("*.sql")}
    made = texts(engine)
    assert [name for name in {**found, **made} if found.get(name) != made.get(name)] == []


@pytest.mark.parametrize("everywhere", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_statement_is_read_by_sqlglot(engine: str, everywhere: bool) -> None:
    """As a query, not as a command that it takes as it is."""
    unread = {name: why for name, text in statements(engine, everywhere=everywhere) if (why := _fault(text, engine))}
    assert unread == {}


def test_what_is_no_sql_is_seen() -> None:
    """The parser refuses what the engines would."""
    assert all(_fault("SELECT f(a FROM t", engine) for engine in ENGINES)


def _fault(text: str, engine: str) -> str:
    if any(form in text for form in UNREAD):
        return ""
    try:
        found = sqlglot.parse(text, dialect=engine)
    except SqlglotError as error:
        return str(error)
    return "" if len(found) == 1 and isinstance(found[0], exp.Query) else "it is no query"
