"""Which records keep the headers of the record that they are made of, as Kafka Streams forwards them.

Both languages run on Kafka Streams, whose operators without state forward the headers of the record that they process.
Here these are the queries whose records each come of one record of a STREAM in a log: filters, projections, new keys,
new times, the elements of an array. What keeps state forwards the headers of whichever record made it write; the
records of a join, of an aggregation and of a TABLE have no headers here.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.plan.nodes import EventTime, Filter, Lateral, Node, Project, Repartition, Scan, scans
from lsqlc.plan.plan import Plan


def keeps_headers(node: Node) -> bool:
    """Whether each record of a node has the headers of the record that it is made of."""
    if node.semantics != "STREAM":
        return False
    if isinstance(node, Scan):
        return node.topic.files is None
    return isinstance(node, EventTime | Filter | Lateral | Project | Repartition) and keeps_headers(node.input)


def wanted_headers(plans: Iterable[Plan]) -> frozenset[str]:
    """The topics that some plan reads headers of, and those whose headers these keep."""
    sinks = [sink for plan in plans for sink in plan.sinks]
    read = [scan for sink in sinks for node in sink.inputs for scan in scans(node)]
    found = {scan.topic.name for scan in read if scan.headers}
    while True:
        kept = [node for sink in sinks if sink.topic.name in found for node in sink.inputs if keeps_headers(node)]
        more = {scan.topic.name for node in kept for scan in scans(node)} - found
        if not more:
            return frozenset(found)
        found |= more
