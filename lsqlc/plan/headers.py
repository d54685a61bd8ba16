"""Which records keep the headers of the record that they are made of, as Kafka Streams forwards them.

Both languages run on Kafka Streams, whose operators without state forward the headers of the record that they process.
Here these are the queries whose records each come of one record of a log: filters, projections, new keys, new times,
the elements of an array of a STREAM. What keeps state forwards the headers of whichever record made it write, which
depends on batches here: the records of a join and of an aggregation have none.
"""

from __future__ import annotations

from lsqlc.plan.nodes import EventTime, Filter, Lateral, Node, Project, Reinterpret, Repartition, Scan, Union


def keeps_headers(node: Node) -> bool:
    """Return whether each record of a node has the headers of the record that it is made of."""
    match node:
        case Scan():
            return node.topic.files is None
        case Lateral():
            return node.semantics == "STREAM" and keeps_headers(node.input)
        case EventTime() | Filter() | Project() | Reinterpret() | Repartition():
            return keeps_headers(node.input)
        case Union():
            return all(map(keeps_headers, node.inputs))
    return False
