"""Databases in memory that can do nothing but compute: they reach no file beyond the folders they are given, load no
extension, see no variable of Python, and nothing that runs in them can change that.

The programs of a pull request run here. Their texts never reach DuckDB as they are, so this is the second wall, behind
the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

# How many threads DuckDB may use.
_THREADS = 2
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "preserve_insertion_order": False,
}


def connect(*, small: bool = False, folders: Iterable[Path] = (), ordered: bool = False) -> duckdb.DuckDBPyConnection:
    """Return a new database.

    `small`: for few records, where planning a statement takes longer than running it, and threads are no help.
    `folders`: what it may read, links followed. `ordered`: rows of a file come in its order.
    """
    config = _CONFIG | {"threads": 1 if small else _THREADS, "preserve_insertion_order": ordered}
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("SET TimeZone = 'UTC'")
    # It would stand between our own lines of a statement that takes seconds.
    connection.execute("SET enable_progress_bar = false")
    if small:
        connection.execute("PRAGMA disable_optimizer")
    readable = sorted({str(folder.resolve()) for folder in folders})
    if readable:
        connection.execute("SET allowed_directories = $1", [readable])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
