"""Texts of other people for people to read: characters that would steer a terminal, or turn the order of what it shows,
are pictured (U+001B as U+241B), each by one character, so that columns stay right. Newlines and tabs stay.
"""

from __future__ import annotations

import re

_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    # C1 controls, then what sets the direction of text or ends a line for some programs only.
    **dict.fromkeys(
        (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)), 0xFFFD
    ),
}
_NEWLINE = {0x0A: 0x240A}
# The colours that `paint` gives.
_COLOUR = re.compile("(\x1b\\[[0-9;]*m)")


def visible(text: str) -> str:
    """Return the text without controls but newlines and tabs.

    >>> visible("a\\x1b[2J")
    'a␛[2J'
    """
    return text.translate(_PICTURES)


def visible_line(text: str) -> str:
    """Return the same as one line.

    >>> visible_line("a\\nb")
    'a␊b'
    """
    return text.translate(_PICTURES).translate(_NEWLINE)


def visible_in_colour(text: str) -> str:
    """As `visible`, of a text that has colours already, which stay."""
    parts = _COLOUR.split(text)
    return "".join(part if number % 2 else visible(part) for number, part in enumerate(parts))
