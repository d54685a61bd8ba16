"""The comments of a text: what stands between two tokens beside white space, and how it lies on the lines there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal as Choice

# `end`: closes the line of what comes before it; `above`: has lines of its own; `inline`: stands before what follows it
# on its line.
Place = Choice["end", "above", "inline"]

_COMMENT = re.compile(r"--[^\r\n]*|/\*|\{#.*?#\}", re.DOTALL)
_NESTED = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class Comment:
    """`text` is all of it, marks included. `apart`: an empty line stands before it."""

    text: str
    place: Place
    apart: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """What lies between two tokens. `apart`: an empty line stands before the second one."""

    comments: tuple[Comment, ...]
    apart: bool


_PLAIN, _APART = Gap((), False), Gap((), True)


def read_gap(text: str, start: int, end: int, *, last: bool = False) -> Gap:
    """The comments from the end of one token, or the text's start, to the start of the next one. `last`: to the text's
    end.
    """
    between = text[start:end]
    if not between or between.isspace():
        return _APART if between.count("\n") > 1 else _PLAIN
    found: list[tuple[int, int]] = []
    at = start
    while match := _COMMENT.search(text, at, end):
        at = _closing(text, match.end(), end) if match[0] == "/*" else match.end()
        found.append((match.start(), at))
    inline = _inline(text, found, end) if not last else len(found)
    comments = []
    # Whether what comes next still stands on the line of the token before.
    same_line, previous = start > 0, start
    for number, (first, behind) in enumerate(found):
        lines = text.count("\n", previous, first)
        same_line = same_line and not lines
        place: Place = "inline" if number >= inline else "end" if same_line else "above"
        comments.append(Comment(text[first:behind].rstrip(), place, lines > 1))
        same_line = same_line and "\n" not in text[first:behind]
        previous = behind
    return Gap(tuple(comments), text.count("\n", previous, end) > 1)


def _inline(text: str, found: list[tuple[int, int]], end: int) -> int:
    """The number of the first comment that stands, as all behind it, on the line of the token that follows."""
    number = len(found)
    for first, _ in reversed(found):
        if text.startswith("--", first) or "\n" in text[first:end]:
            break
        number -= 1
    return number


def _closing(text: str, at: int, end: int) -> int:
    """Where a comment ends whose inside begins at an offset; comments inside it count."""
    depth = 1
    while depth and (match := _NESTED.search(text, at, end)):
        depth += 1 if match[0] == "/*" else -1
        at = match.end()
    return at if not depth else end
