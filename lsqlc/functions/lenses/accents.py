"""STRIPACCENTS: each letter without its diacritical marks, by one table for both engines.

As Apache Commons documents, marks are removed, and case and ligatures stay. A letter that Unicode decomposes into a
letter and marks of the block U+0300 to U+036F becomes that letter; so does the stroked L. All other characters stay.
The table is that of Unicode 3.2, which every Python has, so that a plan's text is the same on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from unicodedata import ucd_3_2_0

from lsqlc.functions.signature import PythonForm
from lsqlc.sql import spark
from lsqlc.types.data import DataType

_MARKS = "".join(map(chr, range(0x300, 0x370)))
_STROKED = {"\u0141": "L", "\u0142": "l"}


@cache
def plain_letters() -> dict[str, str]:
    """Return the plain letter of each letter with marks."""
    letters = dict(_STROKED)
    for code in range(0x80, 0x10000):
        letter = chr(code)
        apart = ucd_3_2_0.normalize("NFD", letter)
        bare = apart.rstrip(_MARKS)
        if len(bare) == 1 and len(apart) > 1:
            letters[letter] = bare
    return letters


@cache
def _table() -> dict[int, int | None]:
    return str.maketrans("".join(plain_letters()), "".join(plain_letters().values()), _MARKS)


def strip_accents(text: str) -> str:
    """Return the text with plain letters and without marks."""
    return text if text.isascii() else text.translate(_table())


def strip_accents_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    """Return Spark's native form: `translate` drops the characters without a replacement."""
    letters = spark.text("".join(plain_letters()) + _MARKS)
    return f"translate({texts[0]}, {letters}, {spark.text(''.join(plain_letters().values()))})"


STRIP_ACCENTS = PythonForm("lsqlc_strip_accents", strip_accents, ("VARCHAR",), "VARCHAR")
