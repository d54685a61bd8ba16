"""Topics of files as DuckDB tables: one table per topic, with the columns that the plan needs.

Files with the same columns are read together. A table has `second`, `inside` and `modified` of the file (see
`project.data_files`), `row_` (the index in the file), `path`, `k` and `v`. A row that cannot be read has the reason
`bad` and its cells `text`. DuckDB reports rows that it cannot split into cells, with their lines.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import duckdb

from lsqlc.connectors.bad_records import read_of
from lsqlc.connectors.lines import field_path
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.duckdb import cells
from lsqlc.lower.duckdb.bad_files import BadRow, find_lines, lines_at
from lsqlc.lower.duckdb.infer import BROKEN, parquet_fields
from lsqlc.lower.duckdb.json_files import header_of, json_rows
from lsqlc.lower.duckdb.pruned_files import file_place, wanted_files
from lsqlc.lower.duckdb.sources import time_column
from lsqlc.plan.plan import Plan
from lsqlc.scan.data_files import LATE, SHIFT, DataFile
from lsqlc.scan.file_topics import is_special, needed, resolved, special_of
from lsqlc.scan.reader import Absent, FromReader, Members, ResolvedColumn
from lsqlc.scan.special import value_of
from lsqlc.sql.duckdb import quoted, struct, text
from lsqlc.sql.writer import Union
from lsqlc.types import data
from lsqlc.types.data import STRING, DataType, Field, Struct
from lsqlc.types.files import Files
from lsqlc.types.record import LATEST, NO_TIME, Topic


@dataclass(frozen=True, slots=True)
class Loaded:
    """Loaded topics.

    `tables`: the SQL of topics that are in a table. `texts`: records of other topics as JSON (see `sources.of_files`).
    `bad`: rows that cannot be read, ordered by topic and file.
    """

    tables: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    bad: tuple[BadRow, ...] = ()


def load(connection: duckdb.DuckDBPyConnection, plan: Plan, root: Path) -> Loaded:
    """Read the topics of files of a plan, as far as it needs them. `root`: the project's folder."""
    tables: dict[str, str] = {}
    texts: dict[str, str] = {}
    bad: list[BadRow] = []
    read = read_of(plan)
    for topic in plan.inputs:
        if topic.files is None:
            continue
        files = wanted_files(connection, plan, topic, root)
        request = _Request(topic, topic.files, read[topic.name].value.type, root)
        if topic.files.format == "json" or topic.files.is_array:
            rows, wrong = json_rows(topic, request.needed, request.special(), files, root)
            texts[topic.name] = f"[{','.join(rows)}]"
        else:
            wrong = _table(connection, request, files)
            tables[topic.name] = _rows(topic, request.table)
        bad += wrong
    return Loaded(tables, texts, tuple(bad))


@dataclass(frozen=True, slots=True)
class _Request:
    """The part of a topic's files to read. `value`: the value with the fields that the plan uses."""

    topic: Topic
    files: Files
    value: DataType
    root: Path

    @property
    def table(self) -> str:
        return quoted(f"files {self.topic.name}")

    @property
    def needed(self) -> tuple[Field, ...]:
        assert isinstance(self.value, Struct)
        return needed(self.topic, self.value)

    def special(self) -> tuple[str, ...]:
        assert isinstance(self.value, Struct)
        return tuple(f.name for f in self.value.fields if is_special(f, self.files))


@dataclass(frozen=True, slots=True)
class _Part:
    """Files with the same columns `shape`, and the sources of the needed columns in them."""

    files: tuple[DataFile, ...]
    columns: tuple[ResolvedColumn, ...]
    shape: tuple[Field, ...]


