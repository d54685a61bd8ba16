"""The note of a topic that follows a table: the version that its writer takes after one without records.

Versions with records are in the names of their segments. Where the note is lost, versions without records are looked at
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from lsqlc.connectors.folders import segments

_NAME = "version.json"


class _Note(msgspec.Struct):
    """The content of the file."""

    writer: str
    next: int


def read(folder: Path) -> Mapping[str, int]:
    """Return the next version by writer; empty without a note. `folder`: of the topic. Raises OSError."""
    try:
        note = msgspec.json.decode((folder / _NAME).read_bytes(), type=_Note)
    except (FileNotFoundError, msgspec.DecodeError):
        return {}
    return {note.writer: note.next}


def write(folder: Path, writer: str, next: int) -> None:
    """Replace the note. The caller holds the lock of appends. Raises OSError."""
    new_file = folder / "tmp" / _NAME
    segments.write(new_file, [msgspec.json.encode(_Note(writer, next))])
    new_file.replace(folder / _NAME)
    segments.sync_folder(folder)
