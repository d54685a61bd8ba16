"""The embedded Spark server of a test run, which all worker processes share, and a session on it for each of them.

It has Kafka's connector where the connector can be had, so that one server is enough for all tests. With
`LSQLC_SPARK_HOME` in the environment it is a server of another version, with the connector of that version: the folder
`pyspark` of any wheel of Spark 4.0 or newer. The client stays the one that is installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.versions import Version
from lsqlc.remote.server.artifacts import pinned
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import ensure
from lsqlc.remote.session.session import connect, server_version
from tests.kafka.pin import connector_of
from tests.shared import SharedServer, shared, shared_folder

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
# Room for some 1,200 queries: a server keeps what has ended for an hour, 4 MB each, and collects garbage all the time
# once its heap is full of that.
_MEMORY = "6g"


def other_home() -> Path | None:
    """The folder of the other Spark that is asked for, if one is."""
    home = os.environ.get("LSQLC_SPARK_HOME")
    return Path(home) if home else None


def settings_of(home: Path | None) -> Mapping[str, str]:
    """What this version of Spark calls differently."""
    if home is None:
        return {}
    package = "org.apache.spark.sql.execution.streaming"
    before = _version_of(home) < (4, 1)
    return {_FILE_MANAGER: f"{package}.FileSystemBasedCheckpointFileManager"} if before else {}


def _version_of(home: Path) -> Version:
    (jar,) = (home / "jars").glob("spark-connect_*.jar")
    return server_version(jar.stem.rpartition("-")[2])


def _connector(home: Path | None) -> tuple[Path, ...]:
    """The jars of Kafka's connector for that Spark; none where they cannot be had."""
    try:
        return ensure(pinned("spark-kafka") if home is None else connector_of(_version_of(home)), os.environ)
    except LsqlcError:
        # A test that needs the connector asks for its jars itself, and fails.
        return ()


@contextmanager
def spark_in(folder: Path) -> Iterator[str]:
    """Run a Spark server with its files in that folder; yield its address.

    Java's second compiler is off: what it costs in the first quarter of an hour is not earned back, since each program
    is new code.
    """
    home = other_home()
    with EmbeddedServer(
        folder, os.environ, ServerOptions(home=home, settings=settings_of(home), memory=_MEMORY,
        jars=_connector(home)),
    ) as server:  # fmt: skip
        yield server.address


@pytest.fixture(scope="session")
def spark_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    """The embedded server of this test run; the first test that asks for it starts it."""
    common = shared_folder(tmp_path_factory)
    folder = common / "spark"
    with shared(common, "spark", lambda: spark_in(folder)) as address:
        yield SharedServer(address, folder)


@pytest.fixture(scope="session")
def spark(spark_server: SharedServer) -> Iterator[SparkSession]:
    """A session on that server."""
    with session_on(spark_server) as session:
        yield session


@contextmanager
def session_on(server: SharedServer) -> Iterator[SparkSession]:
    """Yield a session on a server of any version."""
    session = connect(server.address)
    # What `createDataFrame` asks a server for before it sends rows: those of 4.1 and older give a size with its unit,
    # which the client of 4.3 cannot read.
    session.conf.set("spark.sql.session.localRelationSizeLimit", str(3 << 30))
    try:
        yield session
    finally:
        session.stop()
