"""A lock that only one run of a project can hold: `.lsqlc/run.lock`. The system releases it when the process ends.

The file has the process id of the holder, and a check of the lock uses a shared lock. filelock supports neither.
`fcntl` is imported inside the functions, because Windows does not have it, and this module must be importable there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError


@contextmanager
def run_lock(folder: Path, doing: str = "run") -> Iterator[None]:
    """Hold `<folder>/run.lock` inside of the `with`. `doing`: the work of the holder, as a participle in a message.

    Raises LsqlcError: LSQ664, with the process id of the holder, if another process holds the lock; LSQ034 if the file
    cannot be written.
    """
    import fcntl

    # The file is not removed when the lock is released: otherwise two processes could lock two files of that name.
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
            # Without a buffer, whose content would be written again when the file is closed after an error.
            file.truncate(0)
            os.write(file.fileno(), str(os.getpid()).encode())
        try:
            yield
        finally:
            file.truncate(0)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError inside of the `with` into LsqlcError LSQ034. `path`: of a file in a folder of the project."""
    try:
        yield
    except OSError as error:
        message = f"cannot write '{path.parent.name}/{path.name}': {(error.strerror or str(error)).lower()}"
        help = "make the folder writable, with space on its disk"
        raise LsqlcError([Diagnostic("LSQ034", message, help=help)]) from None


def holder(folder: Path) -> int | None:
    """Return the process id of the run that holds the lock, or None; 0 if the file does not have it.

    Raises LsqlcError LSQ001 if the file cannot be read.
    """
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
