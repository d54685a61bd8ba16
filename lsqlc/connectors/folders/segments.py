"""Files of a topic, which become visible completely or not at all.

A file is written and synced in `tmp/`, gets its modification time, and is linked into `data/`. The first link of a name
wins. An append of several segments is prepared in one folder, and is committed by the rename of that folder. A process
that finds such a folder, after a crash or during the append, links the remaining segments. The sums of these segments
are in that folder too (see `sums`).
"""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from lsqlc.connectors import naming
from lsqlc.connectors.folders import sums
from lsqlc.connectors.shared import give_permissions, make_folder

_BUFFER = 1 << 20
_STAGING = ".staging"
_READY = ".ready"


class _Place(msgspec.Struct):
    """The fields of a line that need no schema."""

    ordinal: int | list[int]


_place = msgspec.json.Decoder(_Place)


def make_folders(folder: Path) -> None:
    """Create the folders of a topic."""
    for name in ("data", "tmp", sums.FOLDER):
        make_folder(folder / name)


def listing(folder: Path) -> tuple[Path, ...]:
    """Return the visible segments by name: appended ones in order of their ordinals.

    Raises OSError for one that is not a regular file, such as a named pipe, which would block the reader.
    """
    try:
        with os.scandir(folder / "data") as scan:
            entries = [e for e in scan if e.name.endswith(".jsonl") and e.name[0] not in "._"]
    except FileNotFoundError:
        return ()
    for entry in entries:
        if not entry.is_file(follow_symlinks=False):
            raise OSError(errno.EINVAL, f"'{entry.name}' is not a regular file")
    return tuple(sorted(Path(e.path) for e in entries))


def write(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file of these lines, and sync it to the disk."""
    with path.open("wb", buffering=_BUFFER) as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    give_permissions(path, path.parent)


def stamp(path: Path, last_ordinal: int) -> None:
    """Give the file the modification time of its last ordinal."""
    time = naming.modification_time_ns(last_ordinal)
    os.utime(path, ns=(time, time))


def link(new_file: Path, segment: Path) -> bool:
    """Make a complete file visible; return False if that segment exists already."""
    try:
        os.link(new_file, segment)
    except FileExistsError:
        return False
    sync_folder(segment.parent)
    return True


def sync_folder(folder: Path) -> None:
    """Write the entries of a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def new_staging(folder: Path, first_ordinal: int) -> Path:
    """Return an empty folder for an append; folders of crashed ones are removed. The caller holds the lock."""
    for stale in (folder / "tmp").glob(f"append-*{_STAGING}"):
        shutil.rmtree(stale)
    staging = folder / "tmp" / f"append-{first_ordinal:020d}{_STAGING}"
    make_folder(staging)
    return staging


def publish(folder: Path, staging: Path) -> None:
    """Commit the append by a rename, and link its segments."""
    sync_folder(staging)
    staging.rename(staging.with_suffix(_READY))
    sync_folder(staging.parent)
    finish_appends(folder)


def finish_appends(folder: Path) -> None:
    """Link prepared segments. Several processes may do this at once, and without the lock."""
    for ready in sorted((folder / "tmp").glob(f"append-*{_READY}")):
        try:
            for new_file in sorted(ready.glob("*.jsonl")):
                segment = folder / "data" / new_file.name
                if not segment.exists():
                    link(new_file, segment)
                sums.store_sum(segment, new_file.with_suffix(sums.ENDING).read_bytes())
        except FileNotFoundError:
            # Another process has linked everything and removed the folder.
            continue
        shutil.rmtree(ready, ignore_errors=True)


def last_ordinal(folder: Path) -> tuple[int, ...] | None:
    """Return the highest ordinal in the visible segments; None without records. Raises ValueError for a broken line."""
    segments = listing(folder)
    appended = [s for s in segments if naming.is_appended_segment(s.name)]
    others = [s for s in segments if not naming.is_appended_segment(s.name)]
    ordinals = [_ordinals(_last_line(appended[-1]))] if appended else []
    for segment in others:
        with segment.open("rb") as file:
            ordinals += [max(map(_ordinals, file), default=())]
    return max(ordinals, default=()) or None


def _ordinals(line: bytes) -> tuple[int, ...]:
    if not line:
        return ()
    ordinal = _place.decode(line).ordinal
    return (ordinal,) if isinstance(ordinal, int) else tuple(ordinal)


def _last_line(path: Path) -> bytes:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        step = 1 << 16
        while True:
            file.seek(max(0, size - step))
            tail = file.read().rstrip(b"\n")
            if b"\n" in tail or step >= size:
                return tail.rpartition(b"\n")[2]
            step *= 8


def numbered_lines(path: Path, content: bytes | None = None) -> Iterator[tuple[int, bytes, bool]]:
    """Yield the number of each line from 1, the line without its newline, and whether it had one. `content`: that of a
    file that has been read.
    """
    with path.open("rb", buffering=_BUFFER) if content is None else io.BytesIO(content) as file:
        for number, line in enumerate(file, 1):
            whole = line.endswith(b"\n")
            yield number, line[:-1] if whole else line, whole
