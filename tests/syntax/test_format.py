"""`fmt`: the form, and that it changes neither the program nor its comments nor, a second time, anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics.catalogue import codes, page
from lsqlc.diagnostics.source import SourceText
from lsqlc.dialects.lenses import DIALECT
from lsqlc.project.build.formatting import format_model
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax import tree
from lsqlc.syntax.formatting import align
from lsqlc.syntax.lenses.format import format_program, is_same
from lsqlc.syntax.lenses.parser import parse
from lsqlc.syntax.lenses.printer import text_of
from lsqlc.syntax.tokens import tokenize
from lsqlc.types.record import Topic
from tests.fixture_files import Pair, invalid, pairs, topics
from tests.lower_duckdb.programs import PROGRAMS, TOPICS
from tests.plan.test_random_programs import WORDS

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "tests" / "plan" / "fixtures"
FORM = pairs(Path(__file__).parent / "fixtures" / "format.sql")
_FENCE = re.compile(r"^```sql[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TOPICS = re.compile(r"^```yaml topics\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _of_page(text: str) -> list[tuple[str, dict[str, Topic]]]:
    """The programs of a Markdown page, with the topics that it declares."""
    declared = [read_declarations(yaml, "page", Defaults()) for yaml in _TOPICS.findall(text)]
    known = {d.topic.name: d.topic for each in declared for d in each.topics}
    return [(program, known) for program in _FENCE.findall(text)]


def _programs() -> list[tuple[str, dict[str, Topic]]]:
    """Every program of the suite that parses, with its topics."""
    found = [(text, dict(TOPICS)) for text in PROGRAMS.values()]
    found += [(text, topics()) for entry in invalid(PLAN) for text in (entry.right, entry.wrong)]
    found += [(p.text, topics()) for path in sorted(PLAN.glob("*.sql")) if "__" not in path.name for p in pairs(path)]
    found += [(text, {}) for entry in invalid(ROOT / "tests" / "syntax" / "fixtures") for text in (entry.right,)]
    found += [each for path in sorted((ROOT / "docs").rglob("*.md")) for each in _of_page(path.read_text("utf-8"))]
    found += [each for code in codes() for each in _of_page(page(code) or "")]
    return [(text, known) for text, known in found if parse(text, "it").program]


ALL = _programs()
_COMMENTS = (
    " -- end\n",
    " /* inline */ ",
    "\n-- own\n",
    " /* of two\n   lines */ ",
    "\n\n-- apart\n\n",
    "\n/* own */ ",
)


def program(text: str) -> tree.Program:
    found = parse(text, "it").program
    assert found, text
    return found


def formatted(text: str) -> str:
    """The text formatted, once its promises were checked."""
    before = program(text)
    once = format_program(before)
    assert is_same(before, once), once
    assert format_program(program(once)) == once, once
    return once


def fingerprint(text: str, known: dict[str, Topic]) -> str | None:
    plan = compile_program(program(text), known, name="result").plan
    return plan.fingerprint if plan else None


@pytest.mark.parametrize("entry", FORM, ids=lambda e: e.title)
def test_the_form(entry: Pair) -> None:
    """As the fixture file shows it."""
    assert formatted(entry.text) == entry.expected


def test_there_are_programs() -> None:
    """A source of programs that nobody reads any more would leave little to test."""
    assert len(ALL) > 400


def test_every_program_keeps_its_plan() -> None:
    """The fingerprint is the same before and after, and formatting again changes nothing."""
    planned = 0
    for text, known in ALL:
        before = fingerprint(text, known)
        assert fingerprint(formatted(text), known) == before, text
        planned += before is not None
    assert planned > 300


def test_the_models_of_the_reference_project_have_the_form() -> None:
    """They are what the form is taken from."""
    for path in sorted((ROOT / "models" / "gaming").glob("*.sql")):
        text = path.read_text("utf-8")
        assert formatted(text) == text


@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(st.data())
def test_comments_anywhere_are_kept(data: st.DataObject) -> None:
    """Whatever comments and line breaks stand between the words, at any width: none is lost, and none moves twice."""
    text, _ = data.draw(st.sampled_from(ALL))
    tokens, _ = tokenize(SourceText("it", text))
    parts, at = [], 0
    for token in tokens:
        between = text[at : token.start]
        if between:
            between += data.draw(st.sampled_from(("", "", "", "", "\n", *_COMMENTS)))
        parts.append(between + text[token.start : token.end])
        at = token.end
    mixed = "".join(parts)
    if parse(mixed, "it").program is None:
        # In the value of a SET, a comment is part of the value.
        return
    width = align.WIDTH
    align.WIDTH = data.draw(st.sampled_from((20, 40, 100)))
    try:
        formatted(mixed)
    finally:
        align.WIDTH = width


_ODD = (
    "{{ x }}",
    "{% if x %}",
    "{# y #}",
    "-- c\n",
    "/* d */",
    "a-b",
    "(",
    ")",
    "-",
    "`from`",
    "{{ x }}-y",
    "'{{ z }}'",
)


@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(st.data())
def test_any_text_is_formatted_or_left_alone(data: st.DataObject) -> None:
    """Programs with other words in them, and tags of templates: never an exception, and what comes out is stable."""
    words = data.draw(st.sampled_from(ALL))[0].split(" ")
    place = data.draw(st.integers(0, len(words) - 1))
    words[place : place + data.draw(st.integers(0, 1))] = [data.draw(st.sampled_from((*WORDS, *_ODD)))]
    found = format_model(" ".join(words), "it.sql", DIALECT)
    assert (found.text is None) == bool(found.diagnostics)
    assert not [note for d in found.diagnostics for note in d.notes if "afterwards" in note]
    if found.text is not None:
        assert format_model(found.text, "it.sql", DIALECT).text == found.text


@pytest.mark.parametrize(
    "text",
    ["- -x", "-(-(-x))", "(5).x", "(-5)[0]", "`select` + `distinct`", "1e30", "(a OR b) AND NOT (c AND d)",
     "a - (b - c) - d", "(a = b) IS NULL", "(a BETWEEN 1 AND 2) = b", "'it''s'", "\"a'b\"", "CAST(a AS LONG)",
     "a IN ((1), 2)", "CASE (a) WHEN 1 THEN (2) END", "COUNT( * )", "[]", "[[1], [a - 1]]", "f ()", "a . b"],
)  # fmt: skip
def test_the_text_of_an_expression_is_the_expression(text: str) -> None:
    """Read again it gives the same tree, and the same text: what names a projection is what fmt prints."""

    def expression(of: str) -> tree.Expression:
        source = program(f"SELECT STREAM {of} AS x FROM t").inserts[0].select.projections[0].source
        assert not isinstance(source, tree.Wildcard)
        return source

    printed = text_of(expression(text))
    assert text_of(expression(printed)) == printed
    before, after = (program(f"SELECT STREAM {each} AS x FROM t") for each in (text, printed))
    assert is_same(before, format_program(after))
    assert formatted(f"SELECT STREAM {text} FROM t") == f"SELECT STREAM\n    {printed}\nFROM t;\n"


def test_line_ends_stay() -> None:
    """A file from another system keeps its line ends."""
    assert formatted("SELECT STREAM a -- one\r\nFROM t\r\n") == "SELECT STREAM\r\n    a  -- one\r\nFROM t;\r\n"


@pytest.mark.parametrize(("opening", "closing"), [("f(", ")"), ("[", "]"), ("x[", "]"), ("NOT ", ""), ("(1+(", ")*2)")])
def test_what_is_deep_is_formatted_or_refused(opening: str, closing: str) -> None:
    """Up to the depth that the grammar takes."""
    for depth in (30, 60, 95):
        text = f"SELECT STREAM {opening * depth}a{closing * depth} AS x FROM t"
        if parse(text, "it").program:
            formatted(text)
