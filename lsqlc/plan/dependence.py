"""Why the results of a plan can depend on the order in which records arrive."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.plan.identity import compacted
from lsqlc.plan.nodes import Aggregate, EventTime, Join, Node, Reinterpret, Rekey, Scan, all_nodes, scans
from lsqlc.plan.plan import Plan

# Aggregates whose result depends on the order of their values, by their names without that of a dialect.
_ORDERED = (
    "FIRST", "LAST", "COLLECT", "COLLECT_UNIQUE", "COLLECT_LIST", "COLLECT_SET", "EARLIEST_BY_OFFSET",
    "LATEST_BY_OFFSET", "FIRST_VALUE", "LAST_VALUE", "ANY_VALUE", "ARRAY_AGG",
)  # fmt: skip


def order_reasons(plan: Plan) -> tuple[str, ...]:
    """Return the reasons as clauses, each once, in the order of the program."""
    nodes = [node for sink in plan.sinks for each in sink.inputs for node in all_nodes(each)]
    return tuple(dict.fromkeys(reason for node in nodes for reason in _reasons(node)))


def _reasons(node: Node) -> Iterator[str]:
    match node:
        case Join(style="stream-table"):
            yield f"records of {_topics(node.left)} join the row of {_topics(node.right)} at their arrival"
        case Join(style="table-stream"):
            yield f"records of {_topics(node.right)} join the row of {_topics(node.left)} at their arrival"
        case Join(style="stream-stream") if node.eager or node.expires:
            yield f"records of {_topics(node)} are unmatched until their match arrives"
        case Aggregate():
            names = dict.fromkeys(each.function.rpartition(".")[2] for each in node.aggregates)
            yield from (f"{name} takes its values in order of arrival" for name in names if name in _ORDERED)
        case Rekey():
            yield f"the newest row of {_topics(node)} with a key wins"
        case Reinterpret(semantics="STREAM") if compacted(node):
            yield f"the changes of a TABLE of {_topics(node)} are read as a STREAM"
        case Reinterpret(semantics="TABLE"):
            yield f"the newest record of {_topics(node)} with a key is its row"
        case Scan(places=True):
            yield f"the offsets of records of {_topics(node)} are read"
        case EventTime() if node.semantics == "TABLE":
            yield f"rows of {_topics(node)} have the time of their last change"


def _topics(node: Node) -> str:
    return ", ".join(f"'{name}'" for name in dict.fromkeys(scan.topic.name for scan in scans(node)))
