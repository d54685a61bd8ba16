"""Comparison of the rows of two versions of a plan, over the columns that both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsqlc.plan import Plan
from lsqlc.plan.identity import compacted_topics
from lsqlc.search.results import OutputRows, Row
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct
from lsqlc.types.record import Facet, Outcome, Record, Topic

# Digits in which floating-point numbers are compared: their sums depend on the order of rows.
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Output:
    """A topic that both versions write. `old` and `new`: the topic as each declares it, with the common columns.

    `by_key`: only the last row of each key is compared. `columns`: the common columns; None for all. `left_out`: the
    others.
    """

    old: Topic
    new: Topic
    by_key: bool
    columns: tuple[str, ...] | None
    left_out: tuple[str, ...] = ()


def outputs(old: Plan, new: Plan) -> tuple[Output, ...] | str:
    """Return the topics that both plans write, or the reason why their rows cannot be compared, as a clause."""
    before = {topic.name: topic for topic in old.outputs}
    changes = compacted_topics((*old.sinks, *new.sinks))
    results = []
    for topic in new.outputs:
        other = before.get(topic.name)
        if other is None:
            continue
        semantics = {plan.semantics[topic.name] for plan in (old, new)}
        if len(semantics) > 1:
            return f"'{topic.name}' is a STREAM in one version and a TABLE in the other"
        if other.key.type != topic.key.type:
            return f"the keys of '{topic.name}' have other types: {other.key.type} and {topic.key.type}"
        columns = _common_columns(other.value.type, topic.value.type)
        if columns == ():
            return f"'{topic.name}' has no column in both versions"
        every = (f.name for each in (other, topic) for f in _fields(each.value.type))
        left_out = tuple(dict.fromkeys(name for name in every if columns is not None and name not in columns))
        one, two = (_with_columns(each, columns) for each in (other, topic))
        results.append(Output(one, two, semantics == {"TABLE"} or topic.name in changes, columns, left_out))
    return tuple(results) or "the versions write no topic of one name"


def _common_columns(one: DataType, other: DataType) -> tuple[str, ...] | None:
    """Return the columns of one name and type; None if all are, or if the values are no structs of one type."""
    if one == other:
        return None
    types = {f.name: f.type for f in _fields(other)}
    return tuple(f.name for f in _fields(one) if types.get(f.name) == f.type)


def _fields(type: DataType) -> tuple[Field, ...]:
    return type.fields if isinstance(type, Struct) else ()


def _with_columns(topic: Topic, columns: tuple[str, ...] | None) -> Topic:
    if columns is None:
        return topic
    assert isinstance(topic.value.type, Struct)
    fields = tuple(f for name in columns for f in topic.value.type.fields if f.name == name)
    return replace(topic, value=Facet(Struct(fields), topic.value.format))


def own_outputs(plan: Plan) -> tuple[Output, ...]:
    """Return the topics of one plan whose results are compared, without its dead letters."""
    compared, topics = outputs(plan, plan), {sink.topic.name for sink in plan.sinks}
    return () if isinstance(compared, str) else tuple(each for each in compared if each.new.name in topics)


def differences(
    compared: Sequence[Output], before: Outcome, after: Outcome, *, ordered: bool = True
) -> tuple[OutputRows, ...]:
    """Return the rows that differ, by topic. `ordered` False: the order of rows is no difference."""
    results = []
    for output in compared:
        old, new = (_rows(output, each.topics.get(output.new.name, ())) for each in (before, after))
        left, right = ([_id(row) for row in rows] for rows in (old, new))
        removed, added = Counter(left) - Counter(right), Counter(right) - Counter(left)
        if left == right or not (ordered or removed or added):
            continue
        # Rows that are the same in another order are all shown.
        rows = (old, new) if not removed and not added else (_only(old, removed), _only(new, added))
        results.append(OutputRows(output.old, output.new, *map(tuple, rows)))
    return tuple(results)


def _rows(output: Output, records: Sequence[Record]) -> list[Row]:
    rows = [Row(r.key, _value(output, r.value), None if output.by_key else r.timestamp) for r in records]
    if not output.by_key:
        return rows
    # Only the last change of each key of a TABLE counts.
    last = {repr(_rounded(row.key)): row for row in rows}
    return [row for row in last.values() if row.value is not None]


def _value(output: Output, value: Any) -> Any:
    if output.columns is None or value is None:
        return value
    return {name: value[name] for name in output.columns}


def _only(rows: Sequence[Row], ids: Counter[str]) -> tuple[Row, ...]:
    rest, result = Counter(ids), list[Row]()
    for row in rows:
        if rest[_id(row)] > 0:
            rest[_id(row)] -= 1
            result.append(row)
    return tuple(result)


def _id(row: Row) -> str:
    return repr((_rounded(row.key), _rounded(row.value), row.timestamp))


def _rounded(value: Any) -> Any:
    match value:
        case float():
            # The sum removes the sign of zero.
            return float(f"{value:.{_DIGITS}g}") + 0.0
        case dict():
            return {k: _rounded(v) for k, v in value.items()}
        case list():
            return [_rounded(v) for v in value]
    return value


def has_rows(outcome: Outcome) -> bool:
    """Return whether an outcome has rows in any topic."""
    return any(outcome.topics.values())


def same_inputs(old: Plan, new: Plan) -> tuple[Topic, ...] | str:
    """Return the topics that either plan reads, or the reason why one sequence of records cannot be for both."""
    topics = {topic.name: topic for topic in old.inputs}
    for topic in new.inputs:
        other = topics.get(topic.name, topic)
        if (other.key.type, other.value.type, other.event_time) != (topic.key.type, topic.value.type, topic.event_time):
            return f"the columns of '{topic.name}', which it reads, are others"
        topics[topic.name] = topic
    unknown = next((t.name for t in topics.values() if _unknown(t.key.type) or _unknown(t.value.type)), None)
    return f"the columns of '{unknown}' have no type" if unknown is not None else tuple(topics.values())


def _unknown(type: DataType) -> bool:
    return any(part in data.INTERVALS for part in data.parts(type))
