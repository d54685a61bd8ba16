"""Reader of one case of a case file: records, batches, time and expectations (see `cases`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from lsqlc.connectors.fields_read import topics_as_read
from lsqlc.diagnostics import Span, did_you_mean, listing
from lsqlc.golden.assertions import Assertion, ExpectFile, read_assertions
from lsqlc.golden.case_records import Expected, InputRecord, Item
from lsqlc.golden.record_reader import ADVANCE, Fixture, RecordReader
from lsqlc.lower.duckdb.inserts import inserted_records
from lsqlc.plan import Plan
from lsqlc.plan.clocks import has_clock
from lsqlc.types.record import Record, Topic
from lsqlc.yaml.described import CASE_NAME, described, reference
from lsqlc.yaml.nodes import KeyPath


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a case."""

    name: Annotated[
        str,
        described(
            "The case's name; its golden file is called after it.",
            CASE_NAME,
        ),
    ]
    model: Annotated[str, described("The model that it tests.")]
    description: Annotated[str | None, described("What it shows.")] = None
    now: Annotated[int | str, described("What clock functions give.", {"allOf": [reference("instant")]})] = 0
    fixtures: Annotated[str | list[str], described("Fixtures whose records come first, in this order.")] = []
    defaults: Annotated[
        dict[str, Any] | None,
        described(
            "By topic, what its records have that they leave out.", {"anyOf": [reference("defaults"), {"type": "null"}]}
        ),
    ] = None
    inputs: Annotated[
        dict[str, Any] | None,
        described("Records by topic, in the order written.", {"anyOf": [reference("inputs"), {"type": "null"}]}),
    ] = None
    arrivals: Annotated[
        list[Any] | str | dict[str, Any] | None,
        described(
            "Records that name their topic, where the order between topics matters.",
            {"anyOf": [{"type": "array", "items": reference("arrival")}, reference("file"), {"type": "null"}]},
        ),
    ] = None
    inserts: Annotated[bool, described("Whether the records that the program itself inserts come first (ksqlDB).")] = (
        False
    )
    batches: Annotated[
        list[Any] | None,
        described(
            "How Spark gets the records: sizes, or lists of arrivals.",
            {
                "anyOf": [
                    {"type": "array", "items": {"type": "integer", "minimum": 1}},
                    {"type": "array", "items": {"type": "array", "items": reference("arrival"), "minItems": 1}},
                    {"type": "null"},
                ]
            },
        ),
    ] = None
    expect: Annotated[
        dict[str, Any] | None,
        described(
            "What comes out, by topic.",
            {"anyOf": [{"type": "object", "additionalProperties": reference("expected")}, {"type": "null"}]},
        ),
    ] = None
    state: Annotated[
        Any,
        described(
            "How many rows operators keep behind the last record; checked on Spark.",
            {"anyOf": [reference("state"), {"type": "array", "items": reference("state")}]},
        ),
    ] = None
    golden: Annotated[bool, described("Whether the case has a golden file.")] = True


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The records of a case in batches.

    `advances`: where time moves without a record, as pairs of the number of records before it and epoch milliseconds.
    `places`: the position of each record in the case file.
    """

    batches: tuple[tuple[Record, ...], ...] = ()
    advances: tuple[tuple[int, int], ...] = ()
    places: tuple[Span | None, ...] = ()


def split(records: tuple[Record, ...], sizes: list[int]) -> tuple[tuple[Record, ...], ...]:
    """Split records into batches of these sizes.

    The sizes must add up to the number of records; empty batches are dropped.
    """
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return tuple(records[end - size : end] for size, end in zip(sizes, ends, strict=True) if size)


class CaseReader:
    """Reads the cases of one document. `fixtures`: those of all documents, by name."""

    def __init__(self, records: RecordReader, fixtures: Mapping[str, Fixture], defaults: Any) -> None:
        self.document, self.decoder = records.document, records.decoder
        self.report = records.decoder.report
        self.records = records
        self._fixtures = fixtures
        self._defaults = defaults

    def batches(self, key_path: KeyPath, case: CaseFile, plan: Plan) -> Arrivals:
        """Return the records of a case in its batches."""
        self.records.use_defaults(((*key_path, "defaults"), case.defaults), (("defaults",), self._defaults))
        try:
            return self._batches(key_path, case, plan)
        finally:
            self.records.use_defaults((("defaults",), self._defaults))

    def _batches(self, key_path: KeyPath, case: CaseFile, plan: Plan) -> Arrivals:
        sizes = case.batches is not None and all(type(b) is int for b in case.batches)
        ways = {"inputs": case.inputs is not None, "arrivals": case.arrivals is not None}
        ways["batches"] = case.batches is not None and not (sizes and any(ways.values()))
        forms = [name for name, is_used in ways.items() if is_used]
        if len(forms) > 1:
            help = "keep one; with 'inputs' or 'arrivals', 'batches' must be a list of sizes"
            where = self.document.key_span((*key_path, forms[-1]))
            self.report("LSQ504", f"the records are given in '{forms[0]}' and in '{forms[-1]}'", where, help=help)
            return Arrivals()
        if case.inserts and not plan.inserts:
            message = f"the model '{plan.name}' has no INSERT INTO ... VALUES"
            help = "add INSERT INTO ... VALUES to a ksqlDB program, or give the records here"
            self.report("LSQ504", message, self.document.key_span((*key_path, "inserts")), help=help)
            return Arrivals()
        before = case.inserts or bool(case.fixtures)
        if (not forms and not before) or (ways["batches"] and sizes and case.batches and not before):
            where = self.document.span((*key_path, "name"))
            help = "add `inputs: {topic: [records]}`, or `inputs: {}` for none"
            self.report("LSQ504", f"the case '{case.name}' has no records", where, help=help)
            return Arrivals()
        topic_of = self.records.topic(plan)
        items: list[Item] = [InputRecord(record) for record in inserted_records(plan)] if case.inserts else []
        items += self._of_fixtures((*key_path, "fixtures"), case.fixtures, plan)
        arrival_lists: list[list[Item]] | None = None
        if case.inputs is not None:
            items += self.records.inputs((*key_path, "inputs"), case.inputs, topic_of)
        elif case.arrivals is not None:
            items += self.records.arrivals((*key_path, "arrivals"), case.arrivals, topic_of)
        elif ways["batches"] and not sizes:
            arrival_lists = self._written_batches((*key_path, "batches"), case.batches or [], plan)
        every = [*items, *(i for batch in arrival_lists or () for i in batch)]
        advances = self._advances(every, plan)
        places = tuple(item.span for item in every if isinstance(item, InputRecord))
        records = _records(items)
        if arrival_lists is not None:
            parts = (records, *(_records(batch) for batch in arrival_lists))
            return Arrivals(tuple(part for part in parts if part), advances, places)
        if case.batches is None:
            return Arrivals((records,) if records else (), advances, places)
        return Arrivals(self._sized((*key_path, "batches"), case.batches, records), advances, places)

    def _of_fixtures(self, key_path: KeyPath, names: str | Sequence[str], plan: Plan) -> list[Item]:
        topics = topics_as_read(plan)
        items: list[Item] = []
        for number, name in enumerate((names,) if isinstance(names, str) else names):
            span = self.document.span(key_path if isinstance(names, str) else (*key_path, number))
            fixture = self._fixtures.get(name)
            if fixture is None:
                help = did_you_mean(name, self._fixtures)
                available = (
                    f"the fixtures are {listing(self._fixtures)}" if self._fixtures else "no file has `fixtures:`"
                )
                self.report("LSQ521", f"unknown fixture '{name}'", span, help=help or available)
            elif not fixture.topics.keys() & topics.keys():
                note = f"it has records of {listing(fixture.topics)}; the model reads {listing(topics)}"
                message = f"the fixture '{name}' has no records for the model '{plan.name}'"
                self.report("LSQ521", message, span, notes=(note,))
            else:
                items += fixture.reader.fixture(fixture, topics)
        return items

    def _advances(self, items: Sequence[Item], plan: Plan) -> tuple[tuple[int, int], ...]:
        advances: list[tuple[int, int]] = []
        count, clock = 0, has_clock(plan)
        for item in items:
            if isinstance(item, InputRecord):
                count += 1
                continue
            if not clock:
                why = "only windows, and joins of two streams, depend on the watermark"
                message = f"the model '{plan.name}' does not depend on the watermark, so '{ADVANCE}' has no effect"
                self.report("LSQ526", message, item.span, notes=(why,), help="remove it")
            advances.append((count, item.time))
        return tuple(advances)

    def _sized(
        self, key_path: KeyPath, sizes: list[int], records: tuple[Record, ...]
    ) -> tuple[tuple[Record, ...], ...]:
        small = [i for i, size in enumerate(sizes) if size < 1]
        for i in small:
            self.report("LSQ504", "a batch must have at least one record", self.document.span((*key_path, i)))
        if not small and sum(sizes) != len(records):
            message = f"the batches have {sum(sizes)} records, and the case has {len(records)}"
            self.report(
                "LSQ504", message, self.document.span(key_path), help="the sizes must add up to the number of records"
            )
            return ()
        return () if small else split(records, sizes)

    def _written_batches(self, key_path: KeyPath, batches: list[Any], plan: Plan) -> list[list[Item]]:
        items = []
        for i, batch in enumerate(batches):
            if not isinstance(batch, list) or not batch:
                message = (
                    "expected a list of records that have a topic" if batch else "a batch must have at least one record"
                )
                self.report("LSQ504", message, self.document.span((*key_path, i)))
                continue
            items.append(self.records.arrivals((*key_path, i), batch, self.records.topic(plan)))
        return items

    def expected(
        self, key_path: KeyPath, expect: dict[str, Any], plan: Plan
    ) -> tuple[dict[str, tuple[Expected, ...]], tuple[Assertion, ...]]:
        """Return the expected rows of a case by topic, and its assertions."""
        outputs = {topic.name: topic for topic in plan.outputs}
        rows: dict[str, tuple[Expected, ...]] = {}
        assertions: list[Assertion] = []
        for name, entry in expect.items():
            topic, where = outputs.get(name), (*key_path, name)
            if topic is None:
                help = did_you_mean(name, outputs) or f"it writes {listing(outputs)}"
                span = self.document.key_span(where)
                self.report("LSQ505", f"the model '{plan.name}' does not write '{name}'", span, help=help)
            elif isinstance(entry, dict) and "file" not in entry:
                file = self.decoder.struct(where, ExpectFile, entry)
                if file is not None:
                    assertions += read_assertions(self.decoder, where, file, topic)
                    if "rows" in entry:
                        rows[name] = self._rows((*where, "rows"), file.rows, topic, plan)
            else:
                rows[name] = self._rows(where, entry, topic, plan)
        return rows, tuple(assertions)

    def _rows(self, key_path: KeyPath, data: Any, topic: Topic, plan: Plan) -> tuple[Expected, ...]:
        rows = self.records.rows(key_path, data, topic)
        if plan.semantics[topic.name] == "TABLE":
            for where, row in rows:
                if row.timestamp is not None:
                    span = self.document.key_span((*where, "timestamp"))
                    self.report("LSQ505", "a row of a TABLE has no timestamp to compare", span, help="remove it")
                if row.headers is not None:
                    span = self.document.key_span((*where, "headers"))
                    self.report("LSQ505", "a row of a TABLE has no headers to compare", span, help="remove them")
        return tuple(row for _, row in rows)


def _records(items: Sequence[Item]) -> tuple[Record, ...]:
    return tuple(item.record for item in items if isinstance(item, InputRecord))
