"""A text with its path, which converts offsets to spans."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from lsqlc.diagnostics.diagnostic import Span

# Start and exclusive end, in code points from 0. Nodes of a tree keep extents; a Span is computed only for a
# diagnostic.
Extent = tuple[int, int]


@dataclass(frozen=True)
class SourceText:
    """A text and the path that messages print (see Span)."""

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
        """Return the span of an extent."""
        line, column = self._place(extent[0])
        end_line, end_column = self._place(extent[1])
        return Span(self.path, line, column, end_line, end_column)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column, both from 1. Positions past the end give the length of the text."""
        start = self._line_starts[line - 1] if line <= len(self._line_starts) else len(self.text)
        return min(start + column - 1, len(self.text))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1
