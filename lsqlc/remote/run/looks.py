"""When a query that runs is looked at. A look is a call to the server, which costs it more than the query does while it
finds nothing to read: so a query is looked at when it has noted a batch, and else less and less often.
"""

from __future__ import annotations

from pathlib import Path

FIRST_PAUSE = 0.2
"""Seconds from a look that found a batch to the next one. Pauses double after looks that found none, since Spark tells
of a batch a moment after it has noted it.
"""
LONGEST_PAUSE = 2.0
"""Where nobody sees from here what a query notes."""
LONGEST_SEEN = 10.0
"""Where it is seen. Spark reports as often that there was nothing to read."""


class Looks:
    """When to look at one query. `checkpoint`: its folder, where this process sees it.

    >>> looks = Looks()
    >>> looks.due(0.0), looks.looked(0.0, found=False), looks.due(0.3), looks.due(0.4)
    (True, None, False, True)
    >>> looks.looked(0.4, found=True), looks.due(0.65)
    (None, True)
    """

    def __init__(self, checkpoint: Path | None = None) -> None:
        self._commits = checkpoint and checkpoint / "commits"
        self._longest = LONGEST_PAUSE if checkpoint is None else LONGEST_SEEN
        self._pause = FIRST_PAUSE
        self._next = float("-inf")
        self._noted = 0

    def due(self, now: float) -> bool:
        """Whether to look. `now`: seconds of a monotonic clock."""
        noted = self._changed()
        if noted != self._noted:
            self._noted, self._pause = noted, FIRST_PAUSE
            return True
        return now >= self._next

    def looked(self, now: float, *, found: bool) -> None:
        """There was a look; whether it found a batch."""
        self._pause = FIRST_PAUSE if found else min(2 * self._pause, self._longest)
        self._next = now + self._pause

    def _changed(self) -> int:
        """When a batch was noted last, as the file system has it; 0 where that is not known."""
        if self._commits is None:
            return 0
        try:
            return self._commits.stat().st_mtime_ns
        except OSError:
            return 0
