"""`connector: files` in YAML: a topic whose records are in a folder of files.

The schema is the declared `value:`, or the columns in the lock file. Columns of the lock file follow a declared schema
that is not strict. The key is a list of columns, with their types.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import structs

from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.formats.catalogue import is_plain_json
from lsqlc.project.declared.lock import Lock
from lsqlc.scan.columns import Column, twins
from lsqlc.scan.faults import Fault
from lsqlc.scan.paths import within
from lsqlc.scan.special import declared
from lsqlc.types import data
from lsqlc.types.cells import is_cell
from lsqlc.types.data import Array, DataType, Decimal, Field, Primitive, Struct
from lsqlc.types.files import FileFormat, Files
from lsqlc.types.record import ABSENT, Facet, Topic, natural_format
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import NOT_NEGATIVE, described
from lsqlc.yaml.nodes import KeyPath, path_text

COLUMNS = Struct((Field("columns", Array(data.STRING), nullable=False),))
_ORDERED = (data.INT, data.BIGINT, data.DATE, data.TIMESTAMP)


class FilesFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `files:` in a topic."""

    path: Annotated[str, described("Where the files lie.")]
    format: Annotated[FileFormat, described("Their format.")]
    header: Annotated[bool, described("Whether a CSV file has a header.")] = True
    delimiter: Annotated[str, described("What stands between the cells of a CSV file.")] = ","
    null: Annotated[str | list[str], described("Texts that stand for null.")] = []
    strict: Annotated[bool, described("Whether what the schema lacks is an error.")] = False
    defaults: Annotated[dict[str, Any], described("Values for columns that a file lacks.")] = {}
    order_by: Annotated[str | None, described("The column by which records come.")] = None
    partitions_in_wildcard: Annotated[int, described("How many folders of the wildcard are columns.", NOT_NEGATIVE)] = 0
    path_columns: Annotated[dict[str, str], described("Columns that hold what the path says, as in `year: dir0`.")] = {}


def file_topic(
    decoder: Decoder, key_path: KeyPath, topic: Topic, settings: FilesFile | None, key: Any, lock: Lock
) -> Topic:
    """Return the topic with its files. Errors are reported to the decoder.

    `topic` has the declared value. `key`: the declared key. The value is absent if neither the declaration nor the lock
    file has its columns.
    """
    if settings is None:
        help = "add `files: {path: data/orders, format: csv}`"
        decoder.report(
            "LSQ017", f"the key 'files' is missing @ {path_text(key_path)}", decoder.document.span(key_path), help=help
        )
        return topic
    files = _files(decoder, (*key_path, "files"), settings, declared=not topic.value.is_absent)
    of_path = tuple(
        _path_columns(decoder, (*key_path, "files", "path_columns"), topic.value.type, settings.path_columns)
    )
    files = replace(files, of_path=of_path)
    value = topic.value.type
    if files.is_array:
        value = COLUMNS
    elif topic.value.is_absent:
        if topic.name not in lock.columns:
            return replace(topic, files=files)
        value = lock.columns[topic.name]
    if not isinstance(value, Struct) or (not topic.value.is_absent and not is_plain_json(topic.value.format)):
        help = "write a column list: `value: id INT, name STRING`"
        decoder.wrong((*key_path, "value"), "the records of files must be columns", help=help)
        return topic
    if files.is_open and topic.name in lock.columns:
        declared_columns = value
        others = (f for f in lock.columns[topic.name].fields if not declared_columns.folded_field(f.name))
        value = Struct((*value.fields, *others))
    defaults = dict(_defaults(decoder, (*key_path, "files", "defaults"), value, settings.defaults))
    # A column with a default is never null.
    value = Struct(tuple(structs.replace(f, nullable=False) if f.name in defaults else f for f in value.fields))
    files = replace(files, defaults=tuple(defaults.items()))
    for problem in _unfit(value, files):
        decoder.wrong((*key_path, "value") if not topic.value.is_absent else key_path, problem)
    files, facet = _keyed(decoder, key_path, value, files, key)
    _read_of_files(decoder, key_path, topic, files, defaults)
    # The file's time in seconds, the rank among files of one second, the order in the file, the row.
    width = 4 if files.order_by else 3
    return replace(topic, key=facet, value=Facet(value, "json"), files=files, ordinal_width=width)


