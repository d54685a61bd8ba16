"""The meaning of a plan, record by record over plain Python values: slow, obvious, and without SQL.

It knows nothing of how the engines work: a STREAM is a list of records, a TABLE the list of its changes, and a node
walks through what its inputs did in order of arrival. The properties hold the engines against it.

An ordinal is a tuple of integers (docs/reference/lenses.md, "What depends on batches"): the ordinal of the record
that caused the row, then that of the other side of a join, then an index.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.identity import keeps_history, keyed_by_identity
from lsqlc.plan.plan import Plan
from lsqlc.plan.windows import Hop, Session, Tumble, Window
from lsqlc.types.record import BEFORE_RECORDS, LATEST, Record
from tests.reference_expressions import Facets, evaluate
from tests.reference_functions import fitting

Ordinal = tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """A record of a STREAM, or a version of a TABLE's row."""

    ordinal: Ordinal
    timestamp: int
    facets: Facets

    @property
    def value(self) -> Any:
        return self.facets[0][1]


@dataclass(frozen=True)
class Change:
    """At `moment` the row `id` of a TABLE becomes `row`, or goes away. `key` is its key either way."""

    moment: Ordinal
    timestamp: int
    id: Any
    key: Any
    row: Row | None


def run(plan: Plan, records: Sequence[Record]) -> dict[str, list[Record]]:
    """What the plan writes, by topic: a TABLE's live rows by key, a STREAM's records by ordinal."""
    written: dict[str, list[Record]] = {}
    for sink in plan.sinks:
        name = sink.topic.name
        if sink.semantics == "STREAM":
            numbered = [(i, r) for i, node in enumerate(sink.inputs) for r in stream(node, records)]
            rows = [r for _, r in sorted(numbered, key=lambda r: (r[1].ordinal, r[0], *map(order, r[1].facets[0])))]
        else:
            live = final(table(sink.inputs[0], records))
            rows = sorted(live.values(), key=lambda r: order(r.facets[0][0]))
        written[name] = [Record(name, *row.facets[0], row.timestamp) for row in rows]
    return written


def order(value: Any) -> Any:
    """What sorts as keys do: null first, structs field by field."""
    if isinstance(value, dict):
        return (1, [order(v) for v in value.values()])
    if isinstance(value, tuple):
        return (1, [order(v) for v in value])
    return (0, 0) if value is None else (1, value)


def frozen(value: Any) -> Any:
    """A value that can be looked up: equal for equal values of one type, nulls included, and in order as they are."""
    if isinstance(value, dict):
        return tuple((k, frozen(v)) for k, v in value.items())
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def final(changes: Iterable[Change]) -> dict[Any, Row]:
    """The rows that live after all changes."""
    state: dict[Any, Row] = {}
    for change in changes:
        apply(state, change)
    return state


def apply(state: dict[Any, Row], change: Change) -> None:
    if change.row is None:
        state.pop(change.id, None)
    else:
        state[change.id] = change.row


# Streams


def stream(node: nodes.Node, log: Sequence[Record]) -> list[Row]:
    """The records of a STREAM, by ordinal."""
    return sorted(_stream(node, log), key=lambda r: r.ordinal)


