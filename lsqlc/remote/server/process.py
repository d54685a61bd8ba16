"""An embedded server that lives as long as this process, for callers from Python: started when it is first needed."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from functools import cache
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


def evaluate(plan: Plan, cases: Sequence[Case], environment: Mapping[str, str]) -> list[Outcome]:
    """The outcome of each case on Spark. `environment` says where to find Java when the server is started.

    Raises LsqlcError as `outcomes.evaluate` and `EmbeddedServer` do.
    """
    spark, work = _started(tuple(sorted(environment.items())))
    return outcomes.evaluate(spark, work, plan, cases)


@cache
def _started(environment: tuple[tuple[str, str], ...]) -> tuple[SparkSession, Path]:
    """A session, and the folder that it shares with its server; both end with the process."""
    folder = TemporaryDirectory(prefix="lsqlc-")
    server = EmbeddedServer(Path(folder.name) / "server", dict(environment))
    server.start()
    session = connect(server.address)

    def close() -> None:
        session.stop()
        server.stop()
        folder.cleanup()

    atexit.register(close)
    return session, Path(folder.name)
