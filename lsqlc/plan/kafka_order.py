"""The order of records in Kafka: by time, then by offset, then by topic and partition.

Records of several partitions have no common order of arrival. So the ordinal of one is three numbers: its time in epoch
milliseconds, its offset, and its lane, which tells topics and partitions apart: a number that follows from the topic's
name, times 2^32, plus the partition.

Of a topic that is only read as a TABLE the first number is 0: the newest row of a key is the last one of its partition,
whatever its time, as for everybody who reads a compacted topic. A TABLE that a STREAM meets in a join is read by time,
and so is one whose rows get new keys: offsets of different partitions say nothing of which row is newer.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace

from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan

# How many numbers make up the ordinal of a record that is read from Kafka.
ORDINAL_WIDTH = 3


def lane(topic: str, partition: int = 0) -> int:
    """The lane of a partition, below 2^63: the same whatever other topics are read with it."""
    return (zlib.crc32(topic.encode()) >> 1) << 32 | partition


def kafka_order(plan: Plan) -> Plan:
    """The same plan over records that have the ordinals of Kafka."""
    sinks = tuple(_ordered_sink(sink) for sink in plan.sinks)
    return replace(plan, sinks=sinks)


def by_time(plan: Plan) -> frozenset[str]:
    """The topics whose records stand in order of their times in this plan; the others in that of their offsets."""
    return frozenset(name for sink in plan.sinks for node in sink.inputs for name in _by_time(node, False))


def _by_time(node: nodes.Node, met: bool) -> Iterator[str]:
    if isinstance(node, nodes.Scan) and (met or node.semantics == "STREAM"):
        yield node.topic.name
    met = met or isinstance(node, nodes.Rekey) or (isinstance(node, nodes.Join) and node.style != "table-table")
    for part in nodes.inputs(node):
        yield from _by_time(part, met)


def _ordered_sink(sink: nodes.Sink) -> nodes.Sink:
    fed = tuple(map(_ordered, sink.inputs))
    width = max(node.ordinal_width for node in fed)
    return replace(sink, inputs=fed, topic=replace(sink.topic, ordinal_width=width))


def _ordered(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Scan):
        return node if node.topic.files else replace(node, topic=replace(node.topic, ordinal_width=ORDINAL_WIDTH))
    return nodes.with_inputs(node, tuple(map(_ordered, nodes.inputs(node))))