def _stream(node: nodes.Node, log: Sequence[Record]) -> Iterator[Row]:
    match node:
        case nodes.Scan():
            own = [(place, record) for place, record in enumerate(log) if record.topic == node.topic.name]
            for offset, (place, record) in enumerate(own):
                value = record.value
                if node.places and value is not None:
                    value = {**value, "ROWPARTITION": 0, "ROWOFFSET": offset}
                yield Row((place,), record.timestamp, ((record.key, value),))
        case nodes.Repartition():
            yield from stream(node.input, log)
        case nodes.Reinterpret():
            for change in table(node.input, log):
                value = change.row.value if change.row else None
                yield Row(change.moment, change.timestamp, ((change.key, value),))
        case nodes.EventTime():
            for row in stream(node.input, log):
                if row.value is None:
                    yield row
                else:
                    time = of_row(node.time, row)
                    if time is not None and 0 <= time <= LATEST:
                        yield replace(row, timestamp=time)
                    else:
                        assert node.passes_over, "no reference for a record that is refused"
        case nodes.Filter():
            for row in stream(node.input, log):
                if _is_tombstone(node.input, row) and _reads_value(node.condition):
                    continue
                if of_row(node.condition, row) is True:
                    yield row
        case nodes.Project():
            for row in stream(node.input, log):
                value = None if _is_tombstone(node.input, row) else of_row(node.value, row)
                yield Row(row.ordinal, row.timestamp, ((of_row(node.key, row), value),))
        case nodes.Lateral():
            for row in stream(node.input, log):
                array = None if _is_tombstone(node.input, row) else of_row(node.array, row)
                for index, element in enumerate(array or []):
                    yield Row((*row.ordinal, index), row.timestamp, (*row.facets, (None, element)))
        case nodes.Join(style="stream-stream"):
            yield from _stream_stream(node, log)
        case nodes.Join():
            yield from _stream_table(node, log)
        case _:
            raise AssertionError(f"{type(node).__name__} has no reference, or gives no STREAM")


def _is_tombstone(source: nodes.Node, row: Row) -> bool:
    """Whether the record itself has no value; below a join a null is a side that is missing."""
    return row.value is None and len(source.relations) == 1


def _reads_value(condition: ex.Expression) -> bool:
    return any(isinstance(part, ex.Field) and part.facet == "value" for part in ex.walk(condition))


def _join_key(join: nodes.Join, side: int, row: Row) -> Any:
    """The values that must be equal; None if the row can match nothing."""
    condition = join.left_condition if side == 0 else join.right_condition
    if condition is not None and of_row(condition, row) is not True:
        return None
    values = [of_row(pair[side], row) for pair in join.equalities]
    return None if None in values else frozen(values)


def _nothing(node: nodes.Node) -> Facets:
    return ((None, None),) * len(node.relations)


def _paired(join: nodes.Join, side: int, later: Ordinal, other: Ordinal) -> Ordinal:
    """The ordinal of a pair whose later record is that of a side. Two records of a topic that is on both sides make two
    pairs: the one in which the later record is on the left comes first.
    """
    return (*later, *other, side) if _meets_itself(join) else later + other


def _of_both(join: nodes.Join, left: Row, right: Row) -> Ordinal:
    if left.ordinal > right.ordinal:
        return _paired(join, 0, left.ordinal, right.ordinal)
    return _paired(join, 1, right.ordinal, left.ordinal)


def _unpaired(join: nodes.Join, side: int, row: Row) -> Ordinal:
    """The ordinal of a row of a side alone: below those of its pairs, and of one record the left side's first."""
    return (*row.ordinal, side - 2) if _meets_itself(join) and join.kind == "OUTER" else row.ordinal


def _meets_itself(join: nodes.Join) -> bool:
    topics = [{scan.topic.name for scan in nodes.scans(source)} for source in (join.left, join.right)]
    return bool(topics[0] & topics[1])


def _stream_stream(join: nodes.Join, log: Sequence[Record]) -> Iterator[Row]:
    sources = (join.left, join.right)
    outer = [side for side, kinds in enumerate((("LEFT", "OUTER"), ("RIGHT", "OUTER"))) if join.kind in kinds]
    arrived: tuple[list[Row], list[Row]] = ([], [])
    waiting: tuple[dict[int, Row], dict[int, Row]] = ({}, {})
    clock = _Clock(join)
    sides = [(row, side) for side, source in enumerate(sources) for row in stream(source, log)]
    for row, side in sorted(sides, key=lambda r: (r[0].ordinal, r[1])):
        tombstone = _is_tombstone(sources[side], row)
        if not clock.takes(row, side, tombstone) or tombstone:
            continue
        found = [other for other in arrived[1 - side] if clock.knows(other, 1 - side) and _meet(join, row, side, other)]
        arrived[side].append(row)
        for other in found:
            waiting[1 - side].pop(id(other), None)
            left, right = (row, other) if side == 0 else (other, row)
            time = max(left.timestamp, right.timestamp)
            yield Row(_of_both(join, left, right), time, left.facets + right.facets)
        if side not in outer or found:
            continue
        if join.eager or clock.is_past(row, side):
            yield _alone(join, row, side)
        else:
            waiting[side][id(row)] = row
    for side in (0, 1):
        for row in waiting[side].values():
            yield _alone(join, row, side)


