"""What happens to files below a folder, told by the kernel at once: quick enough to kill in between. Linux only."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["create", "moved from", "moved to"]

_KINDS: dict[int, Kind] = {0x100: "create", 0x40: "moved from", 0x80: "moved to"}
_IS_FOLDER = 0x40000000
_HEAD = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Change:
    """`path` is relative to the watched folder. A hard link is a `create`."""

    kind: Kind
    path: str


class Watched:
    """A folder and all below it, those that are made later as well. What is made in a new folder before it is seen
    itself goes untold. A context manager.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._handle = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._handle < 0:
            raise OSError(ctypes.get_errno(), "inotify is not available")
        # `select` takes no descriptor above 1,023, which a process of many tests may come to.
        self._ready = select.poll()
        self._ready.register(self._handle, select.POLLIN)
        self._folders: dict[int, str] = {}
        self._read: deque[Change] = deque()
        self._add(root)

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._handle)

    def forget(self) -> None:
        """Pass over what has happened so far."""
        while self._fill(0):
            pass
        self._read.clear()

    def wait(self, wanted: Callable[[Change], bool], seconds: float, ended: Callable[[], bool]) -> Change | None:
        """The next change that is wanted; None after so many seconds, or once it has `ended`."""
        deadline = time.monotonic() + seconds
        while True:
            while self._read:
                change = self._read.popleft()
                if wanted(change):
                    return change
            if not self._fill(0.2) and (ended() or time.monotonic() > deadline):
                return None

    def _fill(self, seconds: float) -> bool:
        if not self._ready.poll(seconds * 1000):
            return False
        raw, place = os.read(self._handle, 1 << 16), 0
        while place < len(raw):
            watch, mask, _, length = _HEAD.unpack_from(raw, place)
            name = os.fsdecode(raw[place + _HEAD.size : place + _HEAD.size + length].rstrip(b"\0"))
            place += _HEAD.size + length
            kind, folder = _KINDS.get(mask & 0xFFF), self._folders.get(watch)
            if kind is None or folder is None:
                continue
            if mask & _IS_FOLDER:
                self._add(self._root / folder / name)
            else:
                self._read.append(Change(kind, f"{folder}/{name}"))
        return True

    def _add(self, folder: Path) -> None:
        watch = _libc.inotify_add_watch(self._handle, os.fsencode(folder), sum(_KINDS))
        if watch < 0:
            return
        self._folders[watch] = os.path.relpath(folder, self._root)
        try:
            inner = [entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return
        for path in inner:
            self._add(Path(path))
