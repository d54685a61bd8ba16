"""The parts of one case in a case file: its records and batches, its time, what it expects (see `cases`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.golden.yaml_values import YamlValues
from lsqlc.plan import Plan
from lsqlc.project.decode import Decoder, kind
from lsqlc.project.yaml_nodes import Place, YamlDocument
from lsqlc.types import data
from lsqlc.types.codec_text import BIGINT_RANGE, millis_of_timestamp, parse_timestamp
from lsqlc.types.record import Raw, Record, Topic

# The value and the key of a record as the text that stands in its line.
_RAW = ("raw", "raw_key")


@dataclass(frozen=True, slots=True)
class Expected:
    """One record that `expect` asks for. `timestamp` None: any."""

    key: Any
    value: Any
    timestamp: int | None


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """A case as its keys say it."""

    name: str
    model: str
    description: str | None = None
    now: int | str = 0
    inputs: dict[str, Any] | None = None
    arrivals: list[Any] | None = None
    batches: list[Any] | None = None
    expect: dict[str, Any] | None = None


def split(records: tuple[Record, ...], sizes: list[int]) -> tuple[tuple[Record, ...], ...]:
    """The records in batches of these sizes, which add up to their number; those of no record are left out."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return tuple(records[end - size : end] for size, end in zip(sizes, ends, strict=True) if size)


