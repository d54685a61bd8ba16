"""Find the column of a template's syntax error: Jinja reports the line and the word, but no column.

The error is in the first tag that gives the same error by itself. In that tag, it is at the first occurrence of the
word such that the text up to it gives the error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from jinja2 import Environment, TemplateSyntaxError

_TAG = re.compile(r"\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)")
_WORD = re.compile(
    r"unexpected char '(.+?)'$|unexpected char \"(')\"|unexpected '(.+?)'|got '(.+?)'|unknown tag '(.+?)'"
)
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_END = "end of "
# The number of candidates that are parsed.
_MOST_TRIED = 100


def fault_in(row: str, error: TemplateSyntaxError, environment: Environment) -> tuple[int, int] | None:
    """Return the start and the end of the error in a line; None if no tag of the line gives that error by itself."""
    message = _plain(error)

    def fails(text: str) -> bool:
        try:
            environment.parse(text)
        except TemplateSyntaxError as own:
            return _plain(own) == message
        return False

    tag = next((tag for tag in islice(_TAG.finditer(row), _MOST_TRIED) if fails(tag[0])), None)
    if tag is None:
        return None
    start, end = _word_in(tag[0], message, fails)
    return tag.start() + start, tag.start() + end


def _word_in(tag: str, message: str, fails: Callable[[str], bool]) -> tuple[int, int]:
    match = _WORD.search(message)
    word = next((group for group in match.groups() if group), "") if match else ""
    if word.startswith(_END) and tag.endswith(("}}", "%}")):
        return len(tag) - 2, len(tag)
    # Quoted texts are blanked with the same length: a word in them is not a word of the tag.
    bare = tag if word in ("'", '"') else _TEXT.sub(lambda text: " " * len(text[0]), tag)
    places = [m.span() for m in re.finditer(re.escape(word), bare)] if word and not word.startswith(_END) else []
    close = " %}" if tag.startswith("{%") else " }}"
    return next((place for place in places[:_MOST_TRIED] if fails(tag[: place[1]] + close)), (0, len(tag)))


def _plain(error: TemplateSyntaxError) -> str:
    """Return the message without the offset of a character, which differs in a separate tag."""
    return re.sub(r" at \d+$", "", error.message or "")
