"""Which records keep the headers of the record that they are made of, as Kafka Streams forwards them.

Both languages run on Kafka Streams, whose operators without state forward the headers of the record that they process.
Here these are the queries whose records each come of one record of a STREAM in a log: filters, projections, new keys,
new times, the elements of an array. What keeps state forwards the headers of whichever record made it write; the
records of a join, of an aggregation and of a TABLE have no headers here.
"""

from __future__ import annotations

from lsqlc.plan.nodes import EventTime, Filter, Lateral, Node, Project, Repartition, Scan


def keeps_headers(node: Node) -> bool:
    """Whether each record of a node has the headers of the record that it is made of."""
    if node.semantics != "STREAM":
        return False
    if isinstance(node, Scan):
        return node.topic.files is None
    return isinstance(node, EventTime | Filter | Lateral | Project | Repartition) and keeps_headers(node.input)
