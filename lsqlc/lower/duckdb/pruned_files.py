"""Which files of a topic a plan needs at all: a filter on columns of the path tells before any is opened."""

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
    found = data_files(root, topic.files)
    conditions = path_filters(plan.sinks, topic)
    if not found or not conditions or None in conditions:
        return found
    assert isinstance(topic.value.type, Struct)
    names = [f.name for f in topic.value.type.fields if is_special(f, topic.files)]
    rows = ", ".join(f"({i}, {_value(names, topic.files, file_place(topic.files, f))})" for i, f in enumerate(found))
    wanted = " OR ".join(f"coalesce({sql(c)}, false)" for c in conditions if c is not None)
    kept = connection.execute(f"SELECT i FROM (VALUES {rows}) AS t(i, v0) WHERE {wanted}").fetchall()
    return tuple(found[i] for i in sorted(i for (i,) in kept))


def file_place(files: Files, file: DataFile) -> FilePlace:
    """Where a file lies below its topic's root."""
    below = file.path.removeprefix(files.root).lstrip("/") or file.path.rpartition("/")[2]
    found = place(below, "")
    assert isinstance(found, FilePlace), "what was found below the root lies there"
    return found


def _value(names: list[str], files: Files, where: FilePlace) -> str:
    parts = []
    for name in names:
        special = special_of(name, files)
        of_path = value_of(special, where) if special else None
        parts.append((name, "CAST(NULL AS VARCHAR)" if of_path is None else text(of_path)))
    return struct(parts)
