"""Measurements as tables: what was measured, the number, the budget beside it and whether it holds."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

# Above this load the numbers say more about the other work than about lsqlc.
QUIET_LOAD = 1.5

Unit = Literal["s", "ms", "%", "rows/s", "x"]


@dataclass(frozen=True, slots=True)
class Row:
    """One number: the median of the `samples`, if there are several. `budget`: the most for times and percents, else
    the least.
    """

    what: str
    value: float
    unit: Unit = "s"
    budget: float | None = None
    samples: Sequence[float] = ()
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.budget is None:
            return ""
        cost = self.unit in ("s", "ms", "%")
        within = self.value <= self.budget if cost else self.value >= self.budget
        return "within" if within else "over" if cost else "below"


def print_table(title: str, rows: Sequence[Row]) -> None:
    """Print the measurements of one benchmark."""
    head = ("", "measured", "budget", "", "samples", "")
    cells = [head, *map(_cells, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    print(f"\n{title}")
    for row in cells:
        aligned = [c.rjust(w) if i in (1, 2) else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        print("  " + "  ".join(aligned).rstrip(), flush=True)


def print_machine() -> None:
    """Print what the numbers depend on."""
    core = find_spec("sqlglot.tokenizer_core")
    build = "pure" if core is None or (core.origin or "").endswith(".py") else "compiled"
    print(f"{os.cpu_count()} processors, Python {platform.python_version()}, sqlglot {build}, {platform.system()}")
    load = os.getloadavg()[0]
    if load > QUIET_LOAD:
        print(f"the machine is busy (load {load:.1f}): these numbers are too high, and the ratios rough")


def _cells(row: Row) -> tuple[str, ...]:
    samples = " ".join(_number(s, row.unit) for s in row.samples) if len(row.samples) > 1 else ""
    budget = "" if row.budget is None else f"{_number(row.budget, row.unit)} {row.unit}"
    return (row.what, f"{_number(row.value, row.unit)} {row.unit}", budget, row.verdict, samples, row.note)


def _number(value: float, unit: Unit) -> str:
    return f"{value:,.0f}" if unit == "rows/s" else f"{value:.2f}" if unit == "s" else f"{value:.1f}"
