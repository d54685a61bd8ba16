"""Records as an aligned table of text, as `lsqlc show` prints them.

Columns are called as a query calls them: `_key` or its fields `_key.a`, the value's fields by name or `_value`. Null is
`null`, and a text that looks like it is quoted. The bounds of a windowed key are times. What is too wide ends in `…`;
columns that find no room are named below the table. Widths are those of a terminal: some characters take two cells,
some none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rich.cells import cell_len, set_cell_size

from lsqlc.formats import names as formats
from lsqlc.golden.show import escaped, plural
from lsqlc.types import codec, data
from lsqlc.types.codec_text import quoted, timestamp_of_millis, timestamp_text
from lsqlc.types.data import DataType, Struct, is_numeric, quote
from lsqlc.types.record import Record, StoredRecord, Topic

_GAP = 2
_NARROWEST = 6
_TOMBSTONE = "(tombstone)"
_BOUNDS = ("start", "end")


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and the text of each row; numbers are aligned to the right."""

    heading: str
    cells: tuple[str, ...]
    right: bool = False
    # Cells of a terminal that the column has at least, if there is room.
    least: int = 0
    # A column of identifiers, which users copy, is never cut.
    whole: bool = False

    @property
    def width(self) -> int:
        return max(self.least, *map(cell_len, (self.heading, *self.cells)))


def records_text(
    topic: Topic, records: Sequence[Record | StoredRecord], *, width: int, times: bool = True, total: int | None = None
) -> str:
    """Return records of a topic, without a final newline.

    `width`: cells of a line; `times` False leaves out the timestamps and the headers, which say nothing of a TABLE;
    `total`: how many there are, if not all are given.
    """
    count = len(records) if total is None else total
    if not records:
        return f"'{topic.name}' has no records" if not count else f"{plural(count, 'record')} in '{topic.name}'"
    columns = list(record_columns(topic, records, times))
    lines = list(table_lines(columns, width))
    more = count - len(records)
    if more > 0:
        lines.append(f"and {more:,} more")
    return "\n".join(lines)


class RecordTable:
    """Records that come bit by bit as the lines of one table: columns grow, and what is too wide is cut."""

    def __init__(self, topic: Topic, *, width: int, times: bool = True) -> None:
        self._topic, self._width, self._times = topic, width, times
        self._widest: dict[str, int] = {}

    def lines(self, records: Sequence[Record | StoredRecord]) -> Iterator[str]:
        """Yield the lines of further records, before the first of them the headings."""
        if not records:
            return
        columns = list(record_columns(self._topic, records, self._times))
        first = not self._widest
        for column in columns:
            self._widest[column.heading] = max(self._widest.get(column.heading, 0), column.width)
        # A column of headers, which not all records have, comes behind the others.
        padded = [replace(c, least=self._widest[c.heading]) for c in columns]
        lines = table_lines(padded, self._width)
        yield from lines if first else list(lines)[2 : 2 + len(records)]


def table_lines(columns: Sequence[Column], width: int) -> Iterator[str]:
    """Yield columns as lines: headings, a rule, the rows, and the names of the columns that found no room."""
    kept, widths = _fit(columns, width)
    yield _line([c.heading for c in kept], widths, [c.right for c in kept])
    yield (" " * _GAP).join("─" * w for w in widths)
    for row in zip(*(c.cells for c in kept), strict=True):
        yield _line(row, widths, [c.right for c in kept])
    hidden = columns[len(kept) :]
    if hidden:
        yield f"and {plural(len(hidden), 'more column')}: {', '.join(c.heading for c in hidden)}"


