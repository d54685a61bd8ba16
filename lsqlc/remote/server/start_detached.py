"""Start a process that outlives its starter, and print its process id: run as a script, which ends at once.

The process has no parent that must wait for it, and no Ctrl-C reaches it. What the script inherited, a lock, is passed
on. Only uses the standard library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main(arguments: list[str]) -> None:
    """`arguments`: path of the log, then the command line."""
    log, command = arguments[0], arguments[1:]
    with Path(log).open("ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, close_fds=False
        )
    print(process.pid, flush=True)
    # Without waiting for the process, as the end of Python would warn of.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
