"""An embedded server for callers of the Python API: it starts on first use, and ends with the process."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.session.session import connect
from lsqlc.types.record import Case, Outcome

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# The variables that select Java and Spark. Other variables may change between calls, for example in a test runner.
_CHOOSE = ("JAVA_HOME", "PATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
_CHOOSE_ALL = ("LSQLC_", "SPARK_")

# For each server: its session, and the folder that lsqlc and the server share.
_SERVERS: dict[frozenset[tuple[str, str]], tuple[SparkSession, Path]] = {}


def evaluate(plan: Plan, cases: Sequence[Case], environment: Mapping[str, str]) -> list[Outcome]:
    """Evaluate cases on Spark, and return the outcome of each.

    `environment`: selects the Java runtime of the server. Another selection starts another server. Raises LsqlcError as
    `outcomes.evaluate` and `EmbeddedServer` do.
    """
    variables = {name: value for name, value in environment.items() if name in _CHOOSE or name.startswith(_CHOOSE_ALL)}
    server = _SERVERS.get(key := frozenset(variables.items()))
    if server is None:
        server = _SERVERS[key] = _start(environment)
    return outcomes.evaluate(*server, plan, cases)


def _start(environment: Mapping[str, str]) -> tuple[SparkSession, Path]:
    """Start a server. Return its session, and the folder that they share; both end with the process."""
    folder = TemporaryDirectory(prefix="lsqlc-")
    server = EmbeddedServer(Path(folder.name) / "server", environment)
    server.start()
    session = connect(server.address)

    def close() -> None:
        session.stop()
        server.stop()
        folder.cleanup()

    atexit.register(close)
    return session, Path(folder.name)
