"""Conversion between offsets in code points and the positions of the Language Server Protocol.

The protocol ends a line at `\\n`, `\\r\\n` and `\\r`, and counts characters in units of the negotiated encoding. A
position past the end of a line means the end of the line, one past the last line the end of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from lsqlc.diagnostics import Span
from lsqlc.diagnostics.source import Extent

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Lines:
    """The lines of a text, as diagnostics count them and as the protocol does."""

    text: str

    @cached_property
    def _rows(self) -> list[int]:
        """The starts of lines in the protocol."""
        return [0, *(m.end() for m in _LINE_END.finditer(self.text))]

    @cached_property
    def _starts(self) -> list[int]:
        """The starts of lines in a Span: after each newline."""
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def extent(self, span: Span) -> Extent:
        """Return the offsets of a span, limited to the text."""
        start = self.offset(span.line, span.column)
        return start, max(start, self.offset(span.end_line, span.end_column))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column of a Span, both from 1."""
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[max(line, 1) - 1] + max(column, 1) - 1, len(self.text))

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset for a Span."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """Return line and character of an offset, from 0."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._rows, offset) - 1
        return line, _units(self.text[self._rows[line] : offset], encoding)

    def at(self, line: int, character: int, encoding: Encoding) -> int:
        """Return the offset of a line and character, from 0.

        A position inside of a character of several units means the start of that character.
        """
        if line < 0:
            return 0
        if line >= len(self._rows):
            return len(self.text)
        start = self._rows[line]
        end = self._rows[line + 1] if line + 1 < len(self._rows) else len(self.text)
        row = self.text[start:end].rstrip("\r\n")
        character = max(character, 0)
        if row.isascii() or encoding == "utf-32":
            return start + min(character, len(row))
        for number, each in enumerate(row):
            character -= _units(each, encoding)
            if character < 0:
                return start + number
        return start + len(row)


def _units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(each > "\uffff" for each in text)
