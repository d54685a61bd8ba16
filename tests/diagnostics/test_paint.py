"""Colours of a terminal, and the marks inside changed lines."""

from __future__ import annotations

from lsqlc.diagnostics.paint import PLAIN, Paint

PAINT = Paint(on=True)


def test_without_colour_text_stays_as_it_is() -> None:
    """Pipes and files get no escape."""
    assert PLAIN("a", "bad") == "a" and PLAIN.versions("a b", "a c") == ("a b", "a c")


def test_the_words_that_differ_are_marked() -> None:
    """What two versions of a line share is in the colour of the line, the rest is in reverse video."""
    before, after = PAINT.versions("Filter (a > 3)", "Filter (a > 14)")
    assert before == "\x1b[31mFilter (a > \x1b[0m\x1b[31;7m3\x1b[0m\x1b[31m)\x1b[0m"
    assert after == "\x1b[32mFilter (a > \x1b[0m\x1b[32;7m14\x1b[0m\x1b[32m)\x1b[0m"


def test_lines_without_much_in_common_have_no_marks() -> None:
    """Marks on nearly every word would say nothing; a line that is too long to be compared has none either."""
    assert PAINT.versions("abc", "xyz") == ("\x1b[31mabc\x1b[0m", "\x1b[32mxyz\x1b[0m")
    long = "a " * 4000
    assert PAINT.versions(long, f"{long}b") == (f"\x1b[31m{long}\x1b[0m", f"\x1b[32m{long}b\x1b[0m")
