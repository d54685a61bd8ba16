"""The folder of the output, and the marker by which lsqlc recognizes that it created the folder.

The project's file names the folder, and a pull request can name any. Only a folder with a marker is ever removed. The
marker is bound to the folder's path and to a key that no pull request has, so that a committed one is not valid. What
git tracks would be no better a sign: a folder that is ignored, such as `.venv`, is not tracked either.
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
    """Create the folder `path` of the project in `root`, with a marker, unless it contains anything. Return whether it
    has a marker.

    What cannot be created is reported by whoever writes into it.
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
    """Return why the folder `path` is not one that lsqlc created, as a clause; None for one that it did."""
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
    """Remove a folder that has a marker, and the marker last, so that an interrupted removal can be repeated. Raises
    OSError.
    """
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name == MARKER):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    folder.rmdir()


def _mark(folder: Path, key: bytes) -> str:
    return mark(key, _KIND, os.fsencode(os.path.realpath(folder)))
