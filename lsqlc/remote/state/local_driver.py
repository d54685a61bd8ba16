"""A process with a local Spark driver that changes the number of partitions of a checkpoint's state.

Spark Connect has no call for this, so the driver is a classic session with a Java process. The Java process ends at the
end of its standard input, and so with this process, even after a crash.
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
# The settings of a server that also apply to a driver without Spark Connect.
_OWN = {name: value for name, value in SETTINGS.items() if not name.startswith("spark.connect.")}


def repartition(location: Path, partitions: int, version: int, work: Path, environment: Mapping[str, str]) -> None:
    """Write a batch into a checkpoint that has the same state in another number of partitions.

    `version`: of Spark's format of state files; `work`: a folder for the files of the driver. Raises RuntimeError with
    the message of Spark.
    """
    process, port, secret = _start(work, environment)
    try:
        os.environ.update(PYSPARK_GATEWAY_PORT=str(port), PYSPARK_GATEWAY_SECRET=secret, SPARK_CONNECT_MODE="0")
        # With the address of a target, this session would be one of Spark Connect.
        for name in ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE"):
            os.environ.pop(name, None)
        from pyspark.sql import SparkSession

        builder: Any = SparkSession.builder
        builder = builder.master("local[2]").appName("lsqlc state repartition")
        # Spark does not read the format from the checkpoint in this case.
        session = builder.config(map={**_settings(work), STATE_FORMAT: str(version)}).getOrCreate()
        try:
            session._streamingCheckpointManager.repartition(str(location), partitions)
        except Exception as error:
            # The text of the error comes from the Java process, which ends with the session.
            raise RuntimeError(str(error)) from None
        finally:
            session.stop()
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def _settings(work: Path) -> dict[str, str]:
    return {**_OWN, "spark.sql.warehouse.dir": (work / "warehouse").as_uri(), "spark.local.dir": str(work / "tmp")}


def _start(work: Path, environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], int, str]:
    """Start a Java process for pyspark. Return it with its port and its secret."""
    java, home = find_java(environment), spark_home()
    (work / "tmp").mkdir(parents=True, exist_ok=True)
    connection = work / "gateway"
    connection.unlink(missing_ok=True)
    program = java_command(java, "2g", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={work / 'tmp'}")
    settings = [part for key, value in _settings(work).items() for part in ("--conf", f"{key}={value}")]
    command = [*program, "-cp", f"{home / 'jars'}/*", "org.apache.spark.deploy.SparkSubmit", *settings, "pyspark-shell"]
    with (work / "driver.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**environment, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(connection), "SPARK_HOME": str(home)},
            start_new_session=True,
        )
    deadline = time.monotonic() + _SECONDS
    while not connection.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise RuntimeError(f"the driver did not start; its log is '{work / 'driver.log'}'")
        time.sleep(0.05)
    content = connection.read_bytes()
    (port,) = struct.unpack("!i", content[:4])
    (length,) = struct.unpack("!i", content[4:8])
    return process, port, content[8 : 8 + length].decode("utf-8")


def main() -> None:
    """Read a request as JSON from the standard input, and write the result as JSON.

    The result is an empty object, or an object with the message of Spark as `error`.
    """
    request = json.load(sys.stdin)
    try:
        location, work = Path(request["location"]), Path(request["work"])
        repartition(location, request["partitions"], request["version"], work, dict(os.environ))
        answer: dict[str, str] = {}
    except Exception as error:
        answer = {"error": str(error) or type(error).__name__}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
