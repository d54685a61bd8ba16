"""A broker that outlives its command: started for a project's folder, found again by the files there, and stopped by
another command. It is running as long as it holds its lock, and the lock file has its process id and port: a process id
stored elsewhere may meanwhile be that of another process.
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
# What a project's broker has for its heap, and the seconds that it may take to serve.
_MEMORY, _TIMEOUT = "512m", 90.0
# Seconds from a lock to the name of its holder, from SIGKILL to the end of a process, and that a look at a lock takes.
_SIGNED_WITHIN, _LAST, _LOOK = 5.0, 10.0, 2.0


def running(folder: Path) -> Running | None:
    """The broker that runs over a folder; it may be starting or stopping. Raises LsqlcError LSQ707 where one runs that
    has not signed its lock.
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
    """The broker of a folder, and whether it was started here: False for one that runs already.

    `port`: None is the port that it had the last time, or else `default`; 0 is any that is free. Raises LsqlcError:
    LSQ650 no Java, LSQ099 no pyspark, LSQ700 to LSQ703 for its jars, LSQ704 port in use, LSQ705 it did not start,
    LSQ707 one runs that is in doubt, LSQ708 one runs on another port than the one that is wanted.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Of two commands at once one starts it, and the other one finds it.
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
    """Stop the broker of a folder and wait until it has ended; None if there is none. Raises LsqlcError LSQ707 if it
    cannot be stopped.
    """
    present = running(folder)
    if present is None:
        return None
    for kind, patience in ((signal.SIGTERM, GRACE), (signal.SIGKILL, _LAST)):
        try:
            os.kill(present.pid, kind)
        except ProcessLookupError:
            # It has ended in between; if something else holds its lock, the end of the wait says so.
            pass
        except PermissionError:
            message = f"the broker of process {present.pid} belongs to another user"
            raise LsqlcError([Diagnostic("LSQ707", message, help="stop it as that user")]) from None
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if not is_held(folder / LOCK):
                return present
            time.sleep(0.05)
    raise _not_ended(folder, f"the broker of process {present.pid} has not ended")


def _not_ended(folder: Path, message: str) -> LsqlcError:
    help = f"end the process that holds '{folder / LOCK}', which `fuser` or `lsof` names"
    return LsqlcError([Diagnostic("LSQ707", message, help=help)])


def _await_present(folder: Path, present: Running) -> None:
    """Wait until a broker that runs serves. Raises LsqlcError LSQ705 if it ends, or does not in time."""
    try:
        await_serving(present.port, _TIMEOUT, lambda: None if is_held(folder / LOCK) else "it has ended")
    except DiedError as error:
        raise did_not_serve(error.reason, folder, 0) from None


def _start(
    folder: Path, environment: Mapping[str, str], port: int | None, default: int, say: Callable[[str], None]
) -> Running:
    before = signature(folder)
    wanted = port if port is not None else before.port if before else default
    if wanted and not is_free(wanted):
        raise port_in_use(wanted)
    command = java_command(environment, _MEMORY, say)
    for attempt in range(ATTEMPTS):
        plain, controller = free_ports(2)
        ports = Ports(wanted or plain, controller)
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
                if wanted and not is_free(wanted):
                    raise port_in_use(wanted) from None
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
