"""The time windows that records are grouped by: of the records' timestamps, in milliseconds, aligned to the epoch.

A record is late once `grace` has passed behind the end of its window. `final`: a window is written when it is closed,
and not before. `word`: its name in plans; `format`: the storage format of a windowed key, around that of the key.
"""

from __future__ import annotations

from typing import ClassVar, assert_never

import msgspec


class Tumble(msgspec.Struct, frozen=True):
    """Windows of `size`, each of which begins where the one before ends."""

    word: ClassVar[str] = "TUMBLE"
    format: ClassVar[str] = "tw"

    size: int
    grace: int
    final: bool = False

    @property
    def advance(self) -> int:
        """How far the beginnings of two windows are apart."""
        return self.size


class Hop(msgspec.Struct, frozen=True):
    """Windows of `size` that begin every `advance`, which is not longer."""

    word: ClassVar[str] = "HOP"
    format: ClassVar[str] = "tw"

    size: int
    advance: int
    grace: int
    final: bool = False


class Session(msgspec.Struct, frozen=True):
    """Windows that end where no record of their group comes for longer than `gap`."""

    word: ClassVar[str] = "SESSION"
    format: ClassVar[str] = "sw"

    gap: int
    grace: int
    final: bool = False


Window = Tumble | Hop | Session
WindowType = type[Tumble] | type[Hop] | type[Session]

TYPES: frozenset[WindowType] = frozenset((Tumble, Hop, Session))


def window_data(window: Window) -> dict[str, str | int | bool]:
    """Return a window as plans are written down, hashed and compared: a form that all kinds of windows share.

    `size` is the gap of a session, and `advance` 0 for it. Checkpoints and fingerprints depend on the names, their
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
