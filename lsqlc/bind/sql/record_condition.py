"""A condition of standard SQL over a topic: columns in any case, `_key` for the key, `_timestamp` for the time."""

from __future__ import annotations

from lsqlc.bind.condition import RESULT, BoundCondition, condition_of
from lsqlc.bind.sql.program import compile_sql
from lsqlc.diagnostics import Span
from lsqlc.syntax.sql.parser import parse
from lsqlc.types.record import Topic


def bound_condition(text: str, topic: Topic, path: str) -> BoundCondition:
    """Return a condition over the records of a topic; its diagnostics are in the file `path`."""
    program = f"SELECT 1 AS one FROM STREAM(`{topic.name}`)\nWHERE {text}"
    parsed = parse(program, path)
    if parsed.program is None:
        return BoundCondition(program, None, parsed.diagnostics)
    compiled = compile_sql(parsed.program, {topic.name: topic}, name=RESULT)
    if compiled.plan is None:
        return BoundCondition(program, None, tuple(d for d in compiled.diagnostics if d.is_error))
    return condition_of(program, compiled.plan, Span(path, 2, 1, 2, 1))
