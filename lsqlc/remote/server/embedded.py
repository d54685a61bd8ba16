"""The embedded Spark Connect server: one JVM on the loopback, started and ended with the work that needs it.

It serves in three to four seconds: without Spark's launcher (which asks for a Java module that small runtimes lack),
without the UI, with the quick compiler and the serial collector only, and with a log of warnings. Its files lie in one
work folder. A watchdog process ends it if lsqlc dies, so that no server is left behind.

Every user of the machine can connect to a port on the loopback, and who has a session can run any program as the user
who started the server. So the server takes a token, which is random and new for each server. Java gets it in its
environment, because the arguments of a process are visible to all users.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server.archive import COLLECTOR, class_path
from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import Java, find_java
from lsqlc.remote.server.lock import inherited_lock
from lsqlc.remote.server.ports import free_ports, is_free
from lsqlc.remote.server.spark_java import connect_command, java_command
from lsqlc.remote.server.warm_python import IMPORTS, Program, write_script
from lsqlc.remote.server.watched import Watched
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
    # Each shuffle partition of each stateful operator is a state store with files of its own: few make quick batches.
    # It counts for states that are new.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.stateStore.providerClass": f"{_STREAMING}.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # Of each store, where it has as much. By default 8: blocks of larger files are read and checked again and again.
    "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB": "64",
    "spark.sql.streaming.stopTimeout": "20s",
    # The default one forks a process for every file it makes, where Hadoop's native library is missing: this took a
    # third off each batch. Renames are atomic on the local file systems that an embedded server writes to.
    "spark.sql.streaming.checkpointFileManagerClass": (
        f"{_STREAMING}.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    # The supervisor keeps its session alive by asking; a server of our own need not end it at all.
    "spark.connect.session.manager.defaultSessionTimeout": "24h",
    # Real time: how long a shuffle holds a record before it sends it, in milliseconds; by default up to 50. With 0 the
    # thread that sends would never rest.
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
    # What a UI would show, which there is none of: kept in memory all the same, a thousand plans with their metrics.
    "spark.sql.ui.retainedExecutions": "50",
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.ui.retainedTasks": "500",
}

_ATTEMPTS = 3
# The heap that a server has anyway, and what it keeps of each query for an hour after its end, in MB.
_LEAST_MEMORY = 2048
_PER_QUERY = 4
# The variable of the environment from which a Spark Connect server takes its token.
_TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
CORES = 2
"""Tasks that a server runs at the same time, if nobody asks for more."""
WIDE_SESSION: Mapping[str, str] = {"spark.sql.shuffle.partitions": str(CORES)}
"""Settings of a session whose queries have much to read: a state that is new is divided between the processors."""
GRACE = 5.0
"""Seconds that a server has to end by itself."""
# Seconds that a server may take to end once its starter is gone: the watchdog's grace, and what a busy machine adds.
_GONE_WITHIN = 60.0


class EmbeddedServer(Watched):
    """A context manager: the server serves inside the `with`, and is gone after it.

    `work`: folder for its log (`server.log`), warehouse and scratch; made if absent. `environment`: looked up for
    JAVA_HOME and PATH, and passed on. `port`: 0 takes a free one. `cores`: threads for tasks. `optimize`: whether Java
    compiles hot code a second time, better; what that costs, in the first minutes as much as the queries themselves,
    a server that lives for longer than that gets back. `timeout`: seconds to wait for it to serve. `settings` go over
    `SETTINGS`. `home`: Spark's folder, with its jars; None: that of the installed pyspark. `alone`: no other server may
    live over this work folder; one whose starter was killed a moment ago is waited for. `jars`: more of them for its
    class path, behind Spark's own: those of `jars("spark-kafka")` for Kafka. `python`: queries will have Python write
    their batches, so that what its processes import is imported while Java starts. `token`: what clients must present;
    None: a random one.

    Entering raises LsqlcError: LSQ650 no Java, LSQ099 no pyspark, LSQ652 port in use, LSQ653 it died or did not serve
    in time, with the end of its log, LSQ693 another one lives.
    """

    def __init__(
        self,
        work: Path,
        environment: Mapping[str, str],
        *,
        port: int = 0,
        cores: int = CORES,
        memory: str = "2g",
        optimize: bool = False,
        settings: Mapping[str, str] | None = None,
        timeout: float = 90.0,
        home: Path | None = None,
        alone: bool = False,
        jars: Sequence[Path] = (),
        python: bool = False,
        token: str | None = None,
    ) -> None:
        super().__init__()
        self.log = work.absolute() / "server.log"
        self._work = work.absolute()
        self._environment = dict(environment)
        self._wanted = port
        self._port = 0
        self._cores = cores
        self._memory = memory
        self._optimize = optimize
        self._settings = {**SETTINGS, **(settings or {})}
        self._timeout = timeout
        self._home = home
        self._alone = alone
        self._jars = tuple(jars)
        self._python = python
        self._token = token or secrets.token_hex(32)
        self._program: Program | None = None
        self._forking: subprocess.Popen[bytes] | None = None

    @property
    def port(self) -> int:
        """The port it serves on; 0 before it was started."""
        return self._port

    @property
    def address(self) -> str:
        """The Spark Connect address with the token, which must not be printed. The host is `localhost` by that name:
        pyspark sends a token without TLS to no other.
        """
        return connect_address(self._port, self._token)

    def start(self) -> None:
        """Start it and wait until it answers gRPC. Raises as the class says; nothing is left running then."""
        java = find_java(self._environment)
        home = self._home or spark_home()
        try:
            self._work.mkdir(parents=True, exist_ok=True)
            with held(self._work / "server.lock" if self._alone else None) as lock:
                self._start(java, home, lock)
        except OSError as error:
            raise did_not_serve(f"{error.strerror or error} ({error.filename})", self.log, 0) from None

    def stop(self) -> None:
        """As `Watched.stop`."""
        super().stop()
        forking, self._forking = self._forking, None
        if forking is not None:
            # It ends with the server, but for one that still imports.
            forking.kill()
            forking.wait()

    def _start(self, java: Java, home: Path, lock: int | None) -> None:
        for attempt in range(_ATTEMPTS):
            self._port = self._wanted or free_ports(1)[0]
            if self._wanted and not is_free(self._wanted):
                raise _port_in_use(self._wanted)
            start = self.log.stat().st_size if self.log.exists() else 0
            try:
                command, environment = self.invocation(java, home, self._port)
                self._launch(command, log=self.log, grace=GRACE, folder=self._work, environment=environment, lock=lock)
                if self._python and self._program is not None:
                    # Without it the first worker starts that process.
                    with suppress(OSError):
                        self._forking = self._program.begin(self.pid, environment)
                self._await_serving()
                self._await_forking()
            except BaseException as error:
                self.stop()
                lost_race = "Address already in use" in _tail(self.log, start)
                if not isinstance(error, _DiedError):
                    raise
                # One that was killed as it started may live at the next try.
                if (error.killed or (lost_race and not self._wanted)) and attempt + 1 < _ATTEMPTS:
                    continue
                if lost_race:
                    raise _port_in_use(self._port) from None
                raise did_not_serve(error.reason, self.log, start) from None
            return

    def invocation(self, java: Java, home: Path, port: int) -> tuple[list[str], dict[str, str]]:
        """The command line and the environment of a server on that port; what it reads at its start is written."""
        return self._command(java, home, port), self._server_environment(home)

    def _server_environment(self, home: Path) -> dict[str, str]:
        self._program = write_script(self._work / "conf", sys.executable, home if self._home is None else None)
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
            **self._settings,
            "spark.connect.grpc.binding.port": str(port),
            "spark.sql.warehouse.dir": (self._work / "warehouse").as_uri(),
            "spark.local.dir": str(self._work / "tmp"),
        }
        found = class_path(java, home, self._jars, self._environment)
        program = java_command(
            java, self._memory, *([] if self._optimize else ["-XX:TieredStopAtLevel=1"]),
            COLLECTOR, "-XX:ReservedCodeCacheSize=240m", f"-Djava.io.tmpdir={self._work / 'tmp'}",
            f"-Dlog4j2.configurationFile={log4j.as_uri()}", *found.options,
        )  # fmt: skip
        return connect_command(program, found.jars, f"local[{self._cores}]", settings)

    def _await_serving(self) -> None:
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            death = self._death()
            if death is not None:
                raise _DiedError(death.reason, killed=death.killed)
            if probe("127.0.0.1", self._port) == "serving":
                return
            time.sleep(0.05)
        raise _DiedError(f"it was not ready within {self._timeout:g} seconds")

    def _await_forking(self) -> None:
        """Wait for the imports of the process that forks workers, which have begun with the server: Spark gives a
        worker ten seconds, whatever it waits for. One that does not come up is started by the first worker again.
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
    """The heap, as `EmbeddedServer` takes it, for a server that runs so many queries within an hour: it holds on to
    those that have ended. `machine`: that of the machine in bytes; at least half of it is left free.
    """
    wanted = min(_LEAST_MEMORY // 4 + _PER_QUERY * queries, machine // 2 // 2**20)
    return f"{max(_LEAST_MEMORY, wanted)}m"


@contextmanager
def held(path: Path | None) -> Iterator[int | None]:
    """The lock on that file, as `inherited_lock` gives it; None without a path. Raises LsqlcError LSQ693 if nobody lets
    go of it in time.
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
    """No server lives over that work folder inside the `with`, nor starts there; one whose starter was killed a moment
    ago is waited for. Raises LsqlcError LSQ693 if it does not end.
    """
    with held(work / "server.lock" if work.is_dir() else None):
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
    """LSQ653, with the end of its log from the byte `start` on."""
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
