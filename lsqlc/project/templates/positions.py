"""Maps positions in rendered text to positions in the template.

Rendered text is a sequence of pieces. A piece copied from the template has a position for each character. A piece that
is the result of an expression has the position of that expression.
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
    """Rendered text that starts at the offset `rendered`, in code points.

    It was copied from the template at `start`; or, if there is an `end`, it is the result of the expression at `start`
    to `end`.
    """

    rendered: int
    start: int
    end: int | None = None


@dataclass(frozen=True)
class Positions:
    """Maps positions in one rendered text to its template."""

    rendered: str
    template: str
    pieces: tuple[Piece, ...]

    def span(self, span: Span) -> Span:
        """Return the span in the template for a span in the rendered text."""
        first_offset = self._from.offset(span.line, span.column)
        last_offset = max(self._from.offset(span.end_line, span.end_column) - 1, 0)
        start, _ = self._range(self._piece(first_offset), first_offset)
        _, end = self._range(self._piece(max(last_offset, first_offset)), last_offset)
        return replace(self._to.span((start, max(start, end))), path=span.path)

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding with its position in the template.

        A fix remains only if the text that it changes was copied.
        """
        span = self.span(diagnostic.span) if diagnostic.span else None
        fix = diagnostic.fix
        if fix is not None:
            fix_span = self.span(fix.span)
            fix = Fix(fix_span, fix.text) if _text(self._from, fix.span) == _text(self._to, fix_span) else None
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
        """Return the start and the end in the template for a character of the rendered text."""
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
    """Return the rendered text and its positions, from chunks of (text, start, end). `start` and `end`: see Piece."""
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
