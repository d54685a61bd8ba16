"""The limits of rendered templates, and of the process that renders them."""

from __future__ import annotations

from dataclasses import dataclass

MAX_TEXT = 1_000_000
"""The maximal number of characters of a text, and of items of a list."""
OUT_OF_TIME = 1
"""The exit code of a process that exceeded its time, and that `faulthandler` ended."""
OUT_OF_MEMORY = 3
IDLE = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for one template.

    `memory`: bytes of address space of the whole process. `processor` and `time`: seconds of processor time and of
    wall-clock time. `idle`: seconds without a request after which the process ends.
    """

    memory: int = 1 << 30
    processor: int = 20
    time: float = 120
    idle: float = 60
