"""The files of a topic as a stream of Spark, by its own readers.

CSV is read by name, though Spark reads it by position: what stands in a header is looked up when a query starts. Where
all files have the same one, Spark is given it, reads the columns that are asked for, and stops at a file with another
header: started again, the query knows that one too. Where headers differ, the cells are read by number, and each file's
own header says which is which.
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
# The bytes of files in a batch where their number is not given: enough that what a batch costs by itself does not
# count, and little enough for the memory of a small server.
_BATCH = str(128 * 2**20)
# What stands for an empty cell without quotes, which is null; one with quotes is an empty text.
_NULL = "\u0001null"
_WIDTH = text("the row has another number of cells than the header")
_CHANGED = text(" came while the query started, or has other columns than before: run again")


def escaped(path: str) -> str:
    """A path in which no character is a pattern for Hadoop's glob."""
    return "".join("\\" + c if c in "\\{}[]*?" else c for c in path)


def file_stream(spark: SparkSession, source: FileSource, project: Path, *, files_per_batch: int | None) -> DataFrame:
    """The rows, with the columns that `FileSource` says. `project`: the folder that paths are told from, without links.
    `files_per_batch`: as `batch_limit`. A folder that is not there yet is made: Spark reads none.
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
    """A view like the one that `file_stream` gives, without a row."""
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
    # A pattern is the user's; what leads to the project is none.
    path = f"{escaped(str(project))}/{files.path}"
    reader = (
        (spark.readStream.name(source.name) if source.name else spark.readStream)
        .format(format)
        .schema(schema)
        .options(**_limit(source, files_per_batch))
        # By default a file is passed over when it is a week older than the newest.
        .option("maxFileAge", "3650000d")
        .option("recursiveFileLookup", "true")
        # Spark would pass over such without a word; see `batch_files`.
        .option("ignoreMissingFiles", "false")
        .option("ignoreCorruptFiles", "false")
    )
    for name, value in options.items():
        reader = reader.option(name, value)
    read = reader.load(path)
    if not source.left_out:
        return read
    # A filter on the path alone is looked at before a file is opened.
    return read.where(f"NOT array_contains(array({', '.join(map(text, source.left_out))}), {_path(project)})")


def _limit(source: FileSource, files_per_batch: int | None) -> dict[str, str]:
    """How much makes a batch."""
    if source.whole:
        return {"maxFilesPerTrigger": str(2**31 - 1)}
    return batch_limit(files_per_batch)


def batch_limit(files: int | None) -> dict[str, str]:
    """The options of a source of files that limit a batch to so many files; None: to 128 MB of them, and one at least.

    >>> batch_limit(3)
    {'maxFilesPerTrigger': '3'}
    """
    return {"maxFilesPerTrigger": str(files)} if files else {"maxBytesPerTrigger": _BATCH}


def _path(project: Path) -> str:
    """The path of a row's file from the project's folder on."""
    # It comes as a URI, in which a plus is a plus.
    whole = "url_decode(replace(_metadata.file_path, '+', '%2B'))"
    return f"substring({whole}, locate({text(f'{project}/')}, {whole}) + {len(str(project)) + 1})"


def _about(project: Path) -> list[str]:
    """`_path` and `_at` of each row."""
    return [f"{_path(project)} AS _path", "unix_millis(_metadata.file_modification_time) AS _at"]


def _parquet(spark: SparkSession, source: FileSource, project: Path, files_per_batch: int | None) -> DataFrame:
    schema = ", ".join(f"{ticked(f.name)} {type_text('spark', f.type)}" for f in source.columns)
    # Spark wants a schema; a column that nobody selects is not read.
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
        # Spark gives no row's text to who asks for no column besides.
        raw = f"({raw} AND coalesce({ticked(names[0]) if one else 'x0'}, '') >= '')"
    if one:
        cells = [f"{_one(f, names)} AS t{i}" for i, f in enumerate(source.columns)]
        return read.selectExpr(*about, f"if({raw}, {_WIDTH}, NULL) AS _bad", f"{_RAW} AS _text", *cells)
    group = _group(headers, shapes)
    found = read.selectExpr("*", *about).selectExpr("*", f"{group} AS _shape")
    counted = _counted(files.delimiter)
    whens = " ".join(
        f"WHEN {i} THEN {raw if len(s) == width else f'{_RAW} IS NULL OR {counted} <> {len(s)}'}"
        for i, s in enumerate(shapes)
    )
    cells = [f"{_by_shape(f, shapes)} AS t{i}" for i, f in enumerate(source.columns)]
    bad = f"if(CASE _shape {whens} END, {_WIDTH}, NULL)"
    return found.selectExpr("_path", "_at", f"{bad} AS _bad", f"if({bad} IS NOT NULL, {_RAW}, NULL) AS _text", *cells)


def _headers(project: Path, files: Files) -> dict[str, tuple[str, ...]]:
    """The header of each file that can be read, by its path; those that cannot, Spark will tell of."""
    found: dict[str, tuple[str, ...]] = {}
    for file in data_files(project, files) if files.header else ():
        try:
            with (project / file.path).open(encoding="utf-8-sig", newline="") as stream:
                header = next(csv.reader(stream, delimiter=files.delimiter), [])
        except (OSError, UnicodeDecodeError, csv.Error):
            continue
        if header:
            found[file.path] = tuple(header)
    return found


def _one(field: Field, names: Sequence[str]) -> str:
    """The cell of a column where all files have these names; null where they lack it."""
    found = next((n for n in names if fold(n) == fold(field.name)), None)
    return "CAST(NULL AS STRING)" if found is None else ticked(found)


def _by_shape(field: Field, shapes: Sequence[Sequence[str]]) -> str:
    places = ((i, shape.index(fold(field.name))) for i, shape in enumerate(shapes) if fold(field.name) in shape)
    whens = " ".join(f"WHEN {i} THEN x{place}" for i, place in places)
    return f"CASE _shape {whens} END" if whens else "CAST(NULL AS STRING)"


def _group(headers: Mapping[str, tuple[str, ...]], shapes: Sequence[tuple[str, ...]]) -> str:
    """The number of a file's header."""
    by_shape: dict[int, list[str]] = {}
    for path, header in headers.items():
        by_shape.setdefault(shapes.index(tuple(map(fold, header))), []).append(text(path))
    whens = " ".join(f"WHEN _path IN ({', '.join(paths)}) THEN {i}" for i, paths in by_shape.items())
    return f"CASE {whens} ELSE raise_error(concat(_path, {_CHANGED})) END"


def _counted(delimiter: str) -> str:
    """How many cells a row has, from its text."""
    return f"size(regexp_extract_all(concat({text(delimiter)}, {_RAW}), {text(delimited(delimiter))}, 0))"