def _alone(join: nodes.Join, row: Row, side: int) -> Row:
    facets = row.facets + _nothing(join.right) if side == 0 else _nothing(join.left) + row.facets
    return replace(row, ordinal=_unpaired(join, side, row), facets=facets)


def _meet(join: nodes.Join, row: Row, side: int, other: Row) -> bool:
    left, right = (row, other) if side == 0 else (other, row)
    before, after = join.spread
    near = left.timestamp - before <= right.timestamp <= left.timestamp + after
    key = _join_key(join, side, row)
    return near and key is not None and _join_key(join, 1 - side, other) == key


class _Clock:
    """The time of a join of two streams: of both together, and where each side forgets by itself, of each."""

    def __init__(self, join: nodes.Join) -> None:
        self.join = join
        self.newest: list[int | None] = [None, None]
        self.arrival = -1
        self.before: int | None = None

    @property
    def now(self) -> int | None:
        return max((t for t in self.newest if t is not None), default=None)

    def takes(self, row: Row, side: int, tombstone: bool) -> bool:
        """Whether a record is not late; time goes on with it. Where each side forgets by itself no record is late, and
        a tombstone is no record.
        """
        before = self.newest[side]
        if row.ordinal[0] != self.arrival:
            # What one record causes arrives together.
            self.arrival, self.before = row.ordinal[0], self.now
        now = self.before
        if not (self.join.expires and tombstone):
            self.newest[side] = row.timestamp if before is None else max(row.timestamp, before)
        return self.join.expires or now is None or row.timestamp + self._wait(side) + self.join.grace > now

    def knows(self, row: Row, side: int) -> bool:
        """Whether a record that came before is not forgotten yet."""
        newest = self.newest[side]
        keep = sum(self.join.spread) + self.join.grace
        return not self.join.expires or newest is None or row.timestamp > newest - keep

    def is_past(self, row: Row, side: int) -> bool:
        """Whether the time of all that a record could meet is past when it comes."""
        return self.join.expires and self.now is not None and row.timestamp + self._wait(side) < self.now

    def _wait(self, side: int) -> int:
        """How much later than a record what it meets may be."""
        return self.join.spread[1 if side == 0 else 0]


def _stream_table(join: nodes.Join, log: Sequence[Record]) -> Iterator[Row]:
    side = 0 if join.style == "stream-table" else 1
    streamed, tabled = (join.left, join.right) if side == 0 else (join.right, join.left)

    def joined(ordinal: Ordinal, timestamp: int, record: Row, version: Row | None) -> Row:
        other = version.facets if version else _nothing(tabled)
        return Row(ordinal, timestamp, record.facets + other if side == 0 else other + record.facets)

    # The table as it is joined: by the join's own key.
    # One record can change several rows: of equal ordinals the greatest identity comes last.
    changes = sorted(table(tabled, log), key=lambda c: (c.moment, _nulls_first(c.id)))
    changes = list(_by_key(changes, lambda row: _join_key(join, 1 - side, row)))
    changes = sorted({_version(c): c for c in changes}.values(), key=lambda c: c.moment)
    for record in stream(streamed, log):
        if _is_tombstone(streamed, record):
            continue
        key = _join_key(join, side, record)
        # It meets the table as it was before the record that it is made of.
        before = {c.id: c for c in changes if c.moment[0] < record.ordinal[0]}
        met = before.get(key) if key is not None else None
        if met and met.row:
            yield joined(_paired(join, side, record.ordinal, _rank(met)), record.timestamp, record, met.row)
            continue
        if join.kind == "INNER":
            continue
        yield joined(record.ordinal, record.timestamp, record, None)
        if join.retention is None:
            continue
        # Where both sides are one topic, a record finds the rows before it, and its own row appears with it.
        after = ((_rank(c), c.row) for c in changes if c.moment[0] >= record.ordinal[0] and c.id == key and c.row)
        moment, first = next(after, ((), None)) if key is not None else ((), None)
        if first and first.timestamp - record.timestamp <= join.retention:
            time = max(first.timestamp, record.timestamp)
            yield joined(_paired(join, 1 - side, moment, record.ordinal), time, record, first)


