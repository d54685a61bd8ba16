"""The target folder, with a marker by which lsqlc recognises folders that it created.

The project file names the folder, and a pull request could name any. Only a folder with a marker is ever removed. The
marker depends on the path and on a key of the user, so that a committed marker is not valid. A check for files that git
tracks would not be enough: an ignored folder such as `.venv` is not tracked either.
"""

from __future__ import annotations

import os
import shutil
from hmac import compare_digest
from pathlib import Path

from lsqlc.project import files
from lsqlc.project.build.cache import write
from lsqlc.project.user_cache import mark

MARKER = ".lsqlc-target"
_KIND = "lsqlc target"
_TEXT = "lsqlc created this folder, and `lsqlc clean` removes it.\n"


def create(root: Path, path: str, key: bytes | None) -> bool:
    """Create the target folder, with a marker unless it contains anything. Returns whether it has a valid marker.

    Errors are reported when files are written to it.
    """
    folder = root / path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = next(folder.iterdir(), None) is None
    except OSError:
        return False
    if key is not None and is_empty:
        write(folder / MARKER, (_TEXT + _mark(folder, key) + "\n").encode(), f"{path}/{MARKER}")
    return why_foreign(root, path, key) is None


def why_foreign(root: Path, path: str, key: bytes | None) -> str | None:
    """Return the reason why lsqlc did not create the folder `path`, as a clause; None if it did."""
    folder = root / path
    try:
        line = files.read_bytes(folder / MARKER, 1024).decode("ascii").removeprefix(_TEXT).strip()
    except FileNotFoundError:
        return f"it does not contain lsqlc's marker, '{MARKER}'"
    except (OSError, ValueError):
        return f"'{path}/{MARKER}' cannot be read"
    if key is None or not compare_digest(line, _mark(folder, key)):
        return f"'{path}/{MARKER}' was not written for this folder by this user on this machine"
    return None


def remove(folder: Path) -> None:
    """Remove a folder that has a marker. Raises OSError.

    The marker is removed last, so that an interrupted removal can be repeated.
    """
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name == MARKER):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    folder.rmdir()


def _mark(folder: Path, key: bytes) -> str:
    return mark(key, _KIND, os.fsencode(os.path.realpath(folder)))
