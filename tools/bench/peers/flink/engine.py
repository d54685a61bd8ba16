"""Flink SQL: a script of statements for each query, in one JVM with two task slots.

Exactly once: a checkpoint every five seconds to RocksDB and files, and results written in transactions. The topics are
read up to what they hold at the start, so that the job ends with its last checkpoint.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from tools.bench.peers.engine import Command, Job
from tools.bench.peers.java import class_path, compiled, jars_of, java
from tools.bench.peers.workload import PARALLELISM
from tools.bench.process import environment

_HERE = Path(__file__).parent
_QUERIES = _HERE / "queries"
# Flink reads private fields of the JDK's classes to copy values.
_OPENED = ("java.base/java.lang", "java.base/java.util", "java.base/java.util.concurrent", "java.base/java.time",
           "java.base/java.net", "java.base/java.io", "java.base/java.nio", "java.base/sun.nio.ch")  # fmt: skip
_LOG = """\
status = error
rootLogger.level = info
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{UNIX_MILLIS} %p %c{1} %m%n
"""
_RUNS = re.compile(r"^(\d+) INFO ExecutionGraph Source: .* switched from INITIALIZING to RUNNING", re.MULTILINE)
# All of a cluster stays on the loopback.
_ADDRESSES = ("jobmanager.rpc.address", "jobmanager.bind-host", "taskmanager.host", "taskmanager.bind-host",
              "rest.address", "rest.bind-address")  # fmt: skip
SETTINGS = {
    "parallelism.default": str(PARALLELISM),
    "execution.checkpointing.interval": "5 s",
    "execution.checkpointing.mode": "EXACTLY_ONCE",
    "state.backend.type": "rocksdb",
    "execution.checkpointing.incremental": "true",
    "taskmanager.memory.managed.size": "512m",
    "taskmanager.memory.network.min": "128m",
    "taskmanager.memory.network.max": "128m",
    "table.local-time-zone": "UTC",
    **dict.fromkeys(_ADDRESSES, "127.0.0.1"),
}
_MINI_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "2 s",
    "table.exec.mini-batch.size": "50000",
}
# Those whose operators gather records: groups and joins without windows.
_GATHERED = frozenset(("q03", "q04", "q17", "q20", "table_by_group"))


class Flink:
    promise = "exactly once"

    def __init__(self, *, mini_batch: bool = False) -> None:
        self.name = "Flink, mini-batch" if mini_batch else "Flink"
        self._prefix = "flink-mini-batch" if mini_batch else "flink"
        self.queries = _GATHERED if mini_batch else frozenset(path.stem for path in _QUERIES.glob("*.sql"))
        self._settings = {**SETTINGS, **(_MINI_BATCH if mini_batch else {})}

    def install(self) -> None:
        install()

    def output(self, query: str) -> tuple[str, bool]:
        return f"{self._prefix}.{query}", True

    def script(self, job: Job) -> str:
        """The statements of a query, with the addresses of the job."""
        values = {"bootstrap": job.bootstrap, "output": job.output, "id": job.id}
        return filled(
            (_HERE / "tables.sql").read_text("utf-8") + (_QUERIES / f"{job.query}.sql").read_text("utf-8"), values
        )

    def command(self, job: Job) -> Command:
        return command(self.script(job), job.folder, self._settings)

    def reading(self, job: Job) -> float | None:
        """When the first of its sources ran."""
        found = _RUNS.search((job.folder / "log.txt").read_text("utf-8", "replace"))
        return int(found[1]) / 1000 if found else None


def install() -> None:
    """Raises MissingError."""
    _classes()


def filled(script: str, values: Mapping[str, str]) -> str:
    """A script with values for its places, such as `${output}`."""
    return re.sub(r"\$\{(\w+)\}", lambda found: values[found[1]], script)


def command(statements: str, folder: Path, settings: Mapping[str, str]) -> Command:
    """What runs the statements of a script; its files, the checkpoints and the log too, are in the folder."""
    script, log = folder / "script.sql", folder / "log4j2.properties"
    script.write_text(statements, "utf-8")
    log.write_text(_LOG, "utf-8")
    given = {**settings, "execution.checkpointing.dir": (folder / "checkpoints").as_uri()}
    opened = [word for package in _OPENED for word in ("--add-opens", f"{package}=ALL-UNNAMED")]
    words = [
        str(java()), "-Xmx2g", *opened, f"-Dlog4j2.configurationFile={log}", f"-Djava.io.tmpdir={folder}",
        "-cp", class_path(_classes(), *_jars()), "RunScript", str(script),
        *(f"{key}={value}" for key, value in given.items()),
    ]  # fmt: skip
    return Command(words, environment(os.environ), folder)


def _classes() -> Path:
    return compiled("flink", (_HERE / "RunScript.java",), _jars())


def _jars() -> tuple[Path, ...]:
    return jars_of("flink", _HERE / "jars.txt")
