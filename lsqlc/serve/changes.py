"""The newest changes of a table, which readers take at their own pace."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from lsqlc.types.record import Record

# A reader that is further behind has missed changes.
KEPT = 10_000


@dataclass(frozen=True, slots=True)
class RowChange:
    """A change of a row. `row`: as it is; a deleted row as it was."""

    kind: Literal["insert", "update", "delete"]
    row: Record


@dataclass(frozen=True, slots=True)
class NewChanges:
    """The changes after a position. `first`: the number of the first one; `has_missed`: earlier ones are lost."""

    changes: tuple[RowChange, ...]
    first: int
    has_missed: bool = False

    @property
    def end(self) -> int:
        """The position after these changes."""
        return self.first + len(self.changes)


@dataclass(slots=True)
class ChangeLog:
    """The newest changes, numbered from 0. One thread adds them, and others read."""

    _changes: deque[RowChange] = field(default_factory=lambda: deque(maxlen=KEPT))
    _end: int = 0
    _lock: Lock = field(default_factory=Lock)

    @property
    def end(self) -> int:
        """The position after the newest change."""
        return self._end

    def add(self, changes: Iterable[RowChange]) -> None:
        """Add changes."""
        with self._lock:
            for change in changes:
                self._changes.append(change)
                self._end += 1

    def skip(self) -> None:
        """Forget all changes: the rows were read again. Each reader has missed changes."""
        with self._lock:
            self._changes.clear()
            self._end += 1

    def after(self, position: int) -> NewChanges:
        """Return the changes after a position."""
        with self._lock:
            first = self._end - len(self._changes)
            if not first <= position <= self._end:
                return NewChanges((), self._end, has_missed=True)
            return NewChanges(tuple(self._changes)[position - first :], position)
