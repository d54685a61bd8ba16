"""Differences as lines of text. Long lists and texts are cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.diagnostics.paint import PLAIN, Paint, Tone
from lsqlc.types.codec_text import quoted

if TYPE_CHECKING:
    from lsqlc.golden.compare import Cell, RowDifference, TopicDifference

_MARKS = {"missing": "-", "unexpected": "+", "changed": "~"}
_TONES: dict[str, Tone] = {"missing": "removed", "unexpected": "added", "changed": "changed"}
_LIMIT = 12
_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Wording:
    """The names of the two sides of a difference."""

    missing: str
    unexpected: str
    changed: str
    before: str
    after: str
    absent: str

    def kind(self, kind: str) -> str:
        return {"missing": self.missing, "unexpected": self.unexpected, "changed": self.changed}[kind]


EXPECTED = Wording("missing", "unexpected", "changed", "expected", "found", "no such field")
VERSIONS = Wording("gone", "new", "changed", "was", "is", "not there")


def difference_lines(
    differences: Iterable[TopicDifference], *, limit: int = _LIMIT, wording: Wording = EXPECTED, paint: Paint = PLAIN
) -> Iterator[str]:
    """Yield the differing rows, grouped by topic. `limit`: rows printed per topic."""
    for difference in differences:
        counts = [(wording.kind(kind), sum(r.kind == kind for r in difference.rows)) for kind in _MARKS]
        summary = ", ".join(f"{plural(n, 'row')} {word}" for word, n in counts if n)
        how = ", by the last record of each key" if difference.compacted else ""
        yield f"{difference.topic} ({difference.semantics}{how}): {summary}"
        for row in difference.rows[:limit]:
            yield from _row_lines(row, wording, paint)
        more = len(difference.rows) - limit
        if more > 0:
            yield f"  and {plural(more, 'more row')}"


def _row_lines(row: RowDifference, wording: Wording, paint: Paint) -> Iterator[str]:
    place = f"  (line {row.line})" if row.line else ""
    head = f"{_MARKS[row.kind]} {wording.kind(row.kind)}: key {_cut(row.key)}"
    if not row.cells:
        head = f"{head}, value {_cut(row.value)}"
    yield f"  {paint(head, _TONES[row.kind])}{place}"
    width = max((len(cell.path) for cell in row.cells), default=0)
    yield from (f"      {cell.path:<{width}}  {_cell(cell, wording, paint)}" for cell in row.cells)


def _cell(cell: Cell, wording: Wording, paint: Paint) -> str:
    before = wording.absent if cell.expected is None else _cut(cell.expected)
    after = wording.absent if cell.actual is None else _cut(cell.actual)
    before, after = paint.versions(before, after)
    return f"{wording.before} {before}, {wording.after} {after}"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: `1 row`, `2 rows`, `1,000 rows`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _cut(text: str) -> str:
    # Strings in JSON may contain characters that control a terminal.
    text = printable(text)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def printable(text: str) -> str:
    """Return the text with escape sequences in place of its unprintable characters."""
    return text if text.isprintable() else "".join(c if c.isprintable() else escaped(c) for c in text)


def escaped(character: str) -> str:
    """Return the escape sequence of an unprintable character."""
    text = quoted(character)[1:-1]
    return text if text.isprintable() else f"\\u{ord(character):04x}"
