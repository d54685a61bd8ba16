"""The comments between two tokens, and their position on the lines there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal as Choice

# `end`: at the end of the previous token's line. `above`: on lines of its own. `inline`: before the next token on its
# line.
Place = Choice["end", "above", "inline"]

_COMMENT = re.compile(r"--[^\r\n]*|/\*|\{#.*?#\}", re.DOTALL)
_NESTED = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment. `text` includes its marks. `apart`: an empty line precedes it."""

    text: str
    place: Place
    apart: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """The comments between two tokens. `apart`: an empty line precedes the second token."""

    comments: tuple[Comment, ...]
    apart: bool


_PLAIN, _APART = Gap((), False), Gap((), True)


def read_gap(text: str, start: int, end: int, *, last: bool = False) -> Gap:
    """Return the comments from the end of one token, or the text's start, to the start of the next one.

    `last`: to the text's end.
    """
    between = text[start:end]
    if not between or between.isspace():
        return _APART if between.count("\n") > 1 else _PLAIN
    extents: list[tuple[int, int]] = []
    at = start
    while match := _COMMENT.search(text, at, end):
        at = _closing(text, match.end(), end) if match[0] == "/*" else match.end()
        extents.append((match.start(), at))
    inline = _inline(text, extents, end) if not last else len(extents)
    comments = []
    # Whether the next comment is still on the line of the previous token.
    same_line, previous = start > 0, start
    for number, (first, behind) in enumerate(extents):
        lines = text.count("\n", previous, first)
        same_line = same_line and not lines
        place: Place = "inline" if number >= inline else "end" if same_line else "above"
        comments.append(Comment(text[first:behind].rstrip(), place, lines > 1))
        same_line = same_line and "\n" not in text[first:behind]
        previous = behind
    return Gap(tuple(comments), text.count("\n", previous, end) > 1)


def _inline(text: str, extents: list[tuple[int, int]], end: int) -> int:
    """Return the index of the first comment on the line of the next token, together with all comments after it."""
    number = len(extents)
    for first, _ in reversed(extents):
        if text.startswith("--", first) or "\n" in text[first:end]:
            break
        number -= 1
    return number


def _closing(text: str, at: int, end: int) -> int:
    """Return the offset where a comment ends, from an offset inside it. Nested comments are counted."""
    depth = 1
    while depth and (match := _NESTED.search(text, at, end)):
        depth += 1 if match[0] == "/*" else -1
        at = match.end()
    return at if not depth else end
