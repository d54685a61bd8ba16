"""The position of a template's syntax error in its line: Jinja names the line and the word, but no column.

The tag that alone gives the same error is the one; in it, the first occurrence of the word up to which it does so.
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
# Each is parsed.
_MOST_TRIED = 100


def fault_in(row: str, error: TemplateSyntaxError, environment: Environment) -> tuple[int, int] | None:
    """Start and end of what is wrong in a line; None if no tag of the line gives that error by itself."""
    wanted = _plain(error)

    def fails(text: str) -> bool:
        try:
            environment.parse(text)
        except TemplateSyntaxError as own:
            return _plain(own) == wanted
        return False

    tag = next((tag for tag in islice(_TAG.finditer(row), _MOST_TRIED) if fails(tag[0])), None)
    if tag is None:
        return None
    start, end = _word_in(tag[0], wanted, fails)
    return tag.start() + start, tag.start() + end


def _word_in(tag: str, message: str, fails: Callable[[str], bool]) -> tuple[int, int]:
    found = _WORD.search(message)
    word = next((group for group in found.groups() if group), "") if found else ""
    if word.startswith(_END) and tag.endswith(("}}", "%}")):
        return len(tag) - 2, len(tag)
    # What stands in a text is no word of the tag; its length must stay.
    bare = tag if word in ("'", '"') else _TEXT.sub(lambda text: " " * len(text[0]), tag)
    places = [m.span() for m in re.finditer(re.escape(word), bare)] if word and not word.startswith(_END) else []
    close = " %}" if tag.startswith("{%") else " }}"
    return next((place for place in places[:_MOST_TRIED] if fails(tag[: place[1]] + close)), (0, len(tag)))


def _plain(error: TemplateSyntaxError) -> str:
    """Return the message without the offset that it gives of a character, which is another in the tag alone."""
    return re.sub(r" at \d+$", "", error.message or "")
