"""Paths of files that are read: whether they lie in the project, and whether what lies there can be read.

A link that leads out of the project, and `..` beyond its root, lead outside.
"""

# A thousand models are walked and read on every run, and pathlib costs several times as much.
# ruff: noqa: PTH114, PTH115, PTH117, PTH118

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def within(path: str) -> bool:
    """Whether a path, taken from the project's root, stays below that root as far as its words say."""
    if os.path.isabs(path) or "\x00" in path or ":" in path.split("/", 1)[0]:
        return False
    return os.path.normpath(path).split(os.sep, 1)[0] != os.pardir


def stays_inside(root: Path, path: str) -> bool:
    """Whether a path stays below the project's root, links followed. What isn't there yet is judged by its words."""
    return within(path) and is_inside(os.path.realpath(root), os.path.join(root, path))


def shown(name: str) -> str:
    """A name as it can be written: bytes that are not UTF-8 are pictured."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_inside(base: str, path: str) -> bool:
    """Whether a path stays below a real path, links followed."""
    real = os.path.realpath(path)
    return real == base or real.startswith(base.rstrip(os.sep) + os.sep)


def check_regular(mode: int) -> None:
    """Raise OSError unless that mode, of `os.stat`, is of a regular file."""
    kind = _KINDS.get(stat.S_IFMT(mode))
    if kind is not None:
        raise OSError(errno.EINVAL, f"it is {kind}, not a file")


def why_unread(error: OSError | ValueError, file: str | os.PathLike[str]) -> str:
    """Why a file cannot be read, in words that follow a colon. `error`: what opening or reading it raised."""
    if isinstance(error, FileNotFoundError) and os.path.islink(file):
        return f"it is a link to '{os.readlink(file)}', which does not exist"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "it is a link to itself"
    reason = getattr(error, "strerror", None) or str(error)
    return reason[:1].lower() + reason[1:]