def _version(change: Change) -> tuple[Ordinal, Any]:
    """What changes of one row have in common that one record causes."""
    return change.moment, change.id


def _rank(change: Change) -> Ordinal:
    """The ordinal of the row that a change brings: its own, or that of the change where another record brought it."""
    assert change.row is not None
    return change.row.ordinal if change.row.ordinal[0] == change.moment[0] else change.moment


# Tables


def table(node: nodes.Node, log: Sequence[Record]) -> list[Change]:
    """The changes of a TABLE by the record that caused them: of one record, the pairs of a join in order of their
    ordinals, and else as they follow from each other.
    """
    pairs = isinstance(node, nodes.Join)
    return sorted(_table(node, log), key=lambda c: c.moment if pairs else c.moment[:1])


def _table(node: nodes.Node, log: Sequence[Record]) -> Iterator[Change]:
    match node:
        case nodes.Scan() | nodes.Reinterpret():
            records = _stream(node, log) if isinstance(node, nodes.Scan) else stream(node.input, log)
            for row in records:
                key, value = row.facets[0]
                if key is not None:
                    yield Change(row.ordinal, row.timestamp, frozen(key), key, None if value is None else row)
        case nodes.Repartition():
            yield from table(node.input, log)
        case nodes.Filter():
            shown = set()
            for change in table(node.input, log):
                kept = change.row and of_row(node.condition, change.row) is True
                if kept:
                    shown.add(change.id)
                elif change.id not in shown and not keyed_by_identity(node):
                    # Of rows that share a key one that was never there deletes nothing.
                    continue
                yield Change(change.moment, change.timestamp, change.id, change.key, change.row if kept else None)
        case nodes.EventTime():
            for change in table(node.input, log):
                if change.row is None:
                    yield change
                    continue
                time = of_row(node.time, change.row)
                assert time is not None and time >= 0, "no reference for a row without a time"
                yield replace(change, timestamp=time, row=replace(change.row, timestamp=time))
        case nodes.Project():
            yield from _project(node, log)
        case nodes.Lateral():
            yield from _lateral(node, log)
        case nodes.Rekey():
            yield from _rekey(node, log)
        case nodes.Aggregate():
            yield from _aggregate(node, log)
        case nodes.Join():
            yield from _table_table(node, log)
        case _:
            raise AssertionError(f"{type(node).__name__} has no reference")


def _project(node: nodes.Project, log: Sequence[Record]) -> Iterator[Change]:
    keys: dict[Any, Any] = {}
    for change in table(node.input, log):
        row = None
        key = keys.get(change.id, change.key)
        if change.row:
            key = keys[change.id] = of_row(node.key, change.row)
            value = of_row(node.value, change.row)
            row = Row(change.row.ordinal, change.timestamp, ((key, value),)) if value is not None else None
        yield Change(change.moment, change.timestamp, change.id, key, row)


def _lateral(node: nodes.Lateral, log: Sequence[Record]) -> Iterator[Change]:
    """Each element is a row of its own; an update takes the old ones away first."""
    elements: dict[Any, int] = {}
    for change in table(node.input, log):
        for index in range(elements.pop(change.id, 0)):
            yield Change(change.moment, change.timestamp, (change.id, index), change.key, None)
        array = of_row(node.array, change.row) or [] if change.row else []
        elements[change.id] = len(array)
        for index, element in enumerate(array):
            assert change.row
            moment = (*change.moment, index)
            row = Row((*change.row.ordinal, index), change.timestamp, (*change.row.facets, (None, element)))
            yield Change(moment, change.timestamp, (change.id, index), change.key, row)


