"""The order of records in Kafka: by time, then by offset, then by topic and partition.

Records of several partitions have no common order of arrival. So an ordinal has three numbers: the time in epoch
milliseconds, the offset, and a number that identifies topic and partition: a hash of the topic's name, times 2^32, plus
the partition.

For a topic that is only read as a TABLE the first number is 0: the newest row of a key is the last one in its
partition, as in every compacted topic. A TABLE in a join with a STREAM is ordered by time, and so is a TABLE whose rows
get new keys: offsets of different partitions are not comparable.

In a query, a later batch is newer. Topics that are joined by time are merged by the highest time that a partition has
reached in the batch (`lsqlc.lower.spark.merge_order`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from msgspec import structs

from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan

# The numbers in the ordinal of a record from Kafka.
ORDINAL_WIDTH = 3


def lane(topic: str, partition: int = 0) -> int:
    """Return the number of a partition in ordinals, below 2^63. It does not depend on other topics."""
    return (zlib.crc32(topic.encode()) >> 1) << 32 | partition


def kafka_order(plan: Plan) -> Plan:
    """Return the plan over records with Kafka ordinals."""
    sinks = tuple(_ordered_sink(sink) for sink in plan.sinks)
    return replace(plan, sinks=sinks)


def by_time(plan: Plan) -> frozenset[str]:
    """Return the topics whose records are ordered by time in this plan. Others are ordered by offset."""
    return frozenset(name for sink in plan.sinks for node in sink.inputs for name in _by_time(node, False))


def meeting(plan: Plan) -> Mapping[str, int]:
    """Return the topics that are joined by time while they are read, with their priority in a tie.

    A TABLE comes before the STREAM. With two STREAMs, the topic whose name sorts first comes first.
    """
    priorities: dict[str, int] = {}
    for join in (join for sink in plan.sinks for node in sink.inputs for join in _joins(node)):
        sides = _read(join.left), _read(join.right)
        for number, scan in enumerate(sides):
            if scan is None:
                continue
            last = join.style == ("stream-table", "table-stream")[number]
            if join.style == "stream-stream":
                last = any(other is not None and other.topic.name < scan.topic.name for other in sides)
            priorities[scan.topic.name] = max(priorities.get(scan.topic.name, 0), int(last))
    return priorities


def _joins(node: nodes.Node) -> Iterator[nodes.Join]:
    if isinstance(node, nodes.Join) and (node.eager or node.style in ("stream-table", "table-stream")):
        yield node
    for part in nodes.inputs(node):
        yield from _joins(part)


def _read(node: nodes.Node) -> nodes.Scan | None:
    """Return the scan below the filters and projections of a join's side."""
    while isinstance(node, nodes.Filter | nodes.Project | nodes.Repartition | nodes.Reinterpret):
        node = node.input
    return node if isinstance(node, nodes.Scan) else None


def _by_time(node: nodes.Node, is_joined: bool) -> Iterator[str]:
    if isinstance(node, nodes.Scan) and (is_joined or node.semantics == "STREAM"):
        yield node.topic.name
    is_joined = (
        is_joined or isinstance(node, nodes.Rekey) or (isinstance(node, nodes.Join) and node.style != "table-table")
    )
    for part in nodes.inputs(node):
        yield from _by_time(part, is_joined)


def _ordered_sink(sink: nodes.Sink) -> nodes.Sink:
    ordered_inputs = tuple(map(_ordered, sink.inputs))
    width = max(node.ordinal_width for node in ordered_inputs)
    return structs.replace(sink, inputs=ordered_inputs, topic=replace(sink.topic, ordinal_width=width))


def _ordered(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Scan):
        return (
            node if node.topic.files else structs.replace(node, topic=replace(node.topic, ordinal_width=ORDINAL_WIDTH))
        )
    return nodes.with_inputs(node, tuple(map(_ordered, nodes.inputs(node))))
