"""Conditions over the rows of a topic, compiled to a plan.

A condition is bound as a projection over the topic, so that it has the same meaning as in a model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.plan import Plan, nodes
from lsqlc.plan.expression import Expression, Field, StructOf
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic

HOLDS = "holds"
_BEFORE = "SELECT STREAM ("


@dataclass(frozen=True, slots=True)
class ConditionProblem:
    """A diagnostic of a condition, with its position in the text of the condition: code points from 0."""

    diagnostic: Diagnostic
    offset: int
    length: int


def condition_plan(text: str, topic: Topic) -> tuple[Plan | None, tuple[ConditionProblem, ...]]:
    """Return the plan that outputs `holds` for each record of the topic, or the errors in the condition."""
    program = f"{_BEFORE}{text}\n) AS {HOLDS} FROM `{topic.name}`;"
    parsed = parse(program, "<condition>")
    errors = [d for d in parsed.diagnostics if d.is_error]
    plan = None
    if parsed.program is not None:
        if not _is_one_expression(parsed.program):
            whole = Diagnostic("LSQ524", "a condition must be one expression", help="combine conditions with AND")
            return None, (ConditionProblem(whole, 0, len(text)),)
        # The rows are results: how their event time is computed does not matter here.
        compiled = compile_program(
            parsed.program, {topic.name: replace(topic, event_time=None, ordinal_width=1, connector="embedded")},
            name="_condition",
        )  # fmt: skip
        plan, errors = compiled.plan, [d for d in compiled.diagnostics if d.is_error]
    if plan is not None:
        value = plan.outputs[0].value.type
        field = value.field(HOLDS) if isinstance(value, Struct) else None
        if field is None or field.type != data.BOOLEAN:
            message = f"a condition must be BOOLEAN, not {field.type if field else value}"
            type_error = Diagnostic("LSQ524", message, help="compare it with a value")
            return None, (ConditionProblem(type_error, 0, len(text)),)
        return plan, ()
    return None, tuple(_problem(d, program, text) for d in errors)


def holds(plan: Plan) -> Expression:
    """Return the condition of a plan, as an expression over the records of the topic."""
    (node,) = plan.sinks[0].inputs
    if isinstance(node, nodes.Project) and isinstance(node.value, StructOf):
        return node.value.values[0]
    # A topic with only this field has no projection.
    return Field(0, "value", (HOLDS,), data.BOOLEAN, True)


def _is_one_expression(program: tree.Program) -> bool:
    """Return whether the text is one expression. It must not close the parenthesis around it and add clauses."""
    if program.settings or program.withs or len(program.inserts) != 1:
        return False
    select = program.inserts[0].select
    return len(select.projections) == 1 and not (select.where or select.group_by or select.laterals or select.window)


def _problem(diagnostic: Diagnostic, program: str, text: str) -> ConditionProblem:
    """Move a diagnostic of the program to its position in the condition, at most to its end."""
    lines = program.split("\n")
    span = diagnostic.span or Span("", 1, 1, 1, 1)
    start, end = (
        min(max(sum(len(row) + 1 for row in lines[: line - 1]) + column - 1 - len(_BEFORE), 0), len(text))
        for line, column in ((span.line, span.column), (span.end_line, span.end_column))
    )
    return ConditionProblem(replace(diagnostic, span=None, fix=None), start, max(end - start, 1))
