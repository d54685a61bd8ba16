"""Columns that come of a file's path and not of its contents: implicit columns and partition columns.

`fqn` is the path, `filepath` its folder, `filename` its last part, `suffix` the extension without the dot: none of them
is ever null. `dir0`, `dir1`, ... are the folders between the root and the file, null where the file lies less deep.
The names are recognised letter case aside, and only where they stand by themselves: `filename.x` and `dir0[1]` are
columns of the file. No wildcard has them, unless `partitions_in_wildcard` asks for the partitions. A declared schema
can give them names of its own (`declared`); a wildcard has those in their places in the schema.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from lsqlc.scan.columns import Column
from lsqlc.scan.faults import Fault, outside_root, path_type, path_unknown
from lsqlc.scan.request import Requested, fold
from lsqlc.types.data import STRING, Field

Implicit = Literal["fqn", "filepath", "filename", "suffix"]
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(//[^/]*)?")


class FileColumn(msgspec.Struct, frozen=True):
    """An implicit column under the name of the SELECT list. `nullable`: as a schema declares it; it is never null."""

    name: str
    what: Implicit
    nullable: bool = False

    @property
    def field(self) -> Field:
        return Field(self.name, STRING, self.nullable)


class PartitionColumn(msgspec.Struct, frozen=True):
    """The folder at a level below the root, from 0, under the name of the SELECT list."""

    name: str
    level: int

    @property
    def field(self) -> Field:
        return Field(self.name, STRING)


class SpecialColumns(msgspec.Struct, frozen=True):
    """What the columns are called; a source without one of them leaves its name empty.

    `partitions_in_wildcard`: how many partition columns a wildcard has, at the end, but for those that the list names.
    """

    fqn: str = "fqn"
    filepath: str = "filepath"
    filename: str = "filename"
    suffix: str = "suffix"
    partition: str = "dir"
    partitions_in_wildcard: int = 0


def recognise(asked: Requested, special: SpecialColumns) -> FileColumn | PartitionColumn | None:
    """The special column that is meant, or None for a column of the file."""
    if not asked.is_plain:
        return None
    name = fold(asked.name)
    names: tuple[tuple[Implicit, str], ...] = (
        ("fqn", special.fqn),
        ("filepath", special.filepath),
        ("filename", special.filename),
        ("suffix", special.suffix),
    )
    for what, known in names:
        if known and fold(known) == name:
            return FileColumn(asked.name, what)
    digits = name.removeprefix(fold(special.partition))
    # No path is so deep that its level takes more digits, and what reads the files counts levels in 32 bits.
    if special.partition and digits != name and digits.isascii() and digits.isdigit() and len(digits) < 10:
        return PartitionColumn(asked.name, int(digits))
    return None


def declared(column: Column, name: str) -> FileColumn | PartitionColumn | Fault | None:
    """What of the path a declared column holds, under the `name` of the SELECT list; None: nothing, it is the file's.

    A fault where the path has no such thing, or where the type is not STRING. A partition must be nullable besides: it
    is null where a file lies less deep.
    """
    if column.of_path is None:
        return None
    special = recognise(Requested(column.of_path), SpecialColumns())
    if special is None:
        return path_unknown(column.name, column.of_path, "fqn, filepath, filename, suffix, dir0, dir1 and so on")
    is_folder = isinstance(special, PartitionColumn)
    if column.field.type != STRING or (is_folder and not column.field.nullable):
        return path_type(column.field, fold(column.of_path), nullable=is_folder)
    if isinstance(special, FileColumn):
        return FileColumn(name, special.what, column.field.nullable)
    return PartitionColumn(name, special.level)


class FilePlace(msgspec.Struct, frozen=True):
    """Where a file lies. `partitions`: the folders between the root and the file, from the root on."""

    fqn: str
    filepath: str
    filename: str
    suffix: str
    partitions: tuple[str, ...]


def place(path: str, root: str | None) -> FilePlace | Fault:
    """A file's place below a root, both without their scheme; a file that is the root itself has no partitions.

    No root: no partitions. The empty root is that of relative paths. How deep the root lies is what counts, and not its
    names, which a link or a second name of the same storage may change (Drill, file descriptions); a file that does not
    lie as deep is a fault.
    """
    path = _SCHEME.sub("", path, count=1)
    folder, slash, filename = path.rpartition("/")
    _, dot, suffix = filename.rpartition(".")
    parts = _parts(path)
    partitions: tuple[str, ...] = ()
    if root is not None:
        above = _parts(_SCHEME.sub("", root, count=1))
        if len(parts) <= len(above) and parts != above:
            return outside_root(path, root)
        partitions = parts[len(above) : -1]
    return FilePlace(path, folder or slash, filename, suffix if dot else "", partitions)


def value_of(column: FileColumn | PartitionColumn, where: FilePlace) -> str | None:
    """What the column holds for each record of the file."""
    if isinstance(column, PartitionColumn):
        return where.partitions[column.level] if column.level < len(where.partitions) else None
    match column.what:
        case "fqn":
            return where.fqn
        case "filepath":
            return where.filepath
        case "filename":
            return where.filename
        case "suffix":
            return where.suffix


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)
