"""The columns of files whose schema nobody declares, as DuckDB finds them."""

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
    """`columns`: of all files together. `conflicts`: what files say otherwise of columns that an earlier one has."""

    columns: Struct
    conflicts: tuple[str, ...] = ()


def infer(
    topic: str,
    files: Files,
    root: Path,
    span: Span,
    *,
    declared: Container[str] = (),
    locked: Struct | None = None,
) -> Inferred | None:
    """Return the columns of a topic's files together, those of the first file before those that others have besides;
    None if there is no file. `root`: the project's folder; `span`: where the topic is declared; `declared`: columns
    that are not looked for, in lower case; `locked`: what is known of the others already.

    Raises LsqlcError: LSQ092 for files that cannot be read, LSQ093 for columns that lsqlc has no type for.
    """
    found = data_files(root, files)
    if not found:
        return None
    connection = duckdb.connect(":memory:")
    try:
        connection.execute("SET TimeZone = 'UTC'")
        if files.format != "parquet":
            reader = _reader(files, [str(root / file.path) for file in found])
            return Inferred(_columns(connection, reader, topic, span, declared))
        readers = [(file.path, f"read_parquet({text(str(root / file.path))})") for file in found]
        offered = [(path, _columns(connection, reader, topic, span, declared)) for path, reader in readers]
    except duckdb.Error as error:
        message = f"the columns of the files of '{topic}' cannot be found"
        why = str(error).split("\n")[0].replace(f"{root}/", "")
        help = "mend the file, or declare the columns: `value: id INT, name STRING`"
        raise LsqlcError([Diagnostic("LSQ092", message, span, (why,), help)]) from None
    finally:
        connection.close()
    return _together(offered, locked)


def _together(files: Sequence[tuple[str, Struct]], locked: Struct | None) -> Inferred:
    """Return the columns of files that say what they have, each by its path: see `scan.learned`.

    What is locked is as if an earlier file had it; of that there is what some file still has.
    """
    fields = locked.fields if locked else ()
    known: Schema | None = Schema(tuple(Column(f, learned=True) for f in fields)) if fields else None
    names: dict[str, None] = {}
    conflicts: list[str] = []
    for path, struct in files:
        offered = [Column(field) for field in struct.fields]
        known = learn(None, known, offered).schema
        names.update(dict.fromkeys(fold(column.name) for column in offered))
        conflicts += [f"{path}: {fault.message}" for fault in resolve(project(None, known), offered).faults]
    columns = known.by_name if known else {}
    return Inferred(Struct(tuple(columns[name].field for name in names if name in columns)), tuple(conflicts))


def _columns(
    connection: duckdb.DuckDBPyConnection, reader: str, topic: str, span: Span, declared: Container[str]
) -> Struct:
    """Return the columns that DuckDB finds, without the declared ones. Raises duckdb.Error; LsqlcError, LSQ093."""
    described = connection.execute(f"SELECT * FROM {reader} LIMIT 0").description or ()
    problems: list[Diagnostic] = []
    fields: list[Field] = []
    spelled: dict[str, str] = {}
    for name, type, *_ in described:
        # Of names that differ in letter case alone, DuckDB numbers all but the first.
        first = name.rpartition("_")[0] if name.rpartition("_")[2].isdigit() else ""
        if fold(name) in declared or spelled.get(fold(first), first) != first:
            continue
        known = type_of(type)
        if known is None:
            message = f"the column '{name}' of the files of '{topic}' is {type}, which has no counterpart"
            help = "declare the columns that you need: `value: id INT, name STRING`"
            problems.append(Diagnostic("LSQ093", message, span, help=help))
        else:
            fields.append(Field(name, known))
            spelled[fold(name)] = name
    if problems:
        raise LsqlcError(problems)
    return Struct(tuple(fields))


def _reader(files: Files, paths: Sequence[str]) -> str:
    listed = f"[{', '.join(map(text, paths))}]"
    if files.format == "json":
        return f"read_json({listed}, format = 'newline_delimited', union_by_name = true, ignore_errors = true)"
    nulls = ", ".join(map(text, ("", *files.null)))
    options = f"header = true, delim = {text(files.delimiter)}, quote = '\"', escape = '\"', nullstr = [{nulls}]"
    return f"read_csv({listed}, union_by_name = true, ignore_errors = true, {options})"


def parquet_fields(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[Field, ...]:
    """Return the columns that a Parquet file says it has; one without a counterpart is NULL. Raises duckdb.Error."""
    described = connection.execute(f"SELECT * FROM read_parquet({text(str(path))}) LIMIT 0").description or ()
    return tuple(Field(name, type_of(type) or data.NULL) for name, type, *_ in described)


def parquet_fault(path: Path, columns: Sequence[Field], files: Files) -> str | None:
    """Why no record of a Parquet file can be read, where these columns are wanted of it; None: what it says of itself
    is as it should be.
    """
    connection = duckdb.connect(":memory:")
    try:
        offered = parquet_fields(connection, path)
    except duckdb.Error:
        return BROKEN
    finally:
        connection.close()
    faults = resolved(columns, files, offered, text=False).faults
    return "; ".join(fault.message for fault in faults) or None


def type_of(type: object) -> DataType | None:
    """Return the type that a DuckDB type is read as; None if there is none."""
    kind = getattr(type, "id", "")
    if kind in ("list", "array"):
        inner = type_of(type.children[0][1])  # type: ignore[attr-defined]
        return None if inner is None else Array(inner)
    if kind == "struct":
        fields = [(name, type_of(child)) for name, child in type.children]  # type: ignore[attr-defined]
        known = tuple(Field(name, inner) for name, inner in fields if inner is not None)
        return Struct(known) if len(known) == len(fields) else None
    if kind == "map":
        key, value = (type_of(child) for _, child in type.children)  # type: ignore[attr-defined]
        return None if key is None or value is None else Map(key, value)
    if kind == "decimal":
        sizes = dict(type.children)  # type: ignore[attr-defined]
        return Decimal(int(sizes["precision"]), int(sizes["scale"]))
    return _KNOWN.get(kind) or _KNOWN.get(str(type).lower())
