"""Folders and files that are shared with a server, often of another user: each has the permissions of its parent
folder.

If such a folder is open to a group (`chmod 2770`), everything below it is open to that group as well, with any umask.
"""

from __future__ import annotations

import stat
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Create a folder, and missing folders above it, each with the permissions of its parent."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir()
    except FileExistsError:
        # Another process was faster; or it is not a folder, which the next write reports.
        return
    give_permissions(folder, folder.parent)


def give_permissions(path: Path, parent: Path) -> None:
    """Give `path` the permissions of the folder `parent`, unless that is a public one, such as /tmp."""
    mode = parent.stat().st_mode
    if mode & stat.S_ISVTX:
        return
    mode_of_path = mode & 0o2777 | 0o700 if path.is_dir() else mode & 0o666 | 0o600
    # Some shared file systems do not allow permissions to be set, so correct permissions are left alone.
    if stat.S_IMODE(path.stat().st_mode) != mode_of_path:
        path.chmod(mode_of_path)
