"""Merging the records of several partitions as they come: by offset, and of one offset by lane."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Merge(Generic[T]):
    """Items of lanes, each in order of its offsets, in order of (offset, lane).

    >>> merge = Merge([0, 1])
    >>> merge.add(0, 5, "a"); merge.add(0, 9, "c"); merge.ready()
    []
    >>> merge.add(1, 7, "b"); merge.ready()
    ['a', 'b']
    >>> merge.close(1); merge.ready()
    ['c']
    """

    def __init__(self, lanes: Iterable[int]) -> None:
        self._waiting: dict[int, deque[tuple[int, int, T]]] = {lane: deque() for lane in lanes}
        self._open = set(self._waiting)

    @property
    def done(self) -> bool:
        """Return True if all lanes are closed; `ready` then returns the remaining items."""
        return not self._open

    def is_open(self, lane: int) -> bool:
        return lane in self._open

    def add(self, lane: int, offset: int, item: T) -> None:
        self._waiting[lane].append((offset, lane, item))

    def close(self, lane: int) -> None:
        """Close a lane: it has no further items."""
        self._open.discard(lane)

    def waiting(self, lane: int) -> int:
        """Return the number of items of a lane that are held back."""
        return len(self._waiting[lane])

    def ready(self) -> list[T]:
        """Return the items, in order, that no later item can precede."""
        if len(self._waiting) == 1:
            (only,) = self._waiting.values()
            alone = [item for _, _, item in only]
            only.clear()
            return alone
        bounds = [self._waiting[lane][-1] if self._waiting[lane] else None for lane in self._open]
        if None in bounds:
            return []
        bound = min(((b[0], b[1]) for b in bounds if b is not None), default=None)
        items: list[tuple[Any, ...]] = []
        for waiting in self._waiting.values():
            if bound is None or (waiting and waiting[-1][:2] <= bound):
                items += waiting
                waiting.clear()
                continue
            while waiting and waiting[0][:2] <= bound:
                items.append(waiting.popleft())
        items.sort(key=_place)
        return [item for _, _, item in items]


def _place(entry: tuple[Any, ...]) -> tuple[int, int]:
    return entry[0], entry[1]