def _by_key(changes: Iterable[Change], key_of: Any) -> Iterator[Change]:
    """A table as a stream meets it: of the rows with one key the one that came last, as long as it lives."""
    current: dict[Any, tuple[Any, Row]] = {}
    newest: dict[Any, Row] = {}
    for change in changes:
        if change.id in current:
            key, row = current.pop(change.id)
            if newest[key] is row:
                yield Change(change.moment, change.timestamp, key, row.facets[0][0], None)
        if change.row is None:
            continue
        key = key_of(change.row)
        if key is None:
            continue
        current[change.id] = (key, change.row)
        newest[key] = change.row
        yield Change(change.moment, change.timestamp, key, change.row.facets[0][0], change.row)


def _rekey(node: nodes.Rekey, log: Sequence[Record]) -> Iterator[Change]:
    """After every arrival one row per new key: of those that count the one with the highest ordinal, if it lives. The
    greatest identity decides between equal ordinals.
    """
    before: dict[Any, Row] = {}
    for place, record in enumerate(log):
        newest: dict[Any, tuple[Row, bool]] = {}
        counted = _counted(node.input, log[: place + 1])
        for _, (row, lives) in sorted(counted.items(), key=lambda each: (each[1][0].ordinal, _nulls_first(each[0]))):
            key = frozen(row.facets[0][0])
            if key is not None:
                newest[key] = row, lives
        now = {key: row for key, (row, lives) in newest.items() if lives}
        for key in before.keys() - now.keys():
            yield Change((place,), record.timestamp, key, before[key].facets[0][0], None)
        for key, row in now.items():
            if key not in before or (before[key].ordinal, before[key].facets) != (row.ordinal, row.facets):
                yield Change((place, *row.ordinal), row.timestamp, key, row.facets[0][0], row)
        before = now


def _nulls_first(id: Any) -> tuple[Any, ...]:
    """An identity as Spark and DuckDB order it."""
    if isinstance(id, tuple):
        return (1, tuple(map(_nulls_first, id)))
    return (0,) if id is None else (1, id)


Counted = dict[Any, tuple[Row, bool]]


def _counted(node: nodes.Node, log: Sequence[Record]) -> Counted:
    """The rows of a TABLE that count where several have one new key, by what tells them and their versions apart, and
    whether they live: those that ever were. Of a TABLE whose history nobody knows, only those that live.

    A row that stands alone is as though it had never met another: the pairs that it was in do not count.
    """
    if not keeps_history(node):
        return {id: (row, True) for id, row in final(table(node, log)).items()}
    match node:
        case nodes.Filter():
            below = _counted(node.input, log)
            return {id: (row, lives) for id, (row, lives) in below.items() if of_row(node.condition, row) is True}
        case nodes.Project():
            found = {}
            for id, (row, lives) in _counted(node.input, log).items():
                key, value = of_row(node.key, row), of_row(node.value, row)
                if value is not None:
                    found[id] = replace(row, facets=((key, value),)), lives
            return found
        case nodes.Repartition() | nodes.EventTime():
            return _counted(node.input, log)
        case nodes.Join():
            return _counted_pairs(node, log)
    known: dict[Any, Row] = {}
    ever: Counted = {}
    for change in table(node, log):
        apply(known, change)
        if change.row:
            ever[change.id, change.row.ordinal] = change.row, False
    return ever | {(id, row.ordinal): (row, True) for id, row in known.items()}


def _counted_pairs(join: nodes.Join, log: Sequence[Record]) -> Counted:
    """What counts of a join: the pairs and the rows alone that ever were, of rows that count themselves."""
    sides: tuple[dict[Any, Row], dict[Any, Row]] = ({}, {})
    ever: dict[Any, tuple[Row, Sequence[Any]]] = {}
    now: set[Any] = set()
    for _, both in _arrivals(table(join.left, log), table(join.right, log)):
        for state, changes in zip(sides, both, strict=True):
            for change in changes:
                apply(state, change)
        now = set()
        for id, (one, other) in _pairs(join, *sides).items():
            row = _pair(join, one, other)
            ever[id, row.ordinal] = row, (one and (id[0], one.ordinal), other and (id[1], other.ordinal))
            now.add((id, row.ordinal))
        of = {version: parts for version, (_, parts) in ever.items()}
        alone = {(side, of[v][side]) for v in now for side in (0, 1) if of[v][1 - side] is None}
        for version, parts in of.items():
            if None not in parts and any((side, parts[side]) in alone for side in (0, 1)):
                del ever[version]
    count = _counted(join.left, log), _counted(join.right, log)
    return {
        version: (row, version in now)
        for version, (row, parts) in ever.items()
        if all(part is None or part in count[side] for side, part in enumerate(parts))
    }


