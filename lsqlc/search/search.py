"""The search itself: random sequences in batches until two versions differ, and then smaller ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from lsqlc.diagnostics import LsqlcError
from lsqlc.golden.evaluation import Evaluate, outcomes
from lsqlc.plan import Plan
from lsqlc.search.comparison import Output, differences, has_rows, outputs, same_inputs
from lsqlc.search.constants import constants_of
from lsqlc.search.results import OutputRows, SearchResult
from lsqlc.search.sequences import Sequences, with_time
from lsqlc.search.values import Values, simpler
from lsqlc.types import data
from lsqlc.types.data import Struct
from lsqlc.types.record import Case, Outcome, Record, Topic

Clock = Callable[[], float]
"""Returns seconds that never go back."""

# The number of sequences that are evaluated together. A statement has a fixed cost, so that many cost little more.
_FIRST, _AT_ONCE = 50, 400
_MOST = 100_000
# Smaller sequences are evaluated in such numbers, and for at least so many seconds.
_SMALLER_AT_ONCE, _LEAST_SMALLER = 40, 3.0

_IsLate = Callable[[], bool]


def search(
    old: Plan,
    new: Plan,
    evaluate: Evaluate,
    *,
    seconds: float,
    seed: int = 0,
    first: Sequence[tuple[Record, ...]] = (),
    clock: Clock = time.monotonic,
) -> SearchResult:
    """Return a small sequence of records with which two plans give different rows, if one is found in time.

    `seconds`: the time after which no further sequences are drawn. `seed`: sequences depend on nothing else, so that a
    search can be repeated. `first`: sequences that are tried before all others, and are not made smaller. Sequences
    that a version refuses are left out.
    """
    topics, compared = same_inputs(old, new), outputs(old, new)
    for reason in (topics, compared):
        if isinstance(reason, str):
            return SearchResult(reason=reason)
    assert not isinstance(topics, str) and not isinstance(compared, str)
    left_out = tuple(f"{output.new.name}.{name}" for output in compared for name in output.left_out)
    pair = _Pair(old, new, compared, evaluate)
    random, constants = Random(seed), constants_of(old, new)
    sequences = Sequences(topics, constants, random, Values(constants, random))
    for records, answer in zip(first, pair.run(first), strict=True):
        if answer is not None and answer.rows:
            return SearchResult(len(first), len(first), records, topics, answer.rows, left_out)
    end, tried, with_rows = clock() + seconds, 0, 0
    while tried < _MOST and (not tried or clock() < end):
        batch = [sequences.draw() for _ in range(_AT_ONCE if tried else _FIRST)]
        tried += len(batch)
        for records, answer in zip(batch, pair.run(batch), strict=True):
            if answer is None:
                continue
            with_rows += answer.has_rows
            if answer.rows:
                is_late = _after(clock() + max(seconds, _LEAST_SMALLER), clock)
                smallest, rows = _smallest(pair, topics, records, answer.rows, is_late)
                return SearchResult(tried, with_rows, smallest, topics, rows, left_out)
    return SearchResult(tried, with_rows, topics=topics, left_out=left_out)


def _after(end: float, clock: Clock) -> _IsLate:
    return lambda: clock() > end


@dataclass(frozen=True, slots=True)
class _Answer:
    rows: tuple[OutputRows, ...]
    has_rows: bool


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both versions, and the topics that are compared."""

    old: Plan
    new: Plan
    compared: Sequence[Output]
    evaluate: Evaluate

    def run(self, sequences: Sequence[Sequence[Record]]) -> list[_Answer | None]:
        """Return the difference over each sequence; None where a version refuses it."""
        before, after = (self._outcomes(plan, sequences) for plan in (self.old, self.new))
        return [self._answer(*each) for each in zip(before, after, strict=True)]

    def _outcomes(self, plan: Plan, sequences: Sequence[Sequence[Record]]) -> list[Outcome | LsqlcError]:
        read = {topic.name for topic in plan.inputs}
        cases = [
            Case(str(number), (tuple(record for record in records if record.topic in read),))
            for number, records in enumerate(sequences)
        ]
        return outcomes(plan, cases, self.evaluate)

    def _answer(self, before: Outcome | LsqlcError, after: Outcome | LsqlcError) -> _Answer | None:
        if isinstance(before, LsqlcError) or isinstance(after, LsqlcError):
            return None
        return _Answer(differences(self.compared, before, after), has_rows(before) or has_rows(after))


def _smallest(
    pair: _Pair, topics: Sequence[Topic], records: tuple[Record, ...], rows: tuple[OutputRows, ...], is_late: _IsLate
) -> tuple[tuple[Record, ...], tuple[OutputRows, ...]]:
    """Return a sequence without records that can be left out, and with values that cannot be simpler. If it is late, it
    is the smallest one so far.
    """
    by_name = {topic.name: topic for topic in topics}
    smaller: tuple[tuple[Record, ...], tuple[OutputRows, ...]] | None = records, rows
    while smaller is not None:
        records, rows = smaller
        smaller = None if is_late() else _one_smaller(pair, _smaller(records, by_name), is_late)
    return records, rows


def _one_smaller(
    pair: _Pair, candidates: Iterator[tuple[Record, ...]], is_late: _IsLate
) -> tuple[tuple[Record, ...], tuple[OutputRows, ...]] | None:
    while some := list(islice(candidates, _SMALLER_AT_ONCE)):
        for candidate, answer in zip(some, pair.run(some), strict=True):
            if answer is not None and answer.rows:
                return candidate, answer.rows
        if is_late():
            break
    return None


def _smaller(records: tuple[Record, ...], topics: dict[str, Topic]) -> Iterator[tuple[Record, ...]]:
    """Yield sequences with one thing less: without a record, with an earlier time, or with a simpler value."""
    for place in range(len(records)):
        yield records[:place] + records[place + 1 :]
    first = min((record.timestamp for record in records), default=0)
    for at in (0, first):
        if any(record.timestamp != at for record in records):
            yield tuple(_moved(record, at, topics) for record in records)
    for place, record in enumerate(records):
        topic = topics[record.topic]
        is_struct = isinstance(topic.value.type, Struct)
        before = records[place - 1].timestamp if place else record.timestamp
        variants = [
            *(_moved(record, at, topics) for at in dict.fromkeys((before, before + 1)) if at < record.timestamp),
            *(replace(record, value=v) for v in simpler(record.value, topic.value.type, nullable=not is_struct)),
        ]
        if topic.key.type != data.NULL:
            keys = simpler(record.key, topic.key.type, nullable=False)
            variants += (replace(record, key=key) for key in keys if key is not None)
        for variant in variants:
            yield (*records[:place], with_time(topic, variant), *records[place + 1 :])


def _moved(record: Record, timestamp: int, topics: dict[str, Topic]) -> Record:
    return with_time(topics[record.topic], replace(record, timestamp=timestamp))
