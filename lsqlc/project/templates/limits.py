"""The limits of what a template becomes, and of the process that renders templates."""

from __future__ import annotations

from dataclasses import dataclass

MAX_TEXT = 1_000_000
"""The characters of a text, and the items of a list."""
OUT_OF_TIME = 1
"""The exit code of a process whose time is over, which `faulthandler` ends."""
OUT_OF_MEMORY = 3
IDLE = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one template: bytes of address space of the whole process, and seconds of processor time and of time; `idle`:
    the seconds after which a process that nobody asks ends by itself.
    """

    memory: int = 1 << 30
    processor: int = 20
    time: float = 120
    idle: float = 60
