"""Which records a condition of `lsqlc show --where` holds for: DuckDB says it, by the semantics of a WHERE."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan
from lsqlc.types.record import Case, Record, StoredRecord, Topic

# What messages call the condition.
PATH = "<--where>"
_BEFORE = "WHERE "
# Records that are asked about together.
_CHUNK = 5_000

Kept = TypeVar("Kept", bound=Record | StoredRecord)
Matches = Callable[[Sequence[Record | StoredRecord]], list[bool]]


def program_text(topic: Topic, condition: str) -> str:
    """The program of a condition; findings about it point into this text."""
    return f"SELECT STREAM * FROM `{topic.name}`\n{_BEFORE}{condition}"


def matcher(topic: Topic, condition: str) -> Matches:
    """A function that says for each record whether the condition holds, in the Lenses language: fields of the value by
    name, `_key` for the key. Null is not true.

    Raises LsqlcError with what is wrong in the condition, and LSQ683 for text that is more than a condition.
    """
    from lsqlc.dialects.lenses import DIALECT
    from lsqlc.lower.duckdb import Session

    # The number of a record is its time, which distinguishes the answers.
    plain = replace(topic, event_time=None, ordinal_width=1)
    parsed = DIALECT.parse(program_text(topic, condition), PATH)
    if parsed.program is None:
        raise LsqlcError(parsed.diagnostics)
    compiled = DIALECT.bind(parsed.program, {topic.name: plain}, name="show")
    if compiled.plan is None:
        raise LsqlcError(d for d in compiled.diagnostics if d.is_error)
    plan = compiled.plan
    if not _is_filter(plan):
        message = "'--where' must be a condition, without further clauses"
        raise LsqlcError([Diagnostic("LSQ683", message, Span(PATH, 2, 1, 2, 1))])
    session = Session()

    def matches(records: Sequence[Record | StoredRecord]) -> list[bool]:
        numbered = tuple(Record(topic.name, r.key, r.value, number) for number, r in enumerate(records))
        [outcome] = session.evaluate(plan, [Case("show", (numbered,))])
        kept = {record.timestamp for record in outcome.topics["show"]}
        return [number in kept for number in range(len(numbered))]

    return matches


def _is_filter(plan: Plan) -> bool:
    """Whether the plan has one sink, which drops records and changes none."""
    if len(plan.sinks) != 1 or len(plan.sinks[0].inputs) != 1 or plan.policy != "fail":
        return False
    node = plan.sinks[0].inputs[0]
    while True:
        if isinstance(node, nodes.Scan):
            return True
        if not isinstance(node, nodes.Filter | nodes.Project) or plan.sinks[0].topic.name != "show":
            return False
        [node] = nodes.inputs(node)


def filtered(records: Iterable[Kept], matches: Matches | None) -> Iterator[Kept]:
    """The records for which the condition holds, in their order; all without one."""
    if matches is None:
        yield from records
        return
    rest = iter(records)
    while chunk := list(islice(rest, _CHUNK)):
        yield from (record for record, keep in zip(chunk, matches(chunk), strict=True) if keep)
