"""The order of a case's records in Kafka, for DuckDB, and the order of the output that Kafka guarantees.

Records of several partitions have no common order of arrival. The order is that in which the partitions are merged
(`lsqlc.plan.kafka_order`, `lsqlc.lower.spark.merge_order`). A batch comes after all earlier batches. If topics are
merged by time, the time of a record is the highest one of its partition in the batch so far. Other STREAMs are in the
order of their times, and rows of a TABLE in the order of their offsets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lsqlc.golden.canonical import canonical_text
from lsqlc.plan.identity import whole_key
from lsqlc.plan.kafka_order import by_time, meeting
from lsqlc.plan.nodes import (
    Aggregate,
    EventTime,
    Filter,
    Join,
    Node,
    Project,
    Reinterpret,
    Rekey,
    Repartition,
    Scan,
    inputs,
    scans,
)
from lsqlc.plan.plan import Plan
from lsqlc.remote.cases.kafka_closing import every
from lsqlc.types import codec
from lsqlc.types.record import Outcome, Record, StoredRecord, Topic

_PARTITION = (1 << 32) - 1


def orders(plan: Plan, batches: Sequence[Sequence[StoredRecord]]) -> tuple[tuple[Record, ...], ...]:
    """Return the records in the order, or the two orders, in which a plan processes them.

    `batches`: the records of each batch, with the ordinals (0, offset, partition id). A plan may use both the order of
    times and the order of partitions. Then the outcome on DuckDB is valid for Kafka only if it is the same for both.
    """
    ranks = {**_derived(plan), **meeting(plan)}
    by_times = goes_by_time(plan)
    results = []
    if not by_times or ranks or ordered_streams(plan):
        results.append(_sorted(batches, _by_partitions(plan, ranks)))
    if by_times:
        results.append(_sorted(batches, _by_times(plan)))
    return tuple(results)


def goes_by_time(plan: Plan) -> bool:
    """Return whether a plan depends on the order of times: for new keys, windows and lists.

    The output of a stage is in other partitions than its input, so the order of times is relevant there too.
    """
    return any(map(_goes_by_time, (n for sink in plan.sinks for node in sink.inputs for n in every(node))))


def arranged(plan: Plan, expected: Outcome, actual: Outcome) -> Outcome:
    """Sort the records of `actual` whose order Kafka does not guarantee, in the order of equal records of `expected`.

    Kafka does not guarantee the order of STREAMs that are not in `ordered_streams`. Records without a key may be in any
    partition, so they have no order either.
    """
    ordered = ordered_streams(plan)
    topics = dict(actual.topics)
    for topic in plan.outputs:
        if plan.semantics[topic.name] != "STREAM":
            continue
        target, records = (tuple(of.topics.get(topic.name, ())) for of in (expected, actual))
        in_order = tuple(r for r in records if r.key is not None) if topic.name in ordered else ()
        spread = tuple(r for r in records if r.key is None) if topic.name in ordered else records
        target = tuple(r for r in target if r.key is None) if topic.name in ordered else target
        topics[topic.name] = (*in_order, *_arranged(topic, target, spread))
    return replace(actual, topics=topics)


def ordered_streams(plan: Plan) -> frozenset[str]:
    """Return the STREAMs whose records of each key are in the order of an input partition.

    Records without a key may be in any partition.
    """
    nodes: defaultdict[str, list[Node]] = defaultdict(list)
    for sink in plan.sinks:
        nodes[sink.topic.name] += sink.inputs
    return frozenset(name for name, of in nodes.items() if len(of) == 1 and all(map(_keeps_order, of)))


@dataclass(frozen=True, slots=True)
class _BatchRecord:
    """A record with the number of its batch, and the highest time of its partition in the batch up to this record."""

    record: StoredRecord
    batch: int
    highest: int

    @property
    def place(self) -> tuple[int, ...]:
        """Partition, offset, and partition id."""
        _, offset, lane = self.record.ordinal
        return lane & _PARTITION, offset, lane


def _sorted(
    batches: Sequence[Sequence[StoredRecord]], key: Callable[[_BatchRecord], tuple[int, ...]]
) -> tuple[Record, ...]:
    all_records: list[_BatchRecord] = []
    for number, batch in enumerate(batches):
        highest: dict[int, int] = {}
        for record in sorted(batch, key=lambda r: r.ordinal):
            lane = record.ordinal[2]
            highest[lane] = max(highest.get(lane, 0), record.timestamp)
            all_records.append(_BatchRecord(record, number, highest[lane]))
    all_records.sort(key=key)
    records = (each.record for each in all_records)
    return tuple(Record(r.topic, r.key, r.value, r.timestamp, r.headers) for r in records)


def _by_partitions(plan: Plan, ranks: Mapping[str, int]) -> Callable[[_BatchRecord], tuple[int, ...]]:
    """Return the sort key of the order of partitions. `ranks`: the order of topics for records of the same time."""
    timed_topics = by_time(plan)

    def key(record: _BatchRecord) -> tuple[int, ...]:
        topic = record.record.topic
        if topic in timed_topics:
            return (record.batch, record.highest, ranks.get(topic, 0), *record.place)
        # Rows of a TABLE are sorted by their offsets.
        return (record.batch, 0, 0, *record.place)

    return key


def _by_times(plan: Plan) -> Callable[[_BatchRecord], tuple[int, ...]]:
    """Return the sort key of the order of times."""
    timed_topics = by_time(plan)
    streams = {scan.topic.name for scan in _scans(plan) if scan.semantics == "STREAM"}

    def key(record: _BatchRecord) -> tuple[int, ...]:
        topic, (_, offset, lane) = record.record.topic, record.record.ordinal
        # FIRST, LAST and lists use the time, regardless of the batch. For new keys, rows of a later batch are newer.
        batch = 0 if topic in streams else record.batch
        return (batch, record.record.timestamp if topic in timed_topics else 0, offset, lane)

    return key


def _scans(plan: Plan) -> Iterator[Scan]:
    return (scan for sink in plan.sinks for node in sink.inputs for scan in scans(node))


def _derived(plan: Plan) -> dict[str, int]:
    """Return the topics below joins of a STREAM and a TABLE, with the rank of their side for records of equal times."""
    ranks: dict[str, int] = {}
    for node in (n for sink in plan.sinks for each in sink.inputs for n in every(each)):
        if isinstance(node, Join) and node.style in ("stream-table", "table-stream"):
            for number, side in enumerate((node.left, node.right)):
                rank = int(node.style == ("stream-table", "table-stream")[number])
                for scan in scans(side):
                    ranks[scan.topic.name] = max(ranks.get(scan.topic.name, 0), rank)
    return ranks


def _goes_by_time(node: Node) -> bool:
    match node:
        case Rekey() | Reinterpret() | EventTime():
            return True
        case Aggregate():
            return node.window is not None or node.input.semantics == "STREAM"
        case Join():
            meets = node.style in ("stream-table", "table-stream")
            return node.style == "stream-stream" or (meets and any(map(_is_derived, inputs(node))))
    return False


def _is_derived(side: Node) -> bool:
    passed = (Scan, Filter, Project, Repartition)
    return any(not isinstance(n, passed) for n in every(side))


def _keeps_order(node: Node) -> bool:
    if node.semantics != "STREAM":
        return False
    if isinstance(node, Join):
        stream = {"stream-table": node.left, "table-stream": node.right}.get(node.style)
        return stream is not None and (node.kind == "INNER" or node.retention is None) and _keeps_order(stream)
    if isinstance(node, Project) and not whole_key(node.key):
        return False
    return not inputs(node) or (isinstance(node, Filter | Project | Repartition) and _keeps_order(inputs(node)[0]))


def _arranged(topic: Topic, expected: Sequence[Record], actual: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records of `actual` that equal those of `expected`, in the order of `expected`, then all others."""
    remaining: dict[str, list[Record]] = {}
    for record in reversed(actual):
        remaining.setdefault(_text(topic, record), []).append(record)
    same = [equal.pop() if (equal := remaining.get(_text(topic, r))) else None for r in expected]
    rest = [record for equal in remaining.values() for record in reversed(equal)]
    result: list[Record] = []
    for target, match in zip(expected, same, strict=True):
        if match is not None:
            result.append(match)
            continue
        # A sum of DOUBLE values may differ in its last digits.
        near = next((n for n, r in enumerate(rest) if _equal(topic, target, r)), None)
        if near is not None:
            result.append(rest.pop(near))
    return (*result, *rest)


def _text(topic: Topic, record: Record) -> str:
    key, value = canonical_text(topic.key.type, record.key), canonical_text(topic.value.type, record.value)
    return f"{key} {value} {record.timestamp}"


def _equal(topic: Topic, one: Record, other: Record) -> bool:
    return (
        one.timestamp == other.timestamp
        and codec.equal(topic.key.type, one.key, other.key)
        and codec.equal(topic.value.type, one.value, other.value)
    )
