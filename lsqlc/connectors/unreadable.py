"""Records of a log that cannot be read, for display: their positions, problems and contents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lsqlc.connectors.bad_records import position
from lsqlc.diagnostics import Diagnostic
from lsqlc.types.codec import ValueProblems

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record of `topic` that cannot be read.

    `place`: `partition` and `offset`, or for a topic in folders `file` and `line`, which counts from 1. `ordinal`: that
    of the record, or of the previous one. `timestamp`: epoch milliseconds, None if the line has none. `parts`: the
    bytes of its `key` and `value`, None for null, or as `text` those of its line. `findings`: one for each problem.
    """

    topic: str
    place: Mapping[str, int | str]
    ordinal: tuple[int, ...]
    timestamp: int | None
    reason: str
    parts: Mapping[str, bytes | None]
    findings: tuple[Diagnostic, ...]


ToldOf = Callable[[Unreadable], None]
"""Takes a record that cannot be read, in the order of the valid ones."""


def unreadable_line(
    topic: str,
    path: str,
    number: int,
    line: bytes,
    before: tuple[int, ...],
    problems: ValueProblems,
    findings: tuple[Diagnostic, ...],
) -> Unreadable:
    """Return a line of a segment. `before`: the ordinal of the previous record."""
    ordinal, timestamp = position(line.decode("utf-8", "replace"))
    return Unreadable(
        topic,
        {"file": path, "line": number},
        before if ordinal is None else (ordinal,),
        None if ordinal is None else timestamp,
        reason_of(problems),
        {"text": line},
        findings,
    )


def reason_of(problems: ValueProblems) -> str:
    """Return the problems of a record, in one line."""
    return "; ".join(map(str, problems.problems))


def among(records: Iterable[Kept], waiting: list[Unreadable]) -> Iterator[Kept | Unreadable]:
    """Yield the records of a log, and in their order those that cannot be read, which the log adds to `waiting`."""
    for record in records:
        yield from waiting
        waiting.clear()
        yield record
    yield from waiting
    waiting.clear()
