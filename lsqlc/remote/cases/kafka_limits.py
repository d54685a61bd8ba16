"""The reasons why models and cases cannot be compared with DuckDB over Kafka.

A case can advance the time without a record, and it has an end. In Kafka only records advance the time (see
`kafka_closing`).
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
    """Return why no case of a plan can run over Kafka, as a clause; None if cases can."""
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
    """Return why a case cannot run over Kafka, as a clause; None if it can."""
    if case.advances:
        return "time advances in it without a record"
    if any(map(is_raw, case.records)):
        return "it has records as raw text"
    return None


def lacking_outcome(outcome: Outcome) -> str | None:
    """Return why the outcome of a case on DuckDB may differ over Kafka, as a clause; None if it must be the same."""
    if outcome.counts.get("late"):
        return "it has late records, and which records are late depends on the batches of the query"
    return None


def _lacking(node: Node) -> str | None:
    if isinstance(node, Scan) and node.places:
        return "it reads the partition or the offset of its records"
    for call in _calls(tuple(getattr(node, name) for name in node.__struct_fields__)):
        function = catalogue.planned(call.function)
        if function is not None and function.clock:
            return f"{call.function} returns the time of the server"
        if function is not None and function.of_record:
            return f"the result of {call.function} depends on the offset of a record in its topic"
    return None


def _calls(value: object) -> Iterator[Call]:
    """Yield the calls in the expressions of a node, without those of the nodes below it."""
    if isinstance(value, tuple):
        for part in value:
            yield from _calls(part)
    elif isinstance(value, Expression):
        yield from (part for part in walk(value) if isinstance(part, Call))
