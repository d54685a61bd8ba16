"""Whatever text comes in, it ends in a plan or in diagnostics that lie in the text: never in a traceback."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.catalogue import codes
from lsqlc.diagnostics.render import render
from lsqlc.lower.duckdb.queries import plan_sql
from tests.fixture_files import compiled
from tests.lower_duckdb.programs import PROGRAMS
from tests.plan.test_fingerprints import BASE

_WORDS = """
SELECT STREAM TABLE FROM WHERE GROUP BY HAVING JOIN LEFT RIGHT OUTER INNER ON WITHIN LATERAL AS AND OR NOT NULL TRUE
CASE WHEN THEN ELSE END IS IN LIKE BETWEEN INSERT INTO WITH STORE KEY VALUE SET WINDOW TUMBLE HOP SESSION GRACE
EVENTTIME COUNT SUM MAXK UPPER COALESCE CAST orders customers gaming-sessions a.b.commerce _key _value id amount tags
address.city item x * , ; . ( ) [ ] = <> < + - / % 1 2.5 1h 5 s 'text' "text" `name` ' /* -- || é 😀
"""
WORDS = (*_WORDS.split(), "\n")
# How expressions nest: what stands before and behind the inner one.
NESTS = (
    ("(", ")"),
    ("-", ""),
    ("NOT ", ""),
    ("UPPER(", ")"),
    ("[", "]"),
    ("CASE WHEN TRUE THEN ", " END"),
    ("CAST(", " AS INT)"),
    ("x[", "]"),
    ("1 + ", ""),
    ("1 IN (", ")"),
    ("a-", ""),
)
VALID = [BASE, *PROGRAMS.values()]
SETTINGS = settings(max_examples=250, derandomize=True, deadline=None, database=None)


def check(text: str) -> None:
    """Compiling gives a plan or an error, and every finding has a page, a place inside the text, and a rendering; with
    the strict check of nullability too.
    """
    for strict in (False, True):
        result, found = compiled(text, strict=strict)
        assert (result.plan is not None) != any(d.is_error for d in found)
        for diagnostic in found:
            in_place(diagnostic, text)


def in_place(diagnostic: Diagnostic, text: str) -> None:
    lines = text.split("\n")
    span = diagnostic.span
    assert diagnostic.code in codes() and span
    assert 1 <= span.line <= span.end_line <= len(lines)
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1
    assert (span.line, span.column) <= (span.end_line, span.end_column)
    assert f"[{diagnostic.code}]" in render(diagnostic, {span.path: text})


@SETTINGS
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_words_in_any_order(text: str) -> None:
    """Keywords, names and marks thrown together."""
    check(text)


@SETTINGS
@given(
    st.lists(st.sampled_from(WORDS), max_size=25).map(lambda words: "SELECT STREAM " + " ".join(words) + " FROM orders")
)
def test_any_projections(text: str) -> None:
    """What gets further, since it begins and ends well."""
    check(text)


@SETTINGS
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    """Any characters at all."""
    check(text)


@settings(SETTINGS, max_examples=400)
@given(st.data())
def test_programs_with_words_left_out_doubled_and_exchanged(data: st.DataObject) -> None:
    """Valid programs, cut and mended by chance."""
    words = data.draw(st.sampled_from(VALID)).split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(words) - 1))
        edit = data.draw(st.sampled_from(["drop", "double", "replace", "swap"]))
        if edit == "drop" and len(words) > 1:
            del words[place]
        elif edit == "double":
            words.insert(place, words[place])
        elif edit == "replace":
            words[place] = data.draw(st.sampled_from(WORDS))
        else:
            other = data.draw(st.integers(0, len(words) - 1))
            words[place], words[other] = words[other], words[place]
    check(" ".join(words))


@settings(SETTINGS, max_examples=150)
@given(st.sampled_from(VALID), st.integers(0, 400))
def test_programs_that_break_off(text: str, length: int) -> None:
    """A program that ends anywhere."""
    check(text[:length])


def test_what_is_nested_without_end() -> None:
    """Depth is an error of its own, at any of the ways to nest."""
    for opening, closing in NESTS:
        check(f"SELECT STREAM {opening * 3000}id{closing * 3000} AS x FROM orders")
    check("SELECT STREAM CAST(id AS " + "ARRAY<" * 3000 + "INT" + ">" * 3000 + ") AS x FROM orders")
    check("SELECT STREAM id" + ".id" * 3000 + " AS x FROM orders")
    check("SELECT STREAM id" + "[0]" * 3000 + " AS x FROM orders")
    check("SELECT STREAM address" + "[0].x" * 3000 + " AS x FROM orders")
    check("SELECT STREAM id AS " + ".".join(["a"] * 3000) + " FROM orders")


def test_what_is_wide_without_end() -> None:
    """Breadth has no bound, or an error of its own."""
    for text in (
        "SELECT STREAM id FROM orders WHERE " + " AND ".join(f"id > {i}" for i in range(5000)),
        "SELECT STREAM " + " + ".join(["id"] * 5000) + " AS x FROM orders",
        "SELECT STREAM CONCAT(" + ", ".join(["item"] * 5000) + ") AS x FROM orders",
        "SELECT STREAM id FROM orders WHERE id IN (" + ", ".join(map(str, range(5000))) + ")",
        "SELECT STREAM " + ", ".join(f"id AS c{i}" for i in range(2000)) + " FROM orders",
        ";".join(f"INSERT INTO t{i} SELECT STREAM id FROM orders" for i in range(1000)),
        "SELECT STREAM id FROM orders" + " LATERAL items AS x" * 500,
        "SET a = 'b';" * 2000,
        "-- nothing\n" * 50_000 + "SELECT STREAM id FROM orders",
        "SELECT STREAM '" + "x" * 1_000_000 + "' AS x FROM orders",
        "SELECT STREAM " + "x" * 1_000_000 + " FROM orders",
        ";" * 100_000,
        "(" * 100_000,
    ):
        check(text)


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        (f"SELECT STREAM {'9' * 5000} AS x FROM orders", "LSQ211", 15),
        ("SELECT STREAM id, 1e309 AS x FROM orders", "LSQ211", 19),
        (f"SELECT STREAM 1{'0' * 400}.5 AS x FROM orders", "LSQ211", 15),
        ("SELECT STREAM id FROM orders WHERE item = 'a\ud800'", "LSQ102", 45),
        ("SELECT STREAM `\udfff` FROM orders", "LSQ102", 16),
    ],
)
def test_what_no_type_holds(text: str, code: str, column: int) -> None:
    """Numbers beyond DOUBLE, and halves of characters."""
    check(text)
    (found,) = compiled(text)[1]
    assert found.span and (found.code, found.span.column) == (code, column)


def test_programs_without_end() -> None:
    """Chains of WITH, straight and doubling, have bounds; what a program within them asks for is planned."""
    for step, sources, expected in (
        ("SELECT TABLE id + 1 AS id FROM a{}", 1500, {"LSQ345"}),
        ("SELECT TABLE x.id AS id FROM a{0} AS x JOIN a{0} AS y", 30, {"LSQ345"}),
        ("SELECT TABLE id + 1 AS id FROM a{}", 58, set()),
        ("SELECT TABLE x.id AS id FROM a{0} AS x JOIN a{0} AS y", 7, set()),
    ):
        withs = "".join(f"WITH a{i + 1} AS ({step.format(i)}); " for i in range(sources))
        text = f"WITH a0 AS (SELECT TABLE id FROM orders); {withs} SELECT TABLE id FROM a{sources}"
        result, found = compiled(text)
        assert {d.code for d in found} == expected
        assert result.plan is None or (result.plan.tree() and result.plan.to_json() and plan_sql(result.plan))
