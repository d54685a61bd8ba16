"""Records that advance the watermark at the end of a case in Kafka.

In Kafka only records advance the time. Windows that are written when they are closed, and records of STREAMs that wait
for a match, need later records. So the last batch has copies of the case's records with a later time than any of them
waits for.

Results of the copies have the time of the copies, and are removed. A copy passes the same conditions as its record, so
it advances the time in the same operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lsqlc.lower.spark import internal_topics
from lsqlc.plan.expression import RecordTime, walk
from lsqlc.plan.nodes import Aggregate, EventTime, Filter, Join, Node, inputs
from lsqlc.plan.plan import Plan
from lsqlc.plan.windows import Session
from lsqlc.types.record import LATEST, Record, StoredRecord


def waiting(plan: Plan) -> str | None:
    """Return why a plan needs later records for its results, as a clause; None if it does not."""
    for node in (node for sink in plan.sinks for part in sink.inputs for node in every(part)):
        if isinstance(node, Aggregate) and node.window and (node.window.final or isinstance(node.window, Session)):
            return "its windows are written when they are closed"
        if isinstance(node, Join) and node.style == "stream-stream" and node.kind != "INNER" and not node.eager:
            return "its join of STREAMs waits for later records before it writes one without a match"
    return None


def can_be_closed(plan: Plan) -> bool:
    """Return whether copies of the records with later times complete the results of a plan.

    It must have one stage, and no value or condition that depends on times.
    """
    nodes = [node for sink in plan.sinks for root in sink.inputs for node in every(root)]
    own_times = any(topic.event_time is not None for topic in plan.inputs)
    own_times = own_times or any(isinstance(node, EventTime) for node in nodes)
    conditions = [n.condition for n in nodes if isinstance(n, Filter)]
    joins = [node for node in nodes if isinstance(node, Join)]
    conditions += [c for join in joins for c in (join.left_condition, join.right_condition) if c is not None]
    read = any(isinstance(part, RecordTime) for condition in conditions for part in walk(condition))
    return not own_times and not read and not internal_topics(plan)


def closing(plan: Plan, records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the copies, which have the same time.

    The result is empty for a plan that does not wait for records, and for copies after the latest valid time.
    """
    if waiting(plan) is None:
        return ()
    originals = list(records)
    time = max((record.timestamp for record in originals), default=0) + _longest(plan)
    return tuple(replace(r, timestamp=time) for r in originals if r.value is not None) if time <= LATEST else ()


def before(records: Iterable[StoredRecord], copies: Sequence[Record]) -> tuple[StoredRecord, ...]:
    """Return the output records that are not results of the copies."""
    end = min((copy.timestamp for copy in copies), default=LATEST + 1)
    return tuple(record for record in records if record.timestamp < end)


def every(node: Node) -> Iterable[Node]:
    """Yield a node and all nodes below it."""
    yield node
    for below in inputs(node):
        yield from every(below)


def _longest(plan: Plan) -> int:
    """Return a time in milliseconds that is longer than any operator of a plan waits."""
    total = 1
    for node in (node for sink in plan.sinks for root in sink.inputs for node in every(root)):
        if isinstance(node, Aggregate) and node.window:
            size = node.window.gap if isinstance(node.window, Session) else node.window.size
            total += size + node.window.grace + 1
        if isinstance(node, Join) and node.style == "stream-stream":
            total += sum(node.spread) + node.grace + 1
    return 2 * total