def _rows(topic: Topic, table: str) -> str:
    """Return SQL of the records of a topic from its table."""
    order = ", CAST(by_ AS BIGINT)" if topic.files and topic.files.order_by else ""
    ordinal = f"[second + {LATE}, inside{order}, row_]"
    return (
        f"SELECT 0 AS _case, {ordinal} AS _ord, [second - {SHIFT}, inside{order}, row_] AS _early,\n"
        f"  {time_column(topic)} AS _ts, k, v\nFROM (SELECT *, modified AS _ts FROM {table} WHERE bad IS NULL)"
    )


def _table(connection: duckdb.DuckDBPyConnection, request: _Request, files: Sequence[DataFile]) -> list[BadRow]:
    """Create a topic's table. Returns the rows and files that cannot be read."""
    bad: list[BadRow] = []
    columns_by_file: list[tuple[DataFile, tuple[Field, ...]]] = []
    for file in files:
        file_columns = _offered(connection, request, file)
        if isinstance(file_columns, BadRow):
            bad.append(file_columns)
        else:
            columns_by_file.append((file, file_columns))
    parts: list[_Part] = []
    for shape, group in groupby(sorted(columns_by_file, key=lambda o: str(o[1])), key=lambda o: o[1]):
        alike = tuple(file for file, _ in group)
        resolution = resolved(request.needed, request.files, shape, text=request.files.format == "csv")
        if resolution.faults:
            why = "; ".join(fault.message for fault in resolution.faults)
            bad += [BadRow(request.topic.name, f.path, None, why, f.path, f.modified, whole=True) for f in alike]
        else:
            parts.append(_Part(alike, tuple(resolution.columns), shape))
    broken = _create(connection, request, parts)
    bad += broken
    bad += _rejected(connection, request, {str(request.root / f.path): f for f in files})
    rows = connection.execute(f"SELECT path, bad, text, modified FROM {request.table} WHERE bad IS NOT NULL").fetchall()
    bad_rows = [BadRow(request.topic.name, path, None, why, words, at) for path, why, words, at in rows]
    bad += find_lines(bad_rows, request.root, request.files, [f.name for f in request.needed])
    return bad


def _offered(connection: duckdb.DuckDBPyConnection, request: _Request, file: DataFile) -> tuple[Field, ...] | BadRow:
    """Return the columns of one file."""
    try:
        if request.files.format == "parquet":
            return parquet_fields(connection, request.root / file.path)
        if not request.files.header:
            return tuple(Field(name, STRING) for name in request.files.cells)
        names = header_of(request.root / file.path, request.files.delimiter)
        return tuple(Field(name, STRING) for name in names)
    except (duckdb.Error, csv.Error, OSError, UnicodeDecodeError, ValueError) as error:
        return _broken(request, file, error)


def _broken(request: _Request, file: DataFile, error: Exception) -> BadRow:
    why = "the file is gone" if isinstance(error, FileNotFoundError) else BROKEN
    detail = str(error).split("\n")[0].replace(f"{request.root}/", "")
    return BadRow(request.topic.name, file.path, None, why, file.path, file.modified, whole=True, detail=detail)


def _create(connection: duckdb.DuckDBPyConnection, request: _Request, parts: Sequence[_Part]) -> list[BadRow]:
    """Fill the table. Files that cannot be read are left out and returned."""
    try:
        _fill(connection, request, parts)
        return []
    except duckdb.Error:
        pass
    bad: list[BadRow] = []
    good: list[_Part] = []
    for part in parts:
        readable = []
        for file in part.files:
            try:
                # Reads all needed columns, so that an error in the middle of the file is found.
                reading = _reading(request, replace(part, files=(file,)))
                connection.execute(f"CREATE OR REPLACE TEMP TABLE probe AS {reading}")
                readable.append(file)
            except duckdb.Error as error:
                bad.append(_broken(request, file, error))
        good.append(replace(part, files=tuple(readable)))
    connection.execute("DROP TABLE IF EXISTS probe")
    _fill(connection, request, [part for part in good if part.files])
    return bad


