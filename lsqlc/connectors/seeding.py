"""Records for a topic from a CSV or JSON-lines file, plain, in a .gz or alone in a .zip: the input of `lsqlc seed`.

A column belongs to the field of its name, which is case-sensitive. Columns that no field declares are ignored, fields
without a column are null, and a file without any declared column is an error.
"""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, Any

from lsqlc.connectors.cells import BadCell, Column, MillisColumn
from lsqlc.connectors.findings import LIMIT, Findings
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, did_you_mean, listing
from lsqlc.diagnostics.extras import PACKAGES, require
from lsqlc.types import codec, codec_text, data
from lsqlc.types.codec import MalformedJson, ValueProblems
from lsqlc.types.data import DataType, Field, Struct
from lsqlc.types.record import Record, Topic

JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
# The name of the value's column for a topic whose value is a bare type.
_BARE = "value"
# The csv module refuses longer cells than its limit, 131,072 characters by default.
_MAX_CELL = 1 << 24


@dataclass(frozen=True, slots=True)
class SeedSpec:
    """A file and how it is read. `key` names the column that becomes the key, `timestamp` the one with epoch
    milliseconds or an ISO date-time (None, or an empty cell: 0), `null` the text besides the empty one that stands
    for null.
    """

    path: Path
    key: str | None = None
    timestamp: str | None = None
    null: str = ""


def resource_path(package: str, file: str) -> Path:
    """Return the path of a file of an installed distribution, from its metadata, without importing it. Raises
    LsqlcError.
    """
    try:
        matching_files = [f for f in metadata.files(package) or () if f.as_posix() == file]
    except metadata.PackageNotFoundError:
        if package in PACKAGES:
            require(package)
        help = f"install it: `pip install {package}`"
        message = f"the package '{package}' is not installed"
        raise LsqlcError([Diagnostic("LSQ415", message, help=help)]) from None
    if not matching_files:
        data_files = [
            f.as_posix() for f in metadata.files(package) or () if f.suffix in (".csv", ".zip", ".gz", ".jsonl")
        ]
        near = did_you_mean(file, data_files) or (f"its data files are {listing(data_files)}" if data_files else None)
        raise LsqlcError([Diagnostic("LSQ415", f"the package '{package}' has no file '{file}'", help=near)])
    return Path(str(matching_files[0].locate()))


def rows(spec: SeedSpec, topic: Topic, *, displayed_path: str | None = None) -> Iterator[Record]:
    """Yield the file's rows as records of the topic, in order. `displayed_path`: the path of the file for messages.

    After a bad row there are no more records, and at the end LsqlcError is raised with all diagnostics: LSQ410 a file
    that cannot be read, LSQ411 a cell, LSQ412 a row, LSQ413 and LSQ414 columns, LSQ416 a header.
    """
    path = displayed_path or spec.path.as_posix()
    with opened(spec.path, path) as (file, suffix):
        read = _json_records if suffix in JSON_SUFFIXES else _csv_records
        yield from read(file, spec, topic, path)


def rows_of(content: bytes, spec: SeedSpec, topic: Topic) -> Iterator[Record]:
    """Yield the records as `rows`, for a plain file with known content; the path of `spec` is used in messages."""
    read = _json_records if spec.path.suffix.lower() in JSON_SUFFIXES else _csv_records
    yield from read(io.BytesIO(content), spec, topic, spec.path.as_posix())


def _fields(topic: Topic) -> tuple[Field, ...]:
    if isinstance(topic.value.type, Struct):
        return topic.value.type.fields
    return (Field(_BARE, topic.value.type),)


