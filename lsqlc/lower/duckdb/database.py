"""Sandboxed databases in memory: no file outside of the given folders, no extensions, no Python variables, and a locked
configuration.

They run programs of untrusted pull requests. Text of a program never reaches DuckDB unparsed, so this is the second
line of defence after the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

# Threads of a database.
_THREADS = 2
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "preserve_insertion_order": False,
}


def connect(*, small: bool = False, folders: Iterable[Path] = (), ordered: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a new database.

    `small`: for few records, where planning takes longer than execution and threads do not help. `folders`: readable
    folders, with links resolved. `ordered`: rows of a file keep their order.
    """
    config = _CONFIG | {"threads": 1 if small else _THREADS, "preserve_insertion_order": ordered}
    connection = duckdb.connect(":memory:", config=config)
    _set_up(connection)
    if small:
        connection.execute("PRAGMA disable_optimizer")
    readable = sorted({str(folder.resolve()) for folder in folders})
    if readable:
        connection.execute("SET allowed_directories = $1", [readable])
    _lock(connection)
    return connection


def connect_all(count: int, memory: str | None = None) -> tuple[duckdb.DuckDBPyConnection, ...]:
    """Open a new database that reads no file, with connections for so many threads. `memory`: the most that it takes,
    such as `4GB`; None: DuckDB's default. It writes no temporary files. Raises duckdb.Error for another text.
    """
    config = (
        _CONFIG | {"threads": _THREADS, "temp_directory": ""} | ({} if memory is None else {"memory_limit": memory})
    )
    first = duckdb.connect(":memory:", config=config)
    connections = (first, *(first.cursor() for _ in range(count - 1)))
    # Both settings belong to a connection, and cannot be set later.
    for connection in connections:
        _set_up(connection)
    _lock(first)
    return connections


def _set_up(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("SET TimeZone = 'UTC'")
    # A progress bar would appear between the lines that lsqlc prints.
    connection.execute("SET enable_progress_bar = false")


def _lock(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
