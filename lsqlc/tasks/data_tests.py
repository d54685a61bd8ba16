"""Run the data tests of topics over what is in them: the records of a STREAM, the rows of a TABLE.

A topic is read once for all of its tests, up to its end at the start, and in pieces: conditions are evaluated on
DuckDB, a piece at a time. Of a TABLE its rows are tested, of which all are held; of a STREAM only the values that must
be unique are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lsqlc.diagnostics import Diagnostic, Severity
from lsqlc.golden.assertions import Column
from lsqlc.golden.canonical import canonical_text
from lsqlc.golden.conditions import HOLDS
from lsqlc.golden.show import plural
from lsqlc.lower.duckdb import evaluate
from lsqlc.project.declared.data_tests import DataTest
from lsqlc.report.text import duration_text
from lsqlc.tasks.bound_tests import BoundTest, TopicTests
from lsqlc.types import codec
from lsqlc.types.record import Case, Record, StoredRecord, Topic

# Records that are evaluated together.
_PIECE = 10_000
# How many failures a finding shows.
_SHOWN = 5
# Failures that are kept of each test.
_KEPT = 1000
# Milliseconds.
_DAY = 86_400_000
# Of the lane in an ordinal of Kafka (`lsqlc.plan.kafka_order`) the bits that are the partition.
_PARTITION = (1 << 32) - 1

Tested = StoredRecord | Record
Read = Callable[[Topic], Iterator[Tested]]


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that fails a test. `key`, `value`: as JSON; `ordinal`: its place in the log, empty for one of files;
    `partition`, `offset`: its place in Kafka, None elsewhere.
    """

    key: str
    value: str
    timestamp: int
    ordinal: tuple[int, ...]
    partition: int | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class DataTestResult:
    """A test with what came of it: how many `records` (or rows) were tested, how many `failed`, and the first of them.
    `message`: what is wrong, empty where nothing is.
    """

    topic: str
    test: DataTest
    table: bool
    records: int
    failed: int
    failures: tuple[Failure, ...]
    message: str = ""

    @property
    def passed(self) -> bool:
        return not self.message

    @property
    def diagnostic(self) -> Diagnostic:
        """The finding for a test that failed, at its place."""
        # What a query gives has no place in a log.
        places = self.test.kind != "sql"
        notes = [f"{place_text(each)}: {_cut(each)}" if places else _cut(each) for each in self.failures[:_SHOWN]]
        if self.failed > len(notes) and notes:
            notes.append(f"and {self.failed - len(notes):,} more")
        severity = Severity.ERROR if self.test.fails else Severity.WARNING
        help = "correct the records at their source, or the test; `--output json` lists the failures"
        return Diagnostic("LSQ869", self.message, self.test.span, tuple(notes), help, severity=severity)


def run_tests(
    tests: Iterable[TopicTests], read: Read, *, now: int, last: int = 0, with_partitions: bool = False
) -> Iterator[DataTestResult]:
    """The result of each test, topic by topic. `read` gives the records of a topic in order of the log; `now`: epoch
    milliseconds; `last`: only so many of the last records of a STREAM are tested, 0: all of them;
    `with_partitions`: whether the ordinals of records have the offset and the partition.

    Raises LsqlcError for a topic that cannot be read.
    """
    for of_topic in tests:
        topic, table = of_topic.topic, of_topic.table
        running = [_Running(bound, topic, table, now, with_partitions) for bound in of_topic.tests]
        for each in running:
            if each.bound.related is not None:
                other, is_table, column = each.bound.related
                each.known = {
                    _text(column, value)
                    for record in _tested(read(other), other, is_table, 0, [])
                    if (value := column.of(_plain(record))) is not None
                }
        newest: list[int] = []
        records = iter(_tested(read(topic), topic, table, last, newest))
        while piece := list(islice(records, _PIECE)):
            for each in running:
                each.take(piece)
        for each in running:
            each.ask(read)
        yield from (each.result(max(newest, default=None)) for each in running)


def place_text(failure: Failure) -> str:
    """Where a record is in its log: partition and offset, or its ordinal; the time for one that has none."""
    if failure.offset is not None:
        return f"partition {failure.partition}, offset {failure.offset}"
    if not failure.ordinal:
        return f"time {failure.timestamp}"
    return "ordinal " + ".".join(map(str, failure.ordinal))


