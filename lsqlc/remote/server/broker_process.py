"""The parts of a broker's start: its command, its files, its lock, and the wait until it answers."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server.broker_settings import DATA, HOST, LOG4J, meta_properties
from lsqlc.remote.server.jars import jars
from lsqlc.remote.server.java import find_java
from lsqlc.remote.server.lock import inherited_lock

LOG, LOCK = "broker.log", "broker.lock"
# Seconds that a broker may take to shut down before it is killed. Acknowledged records are in its files in any case.
GRACE = 5.0
# Attempts to start, if another process has taken a free port in between.
ATTEMPTS = 3

_SETTINGS, _LOG4J = "server.properties", "log4j2.properties"
# An ApiVersions request, version 0, which every version of Kafka answers without authentication: its length, key,
# version and correlation id, without the name of a client.
_GREETING = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
_LAST_LINES = 12


class DiedError(Exception):
    """A broker ended before it was ready, or was not ready in time."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Running:
    """A broker: its process id and the port of its clients."""

    pid: int
    port: int

    @property
    def bootstrap(self) -> str:
        """The address for clients, `host:port`."""
        return f"{HOST}:{self.port}"


def java_command(environment: Mapping[str, str], memory: str, say: Callable[[str], None]) -> list[str]:
    """Return the command line of a broker, whose working directory is its folder.

    Raises LsqlcError as `jars` does, and LSQ650.
    """
    java = find_java(environment, "to run a Kafka broker")
    # A class path with `*` keeps the command line readable in a list of processes: there are 46 jars.
    folder = jars("kafka-broker", environment, say)[0].parent
    return [
        str(java.program), f"-Xmx{memory}", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Djava.net.preferIPv4Stack=true", "-Duser.language=en", "-Dfile.encoding=UTF-8",
        f"-Dlog4j2.configurationFile={_LOG4J}", "-cp", f"{folder}/*", "kafka.Kafka", _SETTINGS,
    ]  # fmt: skip


def prepare(folder: Path, settings: str) -> int:
    """Write the configuration files of a broker into its folder, which is created if absent.

    Return the size of the log in bytes, at which the log of this start will begin. Raises LsqlcError LSQ705 if the
    folder cannot be written.
    """
    try:
        (folder / DATA).mkdir(parents=True, exist_ok=True)
        (folder / _LOG4J).write_text(LOG4J, "utf-8")
        # The file may contain passwords.
        (folder / _SETTINGS).touch(mode=0o600)
        (folder / _SETTINGS).write_text(settings, "latin-1")
        meta = folder / DATA / "meta.properties"
        if not meta.exists():
            meta.write_text(meta_properties(), "ascii")
        log = folder / LOG
        return log.stat().st_size if log.exists() else 0
    except OSError as error:
        raise did_not_serve(f"{(error.strerror or str(error)).lower()}: '{error.filename}'", folder, None) from None


@contextmanager
def hold(folder: Path, timeout: float) -> Iterator[int]:
    """Acquire the lock of a broker's folder, clear its file, and yield its descriptor, as `inherited_lock` does.

    Raises LsqlcError LSQ706 if a broker still holds the lock after `timeout` seconds.
    """
    try:
        with inherited_lock(folder / LOCK, timeout) as lock:
            os.truncate(lock, 0)
            yield lock
    except BlockingIOError:
        raise LsqlcError(
            [
                Diagnostic(
                    "LSQ706",
                    f"another broker uses the folder '{folder}'",
                    help=f"stop it, or end the process that holds '{folder / LOCK}', which `fuser` or `lsof` names",
                )
            ]
        ) from None


def sign(lock: int, running: Running) -> None:
    """Write the broker that holds a lock into the file of the lock."""
    os.write(lock, json.dumps(asdict(running)).encode())


def signature(folder: Path) -> Running | None:
    """Return the last broker that has held the lock of a folder, or None if the file does not name one."""
    try:
        data = json.loads((folder / LOCK).read_text("utf-8"))
        return Running(int(data["pid"]), int(data["port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def answers(port: int, timeout: float = 1.0) -> bool:
    """Return whether a Kafka broker answers at a port of the loopback interface. `timeout` in seconds."""
    try:
        with socket.create_connection((HOST, port), timeout=timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(_GREETING)
            answer = b""
            while len(answer) < 8 and (part := connection.recv(8 - len(answer))):
                answer += part
    except OSError:
        return False
    # The length is followed by the correlation id of the request.
    return answer[4:] == _GREETING[8:12]


def await_serving(port: int, timeout: float, ended: Callable[[], str | None]) -> None:
    """Wait until a broker answers. `ended` returns the reason if it has ended, else None. Raises DiedError."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if reason := ended():
            raise DiedError(reason)
        if answers(port):
            return
        time.sleep(0.05)
    raise DiedError(f"it was not ready within {timeout:g} seconds")


def lost_race(folder: Path, start: int) -> bool:
    """Return whether a broker ended because another process listens on one of its ports.

    `start`: the byte at which its log begins.
    """
    return "Address already in use" in _log(folder, start)


def port_in_use(port: int) -> LsqlcError:
    """Return LSQ704."""
    return LsqlcError(
        [
            Diagnostic(
                "LSQ704",
                f"the port {port} is in use",
                notes=("the Kafka broker listens on it",),
                help="choose another port, or 0 for a free one",
            )
        ]
    )


def did_not_serve(reason: str, folder: Path, start: int | None) -> LsqlcError:
    """Return LSQ705, with the end of the log. `start`: the byte at which the log begins; None: without a log."""
    lines = [] if start is None else _log(folder, start).splitlines()
    last_lines = [line for line in lines if line.strip() and not line.startswith("\tat ")][-_LAST_LINES:]
    return LsqlcError(
        [
            Diagnostic(
                "LSQ705",
                f"the Kafka broker did not start: {reason}",
                notes=(f"the end of its log, '{folder / LOG}':", *last_lines) if last_lines else (),
                help=f"the log has the cause; the broker's data is in '{folder / DATA}'",
            )
        ]
    )


def _log(folder: Path, start: int) -> str:
    try:
        with (folder / LOG).open("rb") as file:
            file.seek(start)
            return file.read()[-16_384:].decode("utf-8", "replace")
    except OSError:
        return ""
