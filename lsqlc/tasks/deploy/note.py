"""Where the lines of a target are noted: with the leases of the project in Kafka; of topics in folders, in the folder
of the project's state.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.remote.run.lines import Line, Lines, lines_of, lines_text
from lsqlc.remote.run.locks import write_errors
from lsqlc.tasks.places import Overlay, Place
from lsqlc.topics.kafka.client import Cluster
from lsqlc.topics.kafka.notes import read_note, write_note

NOTE = "lines"
FILE = "lines.json"


def read_lines(place: Place, project: str) -> Lines:
    """The lines of a project on a target. Raises LsqlcError: LSQ775 for a note of another release, LSQ001, and as the
    cluster does.
    """
    if place.kafka is not None:
        text = read_note(Cluster(place.kafka), project, NOTE)
    else:
        try:
            text = (place.state / FILE).read_text("utf-8")
        except FileNotFoundError:
            text = None
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise LsqlcError([Diagnostic("LSQ001", f"cannot read '{place.state.name}/{FILE}': {reason}")]) from None
    return Lines() if text is None else lines_of(text)


def write_lines(place: Place, project: str, lines: Lines) -> None:
    """Replace the note. Raises LsqlcError: LSQ034, and as the cluster does."""
    text = lines_text(lines)
    if place.kafka is not None:
        write_note(Cluster(place.kafka), project, NOTE, text, place.kafka.replication)
        return
    path = place.state / FILE
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        made = path.with_name(f"{FILE}.{os.getpid()}")
        with made.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)


def live_place(place: Place, lines: Lines) -> Place:
    """The place as the live models see it."""
    return place.under(Overlay(lines.renamed)) if lines.renamed else place


def running_place(place: Place, project: str, refreshed: Collection[str] = ()) -> Place:
    """The place as a run of the live models sees it. `refreshed`: models whose state and results it removes.

    Raises LsqlcError: LSQ773, LSQ776 for models to be refreshed that are staged or kept too, and as `read_lines` does.
    """
    lines = read_lines(place, project)
    check_no_promotion(lines)
    for line, verb in ((lines.staged, "abort"), (lines.kept, "forget")):
        both = sorted(set(refreshed) & set(line.models)) if line is not None else []
        if line is not None and both:
            message = f"{listing(both)} {'is' if len(both) == 1 else 'are'} {line.phase} beside what would be removed"
            note = "the topics and checkpoints beside would not go with those that are made anew"
            help = f"remove them first, with `lsqlc deploy {verb}`"
            raise LsqlcError([Diagnostic("LSQ776", message, notes=(note,), help=help)])
    return live_place(place, lines)


def aside_place(place: Place, lines: Lines, line: Line) -> Place:
    """The place as a staged line sees it: it reads what is live, and writes aside."""
    aside = {**line.topics, **line.internal}
    return place.under(Overlay({**lines.renamed, **line.internal}, aside, line.folder))


def check_no_promotion(lines: Lines) -> None:
    """Refuse (LSQ773) what would change the live topics while a promotion is not finished."""
    if lines.staged is not None and lines.staged.phase != "staged":
        message = f"the promotion of the line '{lines.staged.id}' has begun and is not finished"
        note = f"it was staged by {lines.staged.by}"
        help = "finish it with `lsqlc deploy promote`; `lsqlc deploy rollback` takes it back afterwards"
        raise LsqlcError([Diagnostic("LSQ773", message, notes=(note,), help=help)])
