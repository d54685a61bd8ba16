"""Lines of stdin or a file, read beside the command, which looks for them now and then: whoever writes into a pipe may
pause for as long as it likes, and a signal is heard meanwhile.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lsqlc.connectors.seeding import opened, unreadable
from lsqlc.tasks.produce import EndOfLinesError

# Lines that are read ahead, and bytes that are read at once.
_AHEAD = 20_000
_CHUNK = 1 << 16


class LineInput:
    """The lines of a stream, taken one by one. See `lsqlc.tasks.produce.Lines`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._queue: queue.Queue[bytes | BaseException] = queue.Queue(_AHEAD)
        self._ended: BaseException | None = None
        # It may wait for input for ever; the process ends without it.
        threading.Thread(target=self._read, daemon=True).start()

    def take(self, seconds: float) -> bytes | None:
        """Return the next line; None if none comes within so many seconds. Raises EndOfLinesError after the last line,
        and the errors of reading.
        """
        if self._ended is not None:
            raise self._ended
        try:
            item = self._queue.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(item, bytes):
            return item
        self._ended = item
        raise item

    def _read(self) -> None:
        try:
            for line in self._stream:
                self._queue.put(line)
            self._queue.put(EndOfLinesError())
        except BaseException as error:
            self._queue.put(error)


@contextmanager
def lines_of(path: Path | None, name: str) -> Iterator[LineInput]:
    """Return the lines of a file, which may be plain, a .gz, or the only one in a .zip. Without `path`: those of stdin.

    Raises LsqlcError LSQ410 for a file that cannot be read.
    """
    if path is None:
        # A stream of its own, which nobody closes: that would wait for whoever reads it.
        stream = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=_CHUNK)
        try:
            yield LineInput(stream)
        except OSError as error:
            raise unreadable(name, error) from error
        return
    with opened(path, name) as (file, _):
        yield LineInput(file)
