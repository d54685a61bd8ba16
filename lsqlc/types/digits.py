"""Integers as text, of any number of digits: Python's `int` refuses more than 4,300."""

from __future__ import annotations

# More digits than the largest number of any type, setting or duration has.
_MOST = 400


def integer(text: str) -> int:
    """The number that decimal digits say, behind a sign or none. One of more than 400 digits, without leading zeros, is
    cut to these, so that it is too large for everything all the same.
    """
    digits = text.lstrip("+-").lstrip("0")
    number = int(digits[:_MOST] or "0")
    return -number if text.startswith("-") else number
