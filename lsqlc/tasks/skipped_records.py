"""The records that no query of a project reads on a target: noted with its topics, so that each later run, restart and
full refresh leaves out the same ones, on any machine.
"""

from __future__ import annotations

from collections.abc import Collection

from lsqlc.connectors.skips import Skip, skips_of, skips_text
from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean
from lsqlc.project.build.compile import Compilation
from lsqlc.tasks.notes import Noted, keep_note, noted
from lsqlc.tasks.run_target import RunTarget

NOTE = "skipped"


def read_skips(place: Noted, project: str) -> tuple[Skip, ...]:
    """Return the records that are noted. Raises LsqlcError: LSQ642 for a note of another release, LSQ001, and as the
    cluster does.
    """
    text = noted(place, project, NOTE)
    if text is None:
        return ()
    try:
        return skips_of(text)
    except ValueError as error:
        message = "another release has noted which records are skipped"
        help = "use the release of lsqlc that has written the note"
        raise LsqlcError([Diagnostic("LSQ642", message, notes=(str(error),), help=help)]) from None


def change_skips(place: Noted, project: str, *, skipped: Collection[Skip], read: Collection[Skip] = ()) -> None:
    """Note that records are skipped, and that others are not any more. Hold the lease of the project. Raises LsqlcError
    as `read_skips` and `keep_note`.
    """
    before = frozenset(read_skips(place, project))
    after = (before - frozenset(read)) | frozenset(skipped)
    if after != before:
        keep_note(place, project, NOTE, skips_text(after) if after else None)


def check_skips(place: RunTarget, compilation: Compilation, skips: Collection[Skip]) -> None:
    """Raise LsqlcError LSQ641 for a record that the topics do not have: one that comes there later would be skipped."""
    problems = [problem for skip in skips if (problem := _problem(place, compilation, skip)) is not None]
    if problems:
        raise LsqlcError(problems)


def _problem(place: RunTarget, compilation: Compilation, skip: Skip) -> Diagnostic | None:
    topic = compilation.topics.get(skip.topic)
    message = f"there is no record '{skip.text}' to skip"
    if topic is None or topic.files is not None:
        names = [name for name, each in compilation.topics.items() if each.files is None]
        note = "a topic of files has no such places" if topic else f"the project has no topic '{skip.topic}'"
        return Diagnostic("LSQ641", message, notes=(note,), help=did_you_mean(skip.topic, names))
    help = f"`lsqlc show {skip.topic}` shows the records with their places"
    missing = place.log.missing(topic, skip, place.state)
    if missing is None:
        return None
    return Diagnostic("LSQ641", message, notes=(missing.note,), help=missing.help or help)
