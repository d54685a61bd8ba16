"""One embedded server for a whole test session, and sessions on it.

With `LSQLC_SPARK_HOME` in the environment it is a server of another version: the folder `pyspark` of any wheel of Spark
4.0 or newer. The client stays the one that is installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.session.session import connect, server_version

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"


def other_home() -> Path | None:
    """The folder of the other Spark that is asked for, if one is."""
    home = os.environ.get("LSQLC_SPARK_HOME")
    return Path(home) if home else None


def settings_of(home: Path | None) -> Mapping[str, str]:
    """What this version of Spark calls differently."""
    if home is None:
        return {}
    (jar,) = (home / "jars").glob("spark-connect_*.jar")
    package = "org.apache.spark.sql.execution.streaming"
    before = server_version(jar.stem.rpartition("-")[2]) < (4, 1)
    return {_FILE_MANAGER: f"{package}.FileSystemBasedCheckpointFileManager"} if before else {}


@pytest.fixture(scope="session")
def spark_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A running embedded server; it is started by the first test that asks for it."""
    work, home = tmp_path_factory.mktemp("spark"), other_home()
    with EmbeddedServer(work, os.environ, home=home, settings=settings_of(home)) as server:
        yield server


@pytest.fixture(scope="session")
def spark(spark_server: EmbeddedServer) -> Iterator[SparkSession]:
    """A session on that server."""
    session = connect(spark_server.address)
    # What `createDataFrame` asks a server for before it sends rows: those of 4.1 and older give a size with its unit,
    # which the client of 4.3 cannot read.
    session.conf.set("spark.sql.session.localRelationSizeLimit", str(3 << 30))
    yield session
    session.stop()
