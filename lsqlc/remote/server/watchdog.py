"""A small process between lsqlc and a server, which ends the server when lsqlc ends, even by SIGKILL.

It runs as a script whose standard input is a pipe. The parent holds the pipe open and writes nothing. When the pipe
closes, the server gets SIGTERM and, after a grace time, SIGKILL. The script prints the server's process id. Its exit
code is that of the server, or `KILLED` plus the number of the signal that killed the server, as in a shell. The script
imports only the standard library.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

KILLED = 128
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Run a server. `arguments`: the grace time in seconds, the path of the log, then the server's command line."""
    grace, log, command = float(arguments[0]), arguments[1], arguments[2:]
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    with Path(log).open("ab") as output:
        server = launch(command, output)
    print(server.pid, flush=True)
    while server.poll() is None:
        # The end of the server does not wake up `select`, so it has a timeout of half a second.
        readable, _, _ = select.select([sys.stdin], [], [], 0.5)
        if readable and not os.read(sys.stdin.fileno(), 1024):
            break
    code = end(server, grace)
    return KILLED - code if code < 0 else code


def launch(command: list[str], output: BinaryIO | None) -> subprocess.Popen[bytes]:
    """Start a server that ends with this process. `output`: the file for its output; None: that of this process."""
    # The server has its own process group, which includes the Python workers that it forks.
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
        # The server inherits the descriptor of a lock, and holds the lock while it runs.
        close_fds=False, preexec_fn=_default_signals,
    )  # fmt: skip


def end(server: subprocess.Popen[bytes], grace: float) -> int:
    """End a server and the processes that it has started. Return its exit code.

    `grace`: seconds that it may take to shut down.
    """
    if server.poll() is None:
        server.terminate()
        try:
            server.wait(grace)
        except subprocess.TimeoutExpired:
            server.kill()
    code = server.wait()
    # Python workers may outlive a server that was killed.
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    return code


def _default_signals() -> None:
    for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(kind, signal.SIG_DFL)
    # Linux ends the server with this process, even by SIGKILL. Other systems do not have this call.
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
