"""Values whose text takes what the sandbox cannot count: they stand for the holes in it that nobody knows of yet."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass


class Endless:
    """Takes processor time without end."""

    def __str__(self) -> str:
        while True:
            pass


class Waiting:
    """Takes time without end, and no processor."""

    def __str__(self) -> str:
        while True:
            os.read(os.pipe()[0], 1)


class Huge:
    """Takes memory without end."""

    def __str__(self) -> str:
        return str(len(["x" * (1 << 26) for _ in range(1 << 20)]))


class Held:
    """Takes memory until there is none, and does not give it back."""

    held: list[object] = []  # noqa: RUF012 - never freed

    def __str__(self) -> str:
        size = 1 << 26
        while size > 1:
            try:
                Held.held.append(bytearray(size))
            except MemoryError:
                size //= 2
        raise MemoryError


class Crash:
    """Ends the process as a fault in an interpreter does."""

    def __str__(self) -> str:
        os.kill(os.getpid(), 11)
        return ""


class Bug:
    """Raises what no template should."""

    def __str__(self) -> str:
        raise NameError("a bug")


class Surroundings:
    """Shows what the process has."""

    def __str__(self) -> str:
        return f"{sorted(os.environ)} {sys.path} {sorted(name for name in sys.modules if name.startswith('lsqlc'))}"


@dataclass(frozen=True)
class Sized:
    """The size of the process's address space, in bytes."""

    def __str__(self) -> str:
        with open("/proc/self/statm") as file:  # noqa: PTH123
            return str(int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE"))
