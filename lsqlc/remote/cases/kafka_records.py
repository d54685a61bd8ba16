"""The records of a case as they lie in Kafka, in the one order that DuckDB takes; and which order of what was written
Kafka promises.

Records of several partitions have no common order of arrival, so that a case means there what its records give as their
partitions meet (`lsqlc.plan.kafka_order`, `lsqlc.lower.spark.merge_order`): a batch comes after all before it; where
topics meet by time, a record counts with the highest time that its partition has had in the batch; other STREAMs have
the order of their times; rows of a TABLE that of their offsets.
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
    """The records in the order in which they count. `batches`: those of each batch, which have (0, offset, lane) as
    ordinals.

    There are two orders where a plan takes records both in that of times and in that of partitions, as topics meet and
    as a STREAM is written. What DuckDB gives holds for Kafka if it gives the same for both.
    """
    ranks = {**_derived(plan), **meeting(plan)}
    timed = goes_by_time(plan)
    found = []
    if not timed or ranks or ordered_streams(plan):
        found.append(_sorted(batches, _as_partitions_meet(plan, ranks)))
    if timed:
        found.append(_sorted(batches, _by_times(plan)))
    return tuple(found)


def goes_by_time(plan: Plan) -> bool:
    """Whether the order of times counts in a plan: for new keys, windows and lists. What a stage passes on lies in
    other partitions than the records that it is made of, and so it counts there too.
    """
    return any(map(_goes_by_time, (n for sink in plan.sinks for node in sink.inputs for n in every(node))))


def arranged(plan: Plan, expected: Outcome, actual: Outcome) -> Outcome:
    """`actual` with the records whose order Kafka does not promise in the order of `expected`, as far as they are the
    same: those of STREAMs that keep no order, and of the others those without a key, which lie in any partition.
    """
    kept = ordered_streams(plan)
    topics = dict(actual.topics)
    for topic in plan.outputs:
        if plan.semantics[topic.name] != "STREAM":
            continue
        wanted, written = (tuple(of.topics.get(topic.name, ())) for of in (expected, actual))
        in_order = tuple(r for r in written if r.key is not None) if topic.name in kept else ()
        spread = tuple(r for r in written if r.key is None) if topic.name in kept else written
        wanted = tuple(r for r in wanted if r.key is None) if topic.name in kept else wanted
        topics[topic.name] = (*in_order, *_arranged(topic, wanted, spread))
    return replace(actual, topics=topics)


def ordered_streams(plan: Plan) -> frozenset[str]:
    """The STREAMs that have the records of each key in the order in which one partition has them. Records without a key
    lie in any partition.
    """
    written: defaultdict[str, list[Node]] = defaultdict(list)
    for sink in plan.sinks:
        written[sink.topic.name] += sink.inputs
    return frozenset(name for name, fed in written.items() if len(fed) == 1 and all(map(_keeps_order, fed)))


@dataclass(frozen=True, slots=True)
class _Lying:
    """A record with the number of its batch, and the highest time of its partition in the batch up to it."""

    record: StoredRecord
    batch: int
    highest: int

    @property
    def place(self) -> tuple[int, ...]:
        """Partition, offset and lane."""
        _, offset, lane = self.record.ordinal
        return lane & _PARTITION, offset, lane


def _sorted(batches: Sequence[Sequence[StoredRecord]], key: Callable[[_Lying], tuple[int, ...]]) -> tuple[Record, ...]:
    found: list[_Lying] = []
    for number, batch in enumerate(batches):
        highest: dict[int, int] = {}
        for record in sorted(batch, key=lambda r: r.ordinal):
            lane = record.ordinal[2]
            highest[lane] = max(highest.get(lane, 0), record.timestamp)
            found.append(_Lying(record, number, highest[lane]))
    found.sort(key=key)
    records = (lying.record for lying in found)
    return tuple(Record(r.topic, r.key, r.value, r.timestamp, r.headers) for r in records)


def _as_partitions_meet(plan: Plan, ranks: Mapping[str, int]) -> Callable[[_Lying], tuple[int, ...]]:
    """`ranks`: by what a topic comes at a tie."""
    timed = by_time(plan)

    def key(lying: _Lying) -> tuple[int, ...]:
        topic = lying.record.topic
        if topic in timed:
            return (lying.batch, lying.highest, ranks.get(topic, 0), *lying.place)
        # The rows of a TABLE by their offsets.
        return (lying.batch, 0, 0, *lying.place)

    return key


def _by_times(plan: Plan) -> Callable[[_Lying], tuple[int, ...]]:
    timed = by_time(plan)
    streams = {scan.topic.name for scan in _scans(plan) if scan.semantics == "STREAM"}

    def key(lying: _Lying) -> tuple[int, ...]:
        topic, (_, offset, lane) = lying.record.topic, lying.record.ordinal
        # FIRST, LAST and lists go by time whatever the batch; of rows with new keys those of a later batch are newer.
        batch = 0 if topic in streams else lying.batch
        return (batch, lying.record.timestamp if topic in timed else 0, offset, lane)

    return key


def _scans(plan: Plan) -> Iterator[Scan]:
    return (scan for sink in plan.sinks for node in sink.inputs for scan in scans(node))


def _derived(plan: Plan) -> dict[str, int]:
    """The topics below the sides of joins whose records meet by time, with the rank of the side."""
    found: dict[str, int] = {}
    for node in (n for sink in plan.sinks for each in sink.inputs for n in every(each)):
        if isinstance(node, Join) and node.style in ("stream-table", "table-stream"):
            for number, side in enumerate((node.left, node.right)):
                rank = int(node.style == ("stream-table", "table-stream")[number])
                for scan in scans(side):
                    found[scan.topic.name] = max(found.get(scan.topic.name, 0), rank)
    return found


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
    """The records of `actual` that `expected` has too, in its order, then the others."""
    left: dict[str, list[Record]] = {}
    for record in reversed(actual):
        left.setdefault(_text(topic, record), []).append(record)
    same = [alike.pop() if (alike := left.get(_text(topic, r))) else None for r in expected]
    rest = [record for alike in left.values() for record in reversed(alike)]
    found: list[Record] = []
    for wanted, equal in zip(expected, same, strict=True):
        if equal is not None:
            found.append(equal)
            continue
        # A sum of fractions may differ in its last digits.
        near = next((n for n, r in enumerate(rest) if _equal(topic, wanted, r)), None)
        if near is not None:
            found.append(rest.pop(near))
    return (*found, *rest)


def _text(topic: Topic, record: Record) -> str:
    key, value = canonical_text(topic.key.type, record.key), canonical_text(topic.value.type, record.value)
    return f"{key} {value} {record.timestamp}"


def _equal(topic: Topic, one: Record, other: Record) -> bool:
    return (
        one.timestamp == other.timestamp
        and codec.equal(topic.key.type, one.key, other.key)
        and codec.equal(topic.value.type, one.value, other.value)
    )