def _fill(connection: duckdb.DuckDBPyConnection, request: _Request, parts: Sequence[_Part]) -> None:
    selects = [_reading(request, part) for part in parts]
    if not selects:
        selects = [f"{_records(request, (), _nothing(request))} LIMIT 0"]
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {request.table} AS\n{Union(tuple(selects))}")


def _nothing(request: _Request) -> str:
    names = [f"CAST(NULL AS {type_text('duckdb', f.type)}) AS {quoted(f'c {f.name}')}" for f in request.needed]
    names += [f"CAST(NULL AS VARCHAR) AS {quoted(f't {f.name}')}" for f in request.needed]
    cells_ = ", ".join(["'' AS path_", "0 AS row_", "NULL AS bad", *names])
    return f"SELECT {cells_}"


def _reading(request: _Request, part: _Part) -> str:
    """Return SQL of the records of files with the same columns."""
    paths = f"[{', '.join(text(str(request.root / f.path)) for f in part.files)}]"
    select = _csv if request.files.format == "csv" else _parquet
    return _records(request, part.files, select(request, part.columns, part.shape, paths))


def _records(request: _Request, files: Sequence[DataFile], rows: str) -> str:
    """Return SQL of the records of some files. `rows`: SQL of their rows."""
    file_rows = ",\n    ".join(_place(request, f) for f in files) or _place(request, DataFile("", 0, 0))
    specials = request.special()
    heads = ", ".join(["file", "path", "second", "inside", "modified", *(quoted(f"s {name}") for name in specials)])
    bad = f"coalesce(p.bad, {_timeless(request)})"
    return (
        f"SELECT f.second, f.inside, f.modified, f.path, p.row_, {_by(request)} AS by_, {_key(request)} AS k,\n"
        f"  {_value(request)} AS v, {bad} AS bad, CASE WHEN {bad} IS NOT NULL THEN {_words(request)} END AS text\n"
        f"FROM ({rows}) AS p\n"
        f"JOIN (VALUES\n    {file_rows}\n) AS f({heads}) ON f.file = p.path_"
    )


def _place(request: _Request, file: DataFile) -> str:
    """Return the VALUES row of a file, with the path columns of its records."""
    position = file_place(request.files, file)
    values = []
    for name in request.special():
        special = special_of(name, request.files)
        of_path = value_of(special, position) if special else None
        values.append("CAST(NULL AS VARCHAR)" if of_path is None else text(of_path))
    head = [text(str(request.root / file.path)), text(file.path), file.second, file.within, file.modified]
    return f"({', '.join(map(str, [*head, *values]))})"


def _timeless(request: _Request) -> str:
    """Return SQL of the error about the time of a row, or null."""
    wrong = text(f"timestamp: {NO_TIME}")
    time = "f.modified"
    if request.topic.event_time is not None:
        first, *rest = request.topic.event_time.split(".")
        field = ".".join([f"p.{quoted(f'c {first}')}", *map(quoted, rest)])
        type = next(f for f in request.needed if f.name == first).type
        for name in rest:
            field_type = type.field(name) if isinstance(type, Struct) else None
            type = field_type.type if field_type else data.NULL
        millis = f"epoch_ms({field})" if type in (data.TIMESTAMP, data.DATE) else field
        wrong = f"CASE WHEN {field} IS NULL THEN {wrong} ELSE {text(f'{field_path(request.topic)}: {NO_TIME}')} END"
        time = f"coalesce({millis}, f.modified)"
    return f"CASE WHEN {time} BETWEEN 0 AND {LATEST} THEN NULL ELSE {wrong} END"


def _words(request: _Request) -> str:
    """Return SQL of a bad row for a dead letter, as JSON: its cells, or its columns in a typed file."""
    # Computed for bad rows only, because it is the most expensive part.
    if request.files.format == "csv":
        return f"CAST(to_json([{', '.join('p.' + quoted(f't {f.name}') for f in request.needed)}]) AS VARCHAR)"
    whole = struct((f.name, cells.worded(f"p.{quoted(f'c {f.name}')}", f.type)) for f in request.needed)
    return f"CAST(to_json({whole}) AS VARCHAR)"


