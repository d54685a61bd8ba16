"""Offsets and the positions of the protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.diagnostics.source import SourceText
from lsqlc.editor.text import Encoding, Lines

TEXTS = st.text(st.sampled_from("aé\u20ac\U0001f600\n\r\u2028\x0b\x85 `'"), max_size=40)
ENCODINGS = st.sampled_from(("utf-8", "utf-16", "utf-32"))


@given(TEXTS, ENCODINGS, st.integers(0, 40))
def test_there_and_back(text: str, encoding: Encoding, offset: int) -> None:
    """Each place of a text has a position, which leads back to it; in the middle of a line end, to its start."""
    offset = min(offset, len(text))
    lines = Lines(text)
    back = lines.at(*lines.position(offset, encoding), encoding)
    inside = text[max(0, offset - 1) : offset + 1] == "\r\n"
    assert back == (offset - 1 if inside else offset)


@given(TEXTS, ENCODINGS, st.integers(-3, 50), st.integers(-3, 50))
def test_any_position_is_some_place(text: str, encoding: Encoding, line: int, character: int) -> None:
    """Behind the end of a line lies its end, behind the last line the end of the text."""
    assert 0 <= Lines(text).at(line, character, encoding) <= len(text)


@given(TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_spans_are_those_of_findings(text: str, one: int, other: int) -> None:
    """The lines of a finding are cut at newlines alone, and lead to the same offsets."""
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    lines = Lines(text)
    assert lines.extent(SourceText("a", text).span((start, end))) == (start, end)
    assert lines.offset(*lines.place(start)) == start


@pytest.mark.parametrize(
    ("text", "offset", "positions"),
    [
        ("ab", 1, {"utf-8": (0, 1), "utf-16": (0, 1), "utf-32": (0, 1)}),
        ("\U0001f600b", 1, {"utf-8": (0, 4), "utf-16": (0, 2), "utf-32": (0, 1)}),
        ("a\r\né\u20acb", 5, {"utf-8": (1, 5), "utf-16": (1, 2), "utf-32": (1, 2)}),
        ("a\rb", 2, {"utf-8": (1, 0), "utf-16": (1, 0), "utf-32": (1, 0)}),
        ("a\u2028b", 2, {"utf-8": (0, 4), "utf-16": (0, 2), "utf-32": (0, 2)}),
    ],
)
def test_positions(text: str, offset: int, positions: dict[Encoding, tuple[int, int]]) -> None:
    """Lines end as the protocol says, and characters are counted in units of the encoding."""
    lines = Lines(text)
    assert {encoding: lines.position(offset, encoding) for encoding in positions} == positions


def test_a_half_of_a_character_is_its_start() -> None:
    """A position between the two units of a character is where the character is."""
    assert Lines("a\U0001f600b").at(0, 2, "utf-16") == 1
