"""The meaning of a plan, record by record over plain Python values: slow, obvious, and without SQL.

It knows nothing of how the engines work: a STREAM is a list of records, a TABLE the list of its changes, and a node
walks through what its inputs did in order of arrival. The properties hold the engines against it.

An ordinal is a tuple of integers (LANGUAGE.md, "Order, time, tables"): the ordinal of the record that caused the row,
then that of the other side of a join, then an index.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan
from lsqlc.types import data
from lsqlc.types.record import Record
from tests.reference_functions import FUNCTIONS, arithmetic, cast, fitting

Ordinal = tuple[int, ...]
# The key and the value of each relation of a node.
Facets = tuple[tuple[Any, Any], ...]


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
    """A value that can be looked up: equal for equal values, nulls included."""
    if isinstance(value, dict):
        return tuple((k, frozen(v)) for k, v in sorted(value.items()))
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
            for place, record in enumerate(log):
                if record.topic == node.topic.name:
                    yield Row((place,), record.timestamp, ((record.key, record.value),))
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
                    time = evaluate(node.time, row.facets)
                    if time is not None and time >= 0:
                        yield replace(row, timestamp=time)
                    else:
                        assert node.passes_over, "no reference for a record that is refused"
        case nodes.Filter():
            for row in stream(node.input, log):
                if _is_tombstone(node.input, row) and _reads_value(node.condition):
                    continue
                if evaluate(node.condition, row.facets) is True:
                    yield row
        case nodes.Project():
            for row in stream(node.input, log):
                value = None if _is_tombstone(node.input, row) else evaluate(node.value, row.facets)
                yield Row(row.ordinal, row.timestamp, ((evaluate(node.key, row.facets), value),))
        case nodes.Lateral():
            for row in stream(node.input, log):
                for index, element in enumerate(evaluate(node.array, row.facets) or []):
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
    if condition is not None and evaluate(condition, row.facets) is not True:
        return None
    values = [evaluate(pair[side], row.facets) for pair in join.equalities]
    return None if None in values else frozen(values)


def _nothing(node: nodes.Node) -> Facets:
    return ((None, None),) * len(node.relations)


def _later_first(left: Row, right: Row) -> Ordinal:
    pair = sorted((left.ordinal, right.ordinal))
    return pair[1] + pair[0]


def _stream_stream(join: nodes.Join, log: Sequence[Record]) -> Iterator[Row]:
    assert join.within is not None
    sides = [[(row, 0) for row in stream(join.left, log)], [(row, 1) for row in stream(join.right, log)]]
    arrived: tuple[list[Row], list[Row]] = ([], [])
    newest: int | None = None
    met: set[tuple[int, Ordinal]] = set()
    for row, side in sorted(sides[0] + sides[1], key=lambda r: (r[0].ordinal, r[1])):
        late = newest is not None and row.timestamp + join.within + join.grace <= newest
        newest = row.timestamp if newest is None else max(newest, row.timestamp)
        if late or _is_tombstone(join.left if side == 0 else join.right, row):
            continue
        arrived[side].append(row)
        key = _join_key(join, side, row)
        for other in arrived[1 - side]:
            near = abs(other.timestamp - row.timestamp) <= join.within
            if key is None or not near or _join_key(join, 1 - side, other) != key:
                continue
            left, right = (row, other) if side == 0 else (other, row)
            met |= {(0, left.ordinal), (1, right.ordinal)}
            time = max(left.timestamp, right.timestamp)
            yield Row(_later_first(left, right), time, left.facets + right.facets)
    for row in arrived[0]:
        if join.kind in ("LEFT", "OUTER") and (0, row.ordinal) not in met:
            yield Row(row.ordinal, row.timestamp, row.facets + _nothing(join.right))
    for row in arrived[1]:
        if join.kind in ("RIGHT", "OUTER") and (1, row.ordinal) not in met:
            yield Row(row.ordinal, row.timestamp, _nothing(join.left) + row.facets)


def _stream_table(join: nodes.Join, log: Sequence[Record]) -> Iterator[Row]:
    side = 0 if join.style == "stream-table" else 1
    streamed, tabled = (join.left, join.right) if side == 0 else (join.right, join.left)

    def joined(ordinal: Ordinal, timestamp: int, record: Row, version: Row | None) -> Row:
        other = version.facets if version else _nothing(tabled)
        return Row(ordinal, timestamp, record.facets + other if side == 0 else other + record.facets)

    # The table as it is joined: by the join's own key.
    changes = list(_by_key(table(tabled, log), lambda row: _join_key(join, 1 - side, row)))
    for record in stream(streamed, log):
        if _is_tombstone(streamed, record):
            continue
        key = _join_key(join, side, record)
        before = final(c for c in changes if c.moment < record.ordinal)
        version = before.get(key) if key is not None else None
        if version:
            yield joined(record.ordinal + version.ordinal, record.timestamp, record, version)
            continue
        if join.kind == "INNER":
            continue
        yield joined(record.ordinal, record.timestamp, record, None)
        # Where both sides are one topic, a record finds the rows before it, and its own row appears with it.
        after = (c.row for c in changes if c.moment >= record.ordinal and c.id == key and c.row)
        first = next(after, None) if key is not None else None
        if first and first.timestamp - record.timestamp <= join.retention:
            time = max(first.timestamp, record.timestamp)
            yield joined(first.ordinal + record.ordinal, time, record, first)


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
            for change in table(node.input, log):
                kept = change.row and evaluate(node.condition, change.row.facets) is True
                yield Change(change.moment, change.timestamp, change.id, change.key, change.row if kept else None)
        case nodes.EventTime():
            for change in table(node.input, log):
                if change.row is None:
                    yield change
                    continue
                time = evaluate(node.time, change.row.facets)
                assert time is not None and time >= 0, "no reference for a row without a time"
                yield replace(change, timestamp=time, row=replace(change.row, timestamp=time))
        case nodes.Project():
            yield from _project(node, log)
        case nodes.Lateral():
            yield from _lateral(node, log)
        case nodes.Rekey():
            yield from _by_key(table(node.input, log), lambda row: frozen(row.facets[0][0]))
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
            key = keys[change.id] = evaluate(node.key, change.row.facets)
            value = evaluate(node.value, change.row.facets)
            row = Row(change.moment, change.timestamp, ((key, value),)) if value is not None else None
        yield Change(change.moment, change.timestamp, change.id, key, row)


def _lateral(node: nodes.Lateral, log: Sequence[Record]) -> Iterator[Change]:
    """Each element is a row of its own; an update takes the old ones away first."""
    elements: dict[Any, int] = {}
    for change in table(node.input, log):
        for index in range(elements.pop(change.id, 0)):
            yield Change(change.moment, change.timestamp, (change.id, index), change.key, None)
        array = evaluate(node.array, change.row.facets) or [] if change.row else []
        elements[change.id] = len(array)
        for index, element in enumerate(array):
            assert change.row
            moment = (*change.moment, index)
            row = Row(moment, change.timestamp, (*change.row.facets, (None, element)))
            yield Change(moment, change.timestamp, (change.id, index), change.key, row)


def _by_key(changes: Iterable[Change], key_of: Any) -> Iterator[Change]:
    """One row per new key: the newest that was ever mapped to it, as long as it lives."""
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
            shown[id] = _pair(join, one, other, (arrival,))
            yield Change(shown[id].ordinal, shown[id].timestamp, id, shown[id].facets[0][0], shown[id])
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


def _pair(join: nodes.Join, left: Row | None, right: Row | None, moment: Ordinal) -> Row:
    if left and right:
        time = max(left.timestamp, right.timestamp)
        return Row(_later_first(left, right), time, left.facets + right.facets)
    alone = left or right
    assert alone
    # A row that lost its partner was caused by the record that took it away.
    ordinal = alone.ordinal if moment <= alone.ordinal else moment + alone.ordinal
    facets = left.facets + _nothing(join.right) if left else _nothing(join.left) + alone.facets
    return Row(ordinal, alone.timestamp, facets)


# Aggregates


def _aggregate(node: nodes.Aggregate, log: Sequence[Record]) -> Iterator[Change]:
    """After each record, or change of a table, the groups that it touched."""
    if node.window is not None:
        yield from _windowed(node, node.window, log)
        return
    members: dict[Any, dict[Any, Row]] = defaultdict(dict)
    keys: dict[Any, Any] = {}
    of_row: dict[Any, Any] = {}
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


def _windowed(node: nodes.Aggregate, window: nodes.Window, log: Sequence[Record]) -> Iterator[Change]:
    """The groups by window, from the records that are not late for theirs."""
    assert not window.final, "no reference for EMIT FINAL"
    members: dict[Any, list[Row]] = defaultdict(list)
    newest: int | None = None
    for row in stream(node.input, log):
        group = _group_key(node, row)
        if _is_tombstone(node.input, row) or group is None:
            continue
        seen, newest = newest, row.timestamp if newest is None else max(newest, row.timestamp)
        for start in _starts(window, row.timestamp):
            end = row.timestamp if window.kind == "SESSION" else start + window.size
            if seen is not None and end + window.grace <= seen:
                continue
            times = () if window.kind == "SESSION" else (start, end)
            rows = members[frozen(group), times]
            rows.append(row)
            if times:
                key = {"key": group, "start": start, "end": end}
                yield _state(node, Change(row.ordinal, row.timestamp, None, key, row), frozen(key), key, rows)
    if window.kind == "SESSION":
        for rows in members.values():
            for session in _sessions(window.size, rows):
                last = max(session, key=lambda r: r.ordinal)
                times = min(r.timestamp for r in session), max(r.timestamp for r in session)
                key = {"key": _group_key(node, last), "start": times[0], "end": times[1]}
                yield _state(node, Change(last.ordinal, last.timestamp, None, key, last), frozen(key), key, session)


def _starts(window: nodes.Window, time: int) -> range:
    """Where the windows of a record start; none does before the epoch."""
    if window.kind == "SESSION":
        return range(1)
    last = time // window.advance * window.advance
    return range(
        max(last - (window.size - 1 - time % window.advance) // window.advance * window.advance, 0),
        last + 1,
        window.advance,
    )


def _sessions(gap: int, rows: list[Row]) -> list[list[Row]]:
    """The rows of a group in sessions, each in order of arrival."""
    found: list[list[Row]] = []
    for row in sorted(rows, key=lambda r: r.timestamp):
        if found and row.timestamp - found[-1][-1].timestamp <= gap:
            found[-1].append(row)
        else:
            found.append([row])
    return [sorted(session, key=lambda r: r.ordinal) for session in found]


def _as_changes(node: nodes.Aggregate, log: Sequence[Record]) -> Iterator[Change]:
    """The records of a STREAM that have a value, each for itself."""
    for number, row in enumerate(stream(node.input, log)):
        if not _is_tombstone(node.input, row):
            # Two records may have one ordinal: the pairs of two records of a topic that is joined with itself.
            yield Change(row.ordinal, row.timestamp, number, None, row)


def _group_key(node: nodes.Aggregate, row: Row) -> Any:
    values = [evaluate(key, row.facets) for key in node.keys]
    return dict(zip(node.key_names, values, strict=True)) if node.key_names else values[0]


def _state(node: nodes.Aggregate, change: Change, group: Any, key: Any, rows: list[Row]) -> Change:
    row = None
    if rows:
        value = {f"a{i}": aggregate(call, rows) for i, call in enumerate(node.aggregates)}
        row = Row(change.moment, max(r.timestamp for r in rows), ((key, value),))
    return Change(change.moment, change.timestamp, group, key, row)


def aggregate(call: ex.Aggregation, rows: list[Row]) -> Any:
    """An aggregate of rows, in the order that it sees them in."""
    if not call.arguments:
        return len(rows)
    all_values = [evaluate(call.arguments[0], row.facets) for row in rows]
    values = [v for v in all_values if v is not None]
    limit = call.arguments[1].value if len(call.arguments) > 1 else None  # type: ignore[union-attr]
    assert limit is None or isinstance(limit, int)
    match call.function:
        case "COUNT":
            return len(values)
        case "SUM":
            return fitting(sum(values), call.type) if values else None
        case "AVG":
            return sum(values) / len(values) if values else None
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
    raise AssertionError(f"no reference for {call.function}")


# Expressions


def evaluate(expression: ex.Expression, facets: Facets) -> Any:
    """The value of an expression over the relations of a row."""

    def of(part: ex.Expression) -> Any:
        return evaluate(part, facets)

    match expression:
        case ex.Literal(value=value):
            return value
        case ex.Field(relation=number, facet=facet, path=path):
            found = facets[number][0 if facet == "key" else 1]
            for name in path:
                found = None if found is None else found.get(name)
            return found
        case ex.Operation():
            return _operation(expression, [of(o) for o in expression.operands])
        case ex.Call(function="COALESCE", arguments=arguments):
            return next((v for v in map(of, arguments) if v is not None), None)
        case ex.Call(function="MAX", arguments=arguments):
            return max((v for v in map(of, arguments) if v is not None), default=None)
        case ex.Call(function="IN_ARRAY", arguments=(element, array)):
            return _operation(ex.Operation("IN", (), data.BOOLEAN, True), [of(element), *(of(array) or [])])
        case ex.Call(function="ISNULL", arguments=(argument,)):
            return of(argument) is None
        case ex.Call(function=name, arguments=arguments) if name in FUNCTIONS:
            parts = [of(a) for a in arguments]
            return None if None in parts else FUNCTIONS[name](*parts)
        case ex.Cast(operand=operand, type=type):
            value = of(operand)
            return None if value is None else cast(value, type)
        case ex.Case(branches=branches, otherwise=otherwise):
            return next((of(then) for when, then in branches if of(when) is True), of(otherwise))
        case ex.ArrayOf(items=items):
            return [of(i) for i in items]
        case ex.ElementAt(array=array, index=index):
            values, place = of(array), of(index)
            inside = values is not None and place is not None and 0 <= place < len(values)
            return values[place] if inside else None
        case ex.Member(operand=operand, name=name):
            whole = of(operand)
            return None if whole is None else whole.get(name)
        case ex.StructOf(names=names, values=values):
            return {n: of(v) for n, v in zip(names, values, strict=True)}
    raise AssertionError(f"no reference for {expression}")


def _operation(operation: ex.Operation, values: list[Any]) -> Any:
    """Three-valued logic; integers that do not fit their type are null."""
    operator = operation.operator
    if operator in ("IS NULL", "IS NOT NULL"):
        return (values[0] is None) == (operator == "IS NULL")
    if operator in ("AND", "OR"):
        decisive = operator == "OR"
        return decisive if decisive in values else None if None in values else not decisive
    if operator == "IN":
        tested, *items = values
        if tested is None:
            return None
        return True if tested in [i for i in items if i is not None] else None if None in items else False
    if None in values:
        return None
    if operator == "NOT":
        return not values[0]
    if len(values) == 1:
        assert operator == "NEGATE", f"no reference for {operator}"
        return fitting(-values[0], operation.type)
    a, b = values
    comparisons = {"=": a == b, "<>": a != b}
    if operator in comparisons:
        return comparisons[operator]
    if operator in ("<", "<=", ">", ">="):
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
    if operator == "LIKE":
        pattern = "".join({"%": ".*", "_": "."}.get(c, re.escape(c)) for c in b)
        return re.fullmatch(pattern, a, re.DOTALL) is not None
    return arithmetic(operator, a, b, operation.type)
