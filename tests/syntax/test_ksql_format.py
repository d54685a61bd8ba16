"""`fmt` of ksqlDB programs: the form, and that it changes neither the program nor its comments nor anything again."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lsqlc
from lsqlc import CompileError
from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.ksql.format import format_ksql, is_same
from lsqlc.syntax.ksql.parser import parse
from lsqlc.syntax.ksql.tree import Program
from lsqlc.syntax.tokens import tokenize
from tests.corpora.ksql import load, statements
from tests.corpora.verdict import corpus
from tests.fixture_files import invalid
from tests.ksql.programs import SOURCES

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent / "ksql"
CORPUS = corpus("ksql_cases.json")
_FENCE = re.compile(r"^```ksql[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMENTS = (" -- end\n", " /* inline */ ", "\n-- own\n", " /* of two\n   lines */ ", "\n\n-- apart\n\n")


def _programs() -> list[str]:
    """Every program of the suite that parses: of the page, of the fixtures, and of the corpus where there is one."""
    found = _FENCE.findall((ROOT / "docs" / "reference/ksql.md").read_text("utf-8"))
    found += [SOURCES + text for e in invalid(ROOT / "tests" / "ksql" / "fixtures") for text in (e.right, e.wrong)]
    found += ["\n".join(statements(case)) for case in load(CORPUS)] if CORPUS.is_file() else []
    return [text for text in found if parse(text, "it").program]


ALL = _programs()


def program(text: str) -> Program:
    found = parse(text, "it").program
    assert found, text
    return found


def formatted(text: str) -> str:
    """The text formatted, once its promises were checked."""
    before = program(text)
    once = format_ksql(before)
    assert is_same(before, once), once
    assert format_ksql(program(once)) == once, once
    return once


def fingerprint(text: str) -> str | None:
    try:
        return lsqlc.compile(text, dialect="ksql").fingerprint
    except CompileError:
        return None


def test_the_form() -> None:
    """Words of the language in upper case, names as they are, a clause a line, comments where they belong."""
    written = (HERE / "written.sql").read_text("utf-8")
    assert formatted(written) == (HERE / "formatted.sql").read_text("utf-8")


@pytest.mark.parametrize("number", range(len(ALL)))
def test_the_plan_stays(number: int) -> None:
    """Whatever a program says, formatted it says the same."""
    text = ALL[number]
    assert fingerprint(formatted(text)) == fingerprint(text)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_comments_may_stand_anywhere(data: st.DataObject) -> None:
    """Between any two words, and no comment is lost."""
    text = data.draw(st.sampled_from(ALL))
    tokens, _ = tokenize(SourceText("it", text), "ksql")
    # A name that begins with digits comes as two tokens that touch.
    gaps = [0, *(t.start for a, t in pairwise(tokens) if a.end < t.start), len(text)]
    places = data.draw(st.lists(st.sampled_from(gaps), max_size=3))
    for place in sorted(places, reverse=True):
        text = text[:place] + data.draw(st.sampled_from(_COMMENTS)) + text[place:]
    formatted(text)


def test_another_program_is_told() -> None:
    """The check that stands before every file that is written sees a name, a word, an order and a comment."""
    before = program("CREATE STREAM o AS SELECT a, b FROM s EMIT CHANGES; -- why")
    for other in (
        "CREATE STREAM o AS SELECT a, c FROM s; -- why", "CREATE TABLE o AS SELECT a, b FROM s; -- why",
        "CREATE STREAM o AS SELECT b, a FROM s; -- why", "CREATE STREAM o AS SELECT a, b FROM s; -- what",
        "CREATE STREAM o AS SELECT a, b FROM s EMIT FINAL; -- why", "CREATE STREAM",
    ):  # fmt: skip
        assert not is_same(before, other)
