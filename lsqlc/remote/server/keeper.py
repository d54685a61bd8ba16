"""A small process that keeps a Spark server between commands, and ends it when nobody has used it for a while.

Run as a module, detached from whoever started it. Each command that uses the server holds a lock on a file of its own
in the folder `uses`, and removes the file when it is done. Where a file is left and nobody holds its lock, a command
was killed; if queries of a project may still run for it (`QUERIES`), the server is ended at once, as one is that lives
with its command: two servers would otherwise use the same checkpoints. SIGTERM ends the server, and this process.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from lsqlc.remote.server import watchdog
from lsqlc.remote.server.lock import is_held

QUERIES = "queries-"
"""What the names of the files begin with whose commands run queries over a project's checkpoints."""
NEW = "."
"""What they begin with until their commands hold the locks."""
# Seconds between two looks at the uses.
_LOOK = 0.5


def main(arguments: list[str]) -> int:
    """`arguments`: the folder of uses, seconds without one after which the server ends, seconds of grace for it to end
    by itself, and the server's command line.
    """
    uses, idle, grace, command = Path(arguments[0]), float(arguments[1]), float(arguments[2]), arguments[3:]
    asked = False

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True

    signal.signal(signal.SIGTERM, ask)
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    server = watchdog.launch(command, None)
    last = time.monotonic()
    while server.poll() is None and not asked:
        used, killed = look(uses)
        last = time.monotonic() if used else last
        if killed or time.monotonic() - last >= idle:
            break
        with suppress(subprocess.TimeoutExpired):
            server.wait(_LOOK)
    watchdog.end(server, grace)
    return 0


def look(uses: Path) -> tuple[bool, bool]:
    """Whether anybody uses the server, and whether a command was killed that had queries on it. What other commands
    left that were killed is removed.
    """
    used = killed = False
    for path in uses.iterdir():
        if path.name.startswith(NEW):
            continue
        if is_held(path):
            used = True
        elif path.name.startswith(QUERIES):
            # It may have been removed by its command, which was done, in between.
            killed = killed or path.exists()
        else:
            path.unlink(missing_ok=True)
    return used, killed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
