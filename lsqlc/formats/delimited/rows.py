"""Patterns for the rows of DELIMITED of ksqlDB, which are those of Apache Commons CSV 1.4, for Python and Java alike.

- A quoted cell holds any text, with two quotes for one. Blanks behind the closing quote are ignored. Any other cell is
  its text, with its blanks, and with any quote that is not its first character.
- An empty cell is null, with or without quotes. Line ends before and behind the row are ignored.
- A cell is quoted if it contains special characters, or begins or ends with some others. The first cell of a row is
  quoted unless it begins with a letter or a digit of ASCII.

The delimiter is one character that is not a quote, not a line end, and no control character but the tab.
"""

from __future__ import annotations

import re

# White space of Java's `Character.isWhitespace`, without line ends.
_BLANK = r"[\t\x0b\x0c\x1c-\x1f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]"
_END = r"(?![\s\S])"
LINE_ENDS = "\r\n"


def cell(delimiter: str) -> str:
    """Return the pattern of a whole cell, with its quotes and the blanks after them.

    It has no groups. A delimiter or the end follows it.
    """
    mark = re.escape(delimiter)
    blanks = rf"(?:(?!{mark}){_BLANK})*+"
    return rf'(?:"[^"]*+(?:""[^"]*+)*+"{blanks}|[^"{mark}\r\n][^{mark}\r\n]*+|)'


def end_of_quotes() -> str:
    """Return the pattern of the last quote of a cell in quotes, with the blanks after it."""
    return rf'"{_BLANK}*{_END}'


def quoted(delimiter: str, *, first: bool) -> str:
    """Return the pattern of characters because of which a text must be quoted. `first`: as the first cell of
    its row.
    """
    begins = r"\A(?![0-9A-Za-z])" if first else r"\A[\x00-#]"
    return rf'{begins}|["{re.escape(delimiter)}\r\n]|[\x00- ]{_END}'
