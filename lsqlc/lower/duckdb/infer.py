"""Inference of the columns of files without a declared schema."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.scan.columns import Column, Schema
from lsqlc.scan.data_files import data_files
from lsqlc.scan.file_topics import resolved
from lsqlc.scan.learned import learn
from lsqlc.scan.projection import project
from lsqlc.scan.reader import resolve
from lsqlc.scan.request import fold
from lsqlc.sql.duckdb import text
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct
from lsqlc.types.files import Files
from lsqlc.types.record import Topic

BROKEN = "the file cannot be read"
_KNOWN: dict[str, DataType] = {
    "boolean": data.BOOLEAN, "tinyint": data.INT, "smallint": data.INT, "integer": data.INT, "utinyint": data.INT,
    "usmallint": data.INT, "uinteger": data.BIGINT, "bigint": data.BIGINT, "float": data.FLOAT, "double": data.DOUBLE,
    "varchar": data.STRING, "blob": data.BYTES, "date": data.DATE, "timestamp": data.TIMESTAMP,
    "timestamp with time zone": data.TIMESTAMP, "timestamp_s": data.TIMESTAMP, "timestamp_ms": data.TIMESTAMP,
    "timestamp_ns": data.TIMESTAMP, "ubigint": Decimal(20, 0), "hugeint": Decimal(38, 0), "uuid": data.STRING,
    "json": data.STRING, "time": data.STRING, "enum": data.STRING, "\"null\"": data.STRING,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inferred:
    """Inferred columns of all files. `conflicts`: differences between files in columns that an earlier file has."""

    columns: Struct
    conflicts: tuple[str, ...] = ()


def infer(
    topic: Topic,
    root: Path,
    span: Span,
    *,
    declared: Container[str] = (),
    locked: Struct | None = None,
) -> Inferred | None:
    """Infer the columns of a topic's files; None without files. The columns of the first file come first.

    `root`: the project's folder. `span`: the declaration of the topic. `declared`: names in lower case of columns to
    leave out. `locked`: columns inferred earlier.

    Raises LsqlcError: LSQ092 for files that cannot be read, LSQ093 for columns with an unsupported type.
    """
    files, name = topic.files, topic.name
    assert files is not None
    paths = data_files(root, files)
    if not paths:
        return None
    connection = duckdb.connect(":memory:")
    try:
        connection.execute("SET TimeZone = 'UTC'")
        if files.format != "parquet":
            reader = _reader(files, [str(root / file.path) for file in paths])
            return Inferred(_columns(connection, reader, name, span, declared))
        readers = [(file.path, f"read_parquet({text(str(root / file.path))})") for file in paths]
        columns_by_file = [(path, _columns(connection, reader, name, span, declared)) for path, reader in readers]
    except duckdb.Error as error:
        message = f"the columns of the files of '{name}' cannot be inferred"
        why = str(error).split("\n")[0].replace(f"{root}/", "")
        help = "repair the file, or declare the columns: `value: id INT, name STRING`"
        raise LsqlcError([Diagnostic("LSQ092", message, span, (why,), help)]) from None
    finally:
        connection.close()
    return _together(columns_by_file, locked)


def _together(files: Sequence[tuple[str, Struct]], locked: Struct | None) -> Inferred:
    """Merge the columns of typed files, by path, see `scan.learned`.

    Locked columns are treated like those of an earlier file, but only those that some file still has are returned.
    """
    fields = locked.fields if locked else ()
    schema: Schema | None = Schema(tuple(Column(f, learned=True) for f in fields)) if fields else None
    names: dict[str, None] = {}
    conflicts: list[str] = []
    for path, struct in files:
        file_columns = [Column(field) for field in struct.fields]
        schema = learn(None, schema, file_columns).schema
        names.update(dict.fromkeys(fold(column.name) for column in file_columns))
        conflicts += [f"{path}: {fault.message}" for fault in resolve(project(None, schema), file_columns).faults]
    columns = schema.by_name if schema else {}
    return Inferred(Struct(tuple(columns[name].field for name in names if name in columns)), tuple(conflicts))


def _columns(
    connection: duckdb.DuckDBPyConnection, reader: str, topic: str, span: Span, declared: Container[str]
) -> Struct:
    """Return the inferred columns without the declared ones. Raises duckdb.Error, and LsqlcError LSQ093."""
    result_columns = connection.execute(f"SELECT * FROM {reader} LIMIT 0").description or ()
    problems: list[Diagnostic] = []
    fields: list[Field] = []
    names: dict[str, str] = {}
    for name, type, *_ in result_columns:
        # If names differ only in case, DuckDB adds a number to all but the first.
        first = name.rpartition("_")[0] if name.rpartition("_")[2].isdigit() else ""
        if fold(name) in declared or names.get(fold(first), first) != first:
            continue
        column_type = type_of(type)
        if column_type is None:
            message = f"the column '{name}' of the files of '{topic}' is {type}, which has no counterpart"
            help = "declare the columns that you need: `value: id INT, name STRING`"
            problems.append(Diagnostic("LSQ093", message, span, help=help))
        else:
            fields.append(Field(name, column_type))
            names[fold(name)] = name
    if problems:
        raise LsqlcError(problems)
    return Struct(tuple(fields))


def _reader(files: Files, paths: Sequence[str]) -> str:
    path_list = f"[{', '.join(map(text, paths))}]"
    if files.format == "json":
        return f"read_json({path_list}, format = 'newline_delimited', union_by_name = true, ignore_errors = true)"
    nulls = ", ".join(map(text, ("", *files.null)))
    options = f"header = true, delim = {text(files.delimiter)}, quote = '\"', escape = '\"', nullstr = [{nulls}]"
    return f"read_csv({path_list}, union_by_name = true, ignore_errors = true, {options})"


def parquet_fields(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[Field, ...]:
    """Return the columns of a Parquet file; an unsupported type is NULL. Raises duckdb.Error."""
    result_columns = connection.execute(f"SELECT * FROM read_parquet({text(str(path))}) LIMIT 0").description or ()
    return tuple(Field(name, type_of(type) or data.NULL) for name, type, *_ in result_columns)


def parquet_fault(path: Path, columns: Sequence[Field], files: Files) -> str | None:
    """Return the reason why no record of a Parquet file can be read with these columns; None if its schema fits."""
    connection = duckdb.connect(":memory:")
    try:
        file_columns = parquet_fields(connection, path)
    except duckdb.Error:
        return BROKEN
    finally:
        connection.close()
    faults = resolved(columns, files, file_columns, text=False).faults
    return "; ".join(fault.message for fault in faults) or None


def type_of(type: object) -> DataType | None:
    """Return the type for a DuckDB type; None if it is not supported."""
    kind = getattr(type, "id", "")
    if kind in ("list", "array"):
        inner = type_of(type.children[0][1])  # type: ignore[attr-defined]
        return None if inner is None else Array(inner)
    if kind == "struct":
        fields = [(name, type_of(child)) for name, child in type.children]  # type: ignore[attr-defined]
        supported = tuple(Field(name, inner) for name, inner in fields if inner is not None)
        return Struct(supported) if len(supported) == len(fields) else None
    if kind == "map":
        key, value = (type_of(child) for _, child in type.children)  # type: ignore[attr-defined]
        return None if key is None or value is None else Map(key, value)
    if kind == "decimal":
        sizes = dict(type.children)  # type: ignore[attr-defined]
        return Decimal(int(sizes["precision"]), int(sizes["scale"]))
    return _KNOWN.get(kind) or _KNOWN.get(str(type).lower())
