"""The end of time of a case in Kafka, where only records say that time goes on: windows that are written when they are
closed, and records of STREAMs that wait for a match, come out after copies of the case's records that are later than
all that they wait for.

What the copies themselves give has the time of the copies, and is left out. A copy passes the conditions that its
record has passed, so that time goes on wherever the record came.
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
    """What of a plan only comes out when time has gone on, as a clause; None if nothing waits."""
    for node in (node for sink in plan.sinks for fed in sink.inputs for node in every(fed)):
        if isinstance(node, Aggregate) and node.window and (node.window.final or isinstance(node.window, Session)):
            return "its windows are written when they are closed"
        if isinstance(node, Join) and node.style == "stream-stream" and node.kind != "INNER" and not node.eager:
            return "its join of STREAMs waits for later records before it writes one without a match"
    return None


def can_be_closed(plan: Plan) -> bool:
    """Whether copies of its records with later times close what waits: in one stage, and where no value and no
    condition says what their times are.
    """
    nodes = [node for sink in plan.sinks for fed in sink.inputs for node in every(fed)]
    own_times = any(topic.event_time is not None for topic in plan.inputs)
    own_times = own_times or any(isinstance(node, EventTime) for node in nodes)
    asked = [n.condition for n in nodes if isinstance(n, Filter)]
    asked += [c for n in nodes if isinstance(n, Join) for c in (n.left_condition, n.right_condition) if c is not None]
    read = any(isinstance(part, RecordTime) for condition in asked for part in walk(condition))
    return not own_times and not read and not internal_topics(plan)


def closing(plan: Plan, records: Iterable[Record]) -> tuple[Record, ...]:
    """The copies, all of one time; empty for a plan in which nothing waits, and where they would be too late for a
    record.
    """
    if waiting(plan) is None:
        return ()
    given = list(records)
    time = max((record.timestamp for record in given), default=0) + _longest(plan)
    return tuple(replace(r, timestamp=time) for r in given if r.value is not None) if time <= LATEST else ()


def before(records: Iterable[StoredRecord], copies: Sequence[Record]) -> tuple[StoredRecord, ...]:
    """What of the records that were written is not of the copies."""
    end = min((copy.timestamp for copy in copies), default=LATEST + 1)
    return tuple(record for record in records if record.timestamp < end)


def every(node: Node) -> Iterable[Node]:
    """A node and all below it."""
    yield node
    for below in inputs(node):
        yield from every(below)


def _longest(plan: Plan) -> int:
    """More milliseconds than anything of a plan waits."""
    total = 1
    for node in (node for sink in plan.sinks for fed in sink.inputs for node in every(fed)):
        if isinstance(node, Aggregate) and node.window:
            size = node.window.gap if isinstance(node.window, Session) else node.window.size
            total += size + node.window.grace + 1
        if isinstance(node, Join) and node.style == "stream-stream":
            total += sum(node.spread) + node.grace + 1
    return 2 * total
