"""A text with a name, and spans from offsets in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from lsqlc.diagnostics.diagnostic import Span

# From the first character to behind the last, in code points from 0. What the parser keeps on its nodes: a Span is made
# only when there is something to say.
Extent = tuple[int, int]


@dataclass(frozen=True)
class SourceText:
    """`path` names the text in messages (see Span)."""

    path: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        place = self.text.find("\n")
        while place >= 0:
            starts.append(place + 1)
            place = self.text.find("\n", place + 1)
        return starts

    def span(self, extent: Extent) -> Span:
        """Return the lines and columns of an extent."""
        line, column = self._place(extent[0])
        end_line, end_column = self._place(extent[1])
        return Span(self.path, line, column, end_line, end_column)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column, both from 1; the end of the text for what lies behind it."""
        start = self._line_starts[line - 1] if line <= len(self._line_starts) else len(self.text)
        return min(start + column - 1, len(self.text))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1
