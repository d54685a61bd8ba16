"""A Spark server that is kept between commands, by choice: `lsqlc server start` starts it, and what would start an
embedded server uses it instead.

There is one for each user and installation: its folder in the user's cache is named after all that it was started with
(Spark, Java, Python, settings), so that one of another installation is not found. The folder is the user's alone, and
holds the lock that says that the server lives, with its port and token inside; a lock that is free makes these nothing.
It listens on the loopback only, and takes nobody without the token. A `keeper` ends it when nobody has used it.
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
from lsqlc.remote.server.embedded import CORES, GRACE, SETTINGS, EmbeddedServer, connect_address, did_not_serve, held
from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import find_java
from lsqlc.remote.server.lock import inherited_lock, is_held
from lsqlc.remote.server.ports import free_ports
from lsqlc.remote.session.probe import probe

LOG = "server.log"
_LOCK, _STARTING, _USES = "server.lock", "start.lock", "uses"
# Seconds for a server to serve, for a look at a lock, for a signature in it, and to end after SIGKILL.
_TIMEOUT, _LOOK, _SIGNED_WITHIN, _LAST = 90.0, 2.0, 5.0, 10.0


@dataclass(frozen=True, slots=True)
class Kept:
    """A server that is kept. `pid`: of its keeper; `memory`: its heap in MB; `kafka`: it has Kafka's connector; `idle`:
    seconds without a use after which it ends; `began`: seconds since 1970; `folder`: where its files are.
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
        """Its Spark Connect address, with the token."""
        return connect_address(self.port, self.token)

    @property
    def serves(self) -> bool:
        """Whether it answers."""
        return probe("127.0.0.1", self.port) == "serving"

    @property
    def uses(self) -> int:
        """How many commands use it now."""
        return sum(map(is_held, (self.folder / _USES).iterdir()))


def folder_of(environment: Mapping[str, str], lsqlc: str) -> Path:
    """Where the server of an installation has its files. `lsqlc`: its version. Raises LsqlcError LSQ650 for no Java,
    LSQ099 for no pyspark.
    """
    home = spark_home()
    parts = [
        lsqlc, version("pyspark"), str(home), sys.executable, sys.version,
        str(find_java(environment).program.resolve()), json.dumps(dict(SETTINGS), sort_keys=True), str(os.getuid()),
    ]  # fmt: skip
    name = blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
    return _servers(environment) / name


def running(folder: Path) -> Kept | None:
    """The server that runs over a folder; it may be starting or stopping. None for a folder that is not the user's
    alone, which nothing is read from. Raises LsqlcError LSQ891 where one runs that has not signed its lock.
    """
    if not _is_own(folder):
        return None
    deadline = time.monotonic() + _SIGNED_WITHIN
    while is_held(folder / _LOCK):
        if (found := _signature(folder)) is not None:
            return found
        if time.monotonic() >= deadline:
            raise _not_ended(folder, f"a server uses the folder '{folder}', and its lock does not name it")
        time.sleep(0.05)
    return None


def all_running(environment: Mapping[str, str]) -> tuple[Kept, ...]:
    """The servers of the user, of whatever installation. Raises as `running`."""
    folders = sorted(path for path in _servers(environment).glob("*") if path.is_dir())
    return tuple(found for folder in folders if (found := running(folder)) is not None)


