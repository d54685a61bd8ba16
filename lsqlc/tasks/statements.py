"""The statements of a text that is typed or piped, split at the semicolons outside of strings, comments and tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A part of a text: a comment, a string, a quoted name, a tag of a template, a semicolon. One that is not closed reaches
# to the end of the text.
_PARTS = r"""--[^\n]*|/\*.*?(?:\*/|\Z)|\{\{.*?(?:\}\}|\Z)|\{%.*?(?:%\}|\Z)|`[^`]*(?:`|\Z)|"""
_DOUBLED = re.compile(_PARTS + r"""'[^']*(?:'|\Z)|"[^"]*(?:"|\Z)|;""", re.DOTALL)
_BACKSLASHES = re.compile(_PARTS + r"""'(?:[^'\\]|\\.)*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)|;""", re.DOTALL)
_COMMENTS = re.compile(r"\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z))+", re.DOTALL)
_WORD = re.compile(r"'(?:[^']|'')*'|`[^`]*`|\"[^\"]*\"|[\w.$-]+|\S")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement without its semicolon, and without space and comments before it. `start`: its offset in the whole
    text; `is_closed`: it has a semicolon.
    """

    text: str
    start: int = 0
    is_closed: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """The words, strings and marks of the text."""
        return tuple(_WORD.findall(self.text))

    @property
    def first(self) -> str:
        """The first word in upper case; empty without one."""
        match = re.match(r"[A-Za-z_]+", self.text)
        return match[0].upper() if match else ""


def statements(text: str, *, backslashes: bool) -> Iterator[Statement]:
    """Yield the statements of a text that have any words, the last one perhaps without a semicolon. `backslashes`: a
    quote in a string is escaped by a backslash, and not by doubling.
    """
    start = 0
    for match in (_BACKSLASHES if backslashes else _DOUBLED).finditer(text):
        if match[0] == ";":
            yield from _some(text[start : match.start()], start, True)
            start = match.end()
    yield from _some(text[start:], start, False)


def _some(text: str, start: int, is_closed: bool) -> Iterator[Statement]:
    bare = _COMMENTS.sub("", text)
    if bare.strip():
        yield Statement(bare.rstrip(), start + len(text) - len(bare), is_closed)


def unquoted(word: str) -> str:
    """Return a word without its quotes.

    >>> unquoted("'a''b'"), unquoted("`x`"), unquoted("y")
    ("a'b", 'x', 'y')
    """
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'`\"":
        return word[1:-1].replace(word[0] * 2, word[0])
    return word
