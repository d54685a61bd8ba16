"""Readers in Python for JSON lines, and for CSV without a header. They report errors like the readers of topics.

Top-level names ignore case. A line with two names that differ only in case is bad.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec

from lsqlc.connectors.bad_records import NO_JSON
from lsqlc.connectors.lines import time_problem
from lsqlc.lower.duckdb.bad_files import BadRow
from lsqlc.lower.duckdb.infer import BROKEN
from lsqlc.lower.duckdb.pruned_files import file_place
from lsqlc.scan.data_files import LATE, DataFile
from lsqlc.scan.file_topics import special_of
from lsqlc.scan.request import fold
from lsqlc.scan.special import value_of
from lsqlc.types import codec, data
from lsqlc.types.cells import delimited
from lsqlc.types.codec import MalformedJson, ValueProblems
from lsqlc.types.data import Field, Struct
from lsqlc.types.files import Files
from lsqlc.types.record import NO_TIME, Topic


def header_of(path: Path, delimiter: str) -> list[str]:
    """Return the first record of a CSV file; empty for an empty file. Raises OSError and UnicodeDecodeError."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file, delimiter=delimiter), [])


def json_rows(
    topic: Topic, columns: Sequence[Field], special: Sequence[str], files: Sequence[DataFile], root: Path
) -> tuple[list[str], list[BadRow]]:
    """Return the records as JSON for `sources.of_cases`, and the rows that cannot be read.

    `columns`: the columns to read. `special`: the path columns.
    """
    assert topic.files is not None
    read = _cells(topic.files) if topic.files.is_array else _object(columns, topic.files)
    rows: list[str] = []
    bad: list[BadRow] = []
    for file in files:
        where = file_place(topic.files, file)
        of_path = {n: value_of(s, where) for n in special if (s := special_of(n, topic.files))}
        try:
            with (root / file.path).open("rb") as lines:
                for number, raw in enumerate(lines, 1):
                    line = raw.rstrip(b"\r\n")
                    if number == 1:
                        line = line.removeprefix(b"\xef\xbb\xbf")
                    if not line.strip():
                        continue
                    result = read(line)
                    if isinstance(result, dict):
                        result = _timeless(topic, result, file.modified) or result
                    if isinstance(result, str):
                        words = line.decode("utf-8", "replace")
                        bad.append(BadRow(topic.name, file.path, number, result, words, file.modified))
                    else:
                        rows.append(_row(topic, file, number, result, of_path))
        except OSError as error:
            why = "the file is gone" if isinstance(error, FileNotFoundError) else BROKEN
            bad.append(BadRow(topic.name, file.path, None, why, file.path, file.modified, whole=True))
    return rows, bad


_NULL = b"null"
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

Read = Callable[[bytes], dict[str, Any] | str]
"""Returns the columns of a line, or the error about it."""


def _object(columns: Sequence[Field], files: Files) -> Read:
    type = Struct(tuple(columns))
    decode = codec.decoder(type, path="")
    names = {fold(f.name): f.name for f in columns}
    defaults = ((f, files.default(f.name)) for f in columns)
    fill = {f.name: msgspec.Raw(msgspec.json.encode(_default(f, text))) for f, text in defaults if text is not None}
    unique_names: dict[tuple[str, ...], bool] = {}

    def read(line: bytes) -> dict[str, Any] | str:
        if not codec.is_json(line):
            return NO_JSON
        try:
            # The text of a value has all digits of its numbers.
            document = _members(line)
        except msgspec.ValidationError:
            return "expected a STRUCT"
        keys = tuple(document)
        if keys not in unique_names:
            matching = [fold(key) for key in keys if fold(key) in names]
            unique_names[keys] = len(set(matching)) == len(matching)
        if not unique_names[keys]:
            return "two names differ in letter case alone"
        renamed = {names.get(fold(key), key): value for key, value in document.items()}
        changed = tuple(renamed) != keys
        for name, value in fill.items():
            if bytes(renamed.get(name, msgspec.Raw(_NULL))) == _NULL:
                renamed[name], changed = value, True
        try:
            if changed and _has_name_twice(line):
                return NO_JSON
            value = decode(msgspec.json.encode(renamed) if changed else line)
        except MalformedJson:
            return NO_JSON
        except ValueProblems as problems:
            return "; ".join(f"{p.path}: {p.clause.partition(', found')[0]}" for p in problems.problems)
        return {f.name: value[f.name] for f in columns}

    return read


def _has_name_twice(line: bytes) -> bool:
    try:
        codec.decoder(Struct(()))(line)
    except MalformedJson:
        return True
    return False


def _default(field: Field, text: str) -> Any:
    """Return a column's default as a JSON value."""
    if field.type in (data.STRING, data.BYTES, data.DATE):
        return text
    if field.type == data.TIMESTAMP:
        whole = text.replace(" ", "T")
        whole = whole if re.search(r"T.*:.*:", whole) else re.sub(r"(T\d\d:\d\d)", r"\1:00", whole)
        return whole if re.search(r"(Z|[+-]\d\d:\d\d)$", whole) else f"{whole}Z"
    return msgspec.json.decode(text.lower().removeprefix("+"))


def _cells(files: Files) -> Read:
    """Return the reader of the array `columns`. The cell `""` is an empty text, an empty cell is null."""
    cell = re.compile(delimited(files.delimiter))

    def read(line: bytes) -> dict[str, Any] | str:
        try:
            text = files.delimiter + line.decode()
        except UnicodeDecodeError:
            return "the line is no UTF-8 text"
        matches = cell.findall(text)
        if sum(map(len, matches)) + len(matches) != len(text):
            return "a quote is not closed, or stands inside of a cell"
        nulls = {"", *files.null}
        return {"columns": [None if c in nulls else c[1:-1].replace('""', '"') if c[0] == '"' else c for c in matches]}

    return read


def _timeless(topic: Topic, values: dict[str, Any], modified: int) -> str | None:
    """Return the error about the time of a record, or None."""
    problem = time_problem(topic, values, modified)
    if problem is None:
        return None
    return f"{problem.path.removeprefix('value.')}: {NO_TIME}"


def _row(topic: Topic, file: DataFile, number: int, values: dict[str, Any], of_path: Mapping[str, str | None]) -> str:
    files = topic.files
    assert files is not None and isinstance(topic.value.type, Struct)
    types = {f.name: f.type for f in topic.value.type.fields}
    parts = [f"{_name(n)}:{codec.encode_text(types[n], v)}" for n, v in values.items() if n in types]
    parts += [f"{_name(n)}:{codec.encode_text(data.STRING, v)}" for n, v in of_path.items()]
    keys = [values[name] for name in files.key]
    key = keys[0] if len(keys) == 1 else dict(zip(files.key, keys, strict=True)) if keys else None
    order = [_order(values[files.order_by])] if files.order_by else []
    ordinal = [file.second + LATE, file.within, *order, number]
    key_text = codec.encode_text(topic.key.type, key)
    value = f"{{{','.join(parts)}}}"
    return f'{{"case":0,"ordinal":{ordinal},"timestamp":{file.modified},"key":{key_text},"value":{value}}}'


def _name(name: str) -> str:
    return msgspec.json.encode(name).decode()


def _order(value: datetime | date | int | None) -> int:
    """Return a value as a number that sorts like the value, as `files._by` does in SQL."""
    match value:
        case None:
            return -(1 << 62)
        case datetime():
            since = value - datetime(1970, 1, 1, tzinfo=UTC)
            return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
        case date():
            return (value - date(1970, 1, 1)).days * 86_400_000
    return value
