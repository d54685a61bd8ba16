"""Folders and files that a server shares with us, often as another user: each has the permissions of the folder it is
made in.

Where such a folder is open to a group (`chmod 2770`), all that is made below it is open to that group as well, whatever
the umask of whoever makes it.
"""

from __future__ import annotations

import stat
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, each with the permissions of the one it is made in."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir()
    except FileExistsError:
        # Somebody else was quicker; or it is no folder, which whoever writes into it is told.
        return
    give_permissions(folder, folder.parent)


def give_permissions(made: Path, parent: Path) -> None:
    """What may be done in the folder `parent` may be done with what was made in it, unless everybody makes things there
    that are nobody else's affair, as in /tmp.
    """
    mode = parent.stat().st_mode
    if mode & stat.S_ISVTX:
        return
    wanted = mode & 0o2777 | 0o700 if made.is_dir() else mode & 0o666 | 0o600
    # Not every file system that is shared lets permissions be set: what is right already is left alone.
    if stat.S_IMODE(made.stat().st_mode) != wanted:
        made.chmod(wanted)
