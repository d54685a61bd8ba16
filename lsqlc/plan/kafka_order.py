"""The order of records in Kafka: by time, then by offset, then by topic and partition.

Records of several partitions have no common order of arrival. So the ordinal of one is three numbers: its time in epoch
milliseconds, its offset, and its lane, which tells topics and partitions apart: a number that follows from the topic's
name, times 2^32, plus the partition.

Of a topic that is only read as a TABLE the first number is 0: the newest row of a key is the last one of its partition,
whatever its time, as for everybody who reads a compacted topic. A TABLE that a STREAM meets in a join is read by time,
and so is one whose rows get new keys: offsets of different partitions say nothing of which row is newer.

That is what is known of a record by itself. In a query what a later batch brings is newer, and topics that meet by time
are merged by the highest time that a partition has had in the batch (`lsqlc.lower.spark.merge_order`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from msgspec import structs

from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan

# How many numbers make up the ordinal of a record that is read from Kafka.
ORDINAL_WIDTH = 3


def lane(topic: str, partition: int = 0) -> int:
    """Return the lane of a partition, below 2^63: the same whatever other topics are read with it."""
    return (zlib.crc32(topic.encode()) >> 1) << 32 | partition


def kafka_order(plan: Plan) -> Plan:
    """Return the same plan over records that have the ordinals of Kafka."""
    sinks = tuple(_ordered_sink(sink) for sink in plan.sinks)
    return replace(plan, sinks=sinks)


def by_time(plan: Plan) -> frozenset[str]:
    """Return the topics whose records stand in order of their times in this plan; the others in that of their
    offsets.
    """
    return frozenset(name for sink in plan.sinks for node in sink.inputs for name in _by_time(node, False))


def meeting(plan: Plan) -> Mapping[str, int]:
    """Return the topics that meet by time as they are read, each with the number by which it comes at a tie: a TABLE
    before the STREAM, of two STREAMs the topic whose name comes first.
    """
    found: dict[str, int] = {}
    for join in (join for sink in plan.sinks for node in sink.inputs for join in _joins(node)):
        sides = _read(join.left), _read(join.right)
        for number, scan in enumerate(sides):
            if scan is None:
                continue
            last = join.style == ("stream-table", "table-stream")[number]
            if join.style == "stream-stream":
                last = any(other is not None and other.topic.name < scan.topic.name for other in sides)
            found[scan.topic.name] = max(found.get(scan.topic.name, 0), int(last))
    return found


def _joins(node: nodes.Node) -> Iterator[nodes.Join]:
    if isinstance(node, nodes.Join) and (node.eager or node.style in ("stream-table", "table-stream")):
        yield node
    for part in nodes.inputs(node):
        yield from _joins(part)


def _read(node: nodes.Node) -> nodes.Scan | None:
    """Return the scan that a side of a join only filters and projects."""
    while isinstance(node, nodes.Filter | nodes.Project | nodes.Repartition | nodes.Reinterpret):
        node = node.input
    return node if isinstance(node, nodes.Scan) else None


def _by_time(node: nodes.Node, met: bool) -> Iterator[str]:
    if isinstance(node, nodes.Scan) and (met or node.semantics == "STREAM"):
        yield node.topic.name
    met = met or isinstance(node, nodes.Rekey) or (isinstance(node, nodes.Join) and node.style != "table-table")
    for part in nodes.inputs(node):
        yield from _by_time(part, met)


def _ordered_sink(sink: nodes.Sink) -> nodes.Sink:
    fed = tuple(map(_ordered, sink.inputs))
    width = max(node.ordinal_width for node in fed)
    return structs.replace(sink, inputs=fed, topic=replace(sink.topic, ordinal_width=width))


def _ordered(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Scan):
        return (
            node if node.topic.files else structs.replace(node, topic=replace(node.topic, ordinal_width=ORDINAL_WIDTH))
        )
    return nodes.with_inputs(node, tuple(map(_ordered, nodes.inputs(node))))