def _fit(columns: Sequence[Column], width: int) -> tuple[Sequence[Column], list[int]]:
    """As many columns as have room, from the left, and their widths: the widest that may be cut give way first."""
    narrowest = [c.width if c.whole else min(c.width, _NARROWEST) for c in columns]
    count = len(columns)
    while count > 1 and sum(narrowest[:count]) + _GAP * (count - 1) > width:
        count -= 1
    kept = columns[:count]
    widths = [c.width for c in kept]
    cuttable = [i for i, c in enumerate(kept) if not c.whole]
    room = max(width - _GAP * (count - 1), count)
    while cuttable and sum(widths) > room:
        widest = max(widths[i] for i in cuttable)
        second = max((widths[i] for i in cuttable if widths[i] < widest), default=1)
        wide = [i for i in cuttable if widths[i] == widest]
        over = sum(widths) - room
        cut = min(widest - second, -(-over // len(wide))) or 1
        for i in wide:
            take = min(cut, max(over, 0))
            widths[i] -= take
            over -= take
    return kept, widths


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = [_pad(text, width, r) for text, width, r in zip(cells, widths, right, strict=True)]
    return (" " * _GAP).join(parts).rstrip()


def _pad(text: str, width: int, right: bool) -> str:
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1).rstrip() + "…" if width > 1 else "…"
    return " " * (width - length) + text if right else text + " " * (width - length)


def record_columns(topic: Topic, records: Sequence[Record | StoredRecord], times: bool) -> Iterator[Column]:
    """Yield the columns of records; `times`: with their timestamps and headers."""
    if times:
        yield Column("timestamp", tuple(time_text(r.timestamp) for r in records))
    windowed = formats.windowed(topic.key.format) is not None
    yield from _facet(topic.key.type, [r.key for r in records], "_key", "_key.", "null", bounds=windowed)
    yield from _facet(topic.value.type, [r.value for r in records], "_value", "", _TOMBSTONE)
    if times and any(r.headers for r in records):
        yield Column("_headers", tuple(", ".join(_header(*h) for h in r.headers or ()) for r in records))


def _facet(
    type: DataType, values: Sequence[Any], whole: str, prefix: str, absent: str, *, bounds: bool = False
) -> Iterator[Column]:
    """Yield the columns of a facet. `bounds`: its fields `start` and `end` are those of a window."""
    if type == data.NULL:
        return
    if not isinstance(type, Struct) or not type.fields:
        yield Column(whole, tuple(absent if v is None else cell_text(type, v) for v in values), is_numeric(type))
        return
    for index, field in enumerate(type.fields):
        # Said once in a row: a record without this facet has none of its fields.
        none = absent if index == 0 else ""
        is_bound = bounds and field.name in _BOUNDS
        write = _bound if is_bound else partial(cell_text, field.type)
        cells = tuple(none if v is None else write(v.get(field.name)) for v in values)
        yield Column(plain(f"{prefix}{quote(field.name)}"), cells, is_numeric(field.type) and not is_bound)


def _header(key: str, value: bytes | None) -> str:
    """Return a header: its value as text, or in base64 where it is none."""
    if value is None:
        return f"{plain(key)}: null"
    try:
        return f"{plain(key)}: {cell_text(data.STRING, value.decode())}"
    except UnicodeDecodeError:
        return f"{plain(key)}: base64 {cell_text(data.BYTES, value)}"


def time_text(millis: int) -> str:
    """Return epoch milliseconds as a date and time in UTC; as a number where it is out of range."""
    found = timestamp_of_millis(millis)
    return f"{millis} ms" if found is None else timestamp_text(found)


def _bound(millis: int | None) -> str:
    return "null" if millis is None else time_text(millis)


def cell_text(type: DataType, value: Any) -> str:
    """Return the text of a value as a table shows it."""
    if value is None:
        return "null"
    if type == data.STRING:
        text = str(value)
        bare = text == text.strip() and text not in ("", "null", _TOMBSTONE)
        return plain(text if bare else quoted(text))
    text = codec.encode_text(type, value)
    # What JSON writes as a string, a date for one, needs no quotes here: the column says what it is.
    return text[1:-1] if text.startswith('"') else plain(text)


def plain(text: str) -> str:
    """Return characters that would move the cursor, as escapes."""
    if text.isprintable():
        return text
    # The zero-width joiner is no printable character, and many an emoji has it.
    return "".join(c if c.isprintable() or c == "\u200d" else escaped(c) for c in text)
