"""Whether a model may have the latency that it or its target asks for, with the place of what keeps it from it."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import Diagnostic, Severity, Span
from lsqlc.dialects import dialect
from lsqlc.plan import Plan
from lsqlc.plan.real_time import Obstacle, obstacles
from lsqlc.project.model import Model
from lsqlc.syntax.program import Program
from lsqlc.syntax.tokens import tokenize


def latency_errors(model: Model, program: Program, plan: Plan) -> tuple[Diagnostic, ...]:
    """Return LSQ602 for each thing that keeps a model from real-time mode which asks for it itself."""
    return _findings(model, program, obstacles(plan), asks=True)


def latency_notes(model: Model, plan: Plan) -> tuple[Diagnostic, ...]:
    """Return the same as notes, of a model whose target asks for it: its latency is then that of micro-batches."""
    found = obstacles(plan)
    if not found:
        return ()
    program = dialect(model.dialect).parse(model.text or "", model.path).program
    return _findings(model, program, found, asks=False)


def _findings(
    model: Model, program: Program | None, found: Iterable[Obstacle], *, asks: bool
) -> tuple[Diagnostic, ...]:
    batches = "remove `latency: real-time`, or write `latency: micro-batch`" if asks else ""
    return tuple(
        Diagnostic(
            "LSQ602",
            f"the model '{model.name}' cannot run in real-time mode: {each.what}",
            _place(model, program, each.words),
            notes=(each.why, *(() if asks else ("it runs in micro-batches on this target",))),
            help="; or ".join(filter(None, (each.help, batches))) or None,
            severity=Severity.ERROR if asks else Severity.NOTE,
        )
        for each in found
    )


def _place(model: Model, program: Program | None, words: tuple[str, ...]) -> Span:
    """Return the first of the words that the program has; without any the beginning of the file."""
    tokens = tokenize(program.source, model.dialect)[0] if program is not None else ()
    for word in words:
        for token in tokens:
            if token.kind == "name" and token.upper == word:
                assert program is not None
                span = program.source.span((token.start, token.end))
                return model.positions.span(span) if model.positions else span
    return Span(model.path, 1, 1, 1, 1)
