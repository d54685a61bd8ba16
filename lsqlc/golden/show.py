"""Differences as lines of text. Lists are capped; numbers and nouns agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lsqlc.types.codec_text import quoted

if TYPE_CHECKING:
    from lsqlc.golden.compare import Cell, RowDifference, TopicDifference

_MARKS = {"missing": "-", "unexpected": "+", "changed": "~"}
_LIMIT = 12
_WIDTH = 160


def difference_lines(differences: Iterable[TopicDifference], *, limit: int = _LIMIT) -> Iterator[str]:
    """The rows that differ, each topic under a line of its own. `limit`: rows shown of one topic."""
    for difference in differences:
        counts = [(kind, sum(r.kind == kind for r in difference.rows)) for kind in _MARKS]
        said = ", ".join(f"{plural(n, 'row')} {kind}" for kind, n in counts if n)
        how = ", by the last record of each key" if difference.compacted else ""
        yield f"{difference.topic} ({difference.semantics}{how}): {said}"
        for row in difference.rows[:limit]:
            yield from _row_lines(row)
        more = len(difference.rows) - limit
        if more > 0:
            yield f"  and {plural(more, 'more row')}"


def _row_lines(row: RowDifference) -> Iterator[str]:
    place = f"  (line {row.line})" if row.line else ""
    head = f"  {_MARKS[row.kind]} {row.kind}: key {_cut(row.key)}"
    if not row.cells:
        yield f"{head}, value {_cut(row.value)}{place}"
        return
    yield head + place
    width = max(len(cell.path) for cell in row.cells)
    yield from (f"      {cell.path:<{width}}  {_cell(cell)}" for cell in row.cells)


def _cell(cell: Cell) -> str:
    if cell.expected is None:
        return f"expected no such field, found {_cut(cell.actual or '')}"
    if cell.actual is None:
        return f"expected {_cut(cell.expected)}, found no such field"
    return f"expected {_cut(cell.expected)}, found {_cut(cell.actual)}"


def plural(count: int, noun: str) -> str:
    """`1 row`, `2 rows`, `1,000 rows`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _cut(text: str) -> str:
    # The text is JSON, whose strings may hold what moves a terminal's cursor.
    if not text.isprintable():
        text = "".join(c if c.isprintable() else escaped(c) for c in text)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def escaped(character: str) -> str:
    """The escape of a character that cannot be shown."""
    text = quoted(character)[1:-1]
    return text if text.isprintable() else f"\\u{ord(character):04x}"
