"""The files of a project as they change: which are looked at, and what a save is.

Files are compared by time, size and number, so that an editor that writes a new file and renames it is seen too. A
save is over once nothing has changed between two looks: an editor removes a file before it puts another in its place,
and a formatter or a checkout of a branch writes many.
"""

# A thousand files are looked at several times a second, and pathlib costs several times as much.
# ruff: noqa: PTH116, PTH118

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.project.declared.config import FUNCTION_FOLDER, MACRO_FOLDER
from lsqlc.project.model import Project
from lsqlc.scan.paths import stays_inside

Snapshot = Mapping[str, tuple[int, int, int]]
"""Time of change in ns, size in bytes and number of each file, by its path in the project."""

# Seconds between two looks at rest, and within a save; looking takes at most this part of the time.
_REST = 0.2
_QUIET = 0.05
_SHARE = 0.2
# How the names of the project file, of targets and of the lock file end.
_OWN = (".yml", ".yaml")
# Looks after which a save is taken to be over, whatever still changes.
_MOST = 40


@dataclass(frozen=True, slots=True)
class Watched:
    """What is looked at, by paths in the project: the files below `folders`, single `files`, and in the project's own
    folder the project file and others of its kind. What is below `outside` is left out.
    """

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


def watched(project: Project | None) -> Watched:
    """All files that a project is made of, with its cases, golden files, seeds and data files. Of one that cannot be
    read, the files that may mend it.
    """
    if project is None:
        return Watched()
    config = project.config
    folders = [*config.model_paths, *config.seed_paths, *config.case_paths, config.golden_path]
    folders += [MACRO_FOLDER, FUNCTION_FOLDER, *(t.topic.files.root for t in project.topics if t.topic.files)]
    files = {*project.texts, *(t.seed.path for t in project.topics if t.seed and not t.seed.package)}
    inside = (path for path in (*folders, *files) if stays_inside(project.root, path))
    tops = dict.fromkeys(os.path.normpath(path) for path in inside)
    chosen = [path for path in tops if path not in files]
    return Watched(tuple(chosen), tuple(sorted(files.intersection(tops))), (os.path.normpath(config.target_path),))


def snapshot(root: Path, watched: Watched) -> Snapshot:
    """The files as they are now. What cannot be looked at is not there."""
    found: dict[str, tuple[int, int, int]] = {}
    # What stands beside the project file may be anything, such as what a command writes.
    _walk(str(root), "", watched.outside, found, deep=False)
    found = {path: state for path, state in found.items() if path.endswith(_OWN)}
    for folder in watched.folders:
        _walk(str(root), "" if folder == "." else folder, watched.outside, found)
    for path in watched.files:
        try:
            found[path] = _state(os.stat(os.path.join(root, path)))
        except (OSError, ValueError):
            found.pop(path, None)
    return found


def changed(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """The files that are new, gone or not the same, in order."""
    return tuple(sorted(path for path in {*before, *after} if before.get(path) != after.get(path)))


def next_save(before: Snapshot, look: Callable[[], Snapshot], pause: Callable[[float], None]) -> Snapshot:
    """Wait for the next save, and return the files as they are after it. `pause` waits for so many seconds."""
    rest = _REST
    while True:
        pause(rest)
        began = time.perf_counter()
        found = look()
        rest = max(_REST, (time.perf_counter() - began) / _SHARE)
        if found == before:
            continue
        for _ in range(_MOST):
            pause(_QUIET)
            last, found = found, look()
            if found == last:
                break
        if found != before:
            return found


def _walk(
    root: str, folder: str, outside: tuple[str, ...], found: dict[str, tuple[int, int, int]], *, deep: bool = True
) -> None:
    waiting = [folder]
    while waiting:
        at = waiting.pop()
        try:
            entries = list(os.scandir(os.path.join(root, at)))
        except OSError:
            # It is not there, or not any more.
            continue
        for entry in entries:
            path = f"{at}/{entry.name}" if at else entry.name
            if _is_scratch(entry.name) or path in outside:
                continue
            try:
                if not entry.is_dir():
                    found[path] = _state(entry.stat())
                elif deep and not entry.is_symlink():
                    waiting.append(path)
            except OSError:
                # Gone since the folder was listed.
                continue


def _is_scratch(name: str) -> bool:
    """Whether it is hidden, or what an editor keeps beside a file: `~` of vim, `#name#` of Emacs, vim's `4913`."""
    return name[0] in ".#" or name[-1] in "~#" or name.isdigit() or name.endswith((".swp", ".tmp", ".bak"))


def _state(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
