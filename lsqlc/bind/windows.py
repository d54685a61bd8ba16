"""From windows of the syntax to windows of a plan."""

from __future__ import annotations

from typing import assert_never

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.printing import duration_text
from lsqlc.plan.windows import Hop, Session, Tumble, Window
from lsqlc.syntax import tree


def lengths(window: tree.Window) -> tuple[tree.Duration, ...]:
    """Return the durations of a window; none of them can be zero."""
    match window:
        case tree.Tumble(length) | tree.Session(length):
            return (length,)
        case tree.Hop(size, advance):
            return size, advance
        case _:
            assert_never(window)


def planned(window: tree.Window, grace: int, *, final: bool = False) -> Window:
    """Return the window of a plan. `grace` is in milliseconds; `final`: the result is emitted when the window is
    closed.
    """
    match window:
        case tree.Tumble(size):
            return Tumble(size.milliseconds, grace, final)
        case tree.Hop(size, advance):
            return Hop(size.milliseconds, advance.milliseconds, grace, final)
        case tree.Session(gap):
            return Session(gap.milliseconds, grace, final)
        case _:
            assert_never(window)


def report_delay(window: Window, at: Extent, help: str, findings: Findings) -> None:
    """Warn that Spark writes a session only once it is closed, unless the query asks for that (EMIT FINAL).

    `help`: how a program of the dialect makes the delay shorter.
    """
    if isinstance(window, Session) and not window.final:
        # In ksqlDB the grace is a millisecond longer than in the text.
        delay = duration_text(max(window.gap, window.grace) // 1000 * 1000 or window.gap)
        findings.warn(
            "LSQ827", f"on Spark the rows of these sessions come {delay} after their last records", at,
            notes=("a session is written once it is closed: when a record comes, of any group, that is so much newer",),
            help=help,
        )  # fmt: skip
