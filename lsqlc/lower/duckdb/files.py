"""Folders of files as tables of DuckDB: read once, with the columns that the plan needs, into a table a topic.

Files whose columns are the same are read together. A table has `second`, `inside` and `modified` (of the file, see
`project.data_files`), `row_` (its place in the file), `path`, `k`, `v`, and of a row that cannot be read `bad`, why,
and `text`, the cells that were asked. What cannot even be split into cells is reported by DuckDB, with its line.
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
    """`tables`: the SQL of topics that lie in a table; `texts`: the records of the others as JSON (see
    `sources.of_files`); `bad`: what cannot be read, in order of topic and file.
    """

    tables: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    bad: tuple[BadRow, ...] = ()


def load(connection: duckdb.DuckDBPyConnection, plan: Plan, root: Path) -> Loaded:
    """Read what the plan needs of its topics of files. `root`: the project's folder."""
    tables: dict[str, str] = {}
    texts: dict[str, str] = {}
    bad: list[BadRow] = []
    read = read_of(plan)
    for topic in plan.inputs:
        if topic.files is None:
            continue
        files = wanted_files(connection, plan, topic, root)
        asked = _Asked(topic, topic.files, read[topic.name].value.type, root)
        if topic.files.format == "json" or topic.files.is_array:
            rows, wrong = json_rows(topic, asked.needed, asked.special(), files, root)
            texts[topic.name] = f"[{','.join(rows)}]"
        else:
            wrong = _table(connection, asked, files)
            tables[topic.name] = _rows(topic, asked.table)
        bad += wrong
    return Loaded(tables, texts, tuple(bad))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What of a topic's files is read. `value`: the value with the fields that the plan uses."""

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
    """Files with the same columns, `shape`, and where the needed columns come from in them."""

    files: tuple[DataFile, ...]
    columns: tuple[ResolvedColumn, ...]
    shape: tuple[Field, ...]


def _rows(topic: Topic, table: str) -> str:
    """Return the records of a topic from its table."""
    order = ", CAST(by_ AS BIGINT)" if topic.files and topic.files.order_by else ""
    ordinal = f"[second + {LATE}, inside{order}, row_]"
    return (
        f"SELECT 0 AS _case, {ordinal} AS _ord, [second - {SHIFT}, inside{order}, row_] AS _early,\n"
        f"  {time_column(topic)} AS _ts, k, v\nFROM (SELECT *, modified AS _ts FROM {table} WHERE bad IS NULL)"
    )


def _table(connection: duckdb.DuckDBPyConnection, asked: _Asked, files: Sequence[DataFile]) -> list[BadRow]:
    """Make a topic's table; what of its files cannot be read."""
    bad: list[BadRow] = []
    offered: list[tuple[DataFile, tuple[Field, ...]]] = []
    for file in files:
        found = _offered(connection, asked, file)
        if isinstance(found, BadRow):
            bad.append(found)
        else:
            offered.append((file, found))
    parts: list[_Part] = []
    for shape, group in groupby(sorted(offered, key=lambda o: str(o[1])), key=lambda o: o[1]):
        alike = tuple(file for file, _ in group)
        resolution = resolved(asked.needed, asked.files, shape, text=asked.files.format == "csv")
        if resolution.faults:
            why = "; ".join(fault.message for fault in resolution.faults)
            bad += [BadRow(asked.topic.name, f.path, None, why, f.path, f.modified, whole=True) for f in alike]
        else:
            parts.append(_Part(alike, tuple(resolution.columns), shape))
    broken = _create(connection, asked, parts)
    bad += broken
    bad += _rejected(connection, asked, {str(asked.root / f.path): f for f in files})
    rows = connection.execute(f"SELECT path, bad, text, modified FROM {asked.table} WHERE bad IS NOT NULL").fetchall()
    told = [BadRow(asked.topic.name, path, None, why, words, at) for path, why, words, at in rows]
    bad += find_lines(told, asked.root, asked.files, [f.name for f in asked.needed])
    return bad


def _offered(connection: duckdb.DuckDBPyConnection, asked: _Asked, file: DataFile) -> tuple[Field, ...] | BadRow:
    """Return the columns that one file has."""
    try:
        if asked.files.format == "parquet":
            return parquet_fields(connection, asked.root / file.path)
        if not asked.files.header:
            return tuple(Field(name, STRING) for name in asked.files.cells)
        names = header_of(asked.root / file.path, asked.files.delimiter)
        return tuple(Field(name, STRING) for name in names)
    except (duckdb.Error, csv.Error, OSError, UnicodeDecodeError, ValueError) as error:
        return _broken(asked, file, error)


