"""A lock on a file that a server holds while it runs, by a file descriptor that it inherits.

filelock does not fit: it releases a lock for all processes that have inherited it. `fcntl` is imported inside the
functions, because it does not exist on Windows, where these modules must be importable.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def inherited_lock(path: Path, timeout: float) -> Iterator[int]:
    """Acquire the lock on that file, and yield its file descriptor.

    A process that inherits the descriptor holds the lock as well. At the end the descriptor is closed, and the lock
    stays with that process. Raises BlockingIOError if another process still holds the lock after `timeout` seconds.
    """
    import fcntl

    with path.open("ab") as file:
        deadline = time.monotonic() + timeout
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
    """Return whether a process holds the lock on that file; False if the file does not exist."""
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
