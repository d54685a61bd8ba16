"""A topic of files as a scan sees it: the columns of `*`, those that only a query by name gets, and the needed ones.

Names match letter case aside. A name of the path's columns (`special`) means those. Over a declared schema that is not
strict a name that nobody knows is a column which every file lacks: null.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import chain, count

from msgspec import structs

from lsqlc.scan.columns import Column, Schema, by_name
from lsqlc.scan.columns_array import ColumnsRule
from lsqlc.scan.projection import ScanProjection, project
from lsqlc.scan.reader import Resolution, resolve
from lsqlc.scan.request import Requested, fold
from lsqlc.scan.special import FileColumn, PartitionColumn, SpecialColumns, recognise
from lsqlc.types.data import BIGINT, BOOLEAN, DOUBLE, FLOAT, INT, STRING, Field, Struct
from lsqlc.types.files import Files
from lsqlc.types.record import Topic


def special_columns(files: Files) -> SpecialColumns:
    """What the columns of the path are called."""
    return SpecialColumns(partitions_in_wildcard=files.partitions)


def special_of(name: str, files: Files) -> FileColumn | PartitionColumn | None:
    """The column of the path that a column of the value is; None: it is one of the files."""
    what = dict(files.of_path).get(name)
    found = recognise(Requested(what), SpecialColumns()) if what else None
    return structs.replace(found, name=name) if found else None


def opened(topic: Topic, named: Iterable[str]) -> Topic:
    """The topic with what a program can read of it: besides the columns of `*` those of the path and, where unknown
    names are null, unknown ones, as far as the program names them. `named`: all names that it reads.
    """
    files = topic.files
    if files is None or not isinstance(topic.value.type, Struct):
        return topic
    of_path = dict(files.of_path)
    known = [Column(f, of_path=of_path.get(f.name)) for f in topic.value.type.fields]
    found = project(None, Schema(tuple(known)), special=special_columns(files), columns_rule=_rule(files))
    visible = tuple(dict.fromkeys(c.name for c in found.columns))
    declared = by_name(known)
    hidden: dict[str, Field] = {}
    for name in [*named, *(c.name for c in found.columns if isinstance(c, PartitionColumn)), _always(declared)]:
        declares = declared.get(fold(name))
        if declares and declares.of_path:
            continue
        special = recognise(Requested(name), SpecialColumns())
        if special is not None:
            hidden.setdefault(fold(name), structs.replace(special.field, name=fold(name)))
            of_path.setdefault(fold(name), fold(name))
        elif files.is_open and declares is None:
            hidden.setdefault(fold(name), Field(name, STRING))
    kept = tuple(c.field for c in known if fold(c.name) not in hidden)
    names = tuple(hidden[fold(n)].name if fold(n) in hidden else n for n in visible)
    value = Struct((*kept, *(hidden[name] for name in sorted(hidden, key=_by_level))))
    bare = files.format == "csv" and not files.header and not files.is_array
    cells = tuple(c.name for c in known if not c.of_path) if bare else ()
    files = replace(files, visible=names, of_path=tuple(sorted(of_path.items())), cells=cells)
    return replace(topic, value=structs.replace(topic.value, type=value), files=files)


def _by_level(name: str) -> tuple[str, int]:
    """Folders come by their level, `dir10` behind `dir9`."""
    special = recognise(Requested(name), SpecialColumns())
    return ("dir", special.level) if isinstance(special, PartitionColumn) else (name, -1)


def free_column(topic: Topic) -> str:
    """A column of the path that an opened topic has: reading it reads no column of a file."""
    assert isinstance(topic.value.type, Struct) and topic.files is not None
    return next(f.name for f in topic.value.type.fields if is_special(f, topic.files))


def is_special(field: Field, files: Files) -> bool:
    """Whether a field of an opened topic comes of the file's path."""
    return field.name in files.path_columns


def of_wildcard(topic: Topic, named: Container[str]) -> tuple[str, ...]:
    """The columns of `*` beside columns that the list names, in lower case: a folder that the wildcard has because it
    lies above the files, and not because it is declared, stands where it is named, and there alone.
    """
    assert topic.files is not None
    own = {name for name, what in topic.files.of_path if name == what and what.startswith("dir")}
    return tuple(name for name in topic.files.visible if name not in own or name not in named)


def _always(known: Container[str]) -> str:
    """The name of a column of the path that is none of these folded names."""
    names = chain(("filename", "fqn", "filepath", "suffix"), (f"dir{level}" for level in count()))
    return next(name for name in names if name not in known)


def _rule(files: Files) -> ColumnsRule | None:
    return ColumnsRule("required") if files.is_array else None


def stand_ins(topic: Topic) -> dict[str, str | int | float | bool]:
    """What a record of an opened topic has that nobody wrote down: the defaults, and no text for what its path says."""
    assert topic.files is not None and isinstance(topic.value.type, Struct)
    found: dict[str, str | int | float | bool] = {}
    for field in topic.value.type.fields:
        default = topic.files.default(field.name)
        if is_special(field, topic.files) and not field.nullable:
            found[field.name] = ""
        elif default is not None and field.type == BOOLEAN:
            found[field.name] = default.lower() == "true"
        elif default is not None and field.type in (INT, BIGINT):
            found[field.name] = int(default)
        elif default is not None:
            found[field.name] = float(default) if field.type in (FLOAT, DOUBLE) else default
    return found


def needed(topic: Topic, value: Struct) -> tuple[Field, ...]:
    """The columns of the files themselves that a scan needs: of `value`, what it reads of an opened topic's value, and
    what makes the key, the order and the time.
    """
    files, whole = topic.files, topic.value.type
    assert files is not None and isinstance(whole, Struct)
    names = {f.name for f in value.fields} | set(files.key) | ({files.order_by} if files.order_by else set())
    if topic.event_time:
        names.add(topic.event_time.split(".")[0])
    pruned = {f.name: f for f in value.fields}
    fields = (pruned.get(f.name, f) if f.name not in (*files.key, files.order_by) else f for f in whole.fields)
    return tuple(f for f in fields if f.name in names and not is_special(f, files))


def asked(fields: Sequence[Field], files: Files) -> ScanProjection:
    """What is asked of each file's reader, for these columns."""
    columns = tuple(Column(f, files.default(f.name)) for f in fields)
    return project([(f.name,) for f in fields], Schema(columns, files.strict) if columns else None)


def resolved(fields: Sequence[Field], files: Files, offered: Sequence[Field], *, text: bool) -> Resolution:
    """These columns over a file that offers others. Of a file with types, which of its columns may be null is left to
    the declaration.
    """
    columns = [Column(f) for f in offered]
    if not text:
        wanted = by_name(Column(f) for f in fields)
        same = [(c, wanted.get(fold(c.name))) for c in columns]
        columns = [Column(structs.replace(c.field, nullable=w.field.nullable)) if w else c for c, w in same]
    return resolve(asked(fields, files), columns, text=text, null_type=STRING)
