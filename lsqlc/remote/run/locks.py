"""One run at a time holds a project: a lock on `.lsqlc/run.lock`, which the system gives back when the process ends.

The file says who holds it, to those who cannot have the lock, and a look at it takes a shared lock: filelock has
neither. `fcntl` is imported where a lock is taken, since this module is imported on Windows too, which has none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError


@contextmanager
def run_lock(folder: Path, doing: str = "run") -> Iterator[None]:
    """Hold `<folder>/run.lock` inside the `with`. `doing`: what its holder does with the project, in a message. Raises
    LsqlcError LSQ664, with the holder's process id, if it is held, and LSQ034 where it cannot be written.
    """
    import fcntl

    # The file stays when the lock is given back: removing it would let two processes lock two files of that name.
    with write_errors(folder / "run.lock"):
        folder.mkdir(parents=True, exist_ok=True)
        opened = (folder / "run.lock").open("a+", encoding="ascii")
    with opened as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise LsqlcError([_held(file.read().strip(), doing)]) from None
        with write_errors(folder / "run.lock"):
            # In one piece and at once: what a buffer holds would be tried again when the file is closed.
            file.truncate(0)
            os.write(file.fileno(), str(os.getpid()).encode())
        try:
            yield
        finally:
            file.truncate(0)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Raises LsqlcError LSQ034 for what the file system refuses inside the `with`. `path`: of a file in a folder of the
    project.
    """
    try:
        yield
    except OSError as error:
        message = f"cannot write '{path.parent.name}/{path.name}': {(error.strerror or str(error)).lower()}"
        help = "make the folder writable, with space on its disk"
        raise LsqlcError([Diagnostic("LSQ034", message, help=help)]) from None


def holder(folder: Path) -> int | None:
    """The process id of the run that holds the lock, or None. Raises LsqlcError LSQ001 where that cannot be read."""
    import fcntl

    try:
        with (folder / "run.lock").open(encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read().strip()
                return int(text) if text.isdecimal() else 0
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LsqlcError([Diagnostic("LSQ001", f"cannot read '{folder.name}/run.lock': {reason}")]) from None
    return None


def _held(pid: str, doing: str) -> Diagnostic:
    who = f"process {pid}" if pid.isdecimal() else "another process"
    return Diagnostic(
        "LSQ664",
        f"this project is already being {doing} by {who}",
        notes=("two processes would use the same checkpoints",),
        help="wait for it, or end it" + (f" with `kill {pid}`" if pid.isdecimal() else ""),
    )