def _by(request: _Request) -> str:
    name = request.files.order_by
    if name is None:
        return "0"
    column = f"p.{quoted(f'c {name}')}"
    order_column = next(f for f in request.needed if f.name == name)
    match order_column.type:
        case data.TIMESTAMP:
            column = f"epoch_us({column})"
        case data.DATE:
            column = f"epoch_ms({column})"
    return f"coalesce({column}, {-(1 << 62)})"


def _key(request: _Request) -> str:
    names = request.files.key
    if not names:
        return "NULL"
    if len(names) == 1:
        return f"p.{quoted(f'c {names[0]}')}"
    return struct((name, f"p.{quoted(f'c {name}')}") for name in names)


def _value(request: _Request) -> str:
    assert isinstance(request.value, Struct)
    return struct(
        (f.name, f"f.{quoted(f's {f.name}')}" if is_special(f, request.files) else f"p.{quoted(f'c {f.name}')}")
        for f in request.value.fields
    )


def _parquet(request: _Request, columns: Sequence[ResolvedColumn], shape: Sequence[Field], paths: str) -> str:
    """Return SQL of the needed columns of files with one shape. `paths`: SQL of the list of their paths."""
    # Casts sort the fields of structs into declared order.
    types = {f.name: type_text("duckdb", f.type) for f in request.needed}
    declared = request.topic.value.type
    typed_columns = [
        f"CAST({_typed(c, '', shape, declared)} AS {types[c.name]}) AS {quoted(f'c {c.name}')}" for c in columns
    ]
    faults = [f"CASE WHEN {quoted(f'c {c.name}')} IS NULL THEN {_null_fault(c)} END" for c in columns if _strict(c)]
    bad = f"nullif(concat_ws('; ', {', '.join(faults)}), '')" if faults else "CAST(NULL AS VARCHAR)"
    inner = ", ".join(["filename AS path_", "file_row_number AS row_", *typed_columns])
    return (
        f"SELECT *, {bad} AS bad\n"
        f"FROM (SELECT {inner}\n  FROM read_parquet({paths}, filename = true, file_row_number = true))"
    )


def _strict(column: ResolvedColumn) -> bool:
    return not column.field.nullable and not isinstance(column.source, Absent)


def _null_fault(column: ResolvedColumn) -> str:
    return text(f"{data.quote(column.name)}: expected {column.field.type} NOT NULL")


def _typed(column: ResolvedColumn, around: str, shape: Sequence[Field], declared: DataType | None) -> str:
    """Return SQL of a column of a typed file.

    `shape`: the columns of the file, or the fields of the struct `around`. `declared`: the whole declared type of that
    level, of which the plan may need only a part.
    """
    type = type_text("duckdb", column.field.type)
    match column.source:
        case FromReader(index=index):
            return f"CAST({around}{quoted(shape[index].name)} AS {type})"
        case Members(index=index, columns=members, dimensions=0) if index is not None:
            whole = f"{around}{quoted(shape[index].name)}"
            inner = shape[index].type
            assert isinstance(inner, Struct)
            whole_type = declared.folded_field(column.name) if isinstance(declared, Struct) else None
            rebuilt = struct(
                (m.name, _typed(m, f"{whole}.", inner.fields, whole_type.type if whole_type else None)) for m in members
            )
            # If a plan reads only members of a struct, the null check would read the whole struct for nothing.
            by_members = whole_type is not None and whole_type.type != column.field.type
            return rebuilt if by_members else f"CASE WHEN {whole} IS NOT NULL THEN {rebuilt} END"
        case Absent(value=default) if not isinstance(default, list | dict):
            words = cells.cell_text(default)
            return f"CAST({'NULL' if words is None else cells.value(text(words), column.field.type)} AS {type})"
    return f"CAST(NULL AS {type})"


