"""One run at a time holds a project: a lock on `.lsqlc/run.lock`, which the system gives back when the process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold `<folder>/run.lock` inside the `with`. Raises LsqlcError LSQ664, with the holder's process id, if it is
    held.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # The file stays when the lock is given back: removing it would let two processes lock two files of that name.
    with (folder / "run.lock").open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise LsqlcError([_held(file.read().strip())]) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def holder(folder: Path) -> int | None:
    """The process id of the run that holds the lock, or None."""
    try:
        with (folder / "run.lock").open("r+", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read().strip()
                return int(text) if text.isdecimal() else 0
    except FileNotFoundError:
        return None
    return None


def _held(pid: str) -> Diagnostic:
    who = f"process {pid}" if pid.isdecimal() else "another process"
    return Diagnostic(
        "LSQ664",
        f"this project is already being run by {who}",
        notes=("two runs would take the checkpoints from each other",),
        help="wait for it, or end it" + (f" with `kill {pid}`" if pid.isdecimal() else ""),
    )
