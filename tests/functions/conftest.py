"""One DuckDB connection for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from .engines import duckdb_connection


@pytest.fixture(scope="session")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb_connection() as opened:
        yield opened
