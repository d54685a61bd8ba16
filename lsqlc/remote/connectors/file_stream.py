"""The files of a topic as a stream of Spark, by Spark's own readers.

Columns of CSV files are matched by name, although Spark reads them by position. So the headers of all files are read
when a query starts. If all files have the same header, Spark gets it as the schema, and stops at a file with another
header. The next start of the query reads that header too. If headers differ, Spark reads cells by position, and the
header of each file determines the columns.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.steps import FileSource
from lsqlc.scan.data_files import data_files
from lsqlc.scan.request import fold
from lsqlc.sql.spark import text, ticked
from lsqlc.types.cells import delimited
from lsqlc.types.data import Field
from lsqlc.types.files import Files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession

_RAW = "_lsqlc_row"
# The bytes of files in a batch without a maximum of files: enough to make the fixed cost of a batch negligible, and not
# too much for the memory of a small server.
_BATCH = str(128 * 2**20)
# Replaces an empty cell without quotes, which is null. An empty cell with quotes is an empty text.
_NULL = "\u0001null"
_WIDTH = text("the row has another number of cells than the header")
_CHANGED = text(" came while the query started, or has other columns than before: run again")


def escaped(path: str) -> str:
    """Escape the characters of a path that are special in Hadoop's glob patterns."""
    return "".join("\\" + c if c in "\\{}[]*?" else c for c in path)


def file_stream(spark: SparkSession, source: FileSource, project: Path, *, files_per_batch: int | None) -> DataFrame:
    """Return the rows of a topic's files, with the columns of `FileSource`.

    `project`: the folder that paths are relative to, without symbolic links; `files_per_batch`: as of `batch_limit`. A
    missing folder is created, because Spark cannot read it otherwise.
    """
    files = source.files
    if not files.is_pattern and not (project / files.path).exists():
        (project / files.path).mkdir(parents=True)
    if files.format == "parquet":
        return _parquet(spark, source, project, files_per_batch)
    if files.format == "json" or files.is_array:
        read = _load(spark, source, project, files_per_batch, "text", "value STRING", {})
        line = "regexp_replace(value, '\\r$', '') AS _line"
        rows = read.selectExpr(*_about(project), "CAST(NULL AS STRING) AS _bad", "value AS _text", line)
        return rows.where("trim(_line) <> ''")
    return _csv(spark, source, project, files_per_batch)


def no_rows(source: FileSource) -> str:
    """Return the SQL of a view with the columns of `file_stream`, without rows."""
    columns = ["_path STRING", "_at BIGINT", "_bad STRING", "_text STRING"]
    if source.files.format == "json" or source.files.is_array:
        columns.append("_line STRING")
    elif source.files.format == "csv":
        columns += [f"t{i} STRING" for i, _ in enumerate(source.columns)]
    else:
        columns += [f"c{i} {type_text('spark', f.type)}" for i, f in enumerate(source.columns)]
    casts = ", ".join("CAST(NULL AS {1}) AS {0}".format(*column.split(" ", 1)) for column in columns)
    return f"SELECT {casts} WHERE FALSE"


def _load(
    spark: SparkSession,
    source: FileSource,
    project: Path,
    files_per_batch: int | None,
    format: str,
    schema: str,
    options: Mapping[str, str],
) -> DataFrame:
    files = source.files
    # Only the user's part of the path may be a pattern.
    path = f"{escaped(str(project))}/{files.path}"
    reader = (
        (spark.readStream.name(source.name) if source.name else spark.readStream)
        .format(format)
        .schema(schema)
        .options(**_limit(source, files_per_batch))
        # By default Spark ignores a file that is a week older than the newest one.
        .option("maxFileAge", "3650000d")
        .option("recursiveFileLookup", "true")
        # Spark would ignore such files silently; see `batch_files`.
        .option("ignoreMissingFiles", "false")
        .option("ignoreCorruptFiles", "false")
    )
    for name, value in options.items():
        reader = reader.option(name, value)
    read = reader.load(path)
    if not source.left_out:
        return read
    # Spark evaluates a filter on the path before it opens a file.
    return read.where(f"NOT array_contains(array({', '.join(map(text, source.left_out))}), {_path(project)})")


def _limit(source: FileSource, files_per_batch: int | None) -> dict[str, str]:
    """Return the options that limit a batch."""
    if source.whole:
        return {"maxFilesPerTrigger": str(2**31 - 1)}
    return batch_limit(files_per_batch)


def batch_limit(files: int | None) -> dict[str, str]:
    """Return the options of a file source that limit a batch to that many files; None: to 128 MB, and at least one
    file.

    >>> batch_limit(3)
    {'maxFilesPerTrigger': '3'}
    """
    return {"maxFilesPerTrigger": str(files)} if files else {"maxBytesPerTrigger": _BATCH}


def _path(project: Path) -> str:
    """Return the SQL of the path of a row's file, relative to the project."""
    # Spark returns a URI, in which a plus is not a blank.
    whole = "url_decode(replace(_metadata.file_path, '+', '%2B'))"
    return f"substring({whole}, locate({text(f'{project}/')}, {whole}) + {len(str(project)) + 1})"


def _about(project: Path) -> list[str]:
    """Return the SQL of the columns `_path` and `_at`."""
    return [f"{_path(project)} AS _path", "unix_millis(_metadata.file_modification_time) AS _at"]


