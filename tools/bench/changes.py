"""Which record of a topic a result of a query answers: from the changes that the query makes of its records, in order.

A query in real time writes each of these changes, and one in micro-batches those that a batch ends with. So a result
answers the records of all changes of its key up to its own. A result that is no such change is wrong.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    """A record: its number, its key, the group in its value, and its time in epoch milliseconds. `at`: when it was
    given to the producer, in seconds of the monotonic clock.
    """

    number: int
    key: str
    group: str
    time: int
    at: float


@dataclass(frozen=True, slots=True)
class Change:
    """What a query makes of a record. `key`: that of the result, as text; `value`: its fields, None of a row that is
    deleted; `number`: that of the record.
    """

    key: str
    value: Mapping[str, Any] | None
    number: int


# The changes of all records, in order.
Changes = Callable[[Iterable[Sent]], Iterator[Change]]


@dataclass(frozen=True, slots=True)
class Received:
    """A result, with the time of its receipt in seconds of the monotonic clock."""

    key: bytes
    value: bytes | None
    at: float


def of_each_record(sent: Iterable[Sent]) -> Iterator[Change]:
    """Of a query without state."""
    for record in sent:
        yield Change(record.key, {"g": record.group, "n": record.number}, record.number)


def of_groups(sent: Iterable[Sent]) -> Iterator[Change]:
    """Of the groups of a STREAM: how many records there are, and the sum of their numbers."""
    counts, sums = defaultdict[str, int](int), defaultdict[str, int](int)
    for record in sent:
        counts[record.group] += 1
        sums[record.group] += record.number
        yield Change(record.group, {"c": counts[record.group], "s": sums[record.group]}, record.number)


def of_groups_of_rows(sent: Iterable[Sent]) -> Iterator[Change]:
    """Of the groups of a TABLE: a row is added to its group as it is now, and taken off that where it was. Of one that
    stays in its group either may come first, and neither has to be seen.
    """
    groups = defaultdict[str, _Group](lambda: _Group(0, 0))
    rows: dict[str, Sent] = {}
    for record in sent:
        was, to = rows.get(record.key), record.group
        rows[record.key] = record
        if was is None:
            groups[to] = groups[to].plus(record)
        elif was.group != to:
            groups[to], groups[was.group] = groups[to].plus(record), groups[was.group].minus(was)
            yield Change(was.group, groups[was.group].value, record.number)
        else:
            yield Change(to, groups[to].plus(record).value, record.number)
            yield Change(to, groups[to].minus(was).value, record.number)
            groups[to] = groups[to].plus(record).minus(was)
        yield Change(to, groups[to].value, record.number)


@dataclass(frozen=True, slots=True)
class _Group:
    count: int
    sum: int

    def plus(self, record: Sent) -> _Group:
        return _Group(self.count + 1, self.sum + record.number)

    def minus(self, record: Sent) -> _Group:
        return _Group(self.count - 1, self.sum - record.number)

    @property
    def value(self) -> Mapping[str, int] | None:
        """None where no row is left: it is deleted."""
        return {"c": self.count, "s": self.sum} if self.count else None


def answers(changes: Iterable[Change], received: Iterable[Received]) -> dict[int, float]:
    """When the last change of each record was received, of those records of which all were. Raises RuntimeError for a
    result that is not a change behind the last result of its key.
    """
    left, open_changes = defaultdict[str, list[Change]](list), defaultdict[int, int](int)
    for change in changes:
        left[change.key].append(change)
        open_changes[change.number] += 1
    found, places = dict[int, float](), defaultdict[str, int](int)
    for result in received:
        key, value = _key(result.key), None if result.value is None else json.loads(result.value)
        first = places[key]
        place = next((n for n in range(first, len(left[key])) if left[key][n].value == value), None)
        if place is None:
            raise RuntimeError(f"the result {key}: {value} is wrong or repeated; the last one of its key was {first}")
        for change in left[key][first : place + 1]:
            open_changes[change.number] -= 1
            if not open_changes[change.number]:
                found[change.number] = result.at
        places[key] = place + 1
    return found


def _key(key: bytes) -> str:
    """The text of a key; of a window, whose start is behind it in eight bytes, that of its group."""
    return key.decode() if len(key) < 9 or key[-8] else key[:-8].decode()
