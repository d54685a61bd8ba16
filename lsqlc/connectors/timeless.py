"""Records to which a program gives no time that a record can have."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import Diagnostic, listing

# The message of both engines for such a record.
NO_EVENT_TIME = "a record has no event time from 1970 to 9999"


def timeless(model: str, topics: Iterable[str], skip_setting: str, notes: tuple[str, ...] = ()) -> Diagnostic:
    """Return LSQ431: the time expression or column of a record is null, or not a valid time, and the policy is to stop.

    `topics`: the topics that are read. `skip_setting`: as in `plan.policies.skip_help`.
    """
    read = listing(topics)
    where = f"it is a record of {read}" if read else "it is a record of a topic that the model reads"
    why = "its time is null, before 1970 or after 9999, or a text that does not have the format of the time"
    help = f"fix the record, or give such records another time, as COALESCE does; `{skip_setting}` skips them"
    return Diagnostic("LSQ431", f"the model '{model}': {NO_EVENT_TIME}", notes=(where, why, *notes), help=help)