def _arrivals(*logs: list[Change]) -> Iterator[tuple[int, list[list[Change]]]]:
    """What each log did when each record arrived that made one of them do something."""
    at: dict[int, list[list[Change]]] = defaultdict(lambda: [[] for _ in logs])
    for number, changes in enumerate(logs):
        for change in changes:
            at[change.moment[0]][number].append(change)
    yield from sorted(at.items())


def _table_table(join: nodes.Join, log: Sequence[Record]) -> Iterator[Change]:
    """After every arrival, all pairs that match, and the rows of an outer side that have no pair."""
    left: dict[Any, Row] = {}
    right: dict[Any, Row] = {}
    before: dict[Any, tuple[Row | None, Row | None]] = {}
    shown: dict[Any, Row] = {}
    for arrival, (of_left, of_right) in _arrivals(table(join.left, log), table(join.right, log)):
        for change in of_left:
            apply(left, change)
        for change in of_right:
            apply(right, change)
        now = _pairs(join, left, right)
        time = max(c.timestamp for c in of_left + of_right)
        for id in before.keys() - now.keys():
            yield Change((arrival,), time, id, shown[id].facets[0][0], None)
        for id, (one, other) in now.items():
            if id in before and before[id][0] is one and before[id][1] is other:
                continue
            shown[id] = _pair(join, one, other)
            yield Change((arrival, *shown[id].ordinal), shown[id].timestamp, id, shown[id].facets[0][0], shown[id])
        before = now


def _pairs(join: nodes.Join, left: dict[Any, Row], right: dict[Any, Row]) -> dict[Any, tuple[Row | None, Row | None]]:
    keys = {id: _join_key(join, 1, row) for id, row in right.items()}
    found: dict[Any, tuple[Row | None, Row | None]] = {}
    met = set()
    for l_id, row in left.items():
        key = _join_key(join, 0, row)
        partners = [id for id, other in keys.items() if key is not None and other == key]
        met |= set(partners)
        for r_id in partners:
            found[l_id, r_id] = (row, right[r_id])
        if not partners and join.kind in ("LEFT", "OUTER"):
            found[l_id, None] = (row, None)
    if join.kind in ("RIGHT", "OUTER"):
        found |= {(None, id): (None, other) for id, other in right.items() if id not in met}
    return found


def _pair(join: nodes.Join, left: Row | None, right: Row | None) -> Row:
    """A row of a join: of two the ordinal of the later one and then the other's, alone its own."""
    if left and right:
        time = max(left.timestamp, right.timestamp)
        return Row(_of_both(join, left, right), time, left.facets + right.facets)
    alone = left or right
    assert alone
    return _alone(join, alone, 0 if left else 1)


# Aggregates


def _aggregate(node: nodes.Aggregate, log: Sequence[Record]) -> Iterator[Change]:
    """After each record the groups that it touched: what it causes arrives together, so that each changes once."""
    for _, together in groupby(_states(node, log), key=lambda c: c.moment[0]):
        last: dict[Any, Change] = {}
        for change in together:
            last.pop(change.id, None)
            last[change.id] = change
        yield from last.values()


def _states(node: nodes.Aggregate, log: Sequence[Record]) -> Iterator[Change]:
    """After each row, or change of a table, the groups that it touched."""
    if node.window is not None:
        yield from _windowed(node, node.window, log)
        return
    members: dict[Any, dict[Any, Row]] = defaultdict(dict)
    keys: dict[Any, Any] = {}
    of_row: dict[Any, Any] = {}
    if node.total:
        first = Row((BEFORE_RECORDS,) * node.ordinal_width, 0, _nothing(node.input))
        key = _group_key(node, first)
        keys[frozen(key)] = key
        yield _state(node, Change(first.ordinal, 0, None, None, None), frozen(key), key, [])
    is_table = node.input.semantics == "TABLE"
    changes = table(node.input, log) if is_table else _as_changes(node, log)
    for _, together in groupby(changes, key=lambda c: c.moment):
        # What one record does to a group is one change: it may take several rows away.
        touched: dict[Any, Change] = {}
        for change in together:
            if change.id in of_row:
                group = of_row.pop(change.id)
                del members[group][change.id]
                touched[group] = change
            key = _group_key(node, change.row) if change.row else None
            if change.row and key is not None:
                group = frozen(key)
                keys[group], of_row[change.id] = key, group
                members[group][change.id] = change.row
                touched[group] = change
        for group, change in touched.items():
            rows = [members[group][id] for id in sorted(members[group], key=order if is_table else None)]
            yield _state(node, change, group, keys[group], rows)


