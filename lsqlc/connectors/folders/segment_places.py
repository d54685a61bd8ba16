"""Places in the segments of a topic: the number that a record's ordinal begins with, from which on a reader takes what
it finds, see `transport.Offsets`.

A line without an ordinal that can be read is taken with its segment, unless all others of it lie before the place: who
reads it says what is wrong with it. `remote.topics.transport` has the same rule in SQL.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from lsqlc.connectors import naming


class _Line(msgspec.Struct):
    """What is looked at in a line of any schema."""

    ordinal: int | list[int]
    timestamp: int = 0


_line = msgspec.json.Decoder(_Line)


def first_at(found: Iterable[Path], time: int | None) -> int:
    """The place of the first record, in order of arrival, whose timestamp is at or after `time`, in epoch milliseconds;
    without one, and for None, that behind the last record. `found`: the segments by name. Raises OSError.
    """
    first: int | None = None
    last = -1
    for segment in found:
        is_appended = naming.is_appended_segment(segment.name)
        if is_appended and first is not None:
            # They come by ordinal, before those of queries.
            continue
        for place, timestamp in _places(segment):
            last = max(last, place)
            if time is not None and timestamp >= time and (first is None or place < first):
                first = place
                if is_appended:
                    break
    return last + 1 if first is None else first


def behind(found: Iterable[Path], place: int, folder: Path) -> tuple[Path, ...]:
    """The segments behind a place; of one with records before it, a copy in `folder` without them. Raises OSError."""
    kept: list[Path] = []
    for segment in found:
        lines = segment.read_bytes().splitlines(keepends=True)
        taken = list(_taken(segment, lines, place))
        if len(taken) == len(lines):
            kept.append(segment)
        elif taken:
            with tempfile.NamedTemporaryFile("wb", dir=folder, suffix=".jsonl", delete=False) as file:
                file.writelines(taken)
            kept.append(Path(file.name))
    return tuple(kept)


def count_behind(found: Iterable[Path], place: int) -> int:
    """How many lines lie behind a place. Raises OSError."""
    count = 0
    for segment in found:
        with segment.open("rb") as file:
            count += sum(1 for _ in _taken(segment, file, place))
    return count


def _taken(segment: Path, lines: Iterable[bytes], place: int) -> Iterator[bytes]:
    if segment.stat().st_mtime_ns < naming.modification_time_ns(place):
        # That of its last record.
        return
    for line in lines:
        found = _place(line)
        if found is None or found[0] >= place:
            yield line


def _places(segment: Path) -> Iterator[tuple[int, int]]:
    with segment.open("rb") as file:
        yield from filter(None, map(_place, file))


def _place(line: bytes) -> tuple[int, int] | None:
    """The place and the timestamp of a record; None for what is none."""
    try:
        found = _line.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if isinstance(found.ordinal, list):
        return (found.ordinal[0], found.timestamp) if found.ordinal else None
    return found.ordinal, found.timestamp
