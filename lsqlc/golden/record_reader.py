"""Records of a case file or data file, converted to the types of their topic.

An item of a list is a record or `advance_watermark`, a time that the watermark reaches without a record. A record has
`key`, `value`, `timestamp` and `headers`, or the unparsed texts `raw` and `raw_key`. A file can replace the list (see
`data_files`).

`defaults` have, by topic, values for fields, keys and timestamps that a record leaves out. An explicit null stays null,
and a record without a value stays a tombstone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lsqlc.connectors.fields_read import topics_as_read
from lsqlc.diagnostics import Span, did_you_mean, listing
from lsqlc.formats.record import Part
from lsqlc.golden.case_records import Advance, Expected, InputRecord, Item, raw_facet
from lsqlc.golden.data_files import DataFile, FileReference, file_rows
from lsqlc.golden.record_headers import HELP, WRITTEN_HEADERS, headers_of
from lsqlc.golden.yaml_values import YamlValues
from lsqlc.plan import Plan
from lsqlc.scan.file_topics import stand_ins
from lsqlc.types import data
from lsqlc.types.codec_exact import Problem
from lsqlc.types.codec_text import BIGINT_RANGE, millis_of_timestamp, parse_written_timestamp
from lsqlc.types.headers import Headers
from lsqlc.types.record import Raw, Record, Topic
from lsqlc.yaml.decode import Decoder, kind
from lsqlc.yaml.nodes import KeyPath, YamlDocument

# The unparsed texts of the value and the key.
RAW = ("raw", "raw_key")
ADVANCE = "advance_watermark"


TopicOf = Callable[[KeyPath, Any, bool], Topic | None]
"""Returns the topic of a name at a position; None after reporting an unknown name. The flag: whether it is a key."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A named set of records by topic. `reader`: the reader of its file."""

    reader: RecordReader
    key_path: KeyPath
    topics: Mapping[str, Any]


