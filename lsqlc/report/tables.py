"""Records as an aligned text table, as `lsqlc show` prints them.

Columns have the names of the query language: `_key` or its fields `_key.a`, fields of the value by name, or `_value`.
Null is `null`, and a text that looks like it is quoted. The bounds of a windowed key are times. Wide cells end in `…`;
columns without space are named below the table. Widths are terminal cells: some characters take two cells, some none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rich.cells import cell_len, set_cell_size

from lsqlc.formats.windows import windowed as window_of
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
    """A heading and the text of each row. Numbers are aligned to the right."""

    heading: str
    cells: tuple[str, ...]
    right: bool = False
    # Minimal width in terminal cells, if there is space.
    least: int = 0
    # A column of identifiers, which users copy, is never cut.
    whole: bool = False

    @property
    def width(self) -> int:
        return max(self.least, *map(cell_len, (self.heading, *self.cells)))


def records_text(
    topic: Topic, records: Sequence[Record | StoredRecord], *, width: int, times: bool = True, total: int | None = None
) -> str:
    """Return records of a topic as a table, without a final newline.

    `width`: cells of a line. `times` False: leave out timestamps and headers, which rows of a TABLE do not have.
    `total`: the number of all records, if these are only some.
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
    """A table that grows: its columns become wider, and cells that do not fit are cut."""

    def __init__(self, topic: Topic, *, width: int, times: bool = True) -> None:
        self._topic, self._width, self._times = topic, width, times
        self._widest: dict[str, int] = {}

    def lines(self, records: Sequence[Record | StoredRecord]) -> Iterator[str]:
        """Yield the lines of further records. The headings precede the first one."""
        if not records:
            return
        columns = list(record_columns(self._topic, records, self._times))
        first = not self._widest
        for column in columns:
            self._widest[column.heading] = max(self._widest.get(column.heading, 0), column.width)
        # The column of headers, which not all records have, comes last.
        padded = [replace(c, least=self._widest[c.heading]) for c in columns]
        lines = table_lines(padded, self._width)
        yield from lines if first else list(lines)[2 : 2 + len(records)]


def table_lines(columns: Sequence[Column], width: int) -> Iterator[str]:
    """Yield columns as lines: headings, a rule, the rows, and the names of the columns that do not fit."""
    visible, widths = _fit(columns, width)
    yield _line([c.heading for c in visible], widths, [c.right for c in visible])
    yield (" " * _GAP).join("─" * w for w in widths)
    for row in zip(*(c.cells for c in visible), strict=True):
        yield _line(row, widths, [c.right for c in visible])
    others = columns[len(visible) :]
    if others:
        yield f"and {plural(len(others), 'more column')}: {', '.join(c.heading for c in others)}"


def _fit(columns: Sequence[Column], width: int) -> tuple[Sequence[Column], list[int]]:
    """Return the columns that fit, from the left, and their widths. The widest columns are cut first."""
    narrowest = [c.width if c.whole else min(c.width, _NARROWEST) for c in columns]
    count = len(columns)
    while count > 1 and sum(narrowest[:count]) + _GAP * (count - 1) > width:
        count -= 1
    fitting = columns[:count]
    widths = [c.width for c in fitting]
    cuttable = [i for i, c in enumerate(fitting) if not c.whole]
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
    return fitting, widths


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = [_pad(text, width, r) for text, width, r in zip(cells, widths, right, strict=True)]
    return (" " * _GAP).join(parts).rstrip()


def _pad(text: str, width: int, right: bool) -> str:
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1).rstrip() + "…" if width > 1 else "…"
    return " " * (width - length) + text if right else text + " " * (width - length)


def record_columns(topic: Topic, records: Sequence[Record | StoredRecord], times: bool) -> Iterator[Column]:
    """Yield the columns of records. `times`: with timestamps and headers."""
    if times:
        yield Column("timestamp", tuple(time_text(r.timestamp) for r in records))
    windowed = window_of(topic.key.format) is not None
    yield from _facet(topic.key.type, [r.key for r in records], _KEY, bounds=windowed)
    yield from _facet(topic.value.type, [r.value for r in records], _VALUE)
    if times and any(r.headers for r in records):
        yield Column("_headers", tuple(", ".join(_header(*h) for h in r.headers or ()) for r in records))


@dataclass(frozen=True, slots=True)
class _FacetNames:
    """Headings of a facet. `whole`: without fields. `prefix`: of fields. `absent`: the cell of a record without it."""

    whole: str
    prefix: str
    absent: str


_KEY, _VALUE = _FacetNames("_key", "_key.", "null"), _FacetNames("_value", "", _TOMBSTONE)


def _facet(type: DataType, values: Sequence[Any], names: _FacetNames, *, bounds: bool = False) -> Iterator[Column]:
    """Yield the columns of a facet. `bounds`: its fields `start` and `end` are those of a window."""
    if type == data.NULL:
        return
    if not isinstance(type, Struct) or not type.fields:
        yield Column(
            names.whole, tuple(names.absent if v is None else cell_text(type, v) for v in values), is_numeric(type)
        )
        return
    for index, field in enumerate(type.fields):
        # Only the first column says that a record has no such facet.
        none = names.absent if index == 0 else ""
        is_bound = bounds and field.name in _BOUNDS
        write = _bound if is_bound else partial(cell_text, field.type)
        cells = tuple(none if v is None else write(v.get(field.name)) for v in values)
        yield Column(plain(f"{names.prefix}{quote(field.name)}"), cells, is_numeric(field.type) and not is_bound)


def _header(key: str, value: bytes | None) -> str:
    """Return a header. A value that is not text is in base64."""
    if value is None:
        return f"{plain(key)}: null"
    try:
        return f"{plain(key)}: {cell_text(data.STRING, value.decode())}"
    except UnicodeDecodeError:
        return f"{plain(key)}: base64 {cell_text(data.BYTES, value)}"


def time_text(millis: int) -> str:
    """Return epoch milliseconds as a date and time in UTC; as a number if it is out of range."""
    timestamp = timestamp_of_millis(millis)
    return f"{millis} ms" if timestamp is None else timestamp_text(timestamp)


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
    # A value that is a string in JSON, such as a date, needs no quotes.
    return text[1:-1] if text.startswith('"') else plain(text)


def plain(text: str) -> str:
    """Escape characters that would move the cursor."""
    if text.isprintable():
        return text
    # The zero-width joiner is not printable, but many emoji contain it.
    return "".join(c if c.isprintable() or c == "\u200d" else escaped(c) for c in text)
