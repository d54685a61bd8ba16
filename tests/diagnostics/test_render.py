"""What a person sees of a finding."""

from __future__ import annotations

import pytest

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.diagnostic import Span
from lsqlc.diagnostics.render import render


@pytest.mark.parametrize("sign", ["\x1b", "\x00", "\x7f", "\x9b", "\r", "\u202e", "\u2066"])
def test_nothing_quoted_steers_the_terminal(sign: str) -> None:
    """Neither in the message, nor in the source line, nor in notes and helps; the caret stays under its word."""
    source = f"SELECT {sign}[31m bad"
    span = Span("m.sql", 1, 14, 1, 17)
    found = Diagnostic("LSQ200", f"unknown '{sign}x'", span, (f"a {sign} note",), f"a {sign} help")
    text = render(found, {"m.sql": source})
    assert sign not in text
    line, carets = next((a, b) for a, b in zip(text.split("\n"), text.split("\n")[1:], strict=False) if "bad" in a)
    assert carets.index("^") == line.index("bad")


def test_text_in_any_script_is_shown_as_it_is() -> None:
    """Letters, signs beyond the BMP and tabs."""
    found = Diagnostic("LSQ200", "unknown 'größe 🚲 שלום'", Span("m.sql", 1, 2, 1, 3), (), None)
    text = render(found, {"m.sql": "\tgröße 🚲"})
    assert "größe 🚲 שלום" in text and "1 | \tgröße 🚲" in text


@pytest.mark.parametrize("start", [0, 10, 500_000, 999_990])
def test_of_a_long_line_what_is_around_the_words_is_shown(start: int) -> None:
    """With an ellipsis for what is left out, and the carets under the words, however many the words are."""
    source = "x" * start + "WORDS" + "y" * (1_000_000 - start)
    for length in (5, 400_000):
        found = Diagnostic("LSQ200", "unknown", Span("m.sql", 1, start + 1, 1, start + 1 + length))
        text = render(found, {"m.sql": source})
        _, _, _, line, carets = text.split("\n")
        assert len(line) < 180 and len(carets) < 180
        assert line[carets.index("^") :].startswith("WORDS")
        marked = line[carets.index("^") : carets.rindex("^") + 1]
        assert set(carets.strip(" |")) == {"^"}
        assert marked == "WORDS" if length == 5 else line.removesuffix("...").endswith(marked)
        assert line.startswith("1 | ...") == (start > 100) and line.endswith("...") == (start < 999_000)


def test_what_a_finding_quotes_is_cut() -> None:
    """Wherever it is shown: a name of a million letters is told by its begin and its end."""
    found = Diagnostic("LSQ200", f"unknown '{'x' * 1_000_000}y'", None, ("n" * 9_999,), "h" * 9_999)
    assert len(found.message) < 600 and found.message.endswith("xy'") and " ... " in found.message
    assert len(found.notes[0]) < 2_100 and found.help is not None and len(found.help) < 2_100