def _parquet(spark: SparkSession, source: FileSource, project: Path, files_per_batch: int | None) -> DataFrame:
    schema = ", ".join(f"{ticked(f.name)} {type_text('spark', f.type)}" for f in source.columns)
    # Spark needs a schema with a column. It does not read a column that is not selected.
    schema = schema or f"{_RAW} STRING"
    read = _load(spark, source, project, files_per_batch, "parquet", schema, {})
    columns = [f"{ticked(f.name)} AS c{i}" for i, f in enumerate(source.columns)]
    return read.selectExpr(*_about(project), "CAST(NULL AS STRING) AS _bad", "CAST(NULL AS STRING) AS _text", *columns)


def _csv(spark: SparkSession, source: FileSource, project: Path, files_per_batch: int | None) -> DataFrame:
    files = source.files
    headers = _headers(project, files)
    shapes = list(dict.fromkeys(tuple(map(fold, header)) for header in headers.values()))
    if not files.header:
        shapes = [files.cells]
    names = next(iter(headers.values()), tuple(f.name for f in source.columns)) if files.header else files.cells
    one = len(shapes) <= 1
    width = max(map(len, shapes), default=len(names))
    schema = [f"{ticked(n)} STRING" for n in names] if one else [f"x{i} STRING" for i in range(width)]
    options = {
        "header": str(files.header).lower(),
        "enforceSchema": str(not (one and files.header)).lower(),
        "sep": files.delimiter,
        "quote": '"',
        "escape": '"',
        "multiLine": "true",
        "nullValue": _NULL,
        "emptyValue": "",
        "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": _RAW,
        "unescapedQuoteHandling": "STOP_AT_CLOSING_QUOTE",
        "encoding": "UTF-8",
    }
    read = _load(spark, source, project, files_per_batch, "csv", ", ".join([*schema, f"{_RAW} STRING"]), options)
    about = _about(project)
    raw = f"{_RAW} IS NOT NULL"
    if not source.columns:
        # Spark has the text of a bad row only if another column is selected too.
        raw = f"({raw} AND coalesce({ticked(names[0]) if one else 'x0'}, '') >= '')"
    if one:
        cells = [f"{_one(f, names)} AS t{i}" for i, f in enumerate(source.columns)]
        return read.selectExpr(*about, f"if({raw}, {_WIDTH}, NULL) AS _bad", f"{_RAW} AS _text", *cells)
    group = _group(headers, shapes)
    rows = read.selectExpr("*", *about).selectExpr("*", f"{group} AS _shape")
    count = _cell_count(files.delimiter)
    whens = " ".join(
        f"WHEN {i} THEN {raw if len(s) == width else f'{_RAW} IS NULL OR {count} <> {len(s)}'}"
        for i, s in enumerate(shapes)
    )
    cells = [f"{_by_shape(f, shapes)} AS t{i}" for i, f in enumerate(source.columns)]
    bad = f"if(CASE _shape {whens} END, {_WIDTH}, NULL)"
    return rows.selectExpr("_path", "_at", f"{bad} AS _bad", f"if({bad} IS NOT NULL, {_RAW}, NULL) AS _text", *cells)


def _headers(project: Path, files: Files) -> dict[str, tuple[str, ...]]:
    """Return the header of each file, by its path. Files that cannot be read are ignored: Spark reports them."""
    result: dict[str, tuple[str, ...]] = {}
    for file in data_files(project, files) if files.header else ():
        try:
            with (project / file.path).open(encoding="utf-8-sig", newline="") as stream:
                header = next(csv.reader(stream, delimiter=files.delimiter), [])
        except (OSError, UnicodeDecodeError, csv.Error):
            continue
        if header:
            result[file.path] = tuple(header)
    return result


def _one(field: Field, names: Sequence[str]) -> str:
    """Return the SQL of a column's cell, if all files have these names; null if they do not have the column."""
    name = next((n for n in names if fold(n) == fold(field.name)), None)
    return "CAST(NULL AS STRING)" if name is None else ticked(name)


def _by_shape(field: Field, shapes: Sequence[Sequence[str]]) -> str:
    places = ((i, shape.index(fold(field.name))) for i, shape in enumerate(shapes) if fold(field.name) in shape)
    whens = " ".join(f"WHEN {i} THEN x{place}" for i, place in places)
    return f"CASE _shape {whens} END" if whens else "CAST(NULL AS STRING)"


def _group(headers: Mapping[str, tuple[str, ...]], shapes: Sequence[tuple[str, ...]]) -> str:
    """Return the SQL of the number of a file's header."""
    by_shape: dict[int, list[str]] = {}
    for path, header in headers.items():
        by_shape.setdefault(shapes.index(tuple(map(fold, header))), []).append(text(path))
    whens = " ".join(f"WHEN _path IN ({', '.join(paths)}) THEN {i}" for i, paths in by_shape.items())
    return f"CASE {whens} ELSE raise_error(concat(_path, {_CHANGED})) END"


def _cell_count(delimiter: str) -> str:
    """Return the SQL of the number of cells of a row, from its text."""
    return f"size(regexp_extract_all(concat({text(delimiter)}, {_RAW}), {text(delimited(delimiter))}, 0))"
