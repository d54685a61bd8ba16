"""Names and texts come out of SQL as they went in, however odd they are."""

from __future__ import annotations

import doctest

import duckdb
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from lsqlc.sql import duckdb as duck
from lsqlc.sql import engines, spark, writer
from lsqlc.sql.engines import Engine

TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("'\"`\\\n\r$_n"))
# DuckDB reads some statements only up to a zero byte.
WHOLE = TEXTS.filter(lambda text: "\0" not in text)


def selected(engine: Engine, sql: str) -> exp.Expression:
    """What another parser reads."""
    found = sqlglot.parse_one(f"SELECT {sql}", dialect=engine).expressions[0]
    assert isinstance(found, exp.Expression)
    return found


@pytest.mark.parametrize("engine", ("duckdb", "spark"))
@given(TEXTS)
def test_a_text_is_read_back(engine: Engine, text: str) -> None:
    """And has no line break, since SQL is laid out in lines."""
    literal = engines.text(engine, text)
    found = selected(engine, literal)
    assert (found.this.this if isinstance(found.this, exp.Literal) else found.this) == text
    assert "\n" not in literal and "\r" not in literal


@given(WHOLE)
def test_duckdb_reads_a_text(text: str) -> None:
    """The engine itself."""
    assert duckdb.execute(f"SELECT {duck.text(text)}").fetchall() == [(text,)]


@pytest.mark.parametrize("engine", ("duckdb", "spark"))
@given(TEXTS.filter(bool))
def test_a_name_is_read_back(engine: Engine, name: str) -> None:
    """Whatever quotes it has."""
    assert selected(engine, engines.name(engine, name)).name == name


@given(WHOLE.filter(bool))
def test_a_field_of_a_struct_is_called_by_its_label(name: str) -> None:
    """In a struct, DuckDB reads its name as a literal without escapes."""
    assert duckdb.execute(f"SELECT {duck.struct([(name, '1')])}").fetchall() == [({name: 1},)]


@given(TEXTS)
def test_a_type_is_json(name: str) -> None:
    """DuckDB's `from_json` reads the type of a record from JSON text."""
    assert duckdb.execute("SELECT ?::JSON ->> '$'", [duck.json_text(name)]).fetchall() == [(name,)]


def test_the_path_of_a_member_is_in_quotes() -> None:
    """Spark reads a backslash in them as an escape."""
    assert spark.member("a.b", "it's \\") == r"$['a.b']['it\'s \\']"
    assert spark.member("c", of="$.value") == "$.value['c']"


@pytest.mark.parametrize("module", (engines, spark, duck, writer))
def test_the_examples_hold(module: object) -> None:
    """What docstrings show is what happens."""
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
