"""Sums of segments: the number of records, the size and the CRC-32, in `sums/` next to `data/`, a file each.

A sum is stored after its segment has become visible, and removed before it. So a crash between the two leaves a segment
without a sum, which is read unchecked, as are those of other programs. A sum without a segment is a fault.
"""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.diagnostics import Diagnostic, Span

FOLDER = "sums"
ENDING = ".sum"
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of a segment's content. `records`: its lines; `size`: in bytes; `crc`: its CRC-32."""

    records: int
    size: int
    crc: int

    def __str__(self) -> str:
        records, size = (f"{n} {unit}{'s' * (n != 1)}" for n, unit in ((self.records, "record"), (self.size, "byte")))
        return f"{records}, {size}, CRC-32 {self.crc:08x}"

    def content(self) -> bytes:
        """Return the content of its file.

        >>> Sum(2, 20, 255).content()
        b'{"records":2,"bytes":20,"crc32":"000000ff"}\\n'
        """
        return b'{"records":%d,"bytes":%d,"crc32":"%08x"}\n' % (self.records, self.size, self.crc)


class _Stored(msgspec.Struct):
    """The content of a sum's file."""

    records: int
    bytes: int
    crc32: str


_stored = msgspec.json.Decoder(_Stored)


class Summed:
    """Lines, summed as they are consumed."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self._records = self._size = self._crc = 0

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self._records += 1
            self._size += len(line)
            self._crc = zlib.crc32(line, self._crc)
            yield line

    @property
    def sum(self) -> Sum:
        """The sum of the lines so far."""
        return Sum(self._records, self._size, self._crc)


def sum_of(segment: Path) -> Sum:
    """Return the sum of a file. Raises OSError."""
    records = size = crc = 0
    with segment.open("rb", buffering=0) as file:
        while part := file.read(_BUFFER):
            records += part.count(b"\n")
            size += len(part)
            crc = zlib.crc32(part, crc)
    return Sum(records, size, crc)


def sum_path(segment: Path) -> Path:
    """Return the path of the sum of a segment, which may not exist."""
    return segment.parent.parent / FOLDER / f"{segment.stem}{ENDING}"


def store_sum(segment: Path, content: bytes) -> None:
    """Store the content of the sum of a visible segment, replacing an older one. Raises OSError.

    Several processes may store the same at once. It is not synced: after a crash of the machine it may be empty, which
    counts as no sum.
    """
    path = sum_path(segment)
    make_folder(path.parent)
    new_file = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        new_file.write_bytes(content)
        give_permissions(new_file, path.parent)
        new_file.replace(path)
    finally:
        new_file.unlink(missing_ok=True)


def stored_sum(path: Path) -> Sum | None:
    """Return the sum in that file; None if there is none. Raises OSError, and ValueError for any other content."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    if not content:
        return None
    stored = _stored.decode(content)
    return Sum(stored.records, stored.bytes, int(stored.crc32, 16))


def changed(topic: str, segment: Path, displayed_path: str, content: bytes | None = None) -> tuple[Diagnostic, ...]:
    """Return LSQ764 for a segment that differs from its sum. `displayed_path`: its path for messages; `content`: that
    of a segment that has been read. Raises OSError.
    """
    path = sum_path(segment)
    try:
        expected = stored_sum(path)
    except ValueError:
        return (_unreadable(topic, path, displayed_path),)
    if expected is None:
        return ()
    actual = sum_of(segment) if content is None else Sum(content.count(b"\n"), len(content), zlib.crc32(content))
    if actual == expected:
        return ()
    message = f"a segment of '{topic}' is not as it was written: expected {expected}, found {actual}"
    return (_fault(topic, path, message, displayed_path),)


def lost(topic: str, folder: Path, displayed_path: str) -> dict[Path, Diagnostic]:
    """Return LSQ764 for each segment that has a sum and is missing.

    `folder`: that of the topic; `displayed_path`: its path for messages. Raises OSError.
    """
    sums = {path.name for path in (folder / FOLDER).glob(f"[!.]*{ENDING}")}
    present: set[str] = set()
    if sums:
        with suppress(FileNotFoundError):
            # Listed after the sums: a segment becomes visible before its sum.
            present = {path.with_suffix(ENDING).name for path in (folder / "data").iterdir()}
    faults: dict[Path, Diagnostic] = {}
    for name in sorted(sums - present):
        path = folder / FOLDER / name
        segment = (folder / "data" / name).with_suffix(".jsonl")
        place = f"{displayed_path}/data/{segment.name}"
        try:
            expected = stored_sum(path)
        except ValueError:
            faults[segment] = _unreadable(topic, path, place)
            continue
        # None: the sum has been removed meanwhile, which precedes the removal of its segment.
        if expected is not None:
            message = f"a segment of '{topic}' is missing: expected {expected}, found no file"
            faults[segment] = _fault(topic, path, message, place)
    return faults


def _unreadable(topic: str, path: Path, displayed_path: str) -> Diagnostic:
    return _fault(topic, path, f"the sum of a segment of '{topic}' cannot be read", displayed_path)


def _fault(topic: str, path: Path, message: str, displayed_path: str) -> Diagnostic:
    notes = (
        f"to fill the topic again: `lsqlc seed {topic} --full-refresh`, or for one that a model writes"
        " `lsqlc run --full-refresh`",
        f"to accept what is there: remove `{FOLDER}/{path.name}` from the folder of the topic",
    )
    return Diagnostic(
        "LSQ764", message, Span(displayed_path, 1, 1, 1, 1), notes, f"restore the file '{displayed_path}' from a copy"
    )
