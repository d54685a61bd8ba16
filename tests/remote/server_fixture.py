"""One embedded server for a whole test session, and sessions on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from lsqlc.remote.server import EmbeddedServer
from lsqlc.remote.session import connect

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


@pytest.fixture(scope="session")
def spark_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A running embedded server; it is started by the first test that asks for it."""
    with EmbeddedServer(tmp_path_factory.mktemp("spark"), os.environ) as server:
        yield server


@pytest.fixture(scope="session")
def spark(spark_server: EmbeddedServer) -> Iterator[SparkSession]:
    """A session on that server."""
    session = connect(spark_server.address)
    yield session
    session.stop()
