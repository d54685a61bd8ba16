"""Evaluation of cases one by one where needed, so that an error is reported for its case and its record only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from lsqlc.connectors.bad_records import refused, unreadable
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.golden.cases import LoadedCase
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome

Evaluate = Callable[[Plan, Sequence[Case]], Sequence[Outcome]]


def outcomes(plan: Plan, cases: Sequence[Case], evaluate: Evaluate) -> list[Outcome | LsqlcError]:
    """Return the outcome or the error of each case.

    All cases are evaluated in one call. If that fails because of records, each half is evaluated separately.
    """
    if not cases:
        return []
    try:
        return list(evaluate(plan, cases))
    except LsqlcError as error:
        if len(cases) == 1 or not any(map(_is_caused_by_records, error.diagnostics)):
            return [error] * len(cases)
    half = len(cases) // 2
    return [*outcomes(plan, cases[:half], evaluate), *outcomes(plan, cases[half:], evaluate)]


def _is_caused_by_records(diagnostic: Diagnostic) -> bool:
    """Return whether the records of one case can cause the diagnostic, rather than the model or the engine."""
    return diagnostic.code in ("LSQ430", "LSQ431", "LSQ432", "LSQ493", "LSQ495", "LSQ661", "LSQ667")


def locate_errors(plan: Plan, case: LoadedCase, error: LsqlcError) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a failed case, with spans of the records that cannot be read, else of the case."""
    if any(d.code in ("LSQ432", "LSQ667") for d in error.diagnostics) and (
        diagnostics := tuple(_bad_records(plan, case))
    ):
        return diagnostics
    return tuple(replace(d, span=d.span or case.span) for d in error.diagnostics)


def _bad_records(plan: Plan, case: LoadedCase) -> Iterator[Diagnostic]:
    for number, bad in unreadable(plan, case.case):
        span: Span | None = case.places[number] if number < len(case.places) else None
        yield replace(refused(plan, case.case, number, bad), span=span or case.span)