def _files(decoder: Decoder, key_path: KeyPath, settings: FilesFile, *, declared: bool) -> Files:
    path = settings.path.strip().rstrip("/")
    files = Files(
        os.path.normpath(path).replace(os.sep, "/") if path else "",
        settings.format,
        header=settings.header,
        delimiter=settings.delimiter,
        null=(settings.null,) if isinstance(settings.null, str) else tuple(settings.null),
        declared=declared,
        strict=settings.strict,
        order_by=settings.order_by,
        partitions=settings.partitions_in_wildcard,
    )
    if not path or not within(path) or files.path == "." or not files.root:
        help = "give a folder, or a pattern in a folder, below the one of lsqlc.yml: data/orders, data/*/orders.csv"
        where = decoder.document.span((*key_path, "path"))
        decoder.report("LSQ009", f"'{settings.path}' is not a folder of files in the project", where, help=help)
    if "**" in path or "[" in path:
        help = "`*` and `?` stand for parts of one name, `{a,b}` for either; a folder is read with all its subfolders"
        decoder.wrong((*key_path, "path"), f"'{settings.path}' has an unsupported pattern", help=help)
    if len(settings.delimiter) != 1 or settings.delimiter in '"\r\n':
        decoder.wrong((*key_path, "delimiter"), "a delimiter must be one character other than a quote or a line break")
    if not 0 <= settings.partitions_in_wildcard <= 100:
        decoder.wrong((*key_path, "partitions_in_wildcard"), "expected a number of folders, 0 or more")
    for name in ("delimiter", "header", "null"):
        if settings.format != "csv" and getattr(settings, name) != getattr(FilesFile(path="", format="csv"), name):
            decoder.wrong((*key_path, name), f"'{name}' is only an option of csv, not of {settings.format}")
    return files if len(settings.delimiter) == 1 else replace(files, delimiter=",")


def _keyed(decoder: Decoder, key_path: KeyPath, value: Struct, files: Files, key: Any) -> tuple[Files, Facet]:
    """Return the files with the names of key and order columns, and the facet of the key."""
    names = key if isinstance(key, list) else [] if key is None else [key]
    at = [(*key_path, "key", i) if isinstance(key, list) else (*key_path, "key") for i, _ in enumerate(names)]
    keys = [f for where, name in zip(at, names, strict=True) if (f := column_named(decoder, where, value, name, "key"))]
    order = files.order_by
    if order is not None:
        field = column_named(decoder, (*key_path, "files", "order_by"), value, order, "order_by")
        if field is not None and field.type not in _ORDERED:
            help = "order by a column that is INT, LONG, DATE or TIMESTAMP"
            decoder.wrong((*key_path, "files", "order_by"), f"'{order}' is {field.type}", help=help)
        order = field.name if field else None
    return replace(files, key=tuple(f.name for f in keys), order_by=order), key_facet(keys)


def key_facet(columns: Sequence[Field]) -> Facet:
    """Return the key that some columns of the value make: one alone, or a struct of them."""
    if len(columns) == 1:
        return Facet(columns[0].type, natural_format(columns[0].type))
    return Facet(Struct(tuple(columns)), "json") if columns else ABSENT


def _defaults(
    decoder: Decoder, key_path: KeyPath, value: Struct, defaults: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield each column with the text of its default."""
    for name, default in defaults.items():
        field = column_named(decoder, (*key_path, name), value, name, "a default")
        if field is None:
            continue
        text = ("true" if default else "false") if isinstance(default, bool) else str(default)
        if default is None or isinstance(default, list | dict) or not is_cell(field.type, text):
            decoder.wrong((*key_path, name), f"the default of '{name}' is not of the type {field.type}")
            continue
        yield field.name, text


def _path_columns(
    decoder: Decoder, key_path: KeyPath, value: DataType, paths: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the declared columns with a part of the path, each with the standard name of that part."""
    if paths and not isinstance(value, Struct):
        help = "declare the columns: `value: id INT, year STRING`"
        decoder.wrong(key_path, "only a declared column can hold a part of a file's path", help=help)
        return
    for name, what in paths.items():
        field = (
            column_named(decoder, (*key_path, name), value, name, "path_columns") if isinstance(value, Struct) else None
        )
        if field is None:
            continue
        path_field = declared(Column(field, of_path=what), field.name)
        if isinstance(path_field, Fault):
            decoder.wrong((*key_path, name), path_field.message)
            continue
        yield field.name, what.lower()


def _read_of_files(decoder: Decoder, key_path: KeyPath, topic: Topic, files: Files, defaults: dict[str, str]) -> None:
    """Report a path column where a column of the files is required."""
    read: list[tuple[KeyPath, str | None]] = [((*key_path, "key"), name) for name in files.key]
    read += [((*key_path, "files", "defaults", name), name) for name in defaults]
    read += [((*key_path, "files", "order_by"), files.order_by), ((*key_path, "event_time"), topic.event_time)]
    of_path = dict(files.of_path)
    for where, name in read:
        if name in of_path:
            decoder.wrong(where, f"'{name}' holds a part of the path, and must be a declared column")


def column_named(decoder: Decoder, key_path: KeyPath, value: Struct, name: Any, what: str) -> Field | None:
    """Return the column of that name, letter case aside. None, and LSQ016, if there is none. `what` names it."""
    field = value.folded_field(str(name))
    if field is None:
        names = [f.name for f in value.fields]
        help = did_you_mean(str(name), names) or f"the columns are {listing(names)}"
        decoder.report(
            "LSQ016", f"{what} names '{name}', which is not a column", decoder.document.span(key_path), help=help
        )
    return field


def _unfit(value: Struct, files: Files) -> Iterator[str]:
    """Yield the errors about columns that files of this format cannot have."""
    for names in twins([Column(f) for f in value.fields]):
        yield f"{listing(names)} only differ in letter case"
    for field in value.fields:
        fits = isinstance(field.type, Primitive | Decimal) and field.type != data.TIME
        if files.format == "csv" and not fits and value != COLUMNS:
            yield f"a cell of CSV cannot hold '{field.name}' {field.type}"
