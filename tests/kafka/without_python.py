"""A Spark server that has no Python, as the images of Apache Spark without it."""

from __future__ import annotations

import os
from pathlib import Path

from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from tests.kafka.fixture import fetched

# No such program is there.
PYTHON = "/nowhere/bin/python3"


class WithoutPython(EmbeddedServer):
    """An embedded server with the connector, whose queries cannot start Python."""

    def __init__(self, work: Path) -> None:
        super().__init__(work, os.environ, ServerOptions(jars=fetched("spark-kafka")))

    def _server_environment(self, home: Path) -> dict[str, str]:
        found = super()._server_environment(home)
        return {**found, "PYSPARK_PYTHON": PYTHON, "PYSPARK_DRIVER_PYTHON": PYTHON}