@dataclass(slots=True)
class _Running:
    """A test while the records of its topic come."""

    bound: BoundTest
    topic: Topic
    table: bool
    now: int
    with_partitions: bool
    known: set[str] = field(default_factory=set)
    _records: int = 0
    _failed: int = 0
    _failures: list[Failure] = field(default_factory=list)
    # Of values that must be unique the first record that has them, until another one comes.
    _first: dict[str, Tested | None] = field(default_factory=dict)

    # Of a test of rows the newest record of each key.
    _rows: dict[bytes, Tested] = field(default_factory=dict)

    def take(self, piece: Sequence[Tested]) -> None:
        """Test these records, or keep them until there are no more, for a test of rows."""
        if self.bound.rows:
            encode = codec.encoder(self.topic.key.type)
            self._rows.update((encode(record.key), record) for record in piece if record.key is not None)
            return
        self._test(piece)

    def _test(self, piece: Sequence[Tested]) -> None:
        self._records += len(piece)
        for record in self._wrong(piece):
            self._failed += 1
            if len(self._failures) < _KEPT:
                self._failures.append(_failure(self.topic, record, with_partitions=self.with_partitions))

    def ask(self, read: Read) -> None:
        """Test what is only known once all records have come: rows, and what a query gives."""
        self._test([record for record in self._rows.values() if record.value is not None])
        query = self.bound.query
        if query is not None:
            rows = query.rows(lambda topic: map(_plain, read(topic)), self.now)
            self._failed = len(rows)
            self._failures = [_failure(query.rows_of, row, with_partitions=False) for row in rows[:_KEPT]]

    def _wrong(self, piece: Sequence[Tested]) -> Iterator[Tested]:
        test, columns = self.bound.test, self.bound.columns
        match test.kind:
            case "not_null":
                yield from (r for r in piece if any(c.of(_plain(r)) is None for c in columns))
            case "unique":
                yield from self._repeated(piece)
            case "accepted_values":
                yield from self._refused(piece, lambda value: value in test.values)
            case "relationships":
                yield from self._refused(piece, lambda value: _text(columns[0], value) in self.known)
            case "condition":
                yield from self._unmet(piece)
            case "freshness" | "sql":
                return

    def _refused(self, piece: Sequence[Tested], accepts: Callable[[Any], bool]) -> Iterator[Tested]:
        """Yield the records whose value in the first column is not accepted. Null is no value."""
        column = self.bound.columns[0]
        for record in piece:
            value = column.of(_plain(record))
            if value is not None and not accepts(value):
                yield record

    def _repeated(self, piece: Sequence[Tested]) -> Iterator[Tested]:
        for record in piece:
            values = [column.of(_plain(record)) for column in self.bound.columns]
            if any(value is None for value in values):
                continue
            texts = (_text(column, value) for column, value in zip(self.bound.columns, values, strict=True))
            text = "\0".join(texts)
            if text not in self._first:
                self._first[text] = record
                continue
            first = self._first[text]
            if first is not None:
                self._first[text] = None
                yield first
            yield record

    def _unmet(self, piece: Sequence[Tested]) -> Iterator[Tested]:
        plan = self.bound.plan
        assert plan is not None, "a condition has been bound"
        rows = [record for record in piece if record.value is not None]
        (answer,) = evaluate(plan, [Case("check", (tuple(map(_plain, rows)),), self.now)])
        holds = [row.value[HOLDS] for row in answer.topics[plan.outputs[0].name]]
        yield from (row for row, held in zip(rows, holds, strict=True) if held is not True)

    def result(self, newest: int | None) -> DataTestResult:
        """What came of it. `newest`: the time of the newest record in the log."""
        return DataTestResult(
            self.topic.name, self.bound.test, self.table, self._records, self._failed, tuple(self._failures),
            self._message(newest),
        )  # fmt: skip

    def _message(self, newest: int | None) -> str:
        test, name = self.bound.test, self.topic.name
        if test.kind == "freshness":
            if newest is None:
                return f"'{name}' has no records: {test.text}"
            late = self.now - newest
            if late <= test.within:
                return ""
            # Hours are hard to read where it is days.
            old = f"{late // _DAY:,} d" if late >= 2 * _DAY else duration_text(late / 1000)
            return f"the newest record of '{name}' is {old} old: {test.text}"
        if not self._failed:
            return ""
        if test.kind == "sql":
            query = " ".join(test.given.split())
            return f"{plural(self._failed, 'row')} of a query that must give none, of '{name}': {query}"
        return failed_text(name, self._failed, "row" if self.table or self.bound.rows else "record", test.text)


def failed_text(topic: str, count: int, what: str, test: str) -> str:
    """`2 records of 'rides' fail: not_null station`."""
    return f"{plural(count, what)} of '{topic}' {'fails' if count == 1 else 'fail'}: {test}"


def _tested(records: Iterator[Tested], topic: Topic, table: bool, last: int, newest: list[int]) -> Iterable[Tested]:
    """What of a log is tested: the rows of a TABLE by key, or the records, of which only the last. `newest` gets the
    time of the newest record, of those included that are not tested.
    """

    def noted() -> Iterator[Tested]:
        for record in records:
            if not newest or record.timestamp > newest[0]:
                newest[:] = [record.timestamp]
            yield record

    if table:
        rows: dict[bytes, Tested] = {}
        encode = codec.encoder(topic.key.type)
        for record in noted():
            if record.key is not None:
                rows[encode(record.key)] = record
        return (record for record in rows.values() if record.value is not None)
    if not last:
        return noted()
    return deque(noted(), maxlen=last)


def _text(column: Column, value: Any) -> str:
    return canonical_text(column.type, value)


def _plain(record: Tested) -> Record:
    if isinstance(record, Record):
        return record
    return Record(record.topic, record.key, record.value, record.timestamp, record.headers)


def _failure(topic: Topic, record: Tested, *, with_partitions: bool) -> Failure:
    key = canonical_text(topic.key.type, record.key)
    value = canonical_text(topic.value.type, record.value)
    ordinal = record.ordinal if isinstance(record, StoredRecord) else ()
    if with_partitions and len(ordinal) == 3:
        return Failure(key, value, record.timestamp, ordinal, ordinal[2] & _PARTITION, ordinal[1])
    return Failure(key, value, record.timestamp, ordinal)


def _cut(failure: Failure) -> str:
    text = f"key {failure.key}, value {failure.value}"
    return text if len(text) <= 120 else f"{text[:119]}…"
