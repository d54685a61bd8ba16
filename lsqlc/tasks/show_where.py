"""The records for which a condition of `lsqlc show --where` holds, as DuckDB evaluates it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from lsqlc.bind.columns import Column
from lsqlc.bind.condition import RESULT, BoundCondition
from lsqlc.bind.trace import Trace
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.diagnostics import LsqlcError
from lsqlc.dialects import dialect
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field, RecordTime, StructOf, walk
from lsqlc.plan.plan import Plan
from lsqlc.types.record import Case, Facet, Record, StoredRecord, Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model

# What messages call the condition.
PATH = "<--where>"
_HOLDS = "holds"
# Records that are asked about together.
_CHUNK = 5_000

Kept = TypeVar("Kept", bound=Record | StoredRecord)
Matches = Callable[[Sequence[Record | StoredRecord]], list[bool]]


def bound_condition(text: str, topic: Topic, compilation: Compilation) -> BoundCondition:
    """A condition over the records of a topic, in the dialect of the model that writes it, else in that of the project:
    columns by name, in any case. The findings of a wrong condition point into its `text`, by the path PATH.
    """
    models = compilation.project.models
    writer = next((m for m in models if topic.name in _written(compilation, m)), None)
    language = dialect(writer.dialect if writer is not None else compilation.project.config.dialect)
    plain = replace(topic, event_time=None, ordinal_width=1, connector="embedded")
    columns: tuple[Column, ...] = ()
    if language.declares_sources:
        others = (m for m in models if m is not writer and m.dialect == language.name)
        readers = (m for m in ((writer,) if writer is not None else ()) + tuple(others) if m.text is not None)
        columns = next((found for m in readers if (found := _declared_columns(m, topic, compilation))), ())
    return language.condition(text, plain, PATH, columns)


def _written(compilation: Compilation, model: Model) -> Collection[str]:
    build = compilation.models.get(model.name)
    return {topic.name for topic in build.outputs} if build is not None else ()


def _declared_columns(model: Model, topic: Topic, compilation: Compilation) -> tuple[Column, ...]:
    """The columns by which a program that declares its topics names the fields of one; none where it does not."""
    language, trace = dialect(model.dialect), Trace()
    program = language.parse(model.text or "", model.path).program
    if program is None:
        return ()
    language.bind(program, compilation.topics, name=model.name, subjects=compilation.project.subjects, trace=trace)
    for name, source in trace.sources.items():
        node = source.node
        is_read = isinstance(node, nodes.Scan) and node.topic.name == topic.name
        if is_read or (name == topic.name and not isinstance(node, nodes.Scan)):
            return source.columns
    return ()


def matcher(topic: Topic, condition: BoundCondition) -> Matches:
    """A function that says for each record of a topic whether a condition holds. Null is not true.

    Raises LsqlcError with what is wrong in the condition.
    """
    from lsqlc.lower.duckdb import Session

    if condition.expression is None:
        raise LsqlcError(condition.diagnostics)
    session = Session()
    plan = _plan(topic, condition.expression)
    timed = any(isinstance(part, RecordTime) for part in walk(condition.expression))

    def matches(records: Sequence[Record | StoredRecord]) -> list[bool]:
        # The number of a record is its time, which distinguishes the answers. With a condition on the time it is the
        # place of its answer, and a tombstone has none.
        asked = [(number, r) for number, r in enumerate(records) if not timed or r.value is not None]
        given = tuple(Record(topic.name, r.key, r.value, r.timestamp if timed else number) for number, r in asked)
        [outcome] = session.evaluate(plan, [Case(RESULT, (given,))])
        answers = outcome.topics[RESULT]
        if timed:
            kept = {number for (number, _), row in zip(asked, answers, strict=True) if row.value[_HOLDS] is True}
        else:
            kept = {row.timestamp for row in answers}
        return [number in kept for number in range(len(records))]

    return matches


def _plan(topic: Topic, condition: Expression) -> Plan:
    """The records for which a condition holds; all records with the answer, for one that reads their time."""
    plain = replace(topic, event_time=None, ordinal_width=1, connector="embedded")
    scan = nodes.Scan(plain, topic.name, "STREAM", topic.key, topic.value)
    if not any(isinstance(part, RecordTime) for part in walk(condition)):
        return Plan(RESULT, (nodes.Sink((nodes.Filter(scan, condition),), replace(plain, name=RESULT)),))
    value = StructOf((_HOLDS,), (condition,))
    key = Field(0, "key", (), topic.key.type, True)
    node = nodes.Project(scan, key, value, topic.key.format, "json", False, RESULT)
    return Plan(RESULT, (nodes.Sink((node,), Topic(RESULT, topic.key, Facet(value.type, "json"))),))


def filtered(records: Iterable[Kept | Unreadable], matches: Matches | None) -> Iterator[Kept | Unreadable]:
    """The records for which the condition holds, in their order; all without one. What cannot be read stays among them,
    since nobody knows whether it holds there.
    """
    if matches is None:
        yield from records
        return
    rest = iter(records)
    while chunk := list(islice(rest, _CHUNK)):
        answers = iter(matches([record for record in chunk if not isinstance(record, Unreadable)]))
        yield from (record for record in chunk if isinstance(record, Unreadable) or next(answers))