def _broken(asked: _Asked, file: DataFile, error: Exception) -> BadRow:
    why = "the file is gone" if isinstance(error, FileNotFoundError) else BROKEN
    detail = str(error).split("\n")[0].replace(f"{asked.root}/", "")
    return BadRow(asked.topic.name, file.path, None, why, file.path, file.modified, whole=True, detail=detail)


def _create(connection: duckdb.DuckDBPyConnection, asked: _Asked, parts: Sequence[_Part]) -> list[BadRow]:
    """Fill the table. Files that turn out to be broken on the way are left out."""
    try:
        _fill(connection, asked, parts)
        return []
    except duckdb.Error:
        pass
    bad: list[BadRow] = []
    good: list[_Part] = []
    for part in parts:
        readable = []
        for file in part.files:
            try:
                # All that is asked, so that a file that breaks in the middle is found.
                reading = _reading(asked, replace(part, files=(file,)))
                connection.execute(f"CREATE OR REPLACE TEMP TABLE probe AS {reading}")
                readable.append(file)
            except duckdb.Error as error:
                bad.append(_broken(asked, file, error))
        good.append(replace(part, files=tuple(readable)))
    connection.execute("DROP TABLE IF EXISTS probe")
    _fill(connection, asked, [part for part in good if part.files])
    return bad


def _fill(connection: duckdb.DuckDBPyConnection, asked: _Asked, parts: Sequence[_Part]) -> None:
    selects = [_reading(asked, part) for part in parts]
    if not selects:
        selects = [f"{_records(asked, (), _nothing(asked))} LIMIT 0"]
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {asked.table} AS\n{Union(tuple(selects))}")


def _nothing(asked: _Asked) -> str:
    names = [f"CAST(NULL AS {type_text('duckdb', f.type)}) AS {quoted(f'c {f.name}')}" for f in asked.needed]
    names += [f"CAST(NULL AS VARCHAR) AS {quoted(f't {f.name}')}" for f in asked.needed]
    cells_ = ", ".join(["'' AS path_", "0 AS row_", "NULL AS bad", *names])
    return f"SELECT {cells_}"


def _reading(asked: _Asked, part: _Part) -> str:
    """Return the records of files with the same columns."""
    listed = f"[{', '.join(text(str(asked.root / f.path)) for f in part.files)}]"
    select = _csv if asked.files.format == "csv" else _parquet
    return _records(asked, part.files, select(asked, part.columns, part.shape, listed))


def _records(asked: _Asked, files: Sequence[DataFile], rows: str) -> str:
    """Return the records of some files, of SQL that gives their rows."""
    known = ",\n    ".join(_place(asked, f) for f in files) or _place(asked, DataFile("", 0, 0))
    specials = asked.special()
    heads = ", ".join(["file", "path", "second", "inside", "modified", *(quoted(f"s {name}") for name in specials)])
    bad = f"coalesce(p.bad, {_timeless(asked)})"
    return (
        f"SELECT f.second, f.inside, f.modified, f.path, p.row_, {_by(asked)} AS by_, {_key(asked)} AS k,\n"
        f"  {_value(asked)} AS v, {bad} AS bad, CASE WHEN {bad} IS NOT NULL THEN {_words(asked)} END AS text\n"
        f"FROM ({rows}) AS p\n"
        f"JOIN (VALUES\n    {known}\n) AS f({heads}) ON f.file = p.path_"
    )


def _place(asked: _Asked, file: DataFile) -> str:
    """Return a file's row: what its records take from it."""
    found = file_place(asked.files, file)
    values = []
    for name in asked.special():
        special = special_of(name, asked.files)
        of_path = value_of(special, found) if special else None
        values.append("CAST(NULL AS VARCHAR)" if of_path is None else text(of_path))
    head = [text(str(asked.root / file.path)), text(file.path), file.second, file.within, file.modified]
    return f"({', '.join(map(str, [*head, *values]))})"


