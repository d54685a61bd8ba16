"""The embedded Spark Connect server: a JVM on the loopback interface that runs inside of a `with`.

It is ready in three to four seconds. It starts without Spark's launcher, which needs a Java module that small runtimes
do not have, and without the UI. Its files are in one work folder. A watchdog process ends it if lsqlc dies.

Every user of the machine can connect to a port of the loopback interface. A client with a session can run any program
as the user who started the server. So the server requires a token, which is random and new for each server. Java gets
it in its environment, because the arguments of a process are visible to all users.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server.archive import COLLECTOR, class_path
from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import Java, find_java
from lsqlc.remote.server.lock import inherited_lock
from lsqlc.remote.server.ports import free_ports, is_free
from lsqlc.remote.server.spark_java import connect_command, java_command
from lsqlc.remote.server.warm_python import IMPORTS, Program, write_script
from lsqlc.remote.server.watched import Launch, Watched
from lsqlc.remote.session.probe import probe

_LOG4J = """\
status = error
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
logger.state.name = org.apache.spark.sql.execution.streaming
logger.state.level = error
"""

_STREAMING = "org.apache.spark.sql.execution.streaming"

SETTINGS: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.catalogImplementation": "in-memory",
    # Each shuffle partition of each stateful operator is a state store with its own files, so few partitions make fast
    # batches. The setting applies to new states only.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.stateStore.providerClass": f"{_STREAMING}.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # The limit for each store. With the default of 8, blocks of larger files are read and verified repeatedly.
    "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB": "64",
    "spark.sql.streaming.stopTimeout": "20s",
    # Without Hadoop's native library, the default class forks a process for every file that it creates, a third of the
    # time of each batch. Renames are atomic on the local file systems that an embedded server writes to.
    "spark.sql.streaming.checkpointFileManagerClass": (
        f"{_STREAMING}.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    # The supervisor keeps its session alive by regular calls. An embedded server need not close sessions.
    "spark.connect.session.manager.defaultSessionTimeout": "24h",
    # Real-time mode: the milliseconds that a shuffle may buffer a record; up to 50 by default. With 0 the sending
    # thread would never sleep.
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
    # Data for the UI. Spark keeps it in memory without a UI too, by default a thousand plans with their metrics.
    "spark.sql.ui.retainedExecutions": "50",
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.ui.retainedTasks": "500",
}

_ATTEMPTS = 3
# The minimum of the heap, and the memory that a server keeps for each query for an hour after its end, both in MB.
_LEAST_MEMORY = 2048
_PER_QUERY = 4
# The variable of the environment from which a Spark Connect server takes its token.
_TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
CORES = 2
"""Tasks that a server runs at the same time by default."""
WIDE_SESSION: Mapping[str, str] = {"spark.sql.shuffle.partitions": str(CORES)}
"""Settings of a session whose queries read much data: new states are divided between the processors."""
GRACE = 5.0
"""Seconds that a server may take to shut down before it is killed."""
# Seconds that a server may take to end after its starter was killed: the watchdog's grace and time for a busy machine.
_GONE_WITHIN = 60.0


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of a server.

    - `port`: 0 is any free port.
    - `cores`: threads for tasks.
    - `memory`: the heap, in Java's notation.
    - `optimize`: whether Java uses its optimizing compiler too. Its cost in the first minutes is about that of the
      queries themselves, so it pays off for servers that run longer.
    - `settings`: override `SETTINGS`.
    - `timeout`: seconds to wait for the server.
    - `home`: Spark's folder, with its jars; None: that of the installed pyspark.
    - `alone`: no other server may run over this work folder. A server whose starter was killed is waited for.
    - `jars`: further jars of the class path, after Spark's: those of `jars("spark-kafka")` for Kafka.
    - `python`: Python processes will write batches, so their imports run while Java starts.
    - `token`: the token that clients must present; None: a random one.
    """

    port: int = 0
    cores: int = CORES
    memory: str = "2g"
    optimize: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 90.0
    home: Path | None = None
    alone: bool = False
    jars: Sequence[Path] = ()
    python: bool = False
    token: str | None = field(default=None, repr=False)


