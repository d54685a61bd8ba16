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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, did_you_mean, listing
from lsqlc.golden.written import Expected
from lsqlc.golden.written_headers import HELP, read_headers
from lsqlc.golden.yaml_values import filled
from lsqlc.topics.seeding import SeedSpec, rows_of
from lsqlc.types import codec, data
from lsqlc.types.codec_exact import Problem, read_node
from lsqlc.types.codec_json import JsonError, Kind, Node, read
from lsqlc.types.codec_text import millis_of_timestamp, parse_written_timestamp
from lsqlc.types.data import DataType, Struct
from lsqlc.types.headers import Headers
from lsqlc.types.record import Facet, Raw, Topic

JSON_ENDINGS = (".jsonl", ".ndjson")
ENDINGS = (".csv", *JSON_ENDINGS)
_MEMBERS = ("topic", "key", "value", "timestamp", "headers", "raw", "raw_key")

DefaultOf = Callable[[Topic, str], Any]
"""What a facet of a topic's records has where nothing is said: a node without places, or a time; or None."""


class DataFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as a case names it."""

    file: str
    key: str | None = None
    timestamp: str | None = None
    null: str = ""
    lines: Literal["records", "values"] | None = None


def file_rows(
    given: DataFile,
    case_file: str,
    span: Span,
    texts: Mapping[str, str],
    topic: Topic | None,
    topic_of: Callable[[str], Topic | None],
    default_of: DefaultOf,
) -> tuple[list[tuple[str, Expected]], tuple[Diagnostic, ...]]:
    """The records of a file, each with the name of its topic, and what is wrong. `topic`: the only one, or None where
    each line names its own. `span`: where the case names the file.
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
        reader = _Lines(path, topic, topic_of, default_of)
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                reader.line(number, line.removesuffix("\r"))
        return reader.found, tuple(reader.diagnostics)
    return _columns(given, path, text, topic, default_of)


def _columns(
    given: DataFile, path: str, text: str, topic: Topic, default_of: DefaultOf
) -> tuple[list[tuple[str, Expected]], tuple[Diagnostic, ...]]:
    """Rows as `lsqlc seed` reads them, their missing columns filled with the defaults."""
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
    """The fields that no column gives, from the defaults."""
    if default is None or not header or not isinstance(type, Struct) or default.kind is not Kind.OBJECT:
        return {}
    found = read_node(type, default, "", False, [])
    return {name.value: found[name.value] for name, _ in default.value if name.value not in header}


def _without_demands(topic: Topic, fill: Mapping[str, Any]) -> Topic:
    """The topic, its fields nullable where a default stands in."""
    if not isinstance(topic.value.type, Struct) or not fill:
        return topic
    fields = tuple(replace(f, nullable=True) if f.name in fill else f for f in topic.value.type.fields)
    return replace(topic, value=Facet(Struct(fields), topic.value.format))


@dataclass(slots=True)
class _Lines:
    """Reads lines that are records."""

    path: str
    topic: Topic | None
    topic_of: Callable[[str], Topic | None]
    default_of: DefaultOf
    found: list[tuple[str, Expected]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def line(self, number: int, line: str) -> None:
        try:
            node = read(line)
        except JsonError as error:
            self._add("LSQ520", f"a line of records is not JSON: {error}", number, error.start, error.end)
            return
        if node.kind is not Kind.OBJECT:
            help = 'write {"key": ..., "value": ..., "timestamp": ...}, or set `lines: values` in the case'
            self._add("LSQ520", "a line of records must be an object", number, node.start, node.end, help)
            return
        parts = {name.value: value for name, value in node.value}
        for name, _ in node.value:
            if name.value not in _MEMBERS:
                known = f"its members are {listing(_MEMBERS)}; if the line is the value, set `lines: values`"
                help = did_you_mean(name.value, _MEMBERS) or known
                message = f"a record has no member '{name.value}'"
                self._add("LSQ520", message, number, name.start, name.end, help)
        topic = self._topic(number, node, parts.get("topic"))
        if topic is None:
            return
        key = self._facet(number, topic, "key", topic.key.type, parts)
        value = self._facet(number, topic, "value", topic.value.type, parts)
        time = self._time(number, topic, parts.get("timestamp"))
        headers = self._headers(number, topic, parts.get("headers"))
        self.found.append((topic.name, Expected(key, value, time, headers)))

    def _topic(self, number: int, node: Node, name: Node | None) -> Topic | None:
        if self.topic is None and (name is None or name.kind is not Kind.STRING):
            self._add("LSQ520", "a record of this file must name its topic", number, node.start, node.end)
        elif self.topic is None and name is not None:
            return self.topic_of(name.value)
        elif self.topic is not None and name is not None and name.value != self.topic.name:
            message = f"this record is of {name.text}, and the case uses those of '{self.topic.name}'"
            self._add("LSQ520", message, number, name.start, name.end, "name the file in `arrivals`")
        else:
            return self.topic
        return None

    def _facet(self, number: int, topic: Topic, facet: str, type: DataType, parts: Mapping[str, Node]) -> Any:
        raw = parts.get("raw_key" if facet == "key" else "raw")
        if raw is not None and raw.kind is Kind.STRING:
            return Raw(raw.value)
        node, default = parts.get(facet), None
        if facet == "key" or (node is not None and node.kind is not Kind.NULL):
            default = self.default_of(topic, facet)
        if node is None:
            node = default
        elif default is not None:
            node = filled(type, node, default)
        if node is None:
            return None
        problems: list[Problem] = []
        value = read_node(type, node, facet, True, problems)
        for problem in problems:
            message = f"a record does not match '{topic.name}': {problem}"
            help = f"the {facet} of '{topic.name}' is {type}" if type != data.NULL else None
            self._add("LSQ508", message, number, problem.start or 0, problem.end or 1, help)
        return value

    def _headers(self, number: int, topic: Topic, node: Node | None) -> Headers | None:
        problems: list[Problem] = []
        headers = None if node is None else read_headers(node, "headers", problems)
        for problem in problems:
            message = f"a record does not match '{topic.name}': {problem}"
            self._add("LSQ508", message, number, problem.start or 0, problem.end or 1, HELP)
        return headers

    def _time(self, number: int, topic: Topic, node: Node | None) -> int | None:
        if node is None or node.kind is Kind.NULL:
            found: int | None = self.default_of(topic, "timestamp")
            return found
        if node.kind is Kind.STRING:
            time = parse_written_timestamp(node.value)
            if time is not None:
                return millis_of_timestamp(time)
        elif node.kind is Kind.NUMBER:
            millis, problems = codec.decode_text(data.BIGINT, node.text)
            if not problems:
                return int(millis)
        help = "write epoch milliseconds, or a date and time such as 2013-01-01T05:00:00Z"
        self._add("LSQ507", f"{node.text} is not an instant", number, node.start, node.end, help)
        return None

    def _add(self, code: str, message: str, number: int, start: int, end: int, help: str | None = None) -> None:
        span = Span(self.path, number, start + 1, number, max(end, start + 1) + 1)
        self.diagnostics.append(Diagnostic(code, message, span, help=help))
