"""Header forwarding: which records keep the headers of their source record, as in Kafka Streams.

Both languages run on Kafka Streams, whose stateless operators forward the headers of the record that they process. Here
these are queries that derive each record from one record of a log: filters, projections, new keys, new times, and the
elements of an array of a STREAM. Stateful operators forward the headers of the record that triggers the output, which
depends on batches here. So the results of joins and aggregations have no headers.
"""

from __future__ import annotations

from lsqlc.plan.nodes import EventTime, Filter, Lateral, Node, Project, Reinterpret, Repartition, Scan, Union


def keeps_headers(node: Node) -> bool:
    """Return whether each record of a node has the headers of its source record."""
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
