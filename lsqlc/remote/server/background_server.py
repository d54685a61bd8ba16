"""A Spark server that runs between commands: `lsqlc server start` starts it, and other commands use it.

Each user and installation has its own server. Its folder in the user's cache has a hash of its configuration as name
(Spark, Java, Python, settings), so another installation does not use it. Only the user can access the folder. It
contains the lock that the server holds while it runs, with the port and the token inside. They are invalid if the lock
is free. The server listens on the loopback interface only, and requires the token. A `keeper` ends it after an idle
time.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.user_cache import cache_folder
from lsqlc.remote.server import keeper, start_detached
from lsqlc.remote.server.embedded import (
    CORES,
    GRACE,
    SETTINGS,
    EmbeddedServer,
    ServerOptions,
    connect_address,
    did_not_serve,
    server_lock,
)
from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import find_java
from lsqlc.remote.server.lock import inherited_lock, is_held
from lsqlc.remote.server.ports import free_ports
from lsqlc.remote.session.probe import probe

LOG = "server.log"
_LOCK, _STARTING, _USES = "server.lock", "start.lock", "uses"
# Seconds until a server must answer, to wait for a lock that another command checks, until the holder of a lock has
# written its name, and until a process has ended after SIGKILL.
_TIMEOUT, _LOOK, _SIGNED_WITHIN, _LAST = 90.0, 2.0, 5.0, 10.0


@dataclass(frozen=True, slots=True)
class BackgroundServer:
    """A running server. `pid`: the process id of its keeper; `memory`: its heap in MB; `folder`: the folder of its
    files.

    `kafka`: whether it has Kafka's connector; `idle`: seconds without use after which it ends; `began`: the time of its
    start, in seconds since 1970.
    """

    pid: int
    port: int
    token: str
    memory: int
    kafka: bool
    idle: float
    began: float
    folder: Path

    @property
    def address(self) -> str:
        """The Spark Connect address, with the token."""
        return connect_address(self.port, self.token)

    @property
    def serves(self) -> bool:
        """Whether the server answers."""
        return probe("127.0.0.1", self.port) == "serving"

    @property
    def uses(self) -> int:
        """The number of commands that use the server now."""
        return sum(map(is_held, (self.folder / _USES).iterdir()))


@dataclass(frozen=True, slots=True)
class StartRequest:
    """The options of a start. `memory`: the heap in MB; `idle`: seconds without use after which the server ends.

    `kafka`: whether it needs Kafka's connector, whose jars are `jar_files`; `now`: seconds since 1970.
    """

    memory: int
    idle: float
    now: float
    kafka: bool = False
    jar_files: tuple[Path, ...] = ()


def folder_of(environment: Mapping[str, str], lsqlc: str) -> Path:
    """Return the folder of an installation's server. `lsqlc`: the version of lsqlc.

    Raises LsqlcError: LSQ650 no Java, LSQ099 no pyspark.
    """
    home = spark_home()
    parts = [
        lsqlc, version("pyspark"), str(home), sys.executable, sys.version,
        str(find_java(environment).program.resolve()), json.dumps(dict(SETTINGS), sort_keys=True), str(os.getuid()),
    ]  # fmt: skip
    name = blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
    return _servers(environment) / name


def running(folder: Path) -> BackgroundServer | None:
    """Return the server that runs over a folder, or None. It may be starting or stopping.

    A folder that other users can access is not read. Raises LsqlcError LSQ891 if a process holds the lock and does not
    write its name into the file.
    """
    if not _is_own(folder):
        return None
    deadline = time.monotonic() + _SIGNED_WITHIN
    while is_held(folder / _LOCK):
        if (server := _signature(folder)) is not None:
            return server
        if time.monotonic() >= deadline:
            raise _not_ended(folder, f"a server uses the folder '{folder}', and its lock does not name it")
        time.sleep(0.05)
    return None


def all_running(environment: Mapping[str, str]) -> tuple[BackgroundServer, ...]:
    """Return the servers of the user, for all installations. Raises LsqlcError as `running` does."""
    folders = sorted(path for path in _servers(environment).glob("*") if path.is_dir())
    return tuple(server for folder in folders if (server := running(folder)) is not None)


def start(folder: Path, environment: Mapping[str, str], request: StartRequest) -> tuple[BackgroundServer, bool]:
    """Start the server of a folder (see `folder_of`) unless it runs. Return it, and whether this call has started it.

    Raises LsqlcError:

    - LSQ650: no Java. LSQ099: no pyspark.
    - LSQ653: the server did not start.
    - LSQ890: the running server has less memory, or no connector for Kafka.
    - LSQ891: a process holds the lock and does not name itself.
    - LSQ892: other users can access the folder.
    """
    memory, kafka = request.memory, request.kafka
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(folder):
            raise _not_own(folder)
        # One of two concurrent commands starts the server, and the other one waits.
        with FileLock(folder / _STARTING):
            present = running(folder)
            if present is None:
                token = secrets.token_hex(32)
                configuration = BackgroundServer(0, 0, token, memory, kafka, request.idle, request.now, folder)
                return _start(configuration, environment, request.jar_files), True
    except OSError as error:
        reason = f"{(error.strerror or str(error)).lower()} ({error.filename})"
        raise did_not_serve(reason, folder / LOG, 0) from None
    if (kafka and not present.kafka) or memory > present.memory:
        reason = "has no connector for Kafka" if kafka and not present.kafka else f"has {present.memory} MB of memory"
        help = "stop it first, with `lsqlc server stop`"
        raise LsqlcError([Diagnostic("LSQ890", f"the server that is running {reason}", help=help)])
    _await_serving(present, 0)
    return present, False


def stop(server: BackgroundServer) -> None:
    """Stop a server and wait until it has ended. Raises LsqlcError LSQ891 if it does not end."""
    for kind, timeout in ((signal.SIGTERM, GRACE + _LOOK), (signal.SIGKILL, _LAST)):
        with suppress(ProcessLookupError):
            os.kill(server.pid, kind)
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if not is_held(server.folder / _LOCK):
                _tidy(server.folder)
                return
            time.sleep(0.05)
    raise _not_ended(server.folder, f"the server of process {server.pid} has not ended")


@contextmanager
def use_server(
    folder: Path, needs_memory: int, needs_cores: int, *, kafka: bool, alone: Path | None
) -> Iterator[BackgroundServer | str | None]:
    """Yield the server of a folder, which does not end inside of the `with`.

    Yield None if no server runs, and the reason, as a clause, if the running server cannot be used. `needs_memory`: in
    MB; `needs_cores`: tasks at the same time; `alone`: the work folder of the embedded server that would be started
    instead. With it, no other server may run queries over the same checkpoints.
    """
    server = running(folder)
    if server is None:
        yield None
        return
    if kafka and not server.kafka:
        yield "it has no connector for Kafka; `lsqlc server start --kafka` starts one that has"
        return
    if needs_memory > server.memory:
        yield f"it has {server.memory} MB of memory, and this takes {needs_memory}; see `lsqlc server start --memory`"
        return
    if needs_cores > CORES:
        yield f"it runs {CORES} tasks at the same time, and this takes {needs_cores}"
        return
    with ExitStack() as stack:
        if alone is not None:
            alone.mkdir(parents=True, exist_ok=True)
            stack.enter_context(server_lock(alone / _LOCK))
        name = f"{keeper.QUERIES if alone is not None else ''}{os.getpid()}-{secrets.token_hex(4)}"
        use, new = folder / _USES / name, folder / _USES / f"{keeper.NEW}{name}"
        stack.enter_context(inherited_lock(new, _LOOK))
        # For the keeper, a file without a locked holder is that of a command that was killed. So the file gets its name
        # when it is locked.
        new.rename(use)
        if _has_killed_command(folder) or not server.serves:
            # The keeper ends the server, and removes the other files of uses.
            use.unlink(missing_ok=True)
            _await_end(folder)
            yield "it has just ended"
            return
        try:
            yield server
        finally:
            # Otherwise the file would mean that the command was killed.
            use.unlink(missing_ok=True)


def _has_killed_command(folder: Path) -> bool:
    """Return whether a command with queries on the server was killed."""
    return any(not is_held(path) and path.exists() for path in (folder / _USES).glob(f"{keeper.QUERIES}*"))


def _await_end(folder: Path) -> None:
    deadline = time.monotonic() + GRACE + _LAST
    while is_held(folder / _LOCK):
        if time.monotonic() >= deadline:
            raise _not_ended(folder, "the running server does not answer, and has not ended")
        time.sleep(0.05)


def _start(
    configuration: BackgroundServer, environment: Mapping[str, str], jar_files: tuple[Path, ...]
) -> BackgroundServer:
    """Start a server with that configuration. Return it with its process id and port."""
    folder = configuration.folder
    _tidy(folder)
    (folder / _USES).mkdir(mode=0o700)
    java, home = find_java(environment), spark_home()
    server = EmbeddedServer(
        folder,
        environment,
        ServerOptions(memory=f"{configuration.memory}m", optimize=True, jars=jar_files, token=configuration.token),
    )
    (port,) = free_ports(1)
    command, server_environment = server.invocation(java, home, port)
    log_start = (folder / LOG).stat().st_size if (folder / LOG).exists() else 0
    idle = str(configuration.idle)
    program = [sys.executable, "-P", "-m", keeper.__name__, str(folder / _USES), idle, str(GRACE), *command]
    with inherited_lock(folder / _LOCK, _LOOK) as lock:
        os.truncate(lock, 0)
        os.fchmod(lock, 0o600)
        process = subprocess.run(
            [sys.executable, "-I", "-S", start_detached.__file__, str(folder / LOG), *program],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=server_environment, cwd=folder, check=True,
            pass_fds=(lock,),
        )  # fmt: skip
        running_server = replace(configuration, pid=int(process.stdout), port=port)
        os.write(lock, json.dumps(signature(running_server)).encode())
    try:
        _await_serving(running_server, log_start)
    except BaseException:
        with suppress(ProcessLookupError):
            os.kill(running_server.pid, signal.SIGTERM)
        raise
    return running_server


def signature(server: BackgroundServer) -> dict[str, Any]:
    """Return the JSON object that the file of a server's lock contains."""
    return {name: value for name, value in asdict(server).items() if name != "folder"}


