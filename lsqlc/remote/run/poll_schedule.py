"""The schedule on which the progress of a query is polled.

A poll is a call to the server, which costs more than an idle query. So a query is polled when it has completed a batch,
and otherwise with growing pauses.
"""

from __future__ import annotations

from pathlib import Path

FIRST_PAUSE = 0.2
"""Seconds between a poll with a new batch and the next poll. The pause doubles after each poll without a batch.

Spark reports a batch shortly after it has written the commit of the batch.
"""
LONGEST_PAUSE = 2.0
"""The longest pause in seconds, if this process cannot see the checkpoint."""
LONGEST_SEEN = 10.0
"""The longest pause in seconds, if this process sees the checkpoint: the interval of Spark's reports when idle."""


class PollSchedule:
    """The schedule for one query. `checkpoint`: its folder, if this process sees it.

    >>> schedule = PollSchedule()
    >>> schedule.due(0.0), schedule.polled(0.0, has_batch=False), schedule.due(0.3), schedule.due(0.4)
    (True, None, False, True)
    >>> schedule.polled(0.4, has_batch=True), schedule.due(0.65)
    (None, True)
    """

    def __init__(self, checkpoint: Path | None = None) -> None:
        self._commits = checkpoint and checkpoint / "commits"
        self._longest = LONGEST_PAUSE if checkpoint is None else LONGEST_SEEN
        self._pause = FIRST_PAUSE
        self._next = float("-inf")
        self._last_commit = 0

    def due(self, now: float) -> bool:
        """Return whether to poll now. `now`: seconds of a monotonic clock."""
        commit = self._commit_time()
        if commit != self._last_commit:
            self._last_commit, self._pause = commit, FIRST_PAUSE
            return True
        return now >= self._next

    def polled(self, now: float, *, has_batch: bool) -> None:
        """Record a poll. `has_batch`: whether there was a new batch."""
        self._pause = FIRST_PAUSE if has_batch else min(2 * self._pause, self._longest)
        self._next = now + self._pause

    def _commit_time(self) -> int:
        """Return the modification time of the folder of commits, in nanoseconds; 0 if it cannot be read."""
        if self._commits is None:
            return 0
        try:
            return self._commits.stat().st_mtime_ns
        except OSError:
            return 0