class CaseReader:
    """The parts of a case, from one document."""

    def __init__(self, document: YamlDocument, decoder: Decoder) -> None:
        self.document, self.decoder = document, decoder
        self.report = decoder.report
        self._values = YamlValues(document)

    def batches(self, place: Place, case: CaseFile, plan: Plan) -> tuple[tuple[Record, ...], ...]:
        """The records of a case, cut as it says."""
        topics = {topic.name: topic for topic in plan.inputs}
        sizes = case.batches is not None and all(type(b) is int for b in case.batches)
        ways = {"inputs": case.inputs is not None, "arrivals": case.arrivals is not None}
        ways["batches"] = case.batches is not None and not (sizes and any(ways.values()))
        given = [name for name, is_given in ways.items() if is_given]
        if len(given) > 1:
            help = "keep one; beside 'inputs' or 'arrivals', 'batches' is a list of sizes"
            where = self.document.key_span((*place, given[-1]))
            self.report("LSQ504", f"the records are given in '{given[0]}' and in '{given[-1]}'", where, help=help)
            return ()
        if not given or (ways["batches"] and sizes and case.batches):
            where = self.document.span((*place, "name"))
            help = "add `inputs: {topic: [records]}`, or `inputs: {}` for none"
            self.report("LSQ504", f"the case '{case.name}' gives no records", where, help=help)
            return ()
        if case.inputs is not None:
            records = self._inputs((*place, "inputs"), case.inputs, plan, topics)
        elif case.arrivals is not None:
            records = self._arrivals((*place, "arrivals"), case.arrivals, plan, topics)
        else:
            return self._written_batches((*place, "batches"), case.batches or [], plan, topics)
        if case.batches is None:
            return (tuple(records),) if records else ()
        return self._sized((*place, "batches"), case.batches, tuple(records))

    def _sized(self, place: Place, sizes: list[int], records: tuple[Record, ...]) -> tuple[tuple[Record, ...], ...]:
        small = [i for i, size in enumerate(sizes) if size < 1]
        for i in small:
            self.report("LSQ504", "a batch has at least one record", self.document.span((*place, i)))
        if not small and sum(sizes) != len(records):
            message = f"the batches hold {sum(sizes)} records, and the case has {len(records)}"
            self.report("LSQ504", message, self.document.span(place), help="make the sizes add up")
            return ()
        return () if small else split(records, sizes)

    def _written_batches(
        self, place: Place, batches: list[Any], plan: Plan, topics: Mapping[str, Topic]
    ) -> tuple[tuple[Record, ...], ...]:
        found = []
        for i, batch in enumerate(batches):
            if not isinstance(batch, list) or not batch:
                message = "expected a list of records that have a topic" if batch else "a batch has at least one record"
                self.report("LSQ504", message, self.document.span((*place, i)))
                continue
            found.append(tuple(self._arrivals((*place, i), batch, plan, topics)))
        return tuple(found)

    def _inputs(self, place: Place, inputs: dict[str, Any], plan: Plan, topics: Mapping[str, Topic]) -> list[Record]:
        found = []
        for name, records in inputs.items():
            topic = self._topic((*place, name), name, plan, topics, is_key=True)
            if topic is None:
                continue
            for where, record in self._list((*place, name), records):
                read = self._record(where, record, topic, *_RAW)
                found.append(Record(name, read.key, read.value, read.timestamp or 0))
        return found

    def _arrivals(self, place: Place, records: list[Any], plan: Plan, topics: Mapping[str, Topic]) -> list[Record]:
        found = []
        for where, record in self._list(place, records):
            if isinstance(record, dict) and "topic" not in record:
                self.decoder.missing(where, "topic")
            elif isinstance(record, dict):
                topic = self._topic((*where, "topic"), record["topic"], plan, topics, is_key=False)
                if topic is not None:
                    read = self._record(where, record, topic, "topic", *_RAW)
                    found.append(Record(topic.name, read.key, read.value, read.timestamp or 0))
            else:
                self.decoder.wrong(where, f"expected a record, got {kind(record)}")
        return found

    def expected(self, place: Place, expect: dict[str, Any], plan: Plan) -> dict[str, tuple[Expected, ...]]:
        """What a case expects, by topic."""
        outputs = {topic.name: topic for topic in plan.outputs}
        found = {}
        for name, records in expect.items():
            topic = outputs.get(name)
            if topic is None:
                help = did_you_mean(name, outputs) or f"it writes {listing(outputs)}"
                span = self.document.key_span((*place, name))
                self.report("LSQ505", f"the model '{plan.name}' does not write '{name}'", span, help=help)
                continue
            rows = [(where, self._record(where, row, topic)) for where, row in self._list((*place, name), records)]
            if plan.semantics[name] == "TABLE":
                for where, row in rows:
                    if row.timestamp is not None:
                        span = self.document.key_span((*where, "timestamp"))
                        message = "a row of a TABLE has no timestamp to compare"
                        self.report("LSQ505", message, span, help="remove it")
            found[name] = tuple(row for _, row in rows)
        return found

    def instant(self, place: Place, value: Any) -> int:
        """Epoch milliseconds from a number or an ISO date-time."""
        if type(value) is int and BIGINT_RANGE[0] <= value <= BIGINT_RANGE[1]:
            return value
        time = parse_timestamp(value) if isinstance(value, str) else None
        if time is None:
            shown = f"'{value}'" if isinstance(value, str | int | float) else kind(value)
            help = "write epoch milliseconds, or a date and time such as 2013-01-01T05:00:00Z"
            self.report("LSQ507", f"{shown} is no instant", self.document.span(place), help=help)
            return 0
        return millis_of_timestamp(time)

    def _topic(self, place: Place, name: Any, plan: Plan, topics: Mapping[str, Topic], *, is_key: bool) -> Topic | None:
        topic = topics.get(name) if isinstance(name, str) else None
        if topic is None:
            span = self.document.key_span(place) if is_key else self.document.span(place)
            shown = f"'{name}'" if isinstance(name, str) else kind(name)
            help = did_you_mean(str(name), topics) or f"it reads {listing(topics)}"
            self.report("LSQ506", f"the model '{plan.name}' does not read {shown}", span, help=help)
        return topic

    def _list(self, place: Place, records: Any) -> list[tuple[Place, Any]]:
        if records is not None and not isinstance(records, list):
            self.decoder.wrong(place, f"expected a list of records, got {kind(records)}")
            return []
        return [((*place, i), record) for i, record in enumerate(records or ())]

    def _record(self, place: Place, record: Any, topic: Topic, *also: str) -> Expected:
        if not isinstance(record, dict):
            self.decoder.wrong(place, f"expected a record, got {kind(record)}")
            return Expected(None, None, None)
        self.decoder.unknown(place, record, (*also, "key", "value", "timestamp"))
        facets: tuple[tuple[str, data.DataType], ...] = (("key", topic.key.type), ("value", topic.value.type))
        values: dict[str, Any] = {}
        for facet, type in facets:
            written = _RAW[facet == "key"]
            if written in also and written in record:
                values[facet] = self._raw((*place, written), record, facet)
                continue
            value, problems = self._values.read(type, (*place, facet), record.get(facet), facet)
            values[facet] = value
            for problem, span in problems:
                help = f"the {facet} of '{topic.name}' is {type}" if type != data.NULL else None
                message = f"a record does not fit '{topic.name}': {problem}"
                self.report("LSQ508", message, span, help=help)
        timestamp = record.get("timestamp")
        return Expected(
            values["key"],
            values["value"],
            None if timestamp is None else self.instant((*place, "timestamp"), timestamp),
        )

    def _raw(self, place: Place, record: dict[str, Any], facet: str) -> Raw | None:
        """A facet as it stands in the line of a record: text that may be no JSON, or not of the schema."""
        text = record[str(place[-1])]
        if facet in record:
            message = f"the {facet} is given twice, in '{facet}' and in '{place[-1]}'"
            self.report("LSQ504", message, self.document.key_span(place), help="keep one")
        elif not isinstance(text, str):
            self.decoder.wrong(place, f"expected text, got {kind(text)}")
        elif "\n" in text.rstrip("\n"):
            self.report("LSQ504", "a record is one line, and this text has several", self.document.span(place))
        else:
            return Raw(text.rstrip("\n"))
        return None
