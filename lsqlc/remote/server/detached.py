"""A broker that outlives its command. A later command finds it by the files in its folder, and can stop it.

The broker runs as long as it holds its lock. The file of the lock has its process id and port. A process id in any
other file might belong to another process by now.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server import start_detached
from lsqlc.remote.server.broker_process import (
    ATTEMPTS,
    GRACE,
    LOCK,
    LOG,
    DiedError,
    Running,
    await_serving,
    did_not_serve,
    hold,
    java_command,
    lost_race,
    port_in_use,
    prepare,
    sign,
    signature,
)
from lsqlc.remote.server.broker_settings import Ports, server_properties
from lsqlc.remote.server.lock import is_held
from lsqlc.remote.server.ports import free_ports, is_free

_STARTING = "up.lock"
# The heap of a broker, and the seconds until it must answer.
_MEMORY, _TIMEOUT = "512m", 90.0
# Seconds until the holder of a lock has written its name, until a process has ended after SIGKILL, and to wait for a
# lock that another command checks.
_SIGNED_WITHIN, _LAST, _LOOK = 5.0, 10.0, 2.0


def running(folder: Path) -> Running | None:
    """Return the broker that runs over a folder, or None. It may be starting or stopping.

    Raises LsqlcError LSQ707 if a process holds the lock and does not write its name into the file.
    """
    deadline = time.monotonic() + _SIGNED_WITHIN
    while is_held(folder / LOCK):
        if (holder := signature(folder)) is not None:
            return holder
        if time.monotonic() >= deadline:
            raise _not_ended(folder, f"a broker uses the folder '{folder}', and its lock does not name it")
        time.sleep(0.05)
    return None


def up(
    folder: Path,
    environment: Mapping[str, str],
    port: int | None,
    default: int,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Running, bool]:
    """Start the broker of a folder unless it runs. Return it, and whether this call has started it.

    `port`: None is the port of the last start, or else `default`; 0 is any free port.

    Raises LsqlcError:

    - LSQ650: no Java. LSQ099: no pyspark. LSQ700 to LSQ703: the jars are not available.
    - LSQ704: the port is in use.
    - LSQ705: the broker did not start.
    - LSQ707: a process holds the lock and does not name itself.
    - LSQ708: the broker runs on another port than `port`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # One of two concurrent commands starts the broker, and the other one waits.
        with FileLock(folder / _STARTING):
            present = running(folder)
            if present is None:
                return _start(folder, environment, port, default, say), True
    except OSError as error:
        raise did_not_serve(f"{(error.strerror or str(error)).lower()}: '{error.filename}'", folder, None) from None
    if port and port != present.port:
        message = f"the broker of this project is running on port {present.port}, not on {port}"
        help = "stop it first, with `lsqlc kafka down`"
        raise LsqlcError([Diagnostic("LSQ708", message, help=help)])
    _await_present(folder, present)
    return present, False


def down(folder: Path) -> Running | None:
    """Stop the broker of a folder and wait until it has ended. Return it, or None if no broker runs.

    Raises LsqlcError LSQ707 if it cannot be stopped.
    """
    present = running(folder)
    if present is None:
        return None
    for kind, timeout in ((signal.SIGTERM, GRACE), (signal.SIGKILL, _LAST)):
        try:
            os.kill(present.pid, kind)
        except ProcessLookupError:
            # It has just ended. If another process holds its lock, an error follows after the wait.
            pass
        except PermissionError:
            message = f"the broker of process {present.pid} belongs to another user"
            raise LsqlcError([Diagnostic("LSQ707", message, help="stop it as that user")]) from None
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if not is_held(folder / LOCK):
                return present
            time.sleep(0.05)
    raise _not_ended(folder, f"the broker of process {present.pid} has not ended")


def _not_ended(folder: Path, message: str) -> LsqlcError:
    help = f"end the process that holds '{folder / LOCK}', which `fuser` or `lsof` names"
    return LsqlcError([Diagnostic("LSQ707", message, help=help)])


def _await_present(folder: Path, present: Running) -> None:
    """Wait until a running broker answers. Raises LsqlcError LSQ705 if it ends, or is not ready in time."""
    try:
        await_serving(present.port, _TIMEOUT, lambda: None if is_held(folder / LOCK) else "it has ended")
    except DiedError as error:
        raise did_not_serve(error.reason, folder, 0) from None


def _start(
    folder: Path, environment: Mapping[str, str], port: int | None, default: int, say: Callable[[str], None]
) -> Running:
    before = signature(folder)
    fixed_port = port if port is not None else before.port if before else default
    if fixed_port and not is_free(fixed_port):
        raise port_in_use(fixed_port)
    command = java_command(environment, _MEMORY, say)
    for attempt in range(ATTEMPTS):
        plain, controller = free_ports(2)
        ports = Ports(fixed_port or plain, controller)
        start = prepare(folder, server_properties(ports))
        with hold(folder, _LOOK) as lock:
            started = Running(_launch(command, folder, environment, lock), ports.plain)
            sign(lock, started)
        try:
            await_serving(ports.plain, _TIMEOUT, lambda: None if is_held(folder / LOCK) else "it ended")
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.kill(started.pid, signal.SIGKILL)
            if not isinstance(error, DiedError):
                raise
            if lost_race(folder, start) and attempt + 1 < ATTEMPTS:
                if fixed_port and not is_free(fixed_port):
                    raise port_in_use(fixed_port) from None
                continue
            raise did_not_serve(error.reason, folder, start) from None
        return started
    raise AssertionError("the last attempt returns or raises")


def _launch(command: list[str], folder: Path, environment: Mapping[str, str], lock: int) -> int:
    started = subprocess.run(
        [sys.executable, "-I", "-S", start_detached.__file__, str(folder / LOG), *command], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, env=dict(environment), cwd=folder, check=True, pass_fds=(lock,),
    )  # fmt: skip
    return int(started.stdout)
