"""Golden files: `golden/<model>/<case>.jsonl` has the output, `golden/<model>/plan.txt` the plan.

A line is a JSON object, `{"topic", "key", "value"}`, with `"timestamp"` for a STREAM, and with `"headers"` if the
record has some. All targets of the model are in one file, in order of the program. Rows of a TABLE are sorted by key,
records of a STREAM keep their order. Equal outcomes give equal bytes. Lines that do not match the schema are reported,
but still compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing
from lsqlc.golden.canonical import canonical_text, headers_text
from lsqlc.golden.cases import file_stem
from lsqlc.golden.record_headers import read_headers
from lsqlc.plan import Plan
from lsqlc.types import codec, data
from lsqlc.types.codec_exact import Problem, read_node
from lsqlc.types.codec_json import JsonError, Kind, Node, read
from lsqlc.types.codec_text import quoted
from lsqlc.types.headers import Headers
from lsqlc.types.record import Outcome, Record, Topic

PLAN_FILE = "plan.txt"
_UPDATE = "restore the file, or write it again with `lsqlc test --update changed`"


@dataclass(frozen=True, slots=True)
class GoldenRow:
    """A line of a golden file.

    `line` counts from 1; 0 for a row without a file. `headers` None: the line has no headers to compare.
    """

    topic: str
    key: Node
    value: Node
    timestamp: int | None
    line: int
    headers: Headers | None = None


@dataclass(frozen=True, slots=True)
class Golden:
    """The content of a golden file. Lines that are not rows have a diagnostic only."""

    rows: tuple[GoldenRow, ...]
    diagnostics: tuple[Diagnostic, ...]


def case_path(folder: str, model: str, case: str) -> str:
    """Return the path of a case's golden file."""
    return f"{folder}/{model}/{file_stem(case)}.jsonl"


def plan_path(folder: str, model: str) -> str:
    """Return the path of a model's plan."""
    return f"{folder}/{model}/{PLAN_FILE}"


def golden_text(plan: Plan, outcome: Outcome) -> str:
    """Return the text of the golden file for an outcome."""
    return "".join(line for topic in plan.outputs for line in _lines(plan, topic, outcome.topics.get(topic.name, ())))


def _lines(plan: Plan, topic: Topic, records: tuple[Record, ...]) -> Iterator[str]:
    table = plan.semantics[topic.name] == "TABLE"
    if table:
        records = tuple(sorted(records, key=lambda r: codec.sort_key(topic.key.type, r.key)))
    start = f'{{"topic":{quoted(topic.name)},"key":'
    for record in records:
        end = "}\n" if table else f',"timestamp":{record.timestamp}{headers_text(record.headers)}}}\n'
        value = canonical_text(topic.value.type, record.value)
        yield f'{start}{canonical_text(topic.key.type, record.key)},"value":{value}{end}'


def read_golden(text: str, path: str, plan: Plan) -> Golden:
    """Parse a golden file.

    Reports LSQ510 for a line that is not JSON, and LSQ511 for one that is not a row of the model's topics. Similar
    errors are reported once, with their number.
    """
    reader = _Reader(path, plan)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            reader.line(number, line.removesuffix("\r"))
    return Golden(tuple(reader.rows), tuple(reader.diagnostics()))


