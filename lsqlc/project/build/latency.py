"""Real-time mode: whether a model can have the latency that it or its target requests, with positions of obstacles."""

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
    """Return LSQ602 for each obstacle of a model that requests real-time mode itself."""
    return _findings(model, program, obstacles(plan), asks=True)


def latency_notes(model: Model, plan: Plan) -> tuple[Diagnostic, ...]:
    """Return notes about a model whose target requests real-time mode. The model runs in micro-batches then."""
    delays = obstacles(plan)
    if not delays:
        return ()
    program = dialect(model.dialect).parse(model.text or "", model.path).program
    return _findings(model, program, delays, asks=False)


def _findings(
    model: Model, program: Program | None, delays: Iterable[Obstacle], *, asks: bool
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
        for each in delays
    )


def _place(model: Model, program: Program | None, words: tuple[str, ...]) -> Span:
    """Return the first of the words in the program; without words, the start of the file."""
    tokens = tokenize(program.source, model.dialect)[0] if program is not None else ()
    for word in words:
        for token in tokens:
            if token.kind == "name" and token.upper == word:
                assert program is not None
                span = program.source.span((token.start, token.end))
                return model.positions.span(span) if model.positions else span
    return Span(model.path, 1, 1, 1, 1)
