"""What of a model and of its cases cannot be compared with DuckDB over Kafka, each with its reason.

A case says when time goes on, and that it ends. In Kafka only records say so, and no record is the last one: what waits
for a later time is not written.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.functions import catalogue
from lsqlc.plan.expression import Call, Expression, walk
from lsqlc.plan.nodes import Aggregate, Join, Node, Scan, inputs
from lsqlc.plan.plan import Plan
from lsqlc.plan.windows import Session
from lsqlc.types.record import Case, Outcome, is_raw


def lacking_plan(plan: Plan) -> str | None:
    """Why no case of a plan can run over Kafka, as a clause; None if they can."""
    files = sorted(topic.name for topic in plan.inputs if topic.files is not None)
    if files:
        return f"the topic '{files[0]}' consists of files"
    return next(
        (reason for sink in plan.sinks for node in sink.inputs for below in every(node) if (reason := _lacking(below))),
        None,
    )


def lacking_case(case: Case) -> str | None:
    """Why a case cannot run over Kafka, as a clause; None if it can."""
    if case.advances:
        return "time advances in it without a record"
    if any(map(is_raw, case.records)):
        return "it has records as raw text"
    return None


def lacking_outcome(outcome: Outcome) -> str | None:
    """Why what a case gives on DuckDB, in order of arrival, need not come out over Kafka; None if it does."""
    if outcome.counts.get("late"):
        return "it has late records, and which records are late depends on the batches of the query"
    return None


def every(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for below in inputs(node):
        yield from every(below)


def _lacking(node: Node) -> str | None:
    if isinstance(node, Scan) and node.places:
        return "it reads the partition or the offset of its records"
    if isinstance(node, Aggregate) and node.window and (node.window.final or isinstance(node.window, Session)):
        return "its windows are written when they are closed, which later records have to do"
    if isinstance(node, Join) and node.style == "stream-stream" and node.kind != "INNER" and not node.eager:
        return "its join of STREAMs waits for later records before it writes one that has no match"
    for call in _calls(tuple(getattr(node, name) for name in node.__match_args__)):
        function = catalogue.planned(call.function)
        if function is not None and function.clock:
            return f"{call.function} gives the time of the server"
        if function is not None and function.of_record:
            return f"{call.function} gives what depends on the place of a record in its topic"
    return None


def _calls(value: object) -> Iterator[Call]:
    """The calls in what a node has, beside the nodes below it."""
    if isinstance(value, tuple):
        for part in value:
            yield from _calls(part)
    elif isinstance(value, Expression):
        yield from (part for part in walk(value) if isinstance(part, Call))
