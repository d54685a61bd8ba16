"""The lines of a target, as noted there, and the place as each of them sees it."""

from __future__ import annotations

from collections.abc import Collection

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.remote.run.deployments import Deployment, Deployments, deployments_text, parse_deployments
from lsqlc.tasks.notes import keep_note, noted
from lsqlc.tasks.run_target import Overlay, RunTarget

NOTE = "lines"


def read_lines(place: RunTarget, project: str) -> Deployments:
    """The lines of a project on a target. Raises LsqlcError: LSQ775 for a note of another release, LSQ001, and as the
    cluster does.
    """
    text = noted(place, project, NOTE)
    return Deployments() if text is None else parse_deployments(text)


def write_lines(place: RunTarget, project: str, lines: Deployments) -> None:
    """Replace the note. Raises LsqlcError: LSQ034, and as the cluster does."""
    keep_note(place, project, NOTE, deployments_text(lines))


def live_place(place: RunTarget, lines: Deployments) -> RunTarget:
    """The place as the live models see it."""
    return place.under(Overlay(lines.renamed)) if lines.renamed else place


def running_place(place: RunTarget, project: str, refreshed: Collection[str] = ()) -> RunTarget:
    """The place as a run of the live models sees it. `refreshed`: models whose state and results it removes.

    Raises LsqlcError: LSQ773, LSQ776 for models to be refreshed that are staged or kept too, and as `read_lines` does.
    """
    lines = read_lines(place, project)
    check_no_promotion(lines)
    for line, verb in ((lines.staged, "abort"), (lines.kept, "forget")):
        both = sorted(set(refreshed) & set(line.models)) if line is not None else []
        if line is not None and both:
            message = f"{listing(both)} {'is' if len(both) == 1 else 'are'} {line.phase} beside what would be removed"
            note = "the topics and checkpoints beside would not go with those that are rebuilt"
            help = f"remove them first, with `lsqlc deploy {verb}`"
            raise LsqlcError([Diagnostic("LSQ776", message, notes=(note,), help=help)])
    return live_place(place, lines)


def aside_place(place: RunTarget, lines: Deployments, line: Deployment) -> RunTarget:
    """The place as a staged line sees it: it reads what is live, and writes aside."""
    aside = {**line.topics, **line.internal}
    return place.under(Overlay({**lines.renamed, **line.internal}, aside, line.folder))


def check_no_promotion(lines: Deployments) -> None:
    """Refuse (LSQ773) what would change the live topics while a promotion is not finished."""
    if lines.staged is not None and lines.staged.phase != "staged":
        message = f"the promotion of the line '{lines.staged.id}' has begun and is not finished"
        note = f"it was staged by {lines.staged.by}"
        help = "finish it with `lsqlc deploy promote`; `lsqlc deploy rollback` takes it back afterwards"
        raise LsqlcError([Diagnostic("LSQ773", message, notes=(note,), help=help)])