def _timeless(asked: _Asked) -> str:
    """Return SQL of what is wrong with the time of a row, or null."""
    wrong = text(f"timestamp: {NO_TIME}")
    time = "f.modified"
    if asked.topic.event_time is not None:
        first, *rest = asked.topic.event_time.split(".")
        field = ".".join([f"p.{quoted(f'c {first}')}", *map(quoted, rest)])
        known = next(f for f in asked.needed if f.name == first).type
        for name in rest:
            found = known.field(name) if isinstance(known, Struct) else None
            known = found.type if found else data.NULL
        millis = f"epoch_ms({field})" if known in (data.TIMESTAMP, data.DATE) else field
        wrong = f"CASE WHEN {field} IS NULL THEN {wrong} ELSE {text(f'{field_path(asked.topic)}: {NO_TIME}')} END"
        time = f"coalesce({millis}, f.modified)"
    return f"CASE WHEN {time} BETWEEN 0 AND {LATEST} THEN NULL ELSE {wrong} END"


def _words(asked: _Asked) -> str:
    """Return SQL of what a letter shows of a bad row: the cells, or the columns of a file that has types, as JSON."""
    # Made of a row that is bad only, since it costs more than all the rest.
    if asked.files.format == "csv":
        return f"CAST(to_json([{', '.join('p.' + quoted(f't {f.name}') for f in asked.needed)}]) AS VARCHAR)"
    whole = struct((f.name, cells.worded(f"p.{quoted(f'c {f.name}')}", f.type)) for f in asked.needed)
    return f"CAST(to_json({whole}) AS VARCHAR)"


def _by(asked: _Asked) -> str:
    name = asked.files.order_by
    if name is None:
        return "0"
    column = f"p.{quoted(f'c {name}')}"
    found = next(f for f in asked.needed if f.name == name)
    match found.type:
        case data.TIMESTAMP:
            column = f"epoch_us({column})"
        case data.DATE:
            column = f"epoch_ms({column})"
    return f"coalesce({column}, {-(1 << 62)})"


def _key(asked: _Asked) -> str:
    names = asked.files.key
    if not names:
        return "NULL"
    if len(names) == 1:
        return f"p.{quoted(f'c {names[0]}')}"
    return struct((name, f"p.{quoted(f'c {name}')}") for name in names)


def _value(asked: _Asked) -> str:
    assert isinstance(asked.value, Struct)
    return struct(
        (f.name, f"f.{quoted(f's {f.name}')}" if is_special(f, asked.files) else f"p.{quoted(f'c {f.name}')}")
        for f in asked.value.fields
    )


def _parquet(asked: _Asked, columns: Sequence[ResolvedColumn], shape: Sequence[Field], listed: str) -> str:
    """Return the needed columns of files of one shape; `listed`: SQL of the list of their paths."""
    # Members of a struct stand in the order of the declaration, in whatever order a file has them.
    types = {f.name: type_text("duckdb", f.type) for f in asked.needed}
    declared = asked.topic.value.type
    made = [f"CAST({_typed(c, '', shape, declared)} AS {types[c.name]}) AS {quoted(f'c {c.name}')}" for c in columns]
    faults = [f"CASE WHEN {quoted(f'c {c.name}')} IS NULL THEN {_null_fault(c)} END" for c in columns if _strict(c)]
    bad = f"nullif(concat_ws('; ', {', '.join(faults)}), '')" if faults else "CAST(NULL AS VARCHAR)"
    inner = ", ".join(["filename AS path_", "file_row_number AS row_", *made])
    return (
        f"SELECT *, {bad} AS bad\n"
        f"FROM (SELECT {inner}\n  FROM read_parquet({listed}, filename = true, file_row_number = true))"
    )


def _strict(column: ResolvedColumn) -> bool:
    return not column.field.nullable and not isinstance(column.source, Absent)


def _null_fault(column: ResolvedColumn) -> str:
    return text(f"{data.quote(column.name)}: expected {column.field.type} NOT NULL")


def _typed(column: ResolvedColumn, around: str, offered: Sequence[Field], declared: DataType | None) -> str:
    """Return a column of a file that has types; `offered`: the columns, or the members of what stands `around` it, and
    `declared` the whole of that, of which not all may be asked.
    """
    type = type_text("duckdb", column.field.type)
    match column.source:
        case FromReader(index=index):
            return f"CAST({around}{quoted(offered[index].name)} AS {type})"
        case Members(index=index, columns=members, dimensions=0) if index is not None:
            whole = f"{around}{quoted(offered[index].name)}"
            inner = offered[index].type
            assert isinstance(inner, Struct)
            known = declared.folded_field(column.name) if isinstance(declared, Struct) else None
            made = struct(
                (m.name, _typed(m, f"{whole}.", inner.fields, known.type if known else None)) for m in members
            )
            # Of a struct that is asked for only by its members nobody sees whether it is null, and to look would read
            # all of it.
            by_members = known is not None and known.type != column.field.type
            return made if by_members else f"CASE WHEN {whole} IS NOT NULL THEN {made} END"
        case Absent(value=found) if not isinstance(found, list | dict):
            words = cells.cell_text(found)
            return f"CAST({'NULL' if words is None else cells.value(text(words), column.field.type)} AS {type})"
    return f"CAST(NULL AS {type})"


