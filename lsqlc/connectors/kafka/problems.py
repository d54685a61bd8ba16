"""Diagnostics of invalid and of incomplete records of Kafka. Pure."""

from __future__ import annotations

from typing import Protocol

from lsqlc.diagnostics import Diagnostic
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.record import Topic


class Placed(Protocol):
    """A record of a partition."""

    def partition(self) -> int | None: ...
    def offset(self) -> int | None: ...


def bad_record(topic: str, message: Placed, problems: ValueProblems) -> list[Diagnostic]:
    """Report each problem of a record that was read, as LSQ739."""
    place = f"partition {message.partition()}, offset {message.offset()}"
    help = f"correct the schema or the format of '{topic}', or its producer"
    return [
        Diagnostic("LSQ739", f"a record of '{topic}' does not match its schema: {p}", notes=(place,), help=help)
        for p in problems.problems
    ]


def in_part(topic: str, batch: int) -> Diagnostic:
    """Report LSQ762: some transactions of a batch are committed, and Spark's own sink would write all of it
    once more.
    """
    return Diagnostic(
        "LSQ762",
        f"the batch {batch} of the query that writes '{topic}' is written only in part, by several transactions",
        notes=("a run ended after some of them, and `writers: native` has no transactions to complete it with",),
        help="run once with `writers` as it was, which completes the batch; or `lsqlc run --full-refresh`",
    )


def width_problem(topic: Topic, ordinal: tuple[int, ...]) -> Problem | None:
    """Return the problem of the ordinal of a derived record, or None."""
    width = topic.ordinal_width
    if len(ordinal) == width:
        return None
    return Problem("ordinal", f"expected 1 to {width} integers, found {list(ordinal)}")
