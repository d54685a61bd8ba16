"""A Spark driver of this machine that gives a checkpoint's state another number of partitions, in a process of its own.

Spark Connect has no call for it, so it takes a classic session, which lives in a Java process beside this one. That
ends when its standard input does, and so with this process, whatever ends it.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsqlc.lower.spark.evolution import STATE_FORMAT
from lsqlc.remote.server.embedded import SETTINGS
from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import find_java
from lsqlc.remote.server.spark_java import java_command

_SECONDS = 120.0
# Of the server's settings those that a driver without Connect knows too.
_OWN = {name: value for name, value in SETTINGS.items() if not name.startswith("spark.connect.")}


def repartition(location: Path, partitions: int, version: int, work: Path, environment: Mapping[str, str]) -> None:
    """Write a batch into a checkpoint that has the same state in so many partitions. `version`: of the format of the
    state's files; `work`: a folder for the files of the driver. Raises RuntimeError with what Spark says.
    """
    process, port, secret = _started(work, environment)
    try:
        os.environ.update(PYSPARK_GATEWAY_PORT=str(port), PYSPARK_GATEWAY_SECRET=secret, SPARK_CONNECT_MODE="0")
        # A target's address must not make this session one of Connect.
        for name in ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE"):
            os.environ.pop(name, None)
        from pyspark.sql import SparkSession

        builder: Any = SparkSession.builder
        builder = builder.master("local[2]").appName("lsqlc state repartition")
        # Spark does not take the format from the checkpoint here.
        session = builder.config(map={**_settings(work), STATE_FORMAT: str(version)}).getOrCreate()
        try:
            session._streamingCheckpointManager.repartition(str(location), partitions)
        except Exception as error:
            # Its text is asked of Java, which ends with the session.
            raise RuntimeError(str(error)) from None
        finally:
            session.stop()
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def _settings(work: Path) -> dict[str, str]:
    return {**_OWN, "spark.sql.warehouse.dir": (work / "warehouse").as_uri(), "spark.local.dir": str(work / "tmp")}


def _started(work: Path, environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], int, str]:
    """A Java process that pyspark can talk to, with its port and its secret."""
    java, home = find_java(environment), spark_home()
    (work / "tmp").mkdir(parents=True, exist_ok=True)
    told = work / "gateway"
    told.unlink(missing_ok=True)
    program = java_command(java, "2g", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={work / 'tmp'}")
    settings = [part for key, value in _settings(work).items() for part in ("--conf", f"{key}={value}")]
    command = [*program, "-cp", f"{home / 'jars'}/*", "org.apache.spark.deploy.SparkSubmit", *settings, "pyspark-shell"]
    with (work / "driver.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**environment, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(told), "SPARK_HOME": str(home)},
            start_new_session=True,
        )
    deadline = time.monotonic() + _SECONDS
    while not told.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise RuntimeError(f"the driver did not start; its log is '{work / 'driver.log'}'")
        time.sleep(0.05)
    content = told.read_bytes()
    (port,) = struct.unpack("!i", content[:4])
    (length,) = struct.unpack("!i", content[4:8])
    return process, port, content[8 : 8 + length].decode("utf-8")


def main() -> None:
    """Read what to do from the standard input, as JSON, and write what became of it, as JSON: an empty object, or the
    `error` in Spark's words.
    """
    asked = json.load(sys.stdin)
    try:
        location, work = Path(asked["location"]), Path(asked["work"])
        repartition(location, asked["partitions"], asked["version"], work, dict(os.environ))
        answer: dict[str, str] = {}
    except Exception as error:
        answer = {"error": str(error) or type(error).__name__}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
