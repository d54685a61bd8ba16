"""How long each record of a load takes to its results, through whatever it is that makes them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tools.bench.changes import Changes, Received, answers
from tools.bench.latency_client import ROWS, Load, Results, state_of_topic

RATES = (100, 1_000)
# Seconds within which the first result must come, and the last one once nothing more is sent.
FIRST_WITHIN, LAST_WITHIN = 120.0, 60.0

Waits = Mapping[int, Sequence[float]]
"""The milliseconds of all records that are measured, by rate."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: at the highest rate before all others, so that what compiles itself has done so; at each rate before
    it is measured; and measured.
    """

    first: float
    warm: float
    measured: float


class Live(Protocol):
    """What makes results of records while they come."""

    def check(self) -> None:
        """Raise RuntimeError, with what it said, if it has ended."""

    def state(self) -> str:
        """What it has said, for people."""


def waits(
    running: Live,
    changes: Changes,
    load: Load,
    results: Results,
    timing: Timing,
    read: Callable[[Sequence[Received]], Iterable[Received]] = tuple,
) -> Waits:
    """Send records at each rate, receive their results and compare. `changes`: what is made of the records; `read`: the
    results in the form of these changes. Raises RuntimeError, with what is known of the reason, for results that do
    not come or are wrong.
    """

    def reason() -> str:
        running.check()
        topics = [state_of_topic(load.bootstrap, topic) for topic in (load.topic, results.topic)]
        failed = [f"the consumer failed: {error}" for error in results.failed]
        return f"{'; '.join([*topics, *failed])}; {running.state()}"

    with results.receiving():
        # All rows, so that each record that is measured changes one.
        load.send(ROWS, 1.0)
        until(lambda: bool(results.received), FIRST_WITHIN, lambda: f"no result came: {reason()}")
        load.send(max(RATES), timing.first)
        measured = {}
        for rate in RATES:
            load.send(rate, timing.warm)
            measured[rate] = load.send(rate, timing.measured)
        # Where changes of a group within a batch cancel out, its next result answers them.
        load.send(ROWS, 1.0)
        found: dict[int, float] = {}

        def all_answered() -> bool:
            found.update(answers(changes(load.sent), read(tuple(results.received))))
            return all(n in found for numbers in measured.values() for n in numbers)

        until(all_answered, LAST_WITHIN, lambda: f"{_left(measured, found)}: {reason()}", pause=1.0)
    return {rate: [1_000 * (found[n] - load.sent[n - 1].at) for n in numbers] for rate, numbers in measured.items()}


def until(done: Callable[[], bool], seconds: float, why: Callable[[], str], pause: float = 0.1) -> None:
    """Wait for it. Raises RuntimeError, with the reason, after so many seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise RuntimeError(f"after {seconds:g} seconds {why()}")
        time.sleep(pause)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The least of the numbers that so many of them do not exceed."""
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def _left(measured: Mapping[int, range], found: Mapping[int, float]) -> str:
    missing = [n for numbers in measured.values() for n in numbers if n not in found]
    return f"{len(missing):,} records have no result, the first of them {missing[0]}"
