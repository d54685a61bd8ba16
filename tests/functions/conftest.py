"""One DuckDB connection and one local Spark for all tests of this folder."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from .engines import duckdb_connection, java_home


@pytest.fixture(scope="session")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb_connection() as opened:
        yield opened


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A classic local session in UTC with ANSI mode on, as a server has it."""
    home = java_home()
    if home is None:
        pytest.skip("no Java: neither JAVA_HOME nor java on the PATH")
    os.environ["JAVA_HOME"] = home
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    session = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.ansi.enabled", "true")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