def _windowed(node: nodes.Aggregate, window: Window, log: Sequence[Record]) -> Iterator[Change]:
    """The groups by window, from the records that are not late for theirs."""
    if isinstance(window, Session):
        yield from _once_final(window, _sessions(node, window, log))
        return
    yield from _once_final(window, _aligned(node, window, log))


def _once_final(window: Window, changes: Iterator[Change]) -> Iterator[Change]:
    """The changes, or where windows are written once they are closed only the last of each."""
    if not window.final:
        yield from changes
        return
    last = {frozen(change.key): change for change in changes}
    yield from (change for change in last.values() if change.row is not None)


def _timely(node: nodes.Aggregate, log: Sequence[Record]) -> Iterator[tuple[Row, Any, int | None]]:
    """The records that belong to a group, with it and with the newest time that came before each."""
    newest: int | None = None
    seen: int | None = None
    arrival = -1
    for row in stream(node.input, log):
        group = _group_key(node, row)
        if _is_tombstone(node.input, row) or group is None:
            continue
        if row.ordinal[0] != arrival:
            # What one record causes arrives together.
            arrival, seen = row.ordinal[0], newest
        newest = row.timestamp if newest is None else max(newest, row.timestamp)
        yield row, group, seen


def _aligned(node: nodes.Aggregate, window: Tumble | Hop, log: Sequence[Record]) -> Iterator[Change]:
    members: dict[Any, list[Row]] = defaultdict(list)
    for row, group, seen in _timely(node, log):
        for start in _starts(window, row.timestamp):
            end = start + window.size
            if seen is not None and end + window.grace <= seen:
                continue
            rows = members[frozen(group), start]
            rows.append(row)
            key = {"key": group, "start": start, "end": end}
            yield _state(node, Change(row.ordinal, row.timestamp, None, key, row), frozen(key), key, rows)


def _sessions(node: nodes.Aggregate, window: Session, log: Sequence[Record]) -> Iterator[Change]:
    """A record takes the sessions of its group that are near and still open with it into one."""
    sessions: dict[Any, list[list[Row]]] = defaultdict(list)
    for row, group, seen in _timely(node, log):
        closed = -1 if seen is None else seen - window.grace
        if row.timestamp <= closed:
            continue
        own = sessions[frozen(group)]
        near = [s for s in own if _is_near(s, row.timestamp, window.gap) and max(r.timestamp for r in s) > closed]
        merged = sorted([row, *(r for s in near for r in s)], key=lambda r: r.ordinal)
        sessions[frozen(group)] = [s for s in own if s not in near] + [merged]
        key = _session_key(group, merged)
        for old in near:
            if _session_key(group, old) != key:
                yield Change(
                    row.ordinal, row.timestamp, frozen(_session_key(group, old)), _session_key(group, old), None
                )
        yield _state(node, Change(row.ordinal, row.timestamp, None, key, row), frozen(key), key, merged)


def _is_near(session: list[Row], time: int, gap: int) -> bool:
    """Whether a time is in a session, or at most a gap from it."""
    times = [r.timestamp for r in session]
    return min(times) - gap <= time <= max(times) + gap


def _session_key(group: Any, session: list[Row]) -> dict[str, Any]:
    times = [r.timestamp for r in session]
    return {"key": group, "start": min(times), "end": max(times)}


