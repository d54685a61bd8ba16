"""What of a model and of its cases cannot be compared with DuckDB over Kafka, each with its reason.

A case says when time goes on, and that it ends. In Kafka only records say so (see `kafka_closing`).
"""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.functions import catalogue
from lsqlc.plan.expression import Call, Expression, walk
from lsqlc.plan.nodes import Node, Scan
from lsqlc.plan.plan import Plan
from lsqlc.remote.cases.kafka_closing import can_be_closed, every, waiting
from lsqlc.types.record import Case, Outcome, is_raw


def lacking_plan(plan: Plan) -> str | None:
    """Why no case of a plan can run over Kafka, as a clause; None if they can."""
    files = sorted(topic.name for topic in plan.inputs if topic.files is not None)
    if files:
        return f"the topic '{files[0]}' consists of files"
    waits = waiting(plan)
    if waits is not None and not can_be_closed(plan):
        return f"{waits}, and no later record can be made for it"
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


def _lacking(node: Node) -> str | None:
    if isinstance(node, Scan) and node.places:
        return "it reads the partition or the offset of its records"
    for call in _calls(tuple(getattr(node, name) for name in node.__struct_fields__)):
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
