"""A script that starts a process, prints its process id and ends: the process outlives its starter.

The process has no parent that must wait for it, and does not receive Ctrl-C. It inherits the file descriptors of the
script, such as that of a lock. The script imports only the standard library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main(arguments: list[str]) -> None:
    """Start a process. `arguments`: the path of the log, then the command line."""
    log, command = arguments[0], arguments[1:]
    with Path(log).open("ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, close_fds=False
        )
    print(process.pid, flush=True)
    # The normal end of Python would print a warning about a process that still runs.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
