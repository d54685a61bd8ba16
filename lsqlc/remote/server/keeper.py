"""A small process that keeps a Spark server running between commands, and ends it after an idle time.

It runs as a module, detached from its starter. Each command that uses the server holds a lock on a file in the folder
`uses`, and removes the file at its end. A file without a locked holder is left by a command that was killed. If that
command ran queries of a project (`QUERIES`), they may still run. Then the server is ended at once, so that no other
server uses the same checkpoints. SIGTERM ends the server, and this process.
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
"""The prefix of files of commands that run queries over a project's checkpoints."""
NEW = "."
"""The prefix of files whose commands do not hold the lock yet."""
# Seconds between two checks of the folder.
_LOOK = 0.5


def main(arguments: list[str]) -> int:
    """Run a server until nobody uses it.

    `arguments`: the folder of uses, the idle time in seconds, the seconds that the server may take to shut down, and
    the server's command line.
    """
    uses, idle, grace, command = Path(arguments[0]), float(arguments[1]), float(arguments[2]), arguments[3:]
    is_terminated = False

    def terminate(number: int, frame: FrameType | None) -> None:
        nonlocal is_terminated
        is_terminated = True

    signal.signal(signal.SIGTERM, terminate)
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    server = watchdog.launch(command, None)
    last = time.monotonic()
    while server.poll() is None and not is_terminated:
        used, killed = look(uses)
        last = time.monotonic() if used else last
        if killed or time.monotonic() - last >= idle:
            break
        with suppress(subprocess.TimeoutExpired):
            server.wait(_LOOK)
    watchdog.end(server, grace)
    return 0


def look(uses: Path) -> tuple[bool, bool]:
    """Return whether a command uses the server, and whether a command with queries was killed.

    The files of other commands that were killed are removed.
    """
    used = killed = False
    for path in uses.iterdir():
        if path.name.startswith(NEW):
            continue
        if is_held(path):
            used = True
        elif path.name.startswith(QUERIES):
            # A command that has just ended may have removed its file.
            killed = killed or path.exists()
        else:
            path.unlink(missing_ok=True)
    return used, killed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
