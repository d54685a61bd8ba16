"""JSON lines with records, `{"key", "value", "timestamp", "headers"}`.

Data files of cases, seeds and `lsqlc topics produce` share this form with golden files and `lsqlc show --output json`.
A missing member is null. A timestamp is epoch milliseconds, or a date and time. Members and fields that the topic does
not declare are errors. Names in JSON of ksqlDB ignore case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing
from lsqlc.formats.json.any_case import with_field_names
from lsqlc.formats.record import Part
from lsqlc.golden.case_records import Expected, raw_facet
from lsqlc.golden.record_headers import HELP, read_headers
from lsqlc.golden.yaml_values import with_defaults
from lsqlc.types import codec, data
from lsqlc.types.codec_exact import Problem, read_node
from lsqlc.types.codec_json import JsonError, Kind, Node, read
from lsqlc.types.codec_text import millis_of_timestamp, parse_written_timestamp
from lsqlc.types.data import DataType
from lsqlc.types.headers import Headers
from lsqlc.types.record import Topic

_MEMBERS = ("topic", "key", "value", "timestamp", "headers")
_RAW_MEMBERS = ("raw", "raw_key")
_FACETS = ("key", "value", *_RAW_MEMBERS)

DefaultOf = Callable[[Topic, str], Any]
"""Returns the default of a facet for records of a topic: a node without positions, or a time; None without a
default.
"""


def no_defaults(topic: Topic, facet: str) -> None:
    """Return None: nothing has a default."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of diagnostics about lines.

    `form`, `misfit` and `instant`: the codes for a line that is not a record, for one that does not match its topic,
    and for an invalid timestamp. `values`: the help for lines that are values. `value_lines`: the same for a line that
    is not an object. `other` and `other_help`: for a record of another topic. `raw`: whether `raw` and `raw_key` are
    allowed.
    """

    form: str
    misfit: str
    instant: str
    values: str
    value_lines: str
    other: str
    other_help: str | None = None
    raw: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """The members that a record may have."""
        return (*_MEMBERS, *_RAW_MEMBERS) if self.raw else _MEMBERS


Form = Literal["record", "value", "array", "document", "other"]


def form_of(line: str) -> Form:
    """Guess the form of a file from its first line.

    Returns `record`, `value`, `array`, `document` for an object over several lines, or `other`. A `value` is an object
    with none of the members of a record's key and value.
    """
    text = line.strip()
    if text in ("{", "["):
        return "array" if text == "[" else "document"
    try:
        node = read(text)
    except JsonError:
        return "array" if text.startswith("[") else "other"
    if node.kind is Kind.ARRAY:
        return "array"
    is_record = node.kind is Kind.OBJECT and any(name.value in _FACETS for name, _ in node.value)
    return "record" if is_record else "value"


@dataclass(slots=True)
class RecordLines:
    """A reader of records, line by line.

    `path`: the file in diagnostics. `topic`: of all records; None if each names its own, which `topic_of` resolves.
    `records`: they come with the names of their topics. A line with a diagnostic may have added a record nevertheless.
    """

    path: str
    topic: Topic | None
    topic_of: Callable[[str], Topic | None]
    default_of: DefaultOf
    wording: Wording
    records: list[tuple[str, Expected]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def line(self, number: int, line: str) -> None:
        """Read a line, without its newline. `number`: from 1."""
        code = self.wording.form
        try:
            node = read(line)
        except JsonError as error:
            self._report(code, f"a line of records is not JSON: {error}", self._span(number, error.start, error.end))
            return
        if node.kind is not Kind.OBJECT:
            help = f'write {{"key": ..., "value": ..., "timestamp": ...}}, or {self.wording.value_lines}'
            self._report(code, "a line of records must be an object", self._span(number, node.start, node.end), help)
            return
        parts = {name.value: value for name, value in node.value}
        members = self.wording.members
        for name, _ in node.value:
            if name.value not in members:
                help_members = f"its members are {listing(members)}; if the line is the value, {self.wording.values}"
                help = did_you_mean(name.value, members) or help_members
                message = f"a record has no member '{name.value}'"
                self._report(code, message, self._span(number, name.start, name.end), help)
        topic = self._topic(number, node, parts.get("topic"))
        if topic is None:
            return
        key = self._facet(number, topic, "key", topic.key.type, parts)
        value = self._facet(number, topic, "value", topic.value.type, parts)
        time = self._time(number, topic, parts.get("timestamp"))
        headers = self._headers(number, topic, parts.get("headers"))
        span = Span(self.path, number, 1, number, len(line) + 1) if self.wording.raw else None
        self.records.append((topic.name, Expected(key, value, time, headers, span)))

    def _topic(self, number: int, node: Node, name: Node | None) -> Topic | None:
        code = self.wording.form
        if self.topic is None and (name is None or name.kind is not Kind.STRING):
            self._report(code, "a record of this file must name its topic", self._span(number, node.start, node.end))
        elif self.topic is None and name is not None:
            return self.topic_of(name.value)
        elif self.topic is not None and name is not None and name.value != self.topic.name:
            message = f"this record is of {name.text}, and {self.wording.other} '{self.topic.name}'"
            self._report(code, message, self._span(number, name.start, name.end), self.wording.other_help)
        else:
            return self.topic
        return None

    def _facet(self, number: int, topic: Topic, facet: Part, type: DataType, parts: Mapping[str, Node]) -> Any:
        name = "raw_key" if facet == "key" else "raw"
        raw = parts.get(name) if self.wording.raw else None
        if raw is not None and facet in parts:
            message = f"a record has '{facet}' or '{name}', not both"
            self._report(self.wording.form, message, self._span(number, raw.start, raw.end))
        if raw is not None and raw.kind is Kind.STRING:
            return raw_facet(topic, facet, raw.value)
        node, default = parts.get(facet), None
        if facet == "key" or (node is not None and node.kind is not Kind.NULL):
            default = self.default_of(topic, facet)
        if node is None:
            node = default
        elif default is not None:
            node = with_defaults(type, node, default)
        if node is None:
            return None
        if topic.ksql_json:
            node = with_field_names(type, node)
        problems: list[Problem] = []
        value = read_node(type, node, facet, True, problems)
        for problem in problems:
            message = f"a record does not match '{topic.name}': {problem}"
            help = f"the {facet} of '{topic.name}' is {type}" if type != data.NULL else None
            self._report(self.wording.misfit, message, self._span(number, problem.start or 0, problem.end or 1), help)
        return value

    def _headers(self, number: int, topic: Topic, node: Node | None) -> Headers | None:
        problems: list[Problem] = []
        headers = None if node is None else read_headers(node, "headers", problems)
        for problem in problems:
            message = f"a record does not match '{topic.name}': {problem}"
            self._report(self.wording.misfit, message, self._span(number, problem.start or 0, problem.end or 1), HELP)
        return headers

    def _time(self, number: int, topic: Topic, node: Node | None) -> int | None:
        if node is None or node.kind is Kind.NULL:
            default: int | None = self.default_of(topic, "timestamp")
            return default
        if node.kind is Kind.STRING:
            time = parse_written_timestamp(node.value)
            if time is not None:
                return millis_of_timestamp(time)
        elif node.kind is Kind.NUMBER:
            millis, problems = codec.decode_text(data.BIGINT, node.text)
            if not problems:
                return int(millis)
        help = "write epoch milliseconds, or a date and time such as 2013-01-01T05:00:00Z"
        self._report(
            self.wording.instant, f"{node.text} is not an instant", self._span(number, node.start, node.end), help
        )
        return None

    def _span(self, number: int, start: int, end: int) -> Span:
        return Span(self.path, number, start + 1, number, max(end, start + 1) + 1)

    def _report(self, code: str, message: str, span: Span, help: str | None = None) -> None:
        self.diagnostics.append(Diagnostic(code, message, span, help=help))