def start(
    folder: Path,
    environment: Mapping[str, str],
    memory: int,
    idle: float,
    *,
    kafka: bool,
    jar_files: tuple[Path, ...],
    now: float,
) -> tuple[Kept, bool]:
    """The server of a folder, see `folder_of`, and whether it was started here: False for one that runs already.
    `memory`: in MB; `idle`: seconds; `jar_files`: those of `kafka`; `now`: seconds since 1970.

    Raises LsqlcError: LSQ650 no Java, LSQ099 no pyspark, LSQ653 it did not start, LSQ890 one runs that is smaller, or
    without Kafka's connector, LSQ891 one runs that is in doubt.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(folder):
            raise _not_own(folder)
        # Of two commands at once one starts it, and the other one finds it.
        with FileLock(folder / _STARTING):
            present = running(folder)
            if present is None:
                wanted = Kept(0, 0, secrets.token_hex(32), memory, kafka, idle, now, folder)
                return _start(wanted, environment, jar_files), True
    except OSError as error:
        reason = f"{(error.strerror or str(error)).lower()} ({error.filename})"
        raise did_not_serve(reason, folder / LOG, 0) from None
    if (kafka and not present.kafka) or memory > present.memory:
        wanting = "has no connector for Kafka" if kafka and not present.kafka else f"has {present.memory} MB of memory"
        help = "stop it first, with `lsqlc server stop`"
        raise LsqlcError([Diagnostic("LSQ890", f"the server that is running {wanting}", help=help)])
    _await_serving(present, 0)
    return present, False


def stop(kept: Kept) -> None:
    """Stop a server and wait until it has ended. Raises LsqlcError LSQ891 if it does not."""
    for kind, patience in ((signal.SIGTERM, GRACE + _LOOK), (signal.SIGKILL, _LAST)):
        with suppress(ProcessLookupError):
            os.kill(kept.pid, kind)
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if not is_held(kept.folder / _LOCK):
                _tidy(kept.folder)
                return
            time.sleep(0.05)
    raise _not_ended(kept.folder, f"the server of process {kept.pid} has not ended")


@contextmanager
def used(
    folder: Path, needs_memory: int, needs_cores: int, *, kafka: bool, alone: Path | None
) -> Iterator[Kept | str | None]:
    """The server of a folder for the time of the `with`: what says why one that runs is not used, and None where none
    runs. `needs_memory`: in MB; `needs_cores`: tasks at the same time; `alone`: the work folder of the embedded server
    that would be started instead, where no other server may run queries over the same checkpoints.
    """
    found = running(folder)
    if found is None:
        yield None
        return
    if kafka and not found.kafka:
        yield "it has no connector for Kafka; `lsqlc server start --kafka` starts one that has"
        return
    if needs_memory > found.memory:
        yield f"it has {found.memory} MB of memory, and this takes {needs_memory}; see `lsqlc server start --memory`"
        return
    if needs_cores > CORES:
        yield f"it runs {CORES} tasks at the same time, and this takes {needs_cores}"
        return
    with ExitStack() as stack:
        if alone is not None:
            alone.mkdir(parents=True, exist_ok=True)
            stack.enter_context(held(alone / _LOCK))
        name = f"{keeper.QUERIES if alone is not None else ''}{os.getpid()}-{secrets.token_hex(4)}"
        use, new = folder / _USES / name, folder / _USES / f"{keeper.NEW}{name}"
        stack.enter_context(inherited_lock(new, _LOOK))
        # The keeper takes a file that nobody holds for that of a command that was killed.
        new.rename(use)
        if _was_left(folder) or not found.serves:
            # The keeper ends it; the files of uses are its affair until then.
            use.unlink(missing_ok=True)
            _await_end(folder)
            yield "it has just ended"
            return
        try:
            yield found
        finally:
            # What is left is the mark of a command that was killed.
            use.unlink(missing_ok=True)


def _was_left(folder: Path) -> bool:
    """Whether a command was killed that had queries on the server."""
    return any(not is_held(path) and path.exists() for path in (folder / _USES).glob(f"{keeper.QUERIES}*"))


def _await_end(folder: Path) -> None:
    deadline = time.monotonic() + GRACE + _LAST
    while is_held(folder / _LOCK):
        if time.monotonic() >= deadline:
            raise _not_ended(folder, "the server that is kept does not answer, and has not ended")
        time.sleep(0.05)


def _start(wanted: Kept, environment: Mapping[str, str], jar_files: tuple[Path, ...]) -> Kept:
    folder = wanted.folder
    _tidy(folder)
    (folder / _USES).mkdir(mode=0o700)
    java, home = find_java(environment), spark_home()
    server = EmbeddedServer(
        folder, environment, memory=f"{wanted.memory}m", optimize=True, jars=jar_files, token=wanted.token
    )
    (port,) = free_ports(1)
    command, its_environment = server.invocation(java, home, port)
    begin = (folder / LOG).stat().st_size if (folder / LOG).exists() else 0
    program = [sys.executable, "-P", "-m", keeper.__name__, str(folder / _USES), str(wanted.idle), str(GRACE), *command]
    with inherited_lock(folder / _LOCK, _LOOK) as lock:
        os.truncate(lock, 0)
        os.fchmod(lock, 0o600)
        started = subprocess.run(
            [sys.executable, "-I", "-S", start_detached.__file__, str(folder / LOG), *program],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=its_environment, cwd=folder, check=True,
            pass_fds=(lock,),
        )  # fmt: skip
        kept = replace(wanted, pid=int(started.stdout), port=port)
        os.write(lock, json.dumps(signature(kept)).encode())
    try:
        _await_serving(kept, begin)
    except BaseException:
        with suppress(ProcessLookupError):
            os.kill(kept.pid, signal.SIGTERM)
        raise
    return kept


def signature(kept: Kept) -> dict[str, Any]:
    """What the file of a server's lock says of its holder."""
    return {name: value for name, value in asdict(kept).items() if name != "folder"}


def _await_serving(kept: Kept, begin: int) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        if not is_held(kept.folder / _LOCK):
            raise did_not_serve("it ended", kept.folder / LOG, begin)
        if kept.serves:
            return
        time.sleep(0.05)
    raise did_not_serve(f"it was not ready within {_TIMEOUT:g} seconds", kept.folder / LOG, begin)


def _signature(folder: Path) -> Kept | None:
    """Who holds the lock of a folder, or held it last; None if the file names nobody."""
    try:
        data = json.loads((folder / _LOCK).read_text("utf-8"))
        return Kept(
            int(data["pid"]), int(data["port"]), str(data["token"]), int(data["memory"]), bool(data["kafka"]),
            float(data["idle"]), float(data["began"]), folder,
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _tidy(folder: Path) -> None:
    """Remove what a server left that has ended; its log is kept."""
    for name in (_USES, "tmp", "warehouse", "conf"):
        shutil.rmtree(folder / name, ignore_errors=True)


def _servers(environment: Mapping[str, str]) -> Path:
    return cache_folder(environment) / "servers"


def _is_own(folder: Path) -> bool:
    """Whether a folder is the user's, and nobody else can write or read it."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _not_own(folder: Path) -> LsqlcError:
    message = f"the folder '{folder}' of the server is open to other users"
    help = f"remove it, or run `chmod 700 {folder}`"
    return LsqlcError([Diagnostic("LSQ892", message, help=help)])


def _not_ended(folder: Path, message: str) -> LsqlcError:
    help = f"end the process that holds '{folder / _LOCK}', which `fuser` or `lsof` names"
    return LsqlcError([Diagnostic("LSQ891", message, help=help)])