class EmbeddedServer(Watched):
    """A context manager of a server, which runs inside of the `with`.

    `work`: the folder for its log (`server.log`), warehouse and temporary files; created if absent. `environment`: has
    JAVA_HOME and PATH, and is passed on to the server.

    Entering raises LsqlcError:

    - LSQ650: no Java. LSQ099: no pyspark.
    - LSQ652: the port is in use.
    - LSQ653: the server ended or was not ready in time; the notes have the end of its log.
    - LSQ693: another server runs over the work folder.
    """

    def __init__(self, work: Path, environment: Mapping[str, str], options: ServerOptions | None = None) -> None:
        super().__init__()
        self.log = work.absolute() / "server.log"
        self._work = work.absolute()
        self._environment = dict(environment)
        self._options = options or ServerOptions()
        self._port = 0
        self._token = self._options.token or secrets.token_hex(32)
        self._program: Program | None = None
        self._forking: subprocess.Popen[bytes] | None = None

    @property
    def port(self) -> int:
        """The server's port; 0 before it was started."""
        return self._port

    @property
    def address(self) -> str:
        """The Spark Connect address with the token, which must not be printed.

        The host is `localhost`, because pyspark sends a token without TLS only to a host with this name.
        """
        return connect_address(self._port, self._token)

    def start(self) -> None:
        """Start the server and wait until it answers. Raises as the class describes; no process is left then."""
        java = find_java(self._environment)
        home = self._options.home or spark_home()
        try:
            self._work.mkdir(parents=True, exist_ok=True)
            with server_lock(self._work / "server.lock" if self._options.alone else None) as lock:
                self._start(java, home, lock)
        except OSError as error:
            raise did_not_serve(f"{error.strerror or error} ({error.filename})", self.log, 0) from None

    def stop(self) -> None:
        """Stop the server, and the process that forks its Python workers."""
        super().stop()
        forking, self._forking = self._forking, None
        if forking is not None:
            # It ends with the server by itself, unless it still imports.
            forking.kill()
            forking.wait()

    def _start(self, java: Java, home: Path, lock: int | None) -> None:
        fixed_port = self._options.port
        for attempt in range(_ATTEMPTS):
            self._port = fixed_port or free_ports(1)[0]
            if fixed_port and not is_free(fixed_port):
                raise _port_in_use(fixed_port)
            start = self.log.stat().st_size if self.log.exists() else 0
            try:
                command, environment = self.invocation(java, home, self._port)
                self._launch(Launch(command, self._work, environment, self.log, GRACE, lock))
                if self._options.python and self._program is not None:
                    # If it cannot start, the first worker starts that process.
                    with suppress(OSError):
                        self._forking = self._program.begin(self.pid, environment)
                self._await_serving()
                self._await_forking()
            except BaseException as error:
                self.stop()
                lost_race = "Address already in use" in _tail(self.log, start)
                if not isinstance(error, _DiedError):
                    raise
                # A server that was killed as it started may succeed in the next attempt.
                if (error.killed or (lost_race and not fixed_port)) and attempt + 1 < _ATTEMPTS:
                    continue
                if lost_race:
                    raise _port_in_use(self._port) from None
                raise did_not_serve(error.reason, self.log, start) from None
            return

    def invocation(self, java: Java, home: Path, port: int) -> tuple[list[str], dict[str, str]]:
        """Write the configuration of a server on that port, and return its command line and its environment."""
        return self._command(java, home, port), self._server_environment(home)

    def _server_environment(self, home: Path) -> dict[str, str]:
        self._program = write_script(self._work / "conf", sys.executable, home if self._options.home is None else None)
        return {
            **self._environment,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_DIRS": str(self._work / "tmp"),
            "PYSPARK_PYTHON": str(self._program.path if self._program else sys.executable),
            "SPARK_CONF_DIR": str(self._work / "conf"),
            _TOKEN: self._token,
        }

    def _command(self, java: Java, home: Path, port: int) -> list[str]:
        for name in ("tmp", "conf"):
            (self._work / name).mkdir(exist_ok=True)
        log4j = self._work / "conf" / "log4j2.properties"
        log4j.write_text(_LOG4J, "utf-8")
        settings = {
            **SETTINGS,
            **self._options.settings,
            "spark.connect.grpc.binding.port": str(port),
            "spark.sql.warehouse.dir": (self._work / "warehouse").as_uri(),
            "spark.local.dir": str(self._work / "tmp"),
        }
        options = self._options
        classes = class_path(java, home, options.jars, self._environment)
        program = java_command(
            java, options.memory, *([] if options.optimize else ["-XX:TieredStopAtLevel=1"]),
            COLLECTOR, "-XX:ReservedCodeCacheSize=240m", f"-Djava.io.tmpdir={self._work / 'tmp'}",
            f"-Dlog4j2.configurationFile={log4j.as_uri()}", *classes.options,
        )  # fmt: skip
        return connect_command(program, classes.jars, f"local[{options.cores}]", settings)

    def _await_serving(self) -> None:
        deadline = time.monotonic() + self._options.timeout
        while time.monotonic() < deadline:
            death = self._death()
            if death is not None:
                raise _DiedError(death.reason, killed=death.killed)
            if probe("127.0.0.1", self._port) == "serving":
                return
            time.sleep(0.05)
        raise _DiedError(f"it was not ready within {self._options.timeout:g} seconds")

    def _await_forking(self) -> None:
        """Wait until the process that forks workers has imported its modules.

        It started with the server. Spark gives a worker ten seconds, which would include the wait for these imports. If
        the process ends, the first worker starts it again.
        """
        forking, program = self._forking, self._program
        deadline = time.monotonic() + IMPORTS
        while forking is not None and program is not None and time.monotonic() < deadline:
            if program.forks(self.pid) or forking.poll() is not None:
                return
            time.sleep(0.05)