class RecordReader:
    """Reads the records of one document. `texts`: data files by path in the project."""

    def __init__(self, document: YamlDocument, decoder: Decoder, texts: Mapping[str, str]) -> None:
        self.document, self.decoder, self._texts = document, decoder, texts
        self._values = YamlValues(document)
        self._defaults: tuple[tuple[KeyPath, Mapping[str, Any]], ...] = ()

    def report(self, code: str, message: str, key_path: KeyPath, *, key: bool = False, help: str | None = None) -> None:
        """Report a diagnostic at a value, or at its key."""
        self.decoder.report(
            code, message, self.document.key_span(key_path) if key else self.document.span(key_path), help=help
        )

    def use_defaults(self, *by_priority: tuple[KeyPath, Any]) -> None:
        """Set the defaults of the following records, by topic. Earlier ones have precedence."""
        valid = []
        for key_path, defaults in by_priority:
            if defaults is None:
                continue
            if not isinstance(defaults, dict):
                self.decoder.wrong(key_path, f"expected topics with defaults of their records, got {kind(defaults)}")
                continue
            for name, record in defaults.items():
                if isinstance(record, dict):
                    self.decoder.unknown((*key_path, name), record, ("key", "value", "timestamp"))
                else:
                    self.decoder.wrong((*key_path, name), f"expected a record, got {kind(record)}")
            valid.append((key_path, {n: r for n, r in defaults.items() if isinstance(r, dict)}))
        self._defaults = tuple(valid)

    def _default(self, topic: str, facet: str) -> tuple[tuple[KeyPath, Any], ...]:
        """Return the defaults of a facet, in order of precedence."""
        return tuple(
            ((*key_path, topic, facet), defaults[topic][facet])
            for key_path, defaults in self._defaults
            if facet in defaults.get(topic, ())
        )

    def instant(self, key_path: KeyPath, value: Any) -> int:
        """Return epoch milliseconds from a number or a date and time."""
        if type(value) is int and BIGINT_RANGE[0] <= value <= BIGINT_RANGE[1]:
            return value
        # A date without a time is ambiguous here.
        time = parse_written_timestamp(value) if isinstance(value, str) and ":" in value else None
        if time is None:
            text = f"'{value}'" if isinstance(value, str | int | float) else kind(value)
            help = "write epoch milliseconds, or a date and time such as 2013-01-01T05:00:00Z"
            self.report("LSQ507", f"{text} is not an instant", key_path, help=help)
            return 0
        return millis_of_timestamp(time)

    def value(
        self, type: data.DataType, key_path: KeyPath, node: Any, what: str
    ) -> tuple[Any, list[tuple[Problem, Span]]]:
        """Return a value of a type, and its problems. `what`: the name of the value in problems."""
        value, problems = self._values.read(type, ((key_path, node),), what)
        return value, list(problems)

    def topic(self, plan: Plan) -> TopicOf:
        """Return the function that resolves the topics that a plan reads."""
        topics = topics_as_read(plan)

        def resolve(key_path: KeyPath, name: Any, is_key: bool) -> Topic | None:
            topic = topics.get(name) if isinstance(name, str) else None
            if topic is None:
                text = f"'{name}'" if isinstance(name, str) else kind(name)
                help = did_you_mean(str(name), topics) or f"it reads {listing(topics)}"
                message = f"the model '{plan.name}' does not read {text}"
                self.report("LSQ506", message, key_path, key=is_key, help=help)
            return topic

        return resolve

    def inputs(self, key_path: KeyPath, inputs: Mapping[str, Any], topic_of: TopicOf) -> list[Item]:
        """Return the records of topics in the order written."""
        items: list[Item] = []
        for name, records in inputs.items():
            topic = topic_of((*key_path, name), name, True)
            if topic is not None:
                items += self._of_topic((*key_path, name), records, topic)
        return items

    def _of_topic(self, key_path: KeyPath, records: Any, topic: Topic) -> list[Item]:
        items: list[Item] = []
        for where, record in self._list(key_path, records, topic):
            if isinstance(record, Expected):
                items.append(_input_record(topic.name, record))
            elif (advance := self._advance(where, record)) is not None:
                items.append(advance)
            else:
                items.append(self._input(where, record, topic, *RAW))
        return items

    def fixture(self, fixture: Fixture, topics: Mapping[str, Topic]) -> list[Item]:
        """Return the records of a fixture for those topics that the model reads."""
        items: list[Item] = []
        for name, records in fixture.topics.items():
            if name in topics:
                items += self._of_topic((*fixture.key_path, name), records, topics[name])
        return items

    def arrivals(self, key_path: KeyPath, records: Any, topic_of: TopicOf) -> list[Item]:
        """Return records that name their topics."""
        items: list[Item] = []
        file = self._file(key_path, records)
        if file is not None:
            rows = self._rows(key_path, file, None, lambda name: topic_of(key_path, name, False))
            return [_input_record(name, record) for name, record in rows]
        for where, record in self._list(key_path, records, None):
            if not isinstance(record, dict):
                self.decoder.wrong(where, f"expected a record, got {kind(record)}")
            elif (advance := self._advance(where, record)) is not None:
                items.append(advance)
            elif "topic" not in record:
                self.decoder.missing(where, "topic")
            else:
                topic = topic_of((*where, "topic"), record["topic"], False)
                if topic is not None:
                    items.append(self._input(where, record, topic, "topic", *RAW))
        return items

    def rows(self, key_path: KeyPath, records: Any, topic: Topic) -> list[tuple[KeyPath, Expected]]:
        """Return the expected records of a topic, with their positions."""
        return [
            (where, record if isinstance(record, Expected) else self._record(where, record, topic, {}))
            for where, record in self._list(key_path, records, topic)
        ]

    def _list(self, key_path: KeyPath, records: Any, topic: Topic | None) -> list[tuple[KeyPath, Any]]:
        """Return the items of a list, or the records of a file."""
        file = self._file(key_path, records) if topic is not None else None
        if file is not None and topic is not None:
            return [(key_path, record) for _, record in self._rows(key_path, file, topic, lambda _: topic)]
        if records is not None and not isinstance(records, list):
            self.decoder.wrong(key_path, f"expected a list of records, or a file, got {kind(records)}")
            return []
        return [((*key_path, i), record) for i, record in enumerate(records or ())]

    def _file(self, key_path: KeyPath, node: Any) -> DataFile | None:
        if isinstance(node, str):
            return DataFile(file=node)
        return self.decoder.struct(key_path, DataFile, node) if isinstance(node, dict) and "file" in node else None

    def _rows(
        self, key_path: KeyPath, file: DataFile, topic: Topic | None, topic_of: Callable[[str], Topic | None]
    ) -> Iterable[tuple[str, Expected]]:
        where = (*key_path, "file") if "file" in self._keys(key_path) else key_path
        reference = FileReference(file, self.document.path, self.document.span(where))
        rows, problems = file_rows(reference, self._texts, topic, topic_of, self._of_lines)
        self.decoder.diagnostics += problems
        return rows

    def _keys(self, key_path: KeyPath) -> Any:
        part = self.document.data
        for step in key_path:
            part = part[step]
        return part if isinstance(part, dict) else {}

    def _of_lines(self, topic: Topic, facet: str) -> Any:
        """Return the default of a facet for records in files: a node without a position, or an instant."""
        defaults = self._default(topic.name, facet)
        if not defaults:
            return None
        if facet == "timestamp":
            return self.instant(*defaults[0])
        type = topic.key.type if facet == "key" else topic.value.type
        return self._values.merged(type, defaults)

    def _advance(self, key_path: KeyPath, record: Any) -> Advance | None:
        if not isinstance(record, dict) or ADVANCE not in record:
            return None
        self.decoder.unknown(key_path, record, (ADVANCE,))
        where = (*key_path, ADVANCE)
        return Advance(self.instant(where, record[ADVANCE]), self.document.key_span(where))

    def _input(self, key_path: KeyPath, record: Any, topic: Topic, *also: str) -> InputRecord:
        defaults = {facet: self._default(topic.name, facet) for facet in ("key", "value", "timestamp")}
        if topic.files:
            defaults["value"] = (*defaults["value"], (key_path, stand_ins(topic)))
        expected = self._record(key_path, record, topic, defaults, *also)
        return _input_record(topic.name, expected)

    def _record(
        self,
        key_path: KeyPath,
        record: Any,
        topic: Topic,
        defaults: Mapping[str, tuple[tuple[KeyPath, Any], ...]],
        *also: str,
    ) -> Expected:
        if not isinstance(record, dict):
            self.decoder.wrong(key_path, f"expected a record, got {kind(record)}")
            return Expected(None, None, None)
        self.decoder.unknown(key_path, record, (*also, "key", "value", "timestamp", "headers"))
        facets: tuple[tuple[Part, data.DataType], ...] = (("key", topic.key.type), ("value", topic.value.type))
        values: dict[str, Any] = {}
        for facet, type in facets:
            raw_member = RAW[facet == "key"]
            if raw_member in also and raw_member in record:
                values[facet] = self._raw((*key_path, raw_member), record, facet, topic)
                continue
            own = (((*key_path, facet), record[facet]),) if facet in record else ()
            # A record without a value is a tombstone, regardless of defaults.
            more = defaults.get(facet, ()) if facet == "key" or record.get(facet) is not None else ()
            value, problems = self._values.read(type, (*own, *more), facet)
            values[facet] = value
            for problem, span in problems:
                help = f"the {facet} of '{topic.name}' is {type}" if type != data.NULL else None
                message = f"a record does not match '{topic.name}': {problem}"
                self.decoder.report("LSQ508", message, span, help=help)
        times = [((*key_path, "timestamp"), record.get("timestamp")), *defaults.get("timestamp", ())]
        timestamp = next((self.instant(*time) for time in times if time[1] is not None), None)
        raw = next(((*key_path, name) for name in RAW if name in also and name in record), key_path)
        headers = self._headers(key_path, record, topic)
        return Expected(values["key"], values["value"], timestamp, headers, self.document.span(raw))

    def _headers(self, key_path: KeyPath, record: dict[str, Any], topic: Topic) -> Headers | None:
        if record.get("headers") is None:
            return None
        where = (*key_path, "headers")
        parsed, problems = self._values.read(WRITTEN_HEADERS, ((where, record["headers"]),), "headers")
        wrong: list[Problem] = []
        headers = None if problems else headers_of(parsed, "headers", None, wrong)
        spans = [*problems, *((problem, self.document.span(where)) for problem in wrong)]
        for problem, span in spans:
            message = f"a record does not match '{topic.name}': {problem}"
            self.decoder.report("LSQ508", message, span, help=HELP)
        return headers

    def _raw(self, key_path: KeyPath, record: dict[str, Any], facet: Part, topic: Topic) -> Raw | None:
        """Return the unparsed text of a facet. It need not be JSON, nor match the schema."""
        text = record[str(key_path[-1])]
        if facet in record:
            message = f"the {facet} is given twice, in '{facet}' and in '{key_path[-1]}'"
            self.report("LSQ504", message, key_path, key=True, help="keep one")
        elif not isinstance(text, str):
            self.decoder.wrong(key_path, f"expected text, got {kind(text)}")
        elif "\n" in text.rstrip("\n"):
            self.report("LSQ504", "a record must be one line, and this text has several", key_path)
        else:
            return raw_facet(topic, facet, text.rstrip("\n"))
        return None


def _input_record(topic: str, expected: Expected) -> InputRecord:
    return InputRecord(
        Record(topic, expected.key, expected.value, expected.timestamp or 0, expected.headers or None), expected.span
    )