def _csv(request: _Request, columns: Sequence[ResolvedColumn], shape: Sequence[Field], paths: str) -> str:
    """Return SQL of cells. Each is read as text, so that lsqlc converts it instead of DuckDB."""
    texts, typed_columns, faults = [], [], []
    for column in columns:
        cell = quoted(f"t {column.name}")
        default = request.files.default(column.name)
        match column.source:
            case FromReader(index=index):
                source = quoted(f"x{index}")
                if request.files.null:
                    source = f"CASE WHEN {source} NOT IN ({', '.join(map(text, request.files.null))}) THEN {source} END"
                source = source if default is None else f"coalesce({source}, {text(default)})"
            case Absent(value=stand_in):
                words = cells.cell_text(stand_in)
                source = "CAST(NULL AS VARCHAR)" if words is None else text(words)
            case _:
                raise AssertionError("a cell has no members")
        texts.append(f"{source} AS {cell}")
        typed_columns.append(f"{cells.value(cell, column.field.type)} AS {quoted(f'c {column.name}')}")
        wrong = cells.fault(cell, column.field)
        if wrong and isinstance(column.source, FromReader):
            faults.append(wrong)
    bad = f"nullif(concat_ws('; ', {', '.join(faults)}), '')" if faults else "CAST(NULL AS VARCHAR)"
    names = ", ".join(f"{text(f'x{i}')}: 'VARCHAR'" for i, _ in enumerate(shape))
    options = (
        f"auto_detect = false, header = {str(request.files.header).lower()}, delim = {text(request.files.delimiter)}, "
        "quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, strict_mode = true, "
        "store_rejects = true, filename = true, max_line_size = 100000000"
    )
    inner = ", ".join(["filename AS path_", "row_number() OVER () AS row_", *texts])
    cells_ = [quoted(f"t {c.name}") for c in columns]
    return (
        f"SELECT {', '.join(['path_', 'row_', *cells_, *typed_columns])}, {bad} AS bad\n"
        f"FROM (SELECT {inner}\n  FROM read_csv({paths}, columns = {{{names}}}, {options}))"
    )


def _rejected(
    connection: duckdb.DuckDBPyConnection, request: _Request, files: Mapping[str, DataFile]
) -> Iterable[BadRow]:
    """Return the lines that DuckDB could not split into cells."""
    if request.files.format != "csv" or not _has_rejects(connection):
        return ()
    rows = connection.execute(
        "SELECT DISTINCT ON (s.file_path, e.line)\n"
        "  s.file_path, e.line_byte_position, e.csv_line, e.error_type, e.error_message\n"
        "FROM reject_errors AS e JOIN reject_scans AS s USING (scan_id, file_id) ORDER BY s.file_path, e.line"
    ).fetchall()
    bad_rows = []
    for path, group in groupby((row for row in rows if row[0] in files), key=lambda row: row[0]):
        file, rejected = files[path], sorted(group, key=lambda row: row[1])
        lines = lines_at(Path(path), [position for _, position, *_ in rejected])
        for line, (_, _, words, kind, message) in zip(lines, rejected, strict=True):
            bad_rows.append(
                BadRow(request.topic.name, file.path, line, _reason(kind, message), words or "", file.modified)
            )
    connection.execute("DROP TABLE reject_errors")
    connection.execute("DROP TABLE reject_scans")
    return bad_rows


def _has_rejects(connection: duckdb.DuckDBPyConnection) -> bool:
    row = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'reject_errors'").fetchone()
    return bool(row and row[0])


def _reason(kind: str, message: str) -> str:
    if kind in ("TOO MANY COLUMNS", "MISSING COLUMNS"):
        return "the row has another number of cells than the header"
    if kind == "UNQUOTED VALUE":
        return "a quote is not closed, or stands inside of a cell"
    return message.split("\n")[0].lower()