def connect_address(port: int, token: str) -> str:
    """Return the address of a server of this machine."""
    return f"sc://localhost:{port}/;token={token}"


def memory_for(queries: int, machine: int) -> str:
    """Return the heap, as `EmbeddedServer` takes it, for a server that runs that many queries within an hour.

    A server keeps data about queries that have ended. `machine`: the memory of the machine in bytes, of which at least
    half stays free.
    """
    heap = min(_LEAST_MEMORY // 4 + _PER_QUERY * queries, machine // 2 // 2**20)
    return f"{max(_LEAST_MEMORY, heap)}m"


@contextmanager
def server_lock(path: Path | None) -> Iterator[int | None]:
    """Acquire the lock on that file, and yield its descriptor, as `inherited_lock` does; None without a path.

    Raises LsqlcError LSQ693 if another process does not release it in time.
    """
    if path is None:
        yield None
        return
    try:
        with inherited_lock(path, _GONE_WITHIN) as lock:
            yield lock
    except BlockingIOError:
        raise LsqlcError([_still_there(path)]) from None


@contextmanager
def without_server(work: Path) -> Iterator[None]:
    """Prevent servers over that work folder inside of the `with`. A server whose starter was killed is waited for.

    Raises LsqlcError LSQ693 if a server does not end.
    """
    with server_lock(work / "server.lock" if work.is_dir() else None):
        yield


def _still_there(lock: Path) -> Diagnostic:
    return Diagnostic(
        "LSQ693",
        "the Spark server of an earlier run has not ended",
        notes=("two servers for the same project would use the same checkpoints",),
        help=f"end the process that holds '{lock}', which `fuser` or `lsof` names, and run again",
    )


class _DiedError(Exception):
    def __init__(self, reason: str, *, killed: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.killed = killed


def _port_in_use(port: int) -> LsqlcError:
    return LsqlcError(
        [
            Diagnostic(
                "LSQ652",
                f"the port {port} is in use",
                notes=("the embedded Spark server listens on it",),
                help="choose another port, or none for a free one",
            )
        ]
    )


def did_not_serve(reason: str, log: Path, start: int) -> LsqlcError:
    """Return LSQ653, with the end of the log. `start`: the byte at which the log of this start begins."""
    lines = [line for line in _tail(log, start).splitlines() if line.strip() and not line.startswith("\tat ")]
    return LsqlcError(
        [
            Diagnostic(
                "LSQ653",
                f"the embedded Spark server did not start: {reason}",
                notes=(f"the end of its log, '{log}':", *lines[-12:]),
                help="`lsqlc debug` shows the Java runtime; the log has the cause",
            )
        ]
    )


def _tail(log: Path, start: int) -> str:
    try:
        with log.open("rb") as file:
            file.seek(start)
            return file.read()[-16_384:].decode("utf-8", "replace")
    except OSError:
        return ""
