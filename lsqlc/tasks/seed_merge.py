"""Records of several topics in one order of arrival, by their times: what a topic file holds is in order of its
ordinals, and files of different topics do not overlap, so that each change of the topic begins a new file.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, repeat

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.types.record import Record, Topic

# Each change of the topic is a file: up to so many of them the merge is exact; beyond, the records are cut into steps,
# each of which has the records of one topic after those of another.
_RUNS = 64
_STEPS = 32


@dataclass(frozen=True, slots=True)
class Part:
    """The records of a topic: `read` gives them from the beginning. `files`: into how many they are cut, if that is
    declared, and `size`: else the most that a file holds.
    """

    topic: Topic
    read: Callable[[], Iterator[Record]]
    files: int | None
    size: int


@dataclass(frozen=True, slots=True)
class Merged:
    """What merging gives. `exact` False: in steps of `step` records."""

    runs: Iterator[tuple[Topic, Iterator[Record], int]]
    exact: bool
    step: int


@dataclass(slots=True)
class _Counts:
    by_topic: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    total: int = 0


def merged(parts: Sequence[Part]) -> Merged:
    """The records of all topics by time, each topic's in their own order; at the same time those of an earlier part
    first. A run has the topic, its records and how many of them a file holds. Reads everything once to count it.

    Raises LsqlcError with what is wrong in all parts.
    """
    counts, bad = _Counts(), list[Diagnostic]()
    last = None
    for at, _ in _in_order([_good(part.read(), bad) for part in parts]):
        name = parts[at].topic.name
        counts.by_topic[name] = counts.by_topic.get(name, 0) + 1
        counts.total += 1
        counts.runs += at != last
        last = at
    if bad:
        raise LsqlcError(bad)
    exact = counts.runs <= _RUNS
    step = -(-counts.total // _STEPS) or 1
    runs = _exact(parts) if exact else _stepped(parts, step)
    sizes = [-(-counts.by_topic.get(p.topic.name, 0) // p.files) or 1 if p.files else p.size for p in parts]
    return Merged(((parts[at].topic, records, sizes[at]) for at, records in runs), exact, step)


def _in_order(sources: Sequence[Iterator[Record]]) -> Iterator[tuple[int, Record]]:
    """The records with the place of their source."""
    placed = [zip(repeat(at), source, strict=False) for at, source in enumerate(sources)]
    return heapq.merge(*placed, key=lambda pair: pair[1].timestamp)


def _good(records: Iterator[Record], bad: list[Diagnostic]) -> Iterator[Record]:
    try:
        yield from records
    except LsqlcError as error:
        bad += error.diagnostics


def _exact(parts: Sequence[Part]) -> Iterator[tuple[int, Iterator[Record]]]:
    ordered = _in_order([part.read() for part in parts])
    for at, run in groupby(ordered, key=lambda pair: pair[0]):
        yield at, (record for _, record in run)


def _stepped(parts: Sequence[Part], step: int) -> Iterator[tuple[int, Iterator[Record]]]:
    ordered = _in_order([part.read() for part in parts])
    while window := list(islice(ordered, step)):
        by_topic: dict[int, list[Record]] = {}
        for at, record in window:
            by_topic.setdefault(at, []).append(record)
        for at, records in sorted(by_topic.items()):
            yield at, iter(records)
