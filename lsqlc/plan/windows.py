"""Time windows over the timestamps of records, in milliseconds, aligned to the epoch.

A record is late if its window ended more than `grace` ago. `final`: a window is only output when it is closed. `word`:
the name in plans. `format`: the storage format of a windowed key, which contains the format of the key.
"""

from __future__ import annotations

from typing import ClassVar, assert_never

import msgspec


class Tumble(msgspec.Struct, frozen=True):
    """Consecutive windows of `size`."""

    word: ClassVar[str] = "TUMBLE"
    format: ClassVar[str] = "tw"

    size: int
    grace: int
    final: bool = False

    @property
    def advance(self) -> int:
        """The distance between the starts of two windows."""
        return self.size


class Hop(msgspec.Struct, frozen=True):
    """Windows of `size` that start every `advance`, which is at most `size`."""

    word: ClassVar[str] = "HOP"
    format: ClassVar[str] = "tw"

    size: int
    advance: int
    grace: int
    final: bool = False


class Session(msgspec.Struct, frozen=True):
    """Windows that end when a group has no record for longer than `gap`."""

    word: ClassVar[str] = "SESSION"
    format: ClassVar[str] = "sw"

    gap: int
    grace: int
    final: bool = False


Window = Tumble | Hop | Session
WindowType = type[Tumble] | type[Hop] | type[Session]

TYPES: frozenset[WindowType] = frozenset((Tumble, Hop, Session))


def window_data(window: Window) -> dict[str, str | int | bool]:
    """Return a window in the common form for plans, hashes and comparison.

    `size` is the gap of a session, and `advance` is 0 for it. Checkpoints and fingerprints depend on the names, their
    order and the values.
    """
    match window:
        case Tumble(size) | Hop(size):
            advance = window.advance
        case Session(size):
            advance = 0
        case _:
            assert_never(window)
    return {
        "kind": window.word, "size": size, "advance": advance, "grace": window.grace, "final": window.final
    }  # fmt: skip
