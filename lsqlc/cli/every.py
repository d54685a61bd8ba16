"""`lsqlc run --every`: the pause between two runs, in which nothing runs on any server."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

import typer

from lsqlc.cli.live import busy
from lsqlc.cli.shell import Shell
from lsqlc.cli.watch import note_waiting
from lsqlc.project.declared.config import duration

if TYPE_CHECKING:
    from lsqlc.cli.running import Stop
    from lsqlc.tasks.run_target import RunTarget


def interval(text: str | None, *, forbidden: str | None) -> float | None:
    """Seconds from the start of a run to that of the next, from `--every`; None without it. `forbidden`: an option that
    does not go with it.
    """
    if text is None:
        return None
    if forbidden is not None:
        raise typer.BadParameter(f"it does not go with {forbidden}, which has no end", param_hint="--every")
    milliseconds = duration(text)
    if not milliseconds:
        raise typer.BadParameter(f"'{text}' is not a duration, such as 30s, 15m or 2h", param_hint="--every")
    return milliseconds / 1000


def wait_until(sh: Shell, place: RunTarget, stop: Stop, due: float) -> bool:
    """Pause until the monotonic clock is `due`; False if a signal ends it. The status of the project says when the next
    run begins. Raises LsqlcError for a lease that is lost.
    """
    left = max(0.0, due - time.monotonic())
    at = time.time() + left
    note_waiting(place.state, at)
    if sh.json:
        sh.line({"event": "waiting", "until": round(at, 3)})
    clock = f"{datetime.fromtimestamp(at).astimezone():%H:%M:%S}"
    if not sh.animated:
        sh.say(f"the next run begins at {clock}")
    with busy(sh, f"Ctrl-C ends; the next run begins at {clock}, in", log=False, due=due):
        return not stop.pause(left)
