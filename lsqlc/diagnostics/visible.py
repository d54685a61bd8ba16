"""Escaping of untrusted text for terminals.

Characters that control a terminal or change the direction of text are replaced by symbols (U+001B by U+241B). One
symbol replaces one character, so that columns stay correct. Newlines and tabs are kept.
"""

from __future__ import annotations

import re

_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    # C1 controls, then characters that set the direction of text, or end a line in some programs only.
    **dict.fromkeys(
        (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)), 0xFFFD
    ),
}
_NEWLINE = {0x0A: 0x240A}
# The escape sequences of `paint`.
_COLOUR = re.compile("(\x1b\\[[0-9;]*m)")


def visible(text: str) -> str:
    """Return the text with control characters replaced, except newlines and tabs.

    >>> visible("a\\x1b[2J")
    'a␛[2J'
    """
    return text.translate(_PICTURES)


def visible_line(text: str) -> str:
    """Return the text with all control characters replaced, newlines included.

    >>> visible_line("a\\nb")
    'a␊b'
    """
    return text.translate(_PICTURES).translate(_NEWLINE)


def visible_in_colour(text: str) -> str:
    """Return text that `paint` has coloured with all other control characters replaced."""
    parts = _COLOUR.split(text)
    return "".join(part if number % 2 else visible(part) for number, part in enumerate(parts))
