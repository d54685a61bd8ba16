"""Windows of the syntax to windows of a plan."""

from __future__ import annotations

from typing import assert_never

from lsqlc.plan.windows import Hop, Session, Tumble, Window
from lsqlc.syntax import tree


def lengths(window: tree.Window) -> tuple[tree.Duration, ...]:
    """The durations that a window is made of; none of them can be zero."""
    match window:
        case tree.Tumble(length) | tree.Session(length):
            return (length,)
        case tree.Hop(size, advance):
            return size, advance
        case _:
            assert_never(window)


def planned(window: tree.Window, grace: int, *, final: bool = False) -> Window:
    """The window of a plan. `grace` in milliseconds; `final`: it is written once it is closed."""
    match window:
        case tree.Tumble(size):
            return Tumble(size.milliseconds, grace, final)
        case tree.Hop(size, advance):
            return Hop(size.milliseconds, advance.milliseconds, grace, final)
        case tree.Session(gap):
            return Session(gap.milliseconds, grace, final)
        case _:
            assert_never(window)
