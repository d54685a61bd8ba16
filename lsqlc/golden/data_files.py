"""Records in files beside the case files, instead of a list: CSV with a header, or JSON lines.

A line of JSON is a record, `{"key", "value", "timestamp", "headers"}`, as golden files and `lsqlc show --output json`
have them, and may name its topic. With `lines: values`, or where `key` or `timestamp` name a field, it is the value.

A column of a CSV file fills the field of its name; the column that `key` names, or else `_key`, is the key, that of
`timestamp`, or else `_timestamp`, the time. A path is relative to the folder of the case file; the file lies below the
case paths.
"""

from __future__ import annotations

import csv
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import structs

from lsqlc.connectors.seeding import SeedSpec, rows_of
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, did_you_mean
from lsqlc.golden.record_lines import DefaultOf, RecordLines, Wording
from lsqlc.golden.written import Expected
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
    """A file as a case names it."""

    file: Annotated[str, described("A .csv or .jsonl file, from the folder of this one.")]
    key: Annotated[str | None, described("The column that makes the key.")] = None
    timestamp: Annotated[str | None, described("The column with the record's time.")] = None
    null: Annotated[str, described("A text that stands for null, beside the empty one.")] = ""
    lines: Annotated[
        Literal["records", "values"] | None, described("Whether a line of JSON is a record or its value.")
    ] = None


def file_rows(
    given: DataFile,
    case_file: str,
    span: Span,
    texts: Mapping[str, str],
    topic: Topic | None,
    topic_of: Callable[[str], Topic | None],
    default_of: DefaultOf,
) -> tuple[list[tuple[str, Expected]], tuple[Diagnostic, ...]]:
    """Return the records of a file, each with the name of its topic, and what is wrong.

    `topic`: the only one, or None where each line names its own. `span`: where the case names the file.
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(case_file), given.file))
    text = texts.get(path)
    is_json = path.endswith(JSON_ENDINGS)
    if not path.endswith(ENDINGS):
        help = "a file of records must be a .csv or .jsonl file"
        return [], (Diagnostic("LSQ520", f"'{given.file}' is not a file of records", span, help=help),)
    if text is None:
        known = [posixpath.relpath(p, posixpath.dirname(case_file) or ".") for p in texts if p.endswith(ENDINGS)]
        help = did_you_mean(given.file, known) or "give its path from the folder of this file, below the case paths"
        return [], (Diagnostic("LSQ520", f"the file '{given.file}' does not exist", span, help=help),)
    values = given.lines == "values" or (given.lines is None and bool(given.key or given.timestamp))
    if topic is None and (not is_json or values):
        help = "without a topic, the file must be of JSON lines, each a record with its topic"
        return [], (Diagnostic("LSQ520", f"'{given.file}' does not name the topics of its records", span, help=help),)
    if topic is None or (is_json and not values):
        reader = RecordLines(path, topic, topic_of, default_of, OF_A_CASE)
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                reader.line(number, line.removesuffix("\r"))
        return reader.found, tuple(reader.diagnostics)
    return _columns(given, path, text, topic, default_of)


def _columns(
    given: DataFile, path: str, text: str, topic: Topic, default_of: DefaultOf
) -> tuple[list[tuple[str, Expected]], tuple[Diagnostic, ...]]:
    """Return rows as `lsqlc seed` reads them, their missing columns filled with the defaults."""
    header = next(csv.reader(text.split("\n", 1)[:1]), []) if path.endswith(".csv") else []
    key = given.key or ("_key" if "_key" in header and not topic.key.is_absent else None)
    time = given.timestamp or ("_timestamp" if "_timestamp" in header else None)
    spec = SeedSpec(Path(path), key, time, given.null)
    defaults = {facet: default_of(topic, facet) for facet in ("key", "value", "timestamp")}
    fill = _filling(topic.value.type, defaults["value"], header)
    try:
        records = list(rows_of(text.encode(), spec, _without_demands(topic, fill)))
    except LsqlcError as error:
        return [], tuple(error.diagnostics)
    own = None
    if key is None and defaults["key"] is not None:
        own = read_node(topic.key.type, defaults["key"], "", True, [])
    found = []
    for record in records:
        value = {**record.value, **fill} if fill and record.value is not None else record.value
        stamp = record.timestamp if time is not None else defaults["timestamp"]
        found.append((topic.name, Expected(own if key is None else record.key, value, stamp)))
    return found, ()


def _filling(type: DataType, default: Node | None, header: list[str]) -> dict[str, Any]:
    """Return the fields that no column gives, from the defaults."""
    if default is None or not header or not isinstance(type, Struct) or default.kind is not Kind.OBJECT:
        return {}
    found = read_node(type, default, "", False, [])
    columns = frozenset(header)
    return {name.value: found[name.value] for name, _ in default.value if name.value not in columns}


def _without_demands(topic: Topic, fill: Mapping[str, Any]) -> Topic:
    """Return the topic, its fields nullable where a default stands in."""
    if not isinstance(topic.value.type, Struct) or not fill:
        return topic
    fields = tuple(structs.replace(f, nullable=True) if f.name in fill else f for f in topic.value.type.fields)
    return replace(topic, value=Facet(Struct(fields), topic.value.format))
