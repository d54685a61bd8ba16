"""Notes about what runs on a target, where all of its clients find them: where the connector keeps notes, else in files
in the folder of the project's state.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from lsqlc.connectors.record import Connector
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.locks import write_errors


class Noted(Protocol):
    """A target that has notes."""

    @property
    def connector(self) -> Connector: ...
    @property
    def target(self) -> Target: ...
    @property
    def state(self) -> Path: ...


def noted(place: Noted, project: str, note: str) -> str | None:
    """Return the text of a note; None without one. Raises LsqlcError LSQ001, and as the cluster does."""
    notes = place.connector.notes
    if notes is not None:
        return notes.read(place.target.connection, project, note)
    return file_note(place.state, note)


def file_note(folder: Path, note: str) -> str | None:
    """Return the text of a note in a file. `folder`: that of the project's state. Raises LsqlcError LSQ001."""
    try:
        return (folder / f"{note}.json").read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeError) as error:
        raise LsqlcError([Diagnostic("LSQ001", f"cannot read '{folder.name}/{note}.json': {error}")]) from None


def keep_note(place: Noted, project: str, note: str, text: str | None) -> None:
    """Replace a note at once, or with None remove it. Raises LsqlcError: LSQ034, and as the cluster does."""
    notes = place.connector.notes
    if notes is not None:
        notes.write(place.target.connection, project, note, text)
        return
    keep_file_note(place.state, note, text)


def keep_file_note(folder: Path, note: str, text: str | None) -> None:
    """Keep a note as a file in the folder of the project's state. Raises LsqlcError LSQ034."""
    path = folder / f"{note}.json"
    with write_errors(path):
        if text is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        new_file = path.with_name(f"{path.name}.{os.getpid()}")
        with new_file.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new_file.replace(path)
