"""Which lane a test belongs to, and how long a lane may take.

- `fast` (`make test`): tests that need no Java, and the few marked `smoke`.
- `core` (`make test-spark`): tests on Spark or Kafka that `tests/core.txt` lists.
- `nightly` (`make test-nightly`): all others, in shards. A test on Spark or Kafka is here unless it is listed, so that
  the gate grows by decision only. A test that needs no Java is here if it is marked `nightly`.

A budget is a number to compare with, printed at the end. No test fails because of time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

Lane = Literal["fast", "core", "nightly"]
LANES: tuple[Lane, ...] = get_args(Lane)
JAVA = frozenset(("spark", "kafka"))
"""Markers of tests that start Java."""
BUDGETS: dict[Lane, int] = {"fast": 300, "core": 900, "nightly": 480}
"""Seconds of a lane on two processors with nothing else to do; of `nightly`, those of a shard."""
RERUNS = 3
"""Tests that may pass at their second attempt in CI before the run fails."""


@cache
def core() -> frozenset[str]:
    """Return the lines of `tests/core.txt`: files, tests, and tests with parameters."""
    lines = (Path(__file__).parent / "core.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def lane_of(test: str, markers: Collection[str]) -> Lane:
    """Return the lane of a test. `test`: its identifier, `tests/x.py::test_y[z]`."""
    if "nightly" in markers:
        return "nightly"
    if JAVA.isdisjoint(markers) or "smoke" in markers:
        return "fast"
    return "nightly" if core().isdisjoint(names_of(test)) else "core"


def names_of(test: str) -> set[str]:
    """Return what a line of `tests/core.txt` may call a test: itself, the test without parameters, and its file."""
    return {test, test.partition("[")[0], test.partition("::")[0]}


def absent_from_core(tests: Iterable[tuple[str, Collection[str]]]) -> list[str]:
    """Return the lines of `tests/core.txt` that are none of the tests, though some are of their file.

    `tests`: the identifier and the markers of each. A skipped test without its cases stands for all of them: its corpus
    is not on this machine.
    """
    names, skipped = set[str](), set[str]()
    for test, markers in tests:
        names |= names_of(test)
        if "skip" in markers:
            skipped.add(test.partition("[")[0])
    absent = sorted(core() - names)
    return [line for line in absent if line.partition("::")[0] in names and line.partition("[")[0] not in skipped]


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Return the cases as values of one parameter, of which all but the first of each `every` are left to `nightly`."""
    return [
        case if number % every == 0 else pytest.param(case, marks=pytest.mark.nightly)
        for number, case in enumerate(cases)
    ]


def only(cases: Iterable[Any], kept: Collection[Any]) -> list[Any]:
    """Return the cases as values of one parameter, of which all but those in `kept` are left to `nightly`."""
    return [case if case in kept else pytest.param(case, marks=pytest.mark.nightly) for case in cases]
