"""Records as CSV: `_timestamp`, the columns of the key, those of the value, as in data files of cases and seeds.

Null is an empty cell, an empty text is `""`. Arrays, maps and structs are JSON. A struct as a key has a column for each
field, and the bounds of a windowed key are times. A tombstone has empty cells for the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsqlc.formats.windows import windowed as window_of
from lsqlc.types import codec, data
from lsqlc.types.codec_text import timestamp_of_millis, timestamp_text
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Record, StoredRecord, Topic

_SPECIAL = frozenset(',"\r\n')
_BOUNDS = ("start", "end")


def csv_header(topic: Topic, *, times: bool) -> str:
    """Return the header line. `times`: records have a timestamp, which rows of a TABLE do not."""
    return csv_row([*(["_timestamp"] if times else []), *_names(topic.key.type, "_key"), *_names(topic.value.type, "")])


def csv_lines(topic: Topic, records: Sequence[Record | StoredRecord], *, times: bool) -> Iterator[str]:
    """Yield a line for each record, without its newline."""
    windowed = window_of(topic.key.format) is not None
    for record in records:
        cells: list[str | None] = [_time(record.timestamp)] if times else []
        cells += _cells(topic.key.type, record.key, windowed)
        yield csv_row([*cells, *_cells(topic.value.type, record.value, False)])


def _names(type: DataType, facet: str) -> list[str]:
    if type == data.NULL:
        return []
    if isinstance(type, Struct) and type.fields:
        return [f"{facet}.{field.name}" if facet else field.name for field in type.fields]
    return [facet or "_value"]


def _cells(type: DataType, value: Any, windowed: bool) -> list[str | None]:
    if type == data.NULL:
        return []
    if not (isinstance(type, Struct) and type.fields):
        return [csv_cell(type, value)]
    if value is None:
        return [None] * len(type.fields)
    return [
        _time(value[f.name]) if windowed and f.name in _BOUNDS else csv_cell(f.type, value.get(f.name))
        for f in type.fields
    ]


def csv_cell(type: DataType, value: Any) -> str | None:
    """Return the text of a value; None for null, which is an empty cell."""
    if value is None:
        return None
    if type == data.STRING:
        return str(value)
    text = codec.encode_text(type, value)
    # The cell of a value that is a string in JSON, such as a date, has no quotes.
    return text[1:-1] if text.startswith('"') else text


def _time(millis: int) -> str:
    timestamp = timestamp_of_millis(millis)
    return str(millis) if timestamp is None else timestamp_text(timestamp)


def csv_row(cells: Sequence[str | None]) -> str:
    """Return a line, without its newline."""
    # An empty line would not be a row.
    if len(cells) == 1 and cells[0] is None:
        return '""'
    return ",".join("" if cell is None else _quoted(cell) for cell in cells)


def _quoted(text: str) -> str:
    if text and not _SPECIAL.intersection(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'
