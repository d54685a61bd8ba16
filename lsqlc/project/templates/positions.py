"""From a place in rendered text back to its place in the template.

Rendered text is a row of pieces. A piece is either copied from the template, and then every character has its place, or
it came out of an expression, and then all of it points at that expression.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from lsqlc.diagnostics import Diagnostic, Fix, Span
from lsqlc.diagnostics.source import SourceText


@dataclass(frozen=True, slots=True)
class Piece:
    """Rendered text that starts at `rendered` (offset in code points). It was copied from the template at `start`, or,
    where `end` is given, is what the expression at `start` to `end` became.
    """

    rendered: int
    start: int
    end: int | None = None


@dataclass(frozen=True)
class Positions:
    """Maps places of one rendered text to its template."""

    rendered: str
    template: str
    pieces: tuple[Piece, ...]

    def span(self, span: Span) -> Span:
        """Return the place in the template of a place in the rendered text."""
        first_offset = self._from.offset(span.line, span.column)
        last_offset = max(self._from.offset(span.end_line, span.end_column) - 1, 0)
        start, _ = self._range(self._piece(first_offset), first_offset)
        _, end = self._range(self._piece(max(last_offset, first_offset)), last_offset)
        return replace(self._to.span((start, max(start, end))), path=span.path)

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return the finding, at its place in the template. A fix stays only where the text it changes was copied."""
        span = self.span(diagnostic.span) if diagnostic.span else None
        fix = diagnostic.fix
        if fix is not None:
            moved = self.span(fix.span)
            fix = Fix(moved, fix.text) if _text(self._from, fix.span) == _text(self._to, moved) else None
        return replace(diagnostic, span=span, fix=fix)

    @cached_property
    def _from(self) -> SourceText:
        return SourceText("", self.rendered)

    @cached_property
    def _to(self) -> SourceText:
        return SourceText("", self.template)

    def _piece(self, offset: int) -> Piece | None:
        at = bisect_right(self.pieces, offset, key=lambda piece: piece.rendered) - 1
        return self.pieces[at] if at >= 0 else None

    def _range(self, piece: Piece | None, offset: int) -> tuple[int, int]:
        """Start and end in the template of the character at an offset of the rendered text."""
        if piece is None:
            return 0, 0
        if piece.end is not None:
            return piece.start, piece.end
        start = piece.start + offset - piece.rendered
        return start, start + 1


def unix_lines(text: str) -> str:
    """Return a text as Jinja reads it, with one kind of line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def joined(chunks: Iterable[tuple[str, int, int | None]], template: str) -> Positions:
    """Return the rendered text and its positions, from chunks of (text, start, end), `start` and `end` as in a
    piece.
    """
    texts: list[str] = []
    pieces: list[Piece] = []
    length = 0
    for text, start, end in chunks:
        if text:
            pieces.append(Piece(length, start, end))
            texts.append(text)
            length += len(text)
    return Positions("".join(texts), template, tuple(pieces))


def span_at(text: str, path: str, start: int, end: int) -> Span:
    """Return the span of an offset range of a text."""
    line, column = _place(text, start)
    end_line, end_column = _place(text, end)
    return Span(path, line, column, end_line, end_column)


def _place(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _text(source: SourceText, span: Span) -> str:
    return source.text[source.offset(span.line, span.column) : source.offset(span.end_line, span.end_column)]
