"""Comparison of expected and actual rows, cell by cell.

Rows of a TABLE are matched by key. Records of a STREAM are matched by the longest common subsequence, and by position
between two common records. A compacted STREAM (docs/reference/lenses.md, "Changes of a TABLE") is compared by the last
record of each key without timestamps.

Values are equal as the codec defines it. A cell that only one side has is a difference, even if the other side is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from lsqlc.golden.canonical import canonical_text
from lsqlc.golden.case_records import Expected
from lsqlc.golden.snapshot import GoldenRow
from lsqlc.plan import Plan
from lsqlc.plan.identity import compacted_topics
from lsqlc.types import codec, data
from lsqlc.types.codec_exact import Problem, inside, read_node
from lsqlc.types.codec_json import Kind, Node, read
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.headers import LINE_HEADERS, Headers, header_values
from lsqlc.types.record import Outcome, Record, Topic


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that differs, such as `value.n`. Both sides are JSON text, None if the side has no such cell."""

    path: str
    expected: str | None
    actual: str | None


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that is `missing` (only expected), `unexpected` (only actual) or `changed`.

    `key` and `value`: JSON text, of the expected row if there is one. `line`: in the golden file, from 1, or None.
    """

    kind: str
    key: str
    value: str
    cells: tuple[Cell, ...] = ()
    line: int | None = None


@dataclass(frozen=True, slots=True)
class TopicDifference:
    """The differing rows of one topic. `expected` and `actual`: the numbers of all rows."""

    topic: str
    semantics: str
    compacted: bool
    rows: tuple[RowDifference, ...]
    expected: int
    actual: int


def compare(
    plan: Plan,
    rows: Sequence[GoldenRow],
    outcome: Outcome,
    *,
    topics: Iterable[str] | None = None,
    ordered: bool = True,
) -> tuple[TopicDifference, ...]:
    """Return the topics whose rows differ, in order of the program. `topics`: None for all.

    `ordered` False: records of a STREAM must only keep their order within each key, as with an engine that processes
    batches (docs/reference/lenses.md, "Engines").
    """
    selected = None if topics is None else set(topics)
    topic_differences = []
    changes = compacted_topics(plan.sinks)
    for topic in plan.outputs:
        if selected is not None and topic.name not in selected:
            continue
        expected = [row for row in rows if row.topic == topic.name]
        actual = outcome.topics.get(topic.name, ())
        is_compacted, semantics = topic.name in changes, plan.semantics[topic.name]
        comparison = _Comparison(topic, expected, actual)
        if semantics == "TABLE" or is_compacted:
            row_differences = comparison.by_key(last=is_compacted)
        else:
            row_differences = comparison.by_order(ordered)
        if row_differences:
            shape = (semantics, is_compacted)
            topic_differences.append(
                TopicDifference(topic.name, *shape, tuple(row_differences), len(expected), len(actual))
            )
    return tuple(topic_differences)


def expected_rows(plan: Plan, expect: Mapping[str, Sequence[Expected]]) -> tuple[GoldenRow, ...]:
    """Return the rows of an `expect` as rows of a golden file."""
    topics = {topic.name: topic for topic in plan.outputs}
    return tuple(
        GoldenRow(
            name,
            read(codec.encode_text(topics[name].key.type, record.key)),
            read(codec.encode_text(topics[name].value.type, record.value)),
            record.timestamp,
            0,
            record.headers,
        )
        for name, records in expect.items()
        for record in records
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of either side. Equal rows have equal `key` and `id`, except for rounding of floating-point numbers."""

    key: str
    id: str


