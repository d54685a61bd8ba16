"""Files of JSON lines, and of lines of cells without a header, read by Python: as topics are, with exact mistakes.

A name of the first level matches letter case aside; a line that has two such names is bad.
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
    topic: Topic, needed: Sequence[Field], special: Sequence[str], files: Sequence[DataFile], root: Path
) -> tuple[list[str], list[BadRow]]:
    """Return the records as JSON that `sources.of_cases` reads, and what cannot be read.

    `needed`: the columns that are read of a file, `special` those of its path.
    """
    assert topic.files is not None
    read = _cells(topic.files) if topic.files.is_array else _object(needed, topic.files)
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
                    found = read(line)
                    if isinstance(found, dict):
                        found = _timeless(topic, found, file.modified) or found
                    if isinstance(found, str):
                        words = line.decode("utf-8", "replace")
                        bad.append(BadRow(topic.name, file.path, number, found, words, file.modified))
                    else:
                        rows.append(_row(topic, topic.files, file, number, found, of_path))
        except OSError as error:
            why = "the file is gone" if isinstance(error, FileNotFoundError) else BROKEN
            bad.append(BadRow(topic.name, file.path, None, why, file.path, file.modified, whole=True))
    return rows, bad


Read = Callable[[bytes], dict[str, Any] | str]
"""From a line to its columns, or to what is wrong with it."""


def _object(needed: Sequence[Field], files: Files) -> Read:
    type = Struct(tuple(needed))
    decode = codec.decoder(type, path="")
    names = {fold(f.name): f.name for f in needed}
    fill = {f.name: _default(f, text) for f in needed if (text := files.default(f.name)) is not None}
    known: dict[tuple[str, ...], bool] = {}

    def read(line: bytes) -> dict[str, Any] | str:
        try:
            found = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return NO_JSON
        if not isinstance(found, dict):
            return "expected a STRUCT"
        keys = tuple(found)
        if keys not in known:
            folded = [fold(key) for key in keys if fold(key) in names]
            known[keys] = len(set(folded)) == len(folded)
        if not known[keys]:
            return "two names differ in letter case alone"
        renamed = {names.get(fold(key), key): value for key, value in found.items()}
        changed = tuple(renamed) != keys
        for name, value in fill.items():
            if renamed.get(name) is None:
                renamed[name], changed = value, True
        try:
            value = decode(msgspec.json.encode(renamed) if changed else line)
        except MalformedJson:
            return NO_JSON
        except ValueProblems as problems:
            return "; ".join(f"{p.path}: {p.clause.partition(', found')[0]}" for p in problems.problems)
        return {f.name: value[f.name] for f in needed}

    return read


def _default(field: Field, text: str) -> Any:
    """Return a column's default as JSON."""
    if field.type in (data.STRING, data.BYTES, data.DATE):
        return text
    if field.type == data.TIMESTAMP:
        whole = text.replace(" ", "T")
        whole = whole if re.search(r"T.*:.*:", whole) else re.sub(r"(T\d\d:\d\d)", r"\1:00", whole)
        return whole if re.search(r"(Z|[+-]\d\d:\d\d)$", whole) else f"{whole}Z"
    return msgspec.json.decode(text.lower().removeprefix("+"))


def _cells(files: Files) -> Read:
    """Return the array `columns` of a line: `""` is a cell without text, nothing at all is null."""
    cell = re.compile(delimited(files.delimiter))

    def read(line: bytes) -> dict[str, Any] | str:
        try:
            text = files.delimiter + line.decode()
        except UnicodeDecodeError:
            return "the line is no UTF-8 text"
        found = cell.findall(text)
        if sum(map(len, found)) + len(found) != len(text):
            return "a quote is not closed, or stands inside of a cell"
        nulls = {"", *files.null}
        return {"columns": [None if c in nulls else c[1:-1].replace('""', '"') if c[0] == '"' else c for c in found]}

    return read


def _timeless(topic: Topic, found: dict[str, Any], modified: int) -> str | None:
    """What is wrong with the time of a record, if anything is."""
    problem = time_problem(topic, found, modified)
    if problem is None:
        return None
    return f"{problem.path.removeprefix('value.')}: {NO_TIME}"


def _row(
    topic: Topic, files: Files, file: DataFile, number: int, found: dict[str, Any], of_path: Mapping[str, str | None]
) -> str:
    assert isinstance(topic.value.type, Struct)
    types = {f.name: f.type for f in topic.value.type.fields}
    parts = [f"{_name(n)}:{codec.encode_text(types[n], v)}" for n, v in found.items() if n in types]
    parts += [f"{_name(n)}:{codec.encode_text(data.STRING, v)}" for n, v in of_path.items()]
    keys = [found[name] for name in files.key]
    key = keys[0] if len(keys) == 1 else dict(zip(files.key, keys, strict=True)) if keys else None
    order = [_order(found[files.order_by])] if files.order_by else []
    ordinal = [file.second + LATE, file.within, *order, number]
    told = codec.encode_text(topic.key.type, key)
    return f'{{"case":0,"ordinal":{ordinal},"timestamp":{file.modified},"key":{told},"value":{{{",".join(parts)}}}}}'


def _name(name: str) -> str:
    return msgspec.json.encode(name).decode()


def _order(value: datetime | date | int | None) -> int:
    """As `files._by`."""
    match value:
        case None:
            return -(1 << 62)
        case datetime():
            since = value - datetime(1970, 1, 1, tzinfo=UTC)
            return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
        case date():
            return (value - date(1970, 1, 1)).days * 86_400_000
    return value