def _await_serving(server: BackgroundServer, log_start: int) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        if not is_held(server.folder / _LOCK):
            raise did_not_serve("it ended", server.folder / LOG, log_start)
        if server.serves:
            return
        time.sleep(0.05)
    raise did_not_serve(f"it was not ready within {_TIMEOUT:g} seconds", server.folder / LOG, log_start)


def _signature(folder: Path) -> BackgroundServer | None:
    """Return the last server that has held the lock of a folder, or None if the file does not name one."""
    try:
        data = json.loads((folder / _LOCK).read_text("utf-8"))
        return BackgroundServer(
            int(data["pid"]), int(data["port"]), str(data["token"]), int(data["memory"]), bool(data["kafka"]),
            float(data["idle"]), float(data["began"]), folder,
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _tidy(folder: Path) -> None:
    """Remove the files of a server that has ended, except its log."""
    for name in (_USES, "tmp", "warehouse", "conf"):
        shutil.rmtree(folder / name, ignore_errors=True)


def _servers(environment: Mapping[str, str]) -> Path:
    return cache_folder(environment) / "servers"


def _is_own(folder: Path) -> bool:
    """Return whether the user owns a folder, and no other user can access it."""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def _not_own(folder: Path) -> LsqlcError:
    message = f"the folder '{folder}' of the server is open to other users"
    help = f"remove it, or run `chmod 700 {folder}`"
    return LsqlcError([Diagnostic("LSQ892", message, help=help)])


def _not_ended(folder: Path, message: str) -> LsqlcError:
    help = f"end the process that holds '{folder / _LOCK}', which `fuser` or `lsof` names"
    return LsqlcError([Diagnostic("LSQ891", message, help=help)])