class _Comparison:
    """Comparison of the rows of one topic."""

    def __init__(self, topic: Topic, expected: Sequence[GoldenRow], actual: Sequence[Record]) -> None:
        self._key, self._value = topic.key.type, topic.value.type
        self._expected, self._actual = expected, actual
        self._timed = bool(expected) and all(row.timestamp is not None for row in expected)
        self._left = [_row(_text(self._key, r.key), _text(self._value, r.value), self._time(r)) for r in expected]
        self._right = [
            _row(canonical_text(self._key, r.key), canonical_text(self._value, r.value), self._time(r)) for r in actual
        ]

    def by_key(self, *, last: bool) -> list[RowDifference]:
        """Return the differences of rows matched by key. `last`: compare only the last row of each key."""
        left, right = list(range(len(self._left))), list(range(len(self._right)))
        if last:
            left = list({self._left[i].key: i for i in left}.values())
            right = list({self._right[j].key: j for j in right}.values())
        pairs, missing, unexpected = self._meet(left, right)
        if last:
            # An engine that processes batches never outputs a row that was inserted and deleted in one batch.
            missing = [i for i in missing if _text(self._value, self._expected[i].value) != "null"]
            unexpected = [j for j in unexpected if self._actual[j].value is not None]
        differences = [(i, self._changed(i, j, with_time=False)) for i, j in pairs]
        differences += [(i, self._missing(i)) for i in missing]
        ordered = [row for _, row in sorted(differences, key=lambda item: item[0]) if row is not None]
        return ordered + [self._unexpected(j) for j in unexpected]

    def by_order(self, ordered: bool) -> list[RowDifference]:
        """Return the differences of records matched by order, or by order within their key."""
        if ordered:
            return list(self._sequence(range(len(self._left)), range(len(self._right))))
        left, right = _groups(self._left), _groups(self._right)
        return [
            row
            for key in dict.fromkeys((*left, *right))
            for row in self._sequence(left.get(key, ()), right.get(key, ()))
        ]

    def _sequence(self, left: Sequence[int], right: Sequence[int]) -> Iterator[RowDifference]:
        a = [self._left[i].id for i in left]
        b = [self._right[j].id for j in right]
        if _has_float(self._key) or _has_float(self._value):
            b = [self._near(left, j, set(a)) for j in right]
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            here, there = left[i1:i2], right[j1:j2]
            if tag == "equal" or len(here) == len(there):
                pairs = list(zip(here, there, strict=True))
                missing: list[int] = []
                unexpected: list[int] = []
            else:
                pairs, missing, unexpected = self._meet(here, there)
            yield from (row for i, j in pairs if (row := self._changed(i, j, with_time=True)) is not None)
            yield from (self._missing(i) for i in missing)
            yield from (self._unexpected(j) for j in unexpected)

    def _near(self, left: Sequence[int], j: int, expected_ids: set[str]) -> str:
        """Return the id of a record, or the id of an expected record that is equal up to rounding."""
        record = self._right[j]
        if record.id in expected_ids:
            return record.id
        near = left if _has_float(self._key) else [i for i in left if self._left[i].key == record.key]
        return next((self._left[i].id for i in near if self._changed(i, j, with_time=True) is None), record.id)

    def _meet(self, left: Sequence[int], right: Sequence[int]) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """Match equal keys. Returns pairs in order, and the unmatched indexes of each side."""
        by_key: dict[str, list[int]] = {}
        for j in reversed(right):
            by_key.setdefault(self._right[j].key, []).append(j)
        pairs, alone = [], []
        for i in left:
            same = by_key.get(self._left[i].key)
            if same:
                pairs.append((i, same.pop()))
            else:
                alone.append(i)
        rest = sorted(j for js in by_key.values() for j in js)
        if _has_float(self._key):
            for i in list(alone):
                near = next((j for j in rest if not self._key_cells(i, j)), None)
                if near is not None:
                    pairs.append((i, near))
                    alone.remove(i)
                    rest.remove(near)
        return pairs, alone, rest

    def _key_cells(self, i: int, j: int) -> list[Cell]:
        return list(cells(self._key, self._expected[i].key, self._actual[j].key, "key"))

    def _changed(self, i: int, j: int, *, with_time: bool) -> RowDifference | None:
        row, record = self._expected[i], self._actual[j]
        differences = [*self._key_cells(i, j), *cells(self._value, row.value, record.value, "value")]
        if with_time and row.timestamp is not None and row.timestamp != record.timestamp:
            differences.append(Cell("timestamp", str(row.timestamp), str(record.timestamp)))
        if row.headers is not None and row.headers != (record.headers or ()):
            differences.append(Cell("headers", _headers_text(row.headers), _headers_text(record.headers or ())))
        if not differences:
            return None
        return RowDifference("changed", row.key.text, row.value.text, tuple(differences), row.line or None)

    def _missing(self, i: int) -> RowDifference:
        row = self._expected[i]
        return RowDifference("missing", row.key.text, row.value.text, line=row.line or None)

    def _unexpected(self, j: int) -> RowDifference:
        record = self._actual[j]
        return RowDifference(
            "unexpected", canonical_text(self._key, record.key), canonical_text(self._value, record.value)
        )

    def _time(self, row: GoldenRow | Record) -> str:
        return str(row.timestamp) if self._timed else ""


def _headers_text(headers: Headers) -> str:
    return codec.encode_text(LINE_HEADERS, header_values(headers))


def _row(key: str, value: str, time: str) -> _Row:
    return _Row(key, f"{key} {value} {time}")


def _groups(rows: Sequence[_Row]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(row.key, []).append(index)
    return groups


def _text(type: DataType, node: Node) -> str:
    """Return the canonical JSON text of a golden value; the text in the file if it does not match the type."""
    problems: list[Problem] = []
    value = read_node(type, node, "", True, problems)
    return node.text if problems else canonical_text(type, value)


def cells(type: DataType, node: Node, value: Any, path: str) -> Iterator[Cell]:
    """Yield the cells in which an actual value differs from a golden one."""
    if isinstance(type, Struct) and node.kind is Kind.OBJECT and value is not None:
        members = {name.value: inner for name, inner in node.value}
        for field in type.fields:
            place, inner = inside(path, field.name), members.pop(field.name, None)
            if inner is None:
                yield Cell(place, None, canonical_text(field.type, value.get(field.name)))
            else:
                yield from cells(field.type, inner, value.get(field.name), place)
        yield from (Cell(inside(path, name), inner.text, None) for name, inner in members.items())
        return
    problems: list[Problem] = []
    expected = read_node(type, node, path, True, problems)
    # Any JSON can be read as a STRING, and a struct in an array may lack fields. So the shape must be equal too.
    if problems or not _same_shape(type, node) or not codec.equal(type, expected, value):
        yield Cell(path, node.text, canonical_text(type, value))


def _same_shape(type: DataType, node: Node) -> bool:
    if node.kind is Kind.NULL:
        return True
    match type:
        case data.STRING:
            return node.kind is Kind.STRING
        case Array(element):
            return all(_same_shape(element, item) for item in node.value)
        case Map(_, inner):
            return all(_same_shape(inner, item) for _, item in node.value)
        case Struct(fields):
            members = {name.value: item for name, item in node.value}
            return all(f.name in members and _same_shape(f.type, members[f.name]) for f in fields)
    return True


def _has_float(type: DataType) -> bool:
    match type:
        case data.FLOAT | data.DOUBLE:
            return True
        case Array(element):
            return _has_float(element)
        case Map(_, inner):
            return _has_float(inner)
        case Struct(fields):
            return any(_has_float(f.type) for f in fields)
    return False
