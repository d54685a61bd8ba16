"""A Spark standalone cluster on the loopback: a master and two workers, each a process, and a Connect server on it,
whose executors are processes of the workers. Their Python has neither lsqlc nor a client of Kafka.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.request import urlopen

from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import find_java
from lsqlc.remote.server.ports import free_ports
from lsqlc.remote.server.spark_java import connect_command, java_command, module_options
from lsqlc.remote.server.warm_python import write_portable
from lsqlc.remote.session.probe import probe
from tests.hosts.bare_python import bare_python
from tests.hosts.processes import Process

WORKERS = 2
_CORES = 2
_HOST = "127.0.0.1"
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
logger.worker.name = org.apache.spark.deploy.worker.Worker
logger.worker.level = info
"""
_REGISTERED = "Successfully registered with master"


class Cluster:
    """A context manager: the cluster serves inside the `with`. `work`: an empty folder; `jars`: brought to the
    executors by the server, as `--jars` does; `settings`: Spark's; `master_settings`: those of the master;
    `warm`: workers of Python are forked, as with `lsqlc server python`.
    """

    def __init__(
        self,
        work: Path,
        jars: Sequence[Path],
        settings: Mapping[str, str],
        *,
        master_settings: Mapping[str, str] | None = None,
        warm: bool = False,
    ) -> None:
        self._work, self._running = work, ExitStack()
        java, home = find_java(os.environ), spark_home()
        (work / "conf").mkdir(parents=True)
        (work / "conf" / "log4j2.properties").write_text(_LOG4J, "utf-8")
        python = bare_python(work / "python")
        if warm:
            python = write_portable(work / "warm", str(python))
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))},
            "SPARK_HOME": str(home),
            # What Spark's scripts find out; without it a worker looks for a checkout of Spark's source.
            "SPARK_SCALA_VERSION": "2.13",
            "SPARK_CONF_DIR": str(work / "conf"),
            "SPARK_LOCAL_IP": _HOST,
            "SPARK_LOCAL_DIRS": str(work / "tmp"),
            "JAVA_HOME": str(java.program.resolve().parent.parent),
            "PYSPARK_PYTHON": str(python),
        }
        self._class_path = [str(work / "conf"), f"{home}/jars/*"]
        self._deploy = [*java_command(java, "256m", *_QUICK), "-cp", ":".join(self._class_path)]
        self._master_port, self.port, self._ui, *self._web = free_ports(3 + 1 + WORKERS)
        driver = java_command(java, "1500m", *_QUICK, "-XX:ReservedCodeCacheSize=240m")
        of_cluster = {
            "spark.driver.host": _HOST,
            "spark.driver.bindAddress": _HOST,
            # It says which executors have tasks.
            "spark.ui.port": str(self._ui),
            "spark.ui.liveUpdate.period": "0ms",
            "spark.ui.showConsoleProgress": "false",
            "spark.connect.grpc.binding.address": _HOST,
            "spark.connect.grpc.binding.port": str(self.port),
            "spark.jars": ",".join(map(str, jars)),
            "spark.executor.memory": "700m",
            "spark.executor.extraJavaOptions": " ".join([*module_options(java), *_QUICK, "-Xss16m"]),
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": (work / "warehouse").as_uri(),
            **settings,
        }
        master = f"spark://{_HOST}:{self._master_port}"
        self._connect = connect_command(driver, self._class_path, master, of_cluster)
        self._of_master = [f"-D{name}={value}" for name, value in (master_settings or {}).items()]
        self.master: Process | None = None
        self.workers: list[Process] = []
        self.server: Process | None = None

    @property
    def address(self) -> str:
        """Its Spark Connect address."""
        return f"sc://localhost:{self.port}"

    def __enter__(self) -> Self:
        with ExitStack() as running:
            deploy, master = "org.apache.spark.deploy", f"spark://{_HOST}:{self._master_port}"
            words = ["--host", _HOST, "--port", str(self._master_port), "--webui-port", str(self._web[0])]
            java, *options = self._deploy
            command = [java, *self._of_master, *options, f"{deploy}.master.Master", *words]
            self.master = running.enter_context(self._process("master", command, self._listens))
            for number in range(WORKERS):
                folder = self._work / f"worker-{number}"
                folder.mkdir()
                words = ["--host", _HOST, "--cores", str(_CORES), "--memory", "800m", "--work-dir", str(folder)]
                words += ["--webui-port", str(self._web[1 + number])]
                command = [*self._deploy, f"{deploy}.worker.Worker", *words, master]
                log = self._work / f"worker-{number}.log"
                process = self._process(f"worker-{number}", command, lambda log=log: _REGISTERED in _text(log))
                self.workers.append(running.enter_context(process))
            serves = lambda: probe(_HOST, self.port) == "serving"  # noqa: E731
            self.server = running.enter_context(self._process("server", self._connect, serves))
            self._running = running.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def executors(self) -> dict[str, int]:
        """The processes in which tasks run, by the names that Spark has for them."""
        found = {}
        for worker in self.workers:
            for child in Path(f"/proc/{worker.pid}/task").glob("*/children"):
                for pid in child.read_text().split():
                    words = _text(Path(f"/proc/{pid}/cmdline")).split("\0")
                    if "--executor-id" in words:
                        found[words[words.index("--executor-id") + 1]] = int(pid)
        return found

    def busy(self) -> list[str]:
        """The executors that have tasks now."""
        place = f"http://{_HOST}:{self._ui}/api/v1/applications"
        with urlopen(place, timeout=30) as answer:
            (application,) = json.load(answer)
        with urlopen(f"{place}/{application['id']}/executors", timeout=30) as answer:
            return [one["id"] for one in json.load(answer) if one["activeTasks"]]

    def lost_tasks(self) -> int:
        """How many tasks have failed so far."""
        assert self.server is not None
        return self.server.text().count("Lost task ")

    def _process(self, name: str, command: Sequence[str], ready: object) -> Process:
        return Process(command, self._work / f"{name}.log", self._environment, ready)  # type: ignore[arg-type]

    def _listens(self) -> bool:
        try:
            socket.create_connection((_HOST, self._master_port), 1).close()
        except OSError:
            return False
        return True


def _text(path: Path) -> str:
    """Of a file that may be gone."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