def _csv(asked: _Asked, columns: Sequence[ResolvedColumn], shape: Sequence[Field], listed: str) -> str:
    """Return cells, each as text first, so that what it may be is our affair and not DuckDB's."""
    texts, made, faults = [], [], []
    for column in columns:
        cell = quoted(f"t {column.name}")
        default = asked.files.default(column.name)
        match column.source:
            case FromReader(index=index):
                found = quoted(f"x{index}")
                if asked.files.null:
                    found = f"CASE WHEN {found} NOT IN ({', '.join(map(text, asked.files.null))}) THEN {found} END"
                found = found if default is None else f"coalesce({found}, {text(default)})"
            case Absent(value=stand_in):
                words = cells.cell_text(stand_in)
                found = "CAST(NULL AS VARCHAR)" if words is None else text(words)
            case _:
                raise AssertionError("a cell has no members")
        texts.append(f"{found} AS {cell}")
        made.append(f"{cells.value(cell, column.field.type)} AS {quoted(f'c {column.name}')}")
        wrong = cells.fault(cell, column.field)
        if wrong and isinstance(column.source, FromReader):
            faults.append(wrong)
    bad = f"nullif(concat_ws('; ', {', '.join(faults)}), '')" if faults else "CAST(NULL AS VARCHAR)"
    names = ", ".join(f"{text(f'x{i}')}: 'VARCHAR'" for i, _ in enumerate(shape))
    options = (
        f"auto_detect = false, header = {str(asked.files.header).lower()}, delim = {text(asked.files.delimiter)}, "
        "quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, strict_mode = true, "
        "store_rejects = true, filename = true, max_line_size = 100000000"
    )
    inner = ", ".join(["filename AS path_", "row_number() OVER () AS row_", *texts])
    cells_ = [quoted(f"t {c.name}") for c in columns]
    return (
        f"SELECT {', '.join(['path_', 'row_', *cells_, *made])}, {bad} AS bad\n"
        f"FROM (SELECT {inner}\n  FROM read_csv({listed}, columns = {{{names}}}, {options}))"
    )


def _rejected(connection: duckdb.DuckDBPyConnection, asked: _Asked, files: Mapping[str, DataFile]) -> Iterable[BadRow]:
    """Return the lines that DuckDB could not split into cells."""
    if asked.files.format != "csv" or not _has_rejects(connection):
        return ()
    rows = connection.execute(
        "SELECT DISTINCT ON (s.file_path, e.line)\n"
        "  s.file_path, e.line_byte_position, e.csv_line, e.error_type, e.error_message\n"
        "FROM reject_errors AS e JOIN reject_scans AS s USING (scan_id, file_id) ORDER BY s.file_path, e.line"
    ).fetchall()
    found = []
    for path, group in groupby((row for row in rows if row[0] in files), key=lambda row: row[0]):
        file, rejected = files[path], sorted(group, key=lambda row: row[1])
        lines = lines_at(Path(path), [position for _, position, *_ in rejected])
        for line, (_, _, words, kind, message) in zip(lines, rejected, strict=True):
            found.append(BadRow(asked.topic.name, file.path, line, _reason(kind, message), words or "", file.modified))
    connection.execute("DROP TABLE reject_errors")
    connection.execute("DROP TABLE reject_scans")
    return found


def _has_rejects(connection: duckdb.DuckDBPyConnection) -> bool:
    found = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'reject_errors'").fetchone()
    return bool(found and found[0])


def _reason(kind: str, message: str) -> str:
    if kind in ("TOO MANY COLUMNS", "MISSING COLUMNS"):
        return "the row has another number of cells than the header"
    if kind == "UNQUOTED VALUE":
        return "a quote is not closed, or stands inside of a cell"
    return message.split("\n")[0].lower()
