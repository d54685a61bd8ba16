"""The Python of an embedded server's workers: what each of them imports is imported once, in a process that forks.

Spark starts a Python process for each query that goes by `foreachBatch`, which imports pyspark, pandas and gRPC: a
second of a processor before it does anything. This file is run as a script in the place of Python. The first call
leaves a process that has imported them, unless it was begun beside the start of the server, and each call has it fork a
worker; the caller stays as long as its worker does, since Spark ends a worker by ending what it has started. Any other
call, and one that finds nobody to fork, becomes Python itself.

Spark has its Pythons import pyspark from an archive, which has no compiled files: that takes half as long again. Where
its folder is the package that is installed, what Spark puts in front of that is left out.

Only uses the standard library. It is for Linux: elsewhere libraries do not bear a fork.
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
# What that module imports, and what the batches of lsqlc do; not the module itself, which is run.
_IMPORTED = ("pyspark.worker", "pyspark.worker_util", "pyspark.sql.connect.session", "pyarrow.compute")
# Seconds that the imports may take. Spark gives a worker ten to come up, so that one which is started after them fails
# whatever is done, and lsqlc starts its query again.
IMPORTS = 30.0
# Seconds for an answer of a process that has only to fork.
_PATIENCE = 5.0
# What a process ends with that is to fork, where another one does.
_TAKEN = 3
_READY, _DONE = b"r", b"d"
# What stands beside a program that is copied to other machines.
_PORTABLE = "warm_python.py"


@dataclass(frozen=True)
class Program:
    """What Spark can take for Python. `word`: that of the server which calls it."""

    path: Path
    python: str
    word: str

    def begin(self, server: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start the process that forks before a worker is asked for. `server`: the process with whose end it ends.
        Raises OSError.
        """
        return _start(self.python, self.word, server, environment, apart=True)

    def forks(self, server: int) -> bool:
        """Whether that process has imported what workers need, and forks them."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link, suppress(OSError):
            link.connect(_address(self.word, server))
            return True
        return False


def write_script(folder: Path, python: str, installed: Path | None = None) -> Program | None:
    """Write a program to that folder that Spark can take for Python; None where it could not be run. `installed`: the
    folder of Spark, where that is the pyspark which this Python imports by itself. Raises OSError.
    """
    if sys.platform != "linux":
        return None
    word = secrets.token_hex(16)
    words = (python, "-I", "-S", __file__, word, python, str(installed or ""))
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {" ".join(map(_quoted, words))} "$@"\n', "utf-8")
    script.chmod(0o700)
    # On a file system that is mounted without the right to run programs, it is not executable.
    runs = os.access(script, os.X_OK) and os.access("/bin/sh", os.X_OK)
    return Program(script, python, word) if runs else None


def write_portable(folder: Path, python: str) -> Path:
    """Write the same program to a new folder, which may be copied to another machine: a server that is not ours takes
    its file `python` for Python, which is given. `python`: that Python, by its path there. Raises OSError.
    """
    folder.mkdir(parents=True)
    (folder / _PORTABLE).write_bytes(Path(__file__).read_bytes())
    script = folder / "python"
    call = f'"$(dirname "$0")/{_PORTABLE}" {secrets.token_hex(16)} {_quoted(python)} \'\' "$@"'
    script.write_text(f"#!/bin/sh\nexec {_quoted(python)} -I -S {call}\n", "utf-8")
    script.chmod(0o755)
    return script


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def main(arguments: list[str]) -> int:
    """`arguments`: a word of its own for the server, the program of Python, the folder of an installed Spark or
    nothing, then what Spark calls it with; or the word `serve`, that word, and the process id of the server.
    """
    if arguments[0] == "serve":
        return _serve(arguments[1], int(arguments[2]))
    word, python, installed, *words = arguments
    if installed:
        found = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        os.environ["PYTHONPATH"] = os.pathsep.join(e for e in found if not e.startswith(installed + os.sep))
    if words == ["-m", WORKER]:
        with suppress(OSError):
            return _forked(word, python)
    os.execv(python, [python, *words])


def _address(word: str, server: int) -> str:
    """Where the process listens that forks: a name without a file, which is gone with who has bound it."""
    return f"\0lsqlc-{word}-{server}"


def _forked(word: str, python: str) -> int:
    """Have a worker forked, and wait for its end. Raises OSError where there is nobody to fork."""
    with _connected(word, python) as link:
        link.settimeout(_PATIENCE)
        call = json.dumps({"environment": dict(os.environ), "folder": str(Path.cwd())}).encode()
        socket.send_fds(link, [len(call).to_bytes(8, "big")], [1, 2])
        link.sendall(call)
        if link.recv(1) != _READY:
            raise ConnectionError("it has not forked")
        link.settimeout(None)
        return 0 if link.recv(1) == _DONE else 1


def _connected(word: str, python: str) -> socket.socket:
    """A connection to the process that forks, which is started if there is none. Raises OSError where none comes up."""
    server = os.getppid()
    deadline = time.monotonic() + IMPORTS
    started: subprocess.Popen[bytes] | None = None
    while True:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(_address(word, server))
            _check_owner(link)
            return link
        except OSError:
            link.close()
            if time.monotonic() > deadline or (started is not None and started.poll() not in (None, _TAKEN)):
                raise
        if started is None:
            # It has the process group of the server, with which it ends.
            started = _start(python, word, server, os.environ)
        time.sleep(0.02)


def _start(
    python: str, word: str, server: int, environment: Mapping[str, str], *, apart: bool = False
) -> subprocess.Popen[bytes]:
    """Start the process that forks; where there is one already, it ends at once. `apart`: Ctrl-C in the terminal of its
    starter is none of its business. Raises OSError.
    """
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        [python, __file__, "serve", word, str(server)],
        stdin=nothing, stdout=nothing, stderr=nothing, env=dict(environment), start_new_session=apart,
    )  # fmt: skip


def _check_owner(link: socket.socket) -> None:
    """Raises PermissionError for another user at the other end: the name has no owner."""
    _, user, _ = struct.unpack("iII", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII")))
    if user != os.getuid():
        raise PermissionError("it belongs to another user")


def _serve(word: str, server: int) -> int:
    """Fork for each caller, until the server has ended."""
    import gc
    from importlib import import_module

    # Readable once the server has ended.
    ended = os.pidfd_open(server)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        try:
            listener.bind(_address(word, server))
        except OSError:
            return _TAKEN
        # Python puts the folder of a script first, and that of this one has modules of other subjects.
        sys.path[:] = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
        for name in _IMPORTED:
            import_module(name)
        # What is there now is never garbage, and a fork that looks at it would copy it.
        gc.freeze()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        # Until here callers are refused, and try again.
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
    """What a caller passes on: its environment, its folder, and its stdout and stderr."""

    environment: dict[str, str]
    folder: str
    streams: list[int]


def _fork(link: socket.socket, listener: socket.socket) -> None:
    """Fork a worker for a caller. Raises OSError and ValueError for one that is gone."""
    link.settimeout(_PATIENCE)
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
    """Be the worker: what Python does that is called with its module."""
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
    """End when the caller does, which writes no more: there is something to read only at its end."""
    with suppress(OSError):
        link.recv(1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
