"""A condition of ksqlDB over a topic: columns by name, ROWTIME for the time, and `_KEY` for a key without a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lsqlc.bind.columns import Column
from lsqlc.bind.condition import RESULT, BoundCondition, more_than_a_condition
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.expressions import binder
from lsqlc.bind.ksql.scope import Columns
from lsqlc.diagnostics import Span
from lsqlc.plan.expression import FacetName, Field, RecordTime
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.parser import parse
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet, Topic

_LABEL = "R"
_BEFORE = f"CREATE STREAM {RESULT} AS SELECT * FROM {_LABEL}"


def bound_condition(text: str, topic: Topic, path: str, columns: Sequence[Column] = ()) -> BoundCondition:
    """Return a condition over the records of a topic; its diagnostics are in the file `path`.

    `columns`: those of the stream or table of a program over the topic; empty: those of its facets.
    """
    program = f"{_BEFORE}\nWHERE {text};"
    parsed = parse(program, path)
    if parsed.program is None:
        return BoundCondition(program, None, parsed.diagnostics)
    query = _only_query(parsed.program)
    if query is None or query.where is None:
        return more_than_a_condition(program, Span(path, 2, 1, 2, 1))
    topic_columns = tuple(replace(column, source=_LABEL) for column in columns) or tuple(_columns(topic))
    time = Column(_LABEL, "ROWTIME", RecordTime(), False, listed=False)
    findings = Findings(parsed.program.source)
    all = topic_columns if any(column.name == "ROWTIME" for column in topic_columns) else (*topic_columns, time)
    condition = binder(Columns((_LABEL,), all), findings).condition(query.where, "WHERE")
    return BoundCondition(program, condition, tuple(d for d in findings.found if d.is_error))


def _only_query(program: ksql.Program) -> ksql.Query | None:
    """Return the query of a program that consists of a condition; None for any other program."""
    plain = parse(f"{_BEFORE};", "plain").program
    assert plain is not None
    (expected,) = plain.statements
    if len(program.statements) != 1 or program.settings or program.definitions:
        return None
    (statement,) = program.statements
    if not isinstance(statement, ksql.CreateAs) or not isinstance(expected, ksql.CreateAs):
        return None
    without = replace(statement, query=replace(statement.query, where=None))
    return statement.query if same_parts(without, expected) and statement.query.final_at is None else None


def _columns(topic: Topic) -> Iterator[Column]:
    """Yield the fields of both facets as columns, also by names in upper case if these are unambiguous."""
    fields = [*_of_facet(topic.value, "value"), *_of_facet(topic.key, "key")]
    if not isinstance(topic.key.type, Struct) and not topic.key.is_absent:
        fields.append(("_KEY", Field(0, "key", (), topic.key.type, True)))
    names = [name for name, _ in fields]
    for name, field in fields:
        upper = name.upper()
        yield Column(_LABEL, name, field, field.facet == "key")
        if upper != name and [other.upper() for other in names].count(upper) == 1:
            yield Column(_LABEL, upper, field, field.facet == "key")


def _of_facet(facet: Facet, name: FacetName) -> Iterator[tuple[str, Field]]:
    if isinstance(facet.type, Struct):
        for field in facet.type.fields:
            yield field.name, Field(0, name, (field.name,), field.type, True)