class _Reader:
    def __init__(self, path: str, plan: Plan) -> None:
        self._path = path
        self._plan = plan
        self._topics = {topic.name: topic for topic in plan.outputs}
        self._found: dict[tuple[str, str], list[Diagnostic]] = {}
        self.rows: list[GoldenRow] = []

    def diagnostics(self) -> Iterator[Diagnostic]:
        for first, *more in self._found.values():
            if more:
                note = f"and {len(more)} more {'line' if len(more) == 1 else 'lines'} like this"
                first = replace(first, notes=(*first.notes, note))
            yield first

    def line(self, number: int, line: str) -> None:
        try:
            node = read(line)
        except JsonError as error:
            span = self._span(number, error.start, error.end)
            self._add("LSQ510", "", Diagnostic("LSQ510", f"a golden line is not JSON: {error}", span, help=_UPDATE))
            return
        parts = {name.value: value for name, value in node.value} if node.kind is Kind.OBJECT else {}
        topic = self._topic(number, node, parts)
        if topic is None:
            return
        table = self._plan.semantics[topic.name] == "TABLE"
        required = ("topic", "key", "value") if table else ("topic", "key", "value", "timestamp")
        for name in required:
            if name not in parts:
                self._misfit(number, name, f"a golden line of '{topic.name}' has no \"{name}\"", node)
        for name, _ in node.value:
            if name.value not in (*required, *(() if table else ("headers",))):
                why = ", since it is a TABLE" if name.value == "timestamp" else ""
                self._misfit(
                    number, name.value, f"\"{name.value}\" is not a member of a line of '{topic.name}'{why}", name
                )
        timestamp = None if table else self._timestamp(number, parts.get("timestamp"))
        null = Node(Kind.NULL, "null")
        headers = None if table else self._headers(number, topic, parts.get("headers"))
        row = GoldenRow(topic.name, parts.get("key", null), parts.get("value", null), timestamp, number, headers)
        self._fits(topic, row)
        self.rows.append(row)

    def _topic(self, number: int, node: Node, parts: dict[str, Node]) -> Topic | None:
        name = parts.get("topic")
        if name is None or name.kind is not Kind.STRING:
            wrong = node if name is None else name
            self._misfit(number, "topic", 'a golden line must be an object with "topic", "key" and "value"', wrong)
            return None
        topic = self._topics.get(name.value)
        if topic is None:
            help = did_you_mean(name.value, self._topics) or f"it writes {listing(self._topics)}"
            message = f"the model '{self._plan.name}' does not write '{name.value}'"
            self._misfit(number, f"topic {name.value}", message, name, f"{help}; {_UPDATE}")
        return topic

    def _timestamp(self, number: int, node: Node | None) -> int | None:
        if node is None:
            return None
        value, problems = codec.decode_text(data.BIGINT, node.text, path="timestamp")
        for problem in problems:
            self._misfit(number, "timestamp", f"a golden line does not match: {problem}", node)
        return None if problems else value

    def _headers(self, number: int, topic: Topic, node: Node | None) -> Headers | None:
        if node is None:
            return None
        problems: list[Problem] = []
        headers = read_headers(node, "headers", problems)
        for problem in problems:
            message = f"a golden line does not match '{topic.name}': {problem}"
            span = self._span(number, problem.start or 0, problem.end or 1)
            self._add("LSQ511", f"{topic.name} headers", Diagnostic("LSQ511", message, span, help=_UPDATE))
        return headers

    def _fits(self, topic: Topic, row: GoldenRow) -> None:
        problems: list[Problem] = []
        read_node(topic.key.type, row.key, "key", True, problems)
        read_node(topic.value.type, row.value, "value", True, problems)
        for problem in problems:
            what = f"{topic.name} {problem.path}"
            span = self._span(row.line, problem.start or 0, problem.end or 1)
            message = f"a golden line does not match '{topic.name}': {problem}"
            help = f"if the model was meant to change, {_UPDATE.split(', or ')[1]}"
            self._add("LSQ511", what, Diagnostic("LSQ511", message, span, help=help))

    def _misfit(self, number: int, what: str, message: str, node: Node, help: str = _UPDATE) -> None:
        span = self._span(number, node.start, node.end)
        self._add("LSQ511", what, Diagnostic("LSQ511", message, span, help=help))

    def _add(self, code: str, what: str, diagnostic: Diagnostic) -> None:
        self._found.setdefault((code, what), []).append(diagnostic)

    def _span(self, number: int, start: int, end: int) -> Span:
        return Span(self._path, number, start + 1, number, max(end, start + 1) + 1)
