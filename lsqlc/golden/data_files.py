"""Data files beside case files: CSV with a header, or JSON lines.

A JSON line is a record, `{"key", "value", "timestamp", "headers"}`, as in golden files and `lsqlc show --output json`,
and may have a `topic`. With `lines: values`, or if `key` or `timestamp` name a field, the line is the value. In a CSV
file, each column fills the field of its name. `key` names the column of the key, by default `_key`; `timestamp` that of
the time, by default `_timestamp`. Paths are relative to the folder of the case file, and inside the case paths.
"""

from __future__ import annotations

import csv
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import structs

from lsqlc.connectors.seeding import SeedSpec, rows_of
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, did_you_mean
from lsqlc.golden.case_records import Expected
from lsqlc.golden.record_lines import DefaultOf, RecordLines, Wording
from lsqlc.types.codec_exact import read_node
from lsqlc.types.codec_json import Kind, Node
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet, Topic
from lsqlc.yaml.described import described

JSON_ENDINGS = (".jsonl", ".ndjson")
ENDINGS = (".csv", *JSON_ENDINGS)
OF_A_CASE = Wording(
    form="LSQ520",
    misfit="LSQ508",
    instant="LSQ507",
    values="set `lines: values`",
    value_lines="set `lines: values` in the case",
    other="the case uses those of",
    other_help="name the file in `arrivals`",
    raw=True,
)


class DataFile(msgspec.Struct, frozen=True, kw_only=True):
    """A data file of a case."""

    file: Annotated[str, described("A .csv or .jsonl file, from the folder of this one.")]
    key: Annotated[str | None, described("The column that makes the key.")] = None
    timestamp: Annotated[str | None, described("The column with the record's time.")] = None
    null: Annotated[str, described("A text that stands for null, beside the empty one.")] = ""
    lines: Annotated[
        Literal["records", "values"] | None, described("Whether a line of JSON is a record or its value.")
    ] = None


@dataclass(frozen=True, slots=True)
class FileReference:
    """A data file that a case uses. `case_file`: the path of the case file. `span`: the position of the name in it."""

    spec: DataFile
    case_file: str
    span: Span

    @property
    def path(self) -> str:
        """The path of the data file in the project."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.case_file), self.spec.file))

    def error(self, message: str, help: str) -> Diagnostic:
        """Return LSQ520 at the name of the file."""
        return Diagnostic("LSQ520", message, self.span, help=help)


def file_rows(
    reference: FileReference,
    texts: Mapping[str, str],
    topic: Topic | None,
    topic_of: Callable[[str], Topic | None],
    default_of: DefaultOf,
) -> tuple[list[tuple[str, Expected]], tuple[Diagnostic, ...]]:
    """Return the records of a data file with the names of their topics, and diagnostics.

    `topic`: None if each record names its topic.
    """
    spec, path = reference.spec, reference.path
    text = texts.get(path)
    is_json = path.endswith(JSON_ENDINGS)
    if not path.endswith(ENDINGS):
        help = "a file of records must be a .csv or .jsonl file"
        return [], (reference.error(f"'{spec.file}' is not a file of records", help),)
    if text is None:
        folder = posixpath.dirname(reference.case_file) or "."
        paths = [posixpath.relpath(p, folder) for p in texts if p.endswith(ENDINGS)]
        help = did_you_mean(spec.file, paths) or "give its path from the folder of this file, below the case paths"
        return [], (reference.error(f"the file '{spec.file}' does not exist", help),)
    values = spec.lines == "values" or (spec.lines is None and bool(spec.key or spec.timestamp))
    if topic is None and (not is_json or values):
        help = "without a topic, the file must be of JSON lines, each a record with its topic"
        return [], (reference.error(f"'{spec.file}' does not name the topics of its records", help),)
    if topic is None or (is_json and not values):
        reader = RecordLines(path, topic, topic_of, default_of, OF_A_CASE)
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                reader.line(number, line.removesuffix("\r"))
        return reader.records, tuple(reader.diagnostics)
    return _columns(spec, path, text, topic, default_of)


def _columns(
    spec: DataFile, path: str, text: str, topic: Topic, default_of: DefaultOf
) -> tuple[list[tuple[str, Expected]], tuple[Diagnostic, ...]]:
    """Parse rows as `lsqlc seed` does. Missing columns are filled with defaults."""
    header = next(csv.reader(text.split("\n", 1)[:1]), []) if path.endswith(".csv") else []
    key = spec.key or ("_key" if "_key" in header and not topic.key.is_absent else None)
    time = spec.timestamp or ("_timestamp" if "_timestamp" in header else None)
    seed = SeedSpec(Path(path), key, time, spec.null)
    defaults = {facet: default_of(topic, facet) for facet in ("key", "value", "timestamp")}
    fill = _filling(topic.value.type, defaults["value"], header)
    try:
        records = list(rows_of(text.encode(), seed, _without_demands(topic, fill)))
    except LsqlcError as error:
        return [], tuple(error.diagnostics)
    own = None
    if key is None and defaults["key"] is not None:
        own = read_node(topic.key.type, defaults["key"], "", True, [])
    rows = []
    for record in records:
        value = {**record.value, **fill} if fill and record.value is not None else record.value
        stamp = record.timestamp if time is not None else defaults["timestamp"]
        rows.append((topic.name, Expected(own if key is None else record.key, value, stamp)))
    return rows, ()


def _filling(type: DataType, default: Node | None, header: list[str]) -> dict[str, Any]:
    """Return the defaults of fields that have no column."""
    if default is None or not header or not isinstance(type, Struct) or default.kind is not Kind.OBJECT:
        return {}
    values = read_node(type, default, "", False, [])
    columns = frozenset(header)
    return {name.value: values[name.value] for name, _ in default.value if name.value not in columns}


def _without_demands(topic: Topic, fill: Mapping[str, Any]) -> Topic:
    """Return the topic with those fields nullable that have a default."""
    if not isinstance(topic.value.type, Struct) or not fill:
        return topic
    fields = tuple(structs.replace(f, nullable=True) if f.name in fill else f for f in topic.value.type.fields)
    return replace(topic, value=Facet(Struct(fields), topic.value.format))
