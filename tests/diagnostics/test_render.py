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
