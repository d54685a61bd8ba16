"""Positions in the segments of a topic: the first number of a record's ordinal (see `transport.Offsets`).

A line without a readable ordinal is read with its segment, unless all others of it are before the position. The reader
reports its problem. `remote.topics.transport` has the same rule in SQL.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from lsqlc.connectors import naming


class _Line(msgspec.Struct):
    """The fields that a line of any schema has."""

    ordinal: int | list[int]
    timestamp: int = 0


_line = msgspec.json.Decoder(_Line)


def first_at(paths: Iterable[Path], time: int | None) -> int:
    """Return the position of the first record, in order of arrival, whose timestamp is at or after `time`.

    `time` is in epoch milliseconds. Without such a record, and for None, it is the position after the last record.
    `paths`: the segments by name. Raises OSError.
    """
    first: int | None = None
    last = -1
    for segment in paths:
        is_appended = naming.is_appended_segment(segment.name)
        if is_appended and first is not None:
            # They are read by ordinal, before those of queries.
            continue
        for place, timestamp in _places(segment):
            last = max(last, place)
            if time is not None and timestamp >= time and (first is None or place < first):
                first = place
                if is_appended:
                    break
    return last + 1 if first is None else first


def behind(paths: Iterable[Path], place: int, folder: Path) -> tuple[Path, ...]:
    """Return the segments after a position; one with records before it is copied to `folder` without them. Raises
    OSError.
    """
    remaining: list[Path] = []
    for segment in paths:
        lines = segment.read_bytes().splitlines(keepends=True)
        lines_after = list(_taken(segment, lines, place))
        if len(lines_after) == len(lines):
            remaining.append(segment)
        elif lines_after:
            with tempfile.NamedTemporaryFile("wb", dir=folder, suffix=".jsonl", delete=False) as file:
                file.writelines(lines_after)
            remaining.append(Path(file.name))
    return tuple(remaining)


def count_behind(paths: Iterable[Path], place: int) -> int:
    """Return the number of lines after a position. Raises OSError."""
    count = 0
    for segment in paths:
        with segment.open("rb") as file:
            count += sum(1 for _ in _taken(segment, file, place))
    return count


def _taken(segment: Path, lines: Iterable[bytes], place: int) -> Iterator[bytes]:
    if segment.stat().st_mtime_ns < naming.modification_time_ns(place):
        # The modification time is that of its last record.
        return
    for line in lines:
        position = _place(line)
        if position is None or position[0] >= place:
            yield line


def _places(segment: Path) -> Iterator[tuple[int, int]]:
    with segment.open("rb") as file:
        yield from filter(None, map(_place, file))


def _place(line: bytes) -> tuple[int, int] | None:
    """Return the position and the timestamp of a record; None for an invalid line."""
    try:
        line_fields = _line.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if isinstance(line_fields.ordinal, list):
        return (line_fields.ordinal[0], line_fields.timestamp) if line_fields.ordinal else None
    return line_fields.ordinal, line_fields.timestamp
