"""File pruning by filters on path columns, before any file is opened."""

from __future__ import annotations

from pathlib import Path

import duckdb

from lsqlc.lower.duckdb.expressions import sql
from lsqlc.plan.path_filters import path_filters
from lsqlc.plan.plan import Plan
from lsqlc.scan.data_files import DataFile, data_files
from lsqlc.scan.file_topics import is_special, special_of
from lsqlc.scan.special import FilePlace, place, value_of
from lsqlc.sql.duckdb import struct, text
from lsqlc.types.data import Struct
from lsqlc.types.files import Files
from lsqlc.types.record import Topic


def wanted_files(connection: duckdb.DuckDBPyConnection, plan: Plan, topic: Topic, root: Path) -> tuple[DataFile, ...]:
    """Return the files that some scan of the topic needs, in order."""
    assert topic.files is not None
    files = data_files(root, topic.files)
    conditions = path_filters(plan.sinks, topic)
    if not files or not conditions or None in conditions:
        return files
    assert isinstance(topic.value.type, Struct)
    names = [f.name for f in topic.value.type.fields if is_special(f, topic.files)]
    rows = ", ".join(f"({i}, {_value(names, topic.files, file_place(topic.files, f))})" for i, f in enumerate(files))
    condition = " OR ".join(f"coalesce({sql(c)}, false)" for c in conditions if c is not None)
    indexes = connection.execute(f"SELECT i FROM (VALUES {rows}) AS t(i, v0) WHERE {condition}").fetchall()
    return tuple(files[i] for i in sorted(i for (i,) in indexes))


def file_place(files: Files, file: DataFile) -> FilePlace:
    """Return the position of a file below its topic's root."""
    below = file.path.removeprefix(files.root).lstrip("/") or file.path.rpartition("/")[2]
    position = place(below, "")
    assert isinstance(position, FilePlace), "data_files returns files below the root"
    return position


def _value(names: list[str], files: Files, where: FilePlace) -> str:
    parts = []
    for name in names:
        special = special_of(name, files)
        of_path = value_of(special, where) if special else None
        parts.append((name, "CAST(NULL AS VARCHAR)" if of_path is None else text(of_path)))
    return struct(parts)
