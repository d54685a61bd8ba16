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
    connection.execute("SET TimeZone = 'UTC'")
    # A progress bar would appear between the lines that lsqlc prints.
    connection.execute("SET enable_progress_bar = false")
    if small:
        connection.execute("PRAGMA disable_optimizer")
    readable = sorted({str(folder.resolve()) for folder in folders})
    if readable:
        connection.execute("SET allowed_directories = $1", [readable])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
