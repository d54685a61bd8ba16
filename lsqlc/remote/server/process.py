"""An embedded server that lives as long as this process, for callers from Python: started when it is first needed."""

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

# The variables that choose Java and Spark. All others may change from call to call, as those of a test runner do.
_CHOOSE = ("JAVA_HOME", "PATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
_CHOOSE_ALL = ("LSQLC_", "SPARK_")

# The session of each server that runs, and the folder that they share.
_SERVERS: dict[frozenset[tuple[str, str]], tuple[SparkSession, Path]] = {}


def evaluate(plan: Plan, cases: Sequence[Case], environment: Mapping[str, str]) -> list[Outcome]:
    """The outcome of each case on Spark. `environment` says where to find Java when the server is started; only where
    that changes another server is.

    Raises LsqlcError as `outcomes.evaluate` and `EmbeddedServer` do.
    """
    chosen = {name: value for name, value in environment.items() if name in _CHOOSE or name.startswith(_CHOOSE_ALL)}
    started = _SERVERS.get(key := frozenset(chosen.items()))
    if started is None:
        started = _SERVERS[key] = _start(environment)
    return outcomes.evaluate(*started, plan, cases)


def _start(environment: Mapping[str, str]) -> tuple[SparkSession, Path]:
    """A session, and the folder that it shares with its server; both end with the process."""
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