@contextmanager
def opened(path: Path, displayed_path: str) -> Iterator[tuple[IO[bytes], str]]:
    """Open the file, and return its bytes and the suffix of their format."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
                if len(members) != 1:
                    raise _unreadable(displayed_path, f"the archive contains {len(members)} files, not one")
                with archive.open(members[0]) as file:
                    yield file, Path(members[0].filename).suffix.lower()
        elif path.suffix == ".gz":
            with gzip.open(path, "rb") as packed:
                yield io.BufferedReader(packed), Path(path.stem).suffix.lower()
        else:
            with path.open("rb") as plain:
                yield plain, path.suffix.lower()
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise unreadable(displayed_path, error) from error


def unreadable(displayed_path: str, error: Exception) -> LsqlcError:
    """Return LSQ410 for a file that could not be opened or read."""
    why = getattr(error, "strerror", None) or str(error)
    return _unreadable(displayed_path, why[:1].lower() + why[1:])


def _unreadable(displayed_path: str, why: str) -> LsqlcError:
    message = f"the file '{displayed_path}' cannot be read: {why}"
    return LsqlcError([Diagnostic("LSQ410", message, Span(displayed_path, 1, 1, 1, 1))])


def _csv_records(file: IO[bytes], spec: SeedSpec, topic: Topic, path: str) -> Iterator[Record]:
    csv.field_size_limit(_MAX_CELL)
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    reader = csv.reader(text, strict=True)
    bad = Findings()
    try:
        header = next(reader, None)
        if not header:
            raise LsqlcError([Diagnostic("LSQ416", "the file has no header", Span(path, 1, 1, 1, 1))])
        build = _row_builder(header, spec, topic, path)
        width, before = len(header), reader.line_num
        for row in reader:
            line, before = before + 1, reader.line_num
            if len(row) != width:
                # An empty line is not a row, unless the file has a single column.
                if row:
                    bad.add([_ragged(path, line, len(row), width)])
                continue
            try:
                record = build(row)
            except BadCell:
                bad.add(_bad_cells(row, header, spec, topic, path, line))
                continue
            if not bad:
                yield record
    except csv.Error as error:
        bad.add([Diagnostic("LSQ412", f"a row is not CSV: {error}", _line_span(path, reader.line_num))])
    except UnicodeDecodeError as error:
        message = f"the file is not UTF-8: the byte 0x{error.object[error.start]:02x}"
        bad.add([Diagnostic("LSQ412", message, _line_span(path, reader.line_num + 1))])
    finally:
        # The function that opened the bytes closes them.
        text.detach()
    if bad:
        raise bad.error()


def _line_span(path: str, line: int) -> Span:
    return Span(path, line, 1, line, 1)


def _ragged(path: str, line: int, cell_count: int, width: int) -> Diagnostic:
    cells = f"{cell_count} cell{'s' if cell_count != 1 else ''}"
    message = f"a row of {cells} under a header of {width}"
    help = "a cell with a comma or a line break must be in double quotes, and a double quote in it must be doubled"
    return Diagnostic("LSQ412", message, _line_span(path, line), help=help)


def _row_builder(header: Sequence[str], spec: SeedSpec, topic: Topic, path: str) -> Callable[[Sequence[str]], Record]:
    """Return the function from a row to its record; it raises BadCell.

    Raises LsqlcError if the columns do not match the topic.
    """
    fields = _check_columns(header, spec, topic, path)
    place = {name: i for i, name in enumerate(header)}
    # Null first for every field, so that all are in the order of the schema.
    nulls: dict[str, Any] = {f.name: None for f in _fields(topic)}
    columns = tuple((f.name, place[f.name], Column(f.type, spec.null, f.nullable)) for f in fields)
    bare = not isinstance(topic.value.type, Struct)
    key_at, key_of = (place[spec.key], Column(topic.key.type, spec.null)) if spec.key else (0, None)
    time_at, time_of = (place[spec.timestamp], MillisColumn(spec.null)) if spec.timestamp else (0, None)
    name = topic.name

    def build(row: Sequence[str]) -> Record:
        value = nulls.copy()
        for field, at, column in columns:
            value[field] = column[row[at]]
        key = None if key_of is None else key_of[row[key_at]]
        time = 0 if time_of is None else time_of[row[time_at]]
        return Record(name, key, value[_BARE] if bare else value, time)

    return build


def _bad_cells(
    row: Sequence[str], header: Sequence[str], spec: SeedSpec, topic: Topic, path: str, line: int
) -> Iterator[Diagnostic]:
    """Yield the problems of the cells of a row that has a bad one."""
    place = {name: i for i, name in enumerate(header)}
    columns: list[tuple[str, Column]] = [
        (f.name, Column(f.type, spec.null, f.nullable)) for f in _fields(topic) if f.name in place
    ]
    if spec.key:
        columns.append((spec.key, Column(topic.key.type, spec.null)))
    if spec.timestamp:
        columns.append((spec.timestamp, MillisColumn(spec.null)))
    messages = set()
    spans = _cell_spans(path, line, row)
    for name, column in columns:
        cell = row[place[name]]
        try:
            column[cell]
        except BadCell as bad:
            message = f"invalid cell of column '{name}': {bad}"
            if message not in messages:
                messages.add(message)
                yield Diagnostic("LSQ411", message, spans[place[name]], help=_cell_help(cell))


def _cell_help(cell: str) -> str | None:
    if cell.strip().upper() in ("NA", "N/A", "NULL", "NONE", "NAN", "-", "?", "\\N"):
        return f"if '{cell}' means null, declare it: `null: '{cell}'`"
    return None


def _cell_spans(path: str, line: int, row: Sequence[str]) -> list[Span]:
    """Return the span of each cell, up to the first one in quotes; from there on, the row."""
    spans: list[Span] = []
    start = 1
    for cell in row:
        if '"' in cell or "," in cell or "\n" in cell:
            break
        spans.append(Span(path, line, start, line, start + max(1, len(cell))))
        start += len(cell) + 1
    return spans + [_line_span(path, line)] * (len(row) - len(spans))


def _check_columns(header: Sequence[str], spec: SeedSpec, topic: Topic, path: str) -> tuple[Field, ...]:
    """Return the fields with a column."""
    fields = _fields(topic)
    count = Counter(header)
    column_fields = tuple(f for f in fields if f.name in count)
    top = _line_span(path, 1)
    bad = Findings()
    bad.add(
        Diagnostic("LSQ416", f"the column '{name}' occurs twice in the header", top)
        for name in count
        if count[name] > 1
    )
    bad.add(_check_facets(header, spec, topic, top))
    if not column_fields:
        names = [f.name for f in fields]
        message = f"no column of the file is a field of '{topic.name}'"
        help = f"the file has {listing(header)}; the topic has {listing(names)}"
        bad.add([Diagnostic("LSQ413", message, top, help=help)])
    for number, field in enumerate(f for f in fields if not f.nullable and f.name not in count):
        message = f"the field '{field.name}' of '{topic.name}' is NOT NULL, and the file has no such column"
        # Further ones are not shown.
        near = did_you_mean(field.name, header) if number < LIMIT else None
        bad.add([Diagnostic("LSQ413", message, top, help=near)])
    if bad:
        raise bad.error()
    return column_fields


def _check_facets(names: Sequence[str], spec: SeedSpec, topic: Topic, top: Span) -> Iterator[Diagnostic]:
    for what, name in (("key", spec.key), ("timestamp", spec.timestamp)):
        if name is not None and name not in names:
            help = did_you_mean(name, names) or f"the file has {listing(names)}"
            yield Diagnostic("LSQ414", f"the file has no column '{name}' for the {what}", top, help=help)
    if spec.key is not None and topic.key.is_absent:
        help = "declare the type of the key, such as `key: STRING`"
        yield Diagnostic("LSQ414", f"'{topic.name}' has no key to fill from '{spec.key}'", top, help=help)


def _json_records(file: IO[bytes], spec: SeedSpec, topic: Topic, path: str) -> Iterator[Record]:
    """Yield the records of a file in which a line is the value; key and timestamp are fields of it, declared or not."""
    facets = [Field(spec.key, topic.key.type)] if spec.key else []
    if spec.timestamp and spec.timestamp != spec.key:
        facets.append(Field(spec.timestamp, data.TIMESTAMP))
    if spec.key and topic.key.is_absent:
        raise LsqlcError(_check_facets([spec.key, spec.timestamp or ""], spec, topic, _line_span(path, 1)))
    bare = not isinstance(topic.value.type, Struct)
    value_type: DataType = Struct(_fields(topic)) if facets else topic.value.type
    decode_value = codec.decoder(value_type, path="")
    decode_facets = codec.decoder(Struct(tuple(facets)), path="") if facets else None
    names: set[str] = set()
    bad, count = Findings(), 0
    for number, raw in enumerate(file, 1):
        line = raw.rstrip(b"\r\n")
        if not line.strip():
            continue
        count += 1
        try:
            value = decode_value(line)
            facet_values = decode_facets(line) if decode_facets else {}
        except ValueProblems as problems:
            bad.add(_bad_json(problems, path, number, line))
            continue
        if bad:
            continue
        if len(names) < len(facets) + 1:
            names.update(name for name, item in facet_values.items() if item is not None)
            if not isinstance(value, dict) or any(item is not None for item in value.values()):
                names.add("")
        key = facet_values[spec.key] if spec.key else None
        time = facet_values[spec.timestamp] if spec.timestamp else None
        if bare and facets:
            value = value[_BARE]
        yield Record(topic.name, key, value, 0 if time is None else codec_text.millis_of_timestamp(time))
    if count and not bad:
        bad.add(_check_json_names(names, spec, topic, _line_span(path, 1)))
    if bad:
        raise bad.error()


def _bad_json(problems: ValueProblems, path: str, line: int, text: bytes) -> Iterator[Diagnostic]:
    width = len(text.decode("utf-8", "replace"))
    malformed = isinstance(problems, MalformedJson)
    for p in problems.problems:
        start, end = (0, width) if p.start is None or p.end is None else (p.start, p.end)
        message = f"the line is not JSON: {p.clause}" if malformed else f"the line does not match: {p}"
        yield Diagnostic("LSQ412" if malformed else "LSQ411", message, Span(path, line, start + 1, line, end + 1))


def _check_json_names(names: set[str], spec: SeedSpec, topic: Topic, top: Span) -> Iterator[Diagnostic]:
    """Yield diagnostics of fields that no line of the file had. The empty name stands for all fields of the value."""
    if "" not in names:
        help = f"the topic has {listing(f.name for f in _fields(topic))}"
        yield Diagnostic("LSQ413", f"no line of the file has a field of '{topic.name}'", top, help=help)
    for what, name in (("key", spec.key), ("timestamp", spec.timestamp)):
        if name is not None and name not in names:
            yield Diagnostic("LSQ414", f"no line of the file has the field '{name}' for the {what}", top)
