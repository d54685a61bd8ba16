"""A fork server for the Python workers of an embedded server: it imports their modules once.

Spark starts a Python process for each query with `foreachBatch`. The process imports pyspark, pandas and gRPC, which
takes a second of processor time. This file runs as a script instead of Python. It asks the fork server for a worker,
and starts the fork server if there is none. The script runs as long as its worker does, because Spark ends a worker by
ending the process that it has started. For any other call, and if no fork server answers, the script executes Python.

By default Spark's Python processes import pyspark from a zip archive without compiled files, which takes 50% longer. If
Spark's folder is the installed package, the script removes that archive from the path.

The script imports only the standard library. It is for Linux, since libraries do not support forks on other systems.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

WORKER = "pyspark.sql.connect.streaming.worker.foreach_batch_worker"
# Modules that the worker imports, and that the batches of lsqlc import.
_IMPORTED = ("pyspark.worker", "pyspark.worker_util", "pyspark.sql.connect.session", "pyarrow.compute")
# Seconds that the imports may take. Spark gives a worker ten seconds to start. A worker that waits longer fails, and
# lsqlc starts its query again.
IMPORTS = 30.0
# Seconds for an answer of the fork server.
_TIMEOUT = 5.0
# The exit code of a fork server when another one runs already.
_TAKEN = 3
_READY, _DONE = b"r", b"d"
# The name of this file's copy next to a program for other machines.
_PORTABLE = "warm_python.py"


@dataclass(frozen=True)
class Program:
    """A program that Spark can use as Python. `secret`: identifies the fork server of one Spark server."""

    path: Path
    python: str
    secret: str

    def begin(self, server: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start the fork server before the first worker. `server`: the process id of the Spark server.

        The fork server ends when the Spark server ends. Raises OSError.
        """
        return _start(self.python, self.secret, server, environment, apart=True)

    def forks(self, server: int) -> bool:
        """Return whether the fork server has finished its imports."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link, suppress(OSError):
            link.connect(_address(self.secret, server))
            return True
        return False


def write_script(folder: Path, python: str, installed: Path | None = None) -> Program | None:
    """Write a program to that folder that Spark can use as Python. Return None if it could not be executed.

    `installed`: the folder of Spark, if it is the pyspark that this Python imports by itself. Raises OSError.
    """
    if sys.platform != "linux":
        return None
    secret = secrets.token_hex(16)
    words = (python, "-I", "-S", __file__, secret, python, str(installed or ""))
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {" ".join(map(_quoted, words))} "$@"\n', "utf-8")
    script.chmod(0o700)
    # It is not executable on a file system that is mounted with `noexec`.
    runs = os.access(script, os.X_OK) and os.access("/bin/sh", os.X_OK)
    return Program(script, python, secret) if runs else None


def write_portable(folder: Path, python: str) -> Path:
    """Write the same program to a new folder, which may be copied to another machine.

    A Spark server that lsqlc did not start can use the file `python` of the folder as Python. `python`: the path of
    Python on that machine. Raises OSError.
    """
    folder.mkdir(parents=True)
    (folder / _PORTABLE).write_bytes(Path(__file__).read_bytes())
    script = folder / "python"
    call = f'"$(dirname "$0")/{_PORTABLE}" {secrets.token_hex(16)} {_quoted(python)} \'\' "$@"'
    script.write_text(f"#!/bin/sh\nexec {_quoted(python)} -I -S {call}\n", "utf-8")
    script.chmod(0o755)
    return script


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def main(arguments: list[str]) -> int:
    """Run a worker, the fork server, or Python.

    `arguments`: the secret of the server, the path of Python, the folder of an installed Spark or an empty text, then
    the arguments of Spark. For the fork server: `serve`, the secret, and the process id of the Spark server.
    """
    if arguments[0] == "serve":
        return _serve(arguments[1], int(arguments[2]))
    secret, python, installed, *words = arguments
    if installed:
        entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        os.environ["PYTHONPATH"] = os.pathsep.join(e for e in entries if not e.startswith(installed + os.sep))
    if words == ["-m", WORKER]:
        with suppress(OSError):
            return _run_worker(secret, python)
    os.execv(python, [python, *words])


def _address(secret: str, server: int) -> str:
    """Return the address of the fork server: an abstract socket, which ends with the process."""
    return f"\0lsqlc-{secret}-{server}"


def _run_worker(secret: str, python: str) -> int:
    """Ask the fork server for a worker, and wait for its end. Return the exit code. Raises OSError without a server."""
    with _connect(secret, python) as link:
        link.settimeout(_TIMEOUT)
        call = json.dumps({"environment": dict(os.environ), "folder": str(Path.cwd())}).encode()
        socket.send_fds(link, [len(call).to_bytes(8, "big")], [1, 2])
        link.sendall(call)
        if link.recv(1) != _READY:
            raise ConnectionError("it has not forked")
        link.settimeout(None)
        return 0 if link.recv(1) == _DONE else 1


def _connect(secret: str, python: str) -> socket.socket:
    """Connect to the fork server, which is started if it does not run. Raises OSError if it does not start."""
    server = os.getppid()
    deadline = time.monotonic() + IMPORTS
    started: subprocess.Popen[bytes] | None = None
    while True:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(_address(secret, server))
            _check_owner(link)
            return link
        except OSError:
            link.close()
            if time.monotonic() > deadline or (started is not None and started.poll() not in (None, _TAKEN)):
                raise
        if started is None:
            # It has the process group of the Spark server, and ends with it.
            started = _start(python, secret, server, os.environ)
        time.sleep(0.02)


def _start(
    python: str, secret: str, server: int, environment: Mapping[str, str], *, apart: bool = False
) -> subprocess.Popen[bytes]:
    """Start a fork server, which ends at once if another one runs. `apart`: it must not receive Ctrl-C.

    Raises OSError.
    """
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        [python, __file__, "serve", secret, str(server)],
        stdin=nothing, stdout=nothing, stderr=nothing, env=dict(environment), start_new_session=apart,
    )  # fmt: skip


def _check_owner(link: socket.socket) -> None:
    """Raise PermissionError if the peer is of another user: any user can bind an abstract socket."""
    _, user, _ = struct.unpack("iII", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII")))
    if user != os.getuid():
        raise PermissionError("it belongs to another user")


def _serve(secret: str, server: int) -> int:
    """Be the fork server: fork a worker for each caller until the Spark server has ended. Return the exit code."""
    import gc
    from importlib import import_module

    # Readable once the server has ended.
    ended = os.pidfd_open(server)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        try:
            listener.bind(_address(secret, server))
        except OSError:
            return _TAKEN
        # Python searches the folder of a script first. The modules of this folder would shadow others, such as `lock`.
        sys.path[:] = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
        for name in _IMPORTED:
            import_module(name)
        # The present objects are never garbage. A collection in a fork would copy their memory.
        gc.freeze()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        # Callers before this line are refused, and try again.
        listener.listen(64)
        watched: list[socket.socket | int] = [listener, ended]
        while ended not in select.select(watched, [], [])[0]:
            link, _ = listener.accept()
            with link, suppress(OSError, ValueError):
                _check_owner(link)
                _fork(link, listener)
    return 0


@dataclass(frozen=True)
class _Call:
    """The request of a caller: its environment, its working directory, and its stdout and stderr."""

    environment: dict[str, str]
    folder: str
    streams: list[int]


def _fork(link: socket.socket, listener: socket.socket) -> None:
    """Fork a worker for a caller. Raises OSError and ValueError if the caller has ended."""
    link.settimeout(_TIMEOUT)
    head, streams, _, _ = socket.recv_fds(link, 8, 2)
    try:
        size, text = int.from_bytes(head, "big"), b""
        while len(text) < size:
            part = link.recv(size - len(text))
            if not part:
                raise ConnectionError("the caller has ended")
            text += part
        call = _Call(**json.loads(text), streams=streams)
        if os.fork() == 0:
            listener.close()
            _work(link, call)
    finally:
        for stream in streams:
            os.close(stream)


def _work(link: socket.socket, call: _Call) -> NoReturn:
    """Be a worker: run its module with the environment of the caller, then end the process."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.environ.clear()
        os.environ.update(call.environment)
        os.chdir(call.folder)
        for number, stream in enumerate(call.streams, start=1):
            os.dup2(stream, number)
        link.settimeout(None)
        link.sendall(_READY)
        threading.Thread(target=_end_with, args=(link,), daemon=True).start()
        from runpy import run_module

        run_module(WORKER, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ended:
        code = 0 if not ended.code else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            if code == 0:
                link.sendall(_DONE)
        os._exit(code)


def _end_with(link: socket.socket) -> None:
    """End this process when the caller ends. The caller sends nothing, so a read returns only then."""
    with suppress(OSError):
        link.recv(1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
