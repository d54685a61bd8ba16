"""Functions of other SQLs in models of standard SQL: the help says what stands for each, or why nothing does."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc.diagnostics import Diagnostic
from lsqlc.functions import catalogue
from lsqlc.syntax.sql.foreign import FORMS, REASONS
from tests.each import each

# A column for each name that the forms have.
TOPIC = lsqlc.Topic(
    "t",
    key="STRING",
    value="value INT, number INT, text STRING, sought STRING, start INT, size INT, one INT, other INT,"
    " condition BOOLEAN, array ARRAY<STRING>, time TIMESTAMP",
)
ARGUMENTS = ("'day', time", "text", "text, text", "text, start, size", "array, start", "")


def faults(query: str) -> tuple[Diagnostic, ...]:
    """The errors of a query over the topic."""
    try:
        lsqlc.compile(query, dialect="sql", topics=[TOPIC])
    except lsqlc.CompileError as error:
        return error.diagnostics
    return ()


@each("name", {**FORMS, **REASONS})
def test_a_function_of_others(name: str) -> None:
    """It is unknown, and the help is the table's, whatever names are like it."""
    assert catalogue.scalar(name, "sql") is None and catalogue.aggregate(name, "sql") is None
    said = f"write {FORMS[name]}" if name in FORMS else REASONS[name]
    # The parser knows some of them with as many arguments as Spark's function takes.
    found = (d for call in ARGUMENTS for d in faults(f"SELECT {name}({call}) AS x FROM t"))
    assert next(d.help for d in found if d.code == "LSQ206") == said


@each("name", FORMS)
def test_what_stands_for_it_compiles(name: str) -> None:
    """The form as it is written, over columns of the names that it has."""
    form = FORMS[name]
    grouped = any(aggregate in form for aggregate in ("COUNT(", "COUNT_IF(", "SUM("))
    source = "STREAM t" if "DISTINCT" in form else "t"
    query = f"SELECT {form} AS x, text AS g FROM {source}" + (" GROUP BY text" if grouped else "")
    assert [(d.code, d.message) for d in faults(query)] == []


@pytest.mark.parametrize("call", ["MAP(text)", "MAP(text, text, text)"])
def test_arguments_that_the_parser_does_not_expect(call: str) -> None:
    """An error, and never the failure of a library."""
    (found,) = faults(f"SELECT {call} AS x FROM t")
    assert found.code in ("LSQ208", "LSQ209")


@pytest.mark.parametrize("name", ["MAXK", "MINK"])
def test_what_the_other_dialect_has(name: str) -> None:
    """A reason that names a function of Lenses models names one that there is."""
    assert any(f"{name}(" in reason for reason in REASONS.values())
    assert catalogue.scalar(name) or catalogue.aggregate(name)
