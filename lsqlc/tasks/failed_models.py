"""The report of a run at its end on the models that have failed, and on those that wait for them."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.diagnostics import Diagnostic, listing
from lsqlc.remote.run.events import QuerySummary


def not_complete(summaries: Sequence[QuerySummary]) -> frozenset[str]:
    """Return the models of which a query has failed, or waits for one that has."""
    return frozenset(summary.model for summary in summaries if summary.failure or summary.waits_for)


def failures(summaries: Sequence[QuerySummary]) -> tuple[Diagnostic, ...]:
    """Return what each query has failed with, and LSQ640 at the end; nothing where none has failed."""
    failed = [summary for summary in summaries if summary.failure]
    if not failed:
        return ()
    waiting = [summary for summary in summaries if summary.waits_for]
    models = sorted({summary.model for summary in failed})
    message = f"the model{'s' * (len(models) > 1)} {listing(models)} failed"
    notes = tuple(f"{one.query!r} waits for {listing(one.waits_for)}" for one in waiting)
    help = "fix the cause and run again: each model continues from its checkpoint"
    return (*(d for one in failed for d in one.failure), Diagnostic("LSQ640", message, notes=notes, help=help))
