"""Java's classes of characters, `\\\\p{...}`, as the inside of a class of Python's regular expressions."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

_POSIX = {
    "Lower": "a-z", "Upper": "A-Z", "ASCII": "\\x00-\\x7f", "Alpha": "a-zA-Z", "Digit": "0-9", "Alnum": "a-zA-Z0-9",
    "Punct": "!-/:-@\\[-`{-~", "Graph": "!-~", "Print": " -~", "Blank": " \\t", "Cntrl": "\\x00-\\x1f\\x7f",
    "XDigit": "0-9a-fA-F", "Space": " \\t-\\r",
}  # fmt: skip
_NOT_POSIX = {
    "Lower": "\\x00-`{-\U0010ffff", "Upper": "\\x00-@\\[-\U0010ffff", "ASCII": "\\x80-\U0010ffff",
    "Alpha": "\\x00-@\\[-`{-\U0010ffff", "Digit": "\\x00-/:-\U0010ffff", "Alnum": "\\x00-/:-@\\[-`{-\U0010ffff",
    "Punct": "\\x00- 0-9A-Za-z\\x7f-\U0010ffff", "Graph": "\\x00- \\x7f-\U0010ffff",
    "Print": "\\x00-\\x1f\\x7f-\U0010ffff", "Blank": "\\x00-\\x08\\n-\\x1f!-\U0010ffff",
    "Cntrl": " -~\\x80-\U0010ffff", "XDigit": "\\x00-/:-@G-`g-\U0010ffff",
    "Space": "\\x00-\\x08\\x0e-\\x1f!-\U0010ffff",
}  # fmt: skip
_CATEGORY = re.compile(r"(?:Is|gc=|general_category=)?(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)")


def inside_of(name: str, *, negated: bool) -> str | None:
    """Return the text between the brackets for the characters of a class, or all others; None for an unknown name."""
    if name in _POSIX:
        return (_NOT_POSIX if negated else _POSIX)[name]
    category = _CATEGORY.fullmatch(name)
    return _of_category(category[1], negated) if category else None


@cache
def _of_category(category: str, negated: bool) -> str:
    ranges, start = [], -1
    for code in range(sys.maxunicode + 2):
        is_in = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(category) is not negated
        if is_in and start < 0:
            start = code
        elif not is_in and start >= 0:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = -1
    return "".join(ranges)
