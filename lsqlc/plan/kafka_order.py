"""The order of records in Kafka: by time, then by offset, then by topic and partition.

Records of several partitions have no common order of arrival. So the ordinal of one is three numbers: its time in epoch
milliseconds, its offset, and its lane, which tells topics and partitions apart: a number that follows from the topic's
name, times 2^32, plus the partition.
"""

from __future__ import annotations

import zlib
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


def _ordered_sink(sink: nodes.Sink) -> nodes.Sink:
    fed = tuple(map(_ordered, sink.inputs))
    width = max(node.ordinal_width for node in fed)
    return replace(sink, inputs=fed, topic=replace(sink.topic, ordinal_width=width))


def _ordered(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Scan):
        return node if node.topic.files else replace(node, topic=replace(node.topic, ordinal_width=ORDINAL_WIDTH))
    return nodes.with_inputs(node, tuple(map(_ordered, nodes.inputs(node))))
