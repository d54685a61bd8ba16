"""A Spark Connect server on a host of its own: another network, another user, and no file of this one but Java, Spark,
its jars and a bare Python, all read only and under other paths. What it writes is in memory and gone with it.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import find_java
from lsqlc.remote.server.spark_java import connect_command, java_command
from lsqlc.remote.session.probe import probe
from tests.hosts import enter
from tests.hosts.bare_python import bare_python, packages, site_packages
from tests.hosts.processes import Process

# `nobody`, where nothing else is known of it.
USER = 65534
HOME = "/home/spark"
PORT = 15002
_JAVA, _PYTHON, _JARS = "/opt/java", "/opt/python", "/opt/jars"
_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


class SparkHost(Process):
    """A context manager: the server serves inside the `with`. `work`: an empty folder; `jars`: on its class path,
    beside Spark's; `settings`: Spark's. It serves at all addresses of the network in which it is started, and is waited
    for at `host`.
    """

    def __init__(self, work: Path, host: str, jars: Sequence[Path], settings: Mapping[str, str]) -> None:
        for name in ("root", "conf"):
            (work / name).mkdir(parents=True)
        bare_python(work / "python", linked=False)
        (work / "conf" / "log4j2.properties").write_text(_LOG4J, "utf-8")
        found = find_java(os.environ)
        site = site_packages(Path(_PYTHON))
        mounts = [
            (found.program.resolve().parent.parent, _JAVA), (work / "python", _PYTHON), (work / "conf", "/opt/conf"),
            # What the environment's `python` is a link to.
            (Path(sys.base_prefix), sys.base_prefix),
            *((path, site / name) for name, path in packages().items()),
            *((jar, f"{_JARS}/{jar.name}") for jar in jars),
        ]  # fmt: skip
        spark = site / spark_home().name
        java = java_command(
            replace(found, program=Path(_JAVA, "bin", "java")), "1500m", "-XX:TieredStopAtLevel=1",
            "-XX:+UseParallelGC", "-XX:ReservedCodeCacheSize=240m",
            "-Dlog4j2.configurationFile=file:/opt/conf/log4j2.properties",
        )  # fmt: skip
        spec = {
            "root": str(work / "root"),
            "mounts": [(str(source), str(place)) for source, place in mounts if not str(place).startswith("/usr")],
            "user": USER,
            "folder": HOME,
            "command": connect_command(java, [f"{spark}/jars/*", f"{_JARS}/*"], "local[2]", settings),
            "environment": {
                "HOME": HOME, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SPARK_HOME": str(spark),
                "SPARK_LOCAL_HOSTNAME": "localhost", "PYSPARK_PYTHON": f"{_PYTHON}/bin/python",
            },
        }  # fmt: skip
        (work / "host.json").write_text(json.dumps(spec), "utf-8")
        command = [
            "unshare", "--mount", "--pid", "--fork", "--kill-child",
            sys.executable, "-I", "-S", enter.__file__, str(work / "host.json"),
        ]  # fmt: skip
        # What waits for the child of `unshare` ignores the signal by which a process is asked to end.
        super().__init__(command, work / "server.log", os.environ, lambda: probe(host, PORT) == "serving", grace=0.0)

    def shell(self, script: str) -> str:
        """What a script of the shell prints on that host, as its user."""
        (child,) = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        done = subprocess.run(
            [
                "nsenter", "--target", child, "--mount", "--pid", "--net", "--root", f"--setuid={USER}",
                f"--setgid={USER}", "sh", "-c", f"cd {HOME} && {script}",
            ],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": HOME},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def python(self, program: str) -> str:
        """What a program prints in the Python of its workers."""
        return self.shell(f"{_PYTHON}/bin/python -c {shlex.quote(program)}")
