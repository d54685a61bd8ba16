"""What each case gives, so that an error of one case is not that of the others, and a record that cannot be read is
named by its place in the case file.
"""

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
    """What each case gives, or why it gives nothing. All are evaluated in one call, and in halves where that fails by
    what can be wrong with a case.
    """
    if not cases:
        return []
    try:
        return list(evaluate(plan, cases))
    except LsqlcError as error:
        if len(cases) == 1 or not any(map(_is_of_records, error.diagnostics)):
            return [error] * len(cases)
    half = len(cases) // 2
    return [*outcomes(plan, cases[:half], evaluate), *outcomes(plan, cases[half:], evaluate)]


def _is_of_records(found: Diagnostic) -> bool:
    """Return whether it can be of the records of one case; every other error is that of the model or of the engine."""
    return found.code in ("LSQ430", "LSQ431", "LSQ432", "LSQ493", "LSQ495", "LSQ661", "LSQ667")


def explained(plan: Plan, case: LoadedCase, error: LsqlcError) -> tuple[Diagnostic, ...]:
    """Return the error of a case, with places in the case file: that of each record that cannot be read, else that of
    the case.
    """
    if any(d.code in ("LSQ432", "LSQ667") for d in error.diagnostics) and (found := tuple(_bad_records(plan, case))):
        return found
    return tuple(replace(d, span=d.span or case.span) for d in error.diagnostics)


def _bad_records(plan: Plan, case: LoadedCase) -> Iterator[Diagnostic]:
    for number, bad in unreadable(plan, case.case):
        span: Span | None = case.places[number] if number < len(case.places) else None
        yield replace(refused(plan, case.case, number, bad), span=span or case.span)