def _starts(window: Tumble | Hop, time: int) -> range:
    """Where the windows of a record start; none does before the epoch."""
    last = time // window.advance * window.advance
    return range(
        max(last - (window.size - 1 - time % window.advance) // window.advance * window.advance, 0),
        last + 1,
        window.advance,
    )


def _as_changes(node: nodes.Aggregate, log: Sequence[Record]) -> Iterator[Change]:
    """The records of a STREAM that have a value, each for itself."""
    for number, row in enumerate(stream(node.input, log)):
        if not _is_tombstone(node.input, row):
            # Two records may have one ordinal: the pairs of two records of a topic that is joined with itself.
            yield Change(row.ordinal, row.timestamp, number, None, row)


def _group_key(node: nodes.Aggregate, row: Row) -> Any:
    values = [of_row(key, row) for key in node.keys]
    return dict(zip(node.key_names, values, strict=True)) if node.key_names else values[0]


def _state(node: nodes.Aggregate, change: Change, group: Any, key: Any, rows: list[Row]) -> Change:
    row = None
    if rows or node.keeps_empty or node.total:
        value = {f"a{i}": aggregate(call, rows) for i, call in enumerate(node.aggregates)}
        row = Row(change.moment, max((r.timestamp for r in rows), default=change.timestamp), ((key, value),))
    return Change(change.moment, change.timestamp, group, key, row)


def of_row(expression: ex.Expression, row: Row) -> Any:
    """The value of an expression over a row, its time included."""
    return evaluate(expression, row.facets, row.timestamp)


def _sum(values: list[Any]) -> Any:
    """The exact sum, rounded once; an infinity where no DOUBLE holds it."""
    if not any(isinstance(v, float) for v in values):
        return sum(values)
    if odd := [v for v in values if not math.isfinite(v)]:
        return sum(odd)
    total = sum(map(Fraction, values), Fraction())
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def aggregate(call: ex.Aggregation, rows: list[Row]) -> Any:
    """An aggregate of rows, in the order that it sees them in."""
    if not call.arguments:
        return len(rows)
    all_values = [of_row(call.arguments[0], row) for row in rows]
    values = [v for v in all_values if v is not None]
    literals = [a.value for a in call.arguments[1:] if isinstance(a, ex.Literal)]
    limit = next((n for n in literals if isinstance(n, int) and not isinstance(n, bool)), None)
    if any(n is False for n in literals):
        # BY_OFFSET that does not skip nulls.
        values = all_values
    match call.function:
        case "COUNT":
            return len(values)
        case "SUM":
            return fitting(_sum(values), call.type) if values else None
        case "AVG":
            return _sum(values) / len(values) if values else None
        case "FIRST":
            return all_values[0]
        case "LAST":
            return all_values[-1]
        case "COLLECT":
            return values[:limit]
        case "COLLECT_UNIQUE":
            return list(dict.fromkeys(values))[:limit]
        case "MAXK" | "MINK" | "MAXK_UNIQUE" | "MINK_UNIQUE":
            chosen = set(values) if call.function.endswith("_UNIQUE") else values
            best = sorted(chosen, reverse=call.function.startswith("MAX"))[:limit]
            return (best[0] if best else None) if limit == 1 else best
        case "MIN" | "MAX":
            return (min if call.function == "MIN" else max)(values, default=None)
        case "COUNT_DISTINCT":
            return sum(v not in values[:i] for i, v in enumerate(values))
        case "COLLECT_LIST":
            return all_values
        case "COLLECT_SET":
            return [v for i, v in enumerate(all_values) if v not in all_values[:i]]
        case "TOPK" | "TOPKDISTINCT":
            return sorted(set(values) if call.function.endswith("DISTINCT") else values, reverse=True)[:limit]
        case "TOPK_ROWS":
            known = [v for v in values if v["sort_col"] is not None]
            return sorted(known, key=lambda v: v["sort_col"], reverse=True)[:limit]
        case "HISTOGRAM":
            return {value: values.count(value) for value in values}
        case "EARLIEST_BY_OFFSET":
            return values[:limit] if limit else values[0] if values else None
        case "LATEST_BY_OFFSET":
            return values[-limit:] if limit else values[-1] if values else None
    raise AssertionError(f"no reference for {call.function}")
