"""A small process between lsqlc and the server: it ends the server when lsqlc is gone, however lsqlc went.

Run as a script, with a pipe as standard input, which the parent holds open and does not write to. When the pipe closes
(the parent closed it, or died, `kill -9` included) the server gets SIGTERM, and after a grace SIGKILL. The first line
printed is the server's process id; the exit code is the server's, and that of a server which a signal killed is as a
shell has it, `KILLED` and the signal's number. Only uses the standard library.
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
    """`arguments`: seconds of grace, path of the log, then the server's command line."""
    grace, log, command = float(arguments[0]), arguments[1], arguments[2:]
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    with Path(log).open("ab") as output:
        server = launch(command, output)
    print(server.pid, flush=True)
    while server.poll() is None:
        # A death of the server closes nothing here, so the pipe is looked at twice a second.
        readable, _, _ = select.select([sys.stdin], [], [], 0.5)
        if readable and not os.read(sys.stdin.fileno(), 1024):
            break
    code = end(server, grace)
    return KILLED - code if code < 0 else code


def launch(command: list[str], output: BinaryIO | None) -> subprocess.Popen[bytes]:
    """Start a server that ends with this process. `output`: where what it prints goes; None: where ours goes."""
    # A group of its own, so that the Python workers that the server forks can be ended with it.
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
        # What was passed on to us, a lock, is passed on: it is held for as long as the server lives.
        close_fds=False, preexec_fn=_default_signals,
    )  # fmt: skip


def end(server: subprocess.Popen[bytes], grace: float) -> int:
    """End a server, if it has not, and what it has started. `grace`: seconds that it has to end by itself. Its code."""
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
    # Linux ends the server with us, if we are killed too; elsewhere there is no such call.
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
