"""A lock that a server holds for as long as it lives: on a file whose descriptor it inherits.

filelock gives a lock back for all who inherited it. `fcntl` is imported where a lock is taken: there is none on
Windows, where the modules of servers can be imported.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def inherited_lock(path: Path, patience: float) -> Iterator[int]:
    """The lock on that file, as a file descriptor. Who inherits it holds the lock as well: so closing it, which is all
    that is done here, leaves the lock to the server.

    Raises BlockingIOError if it is not released within `patience` seconds.
    """
    import fcntl

    with path.open("ab") as file:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.1)
        yield file.fileno()


def is_held(path: Path) -> bool:
    """Whether a process holds the lock on that file; False if the file does not exist."""
    import fcntl

    try:
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    except FileNotFoundError:
        return False
    return False
