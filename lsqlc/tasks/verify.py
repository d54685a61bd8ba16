"""What Spark wrote against what DuckDB computes over the same topics: the two engines on real data.

A TABLE is compared by its final rows, a STREAM as a multiset of records, a compacted one (docs/reference/lenses.md,
"Changes of a TABLE") by the last record of each key. A model with a watermark is left out: a live run keeps open what
DuckDB, which sees the whole log as over, has closed.
"""

from __future__ import annotations

import gc
import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsqlc.connectors.transport import Offsets, Transport
from lsqlc.diagnostics import Diagnostic, listing
from lsqlc.golden.canonical import canonical_text
from lsqlc.golden.show import plural
from lsqlc.lower.duckdb import Session
from lsqlc.lower.spark.steps import SparkPlan, Watermark
from lsqlc.plan import Plan
from lsqlc.plan.identity import compacted_topics
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.tasks.histories import Ended
from lsqlc.tasks.topic_lines import Segments, TopicLines
from lsqlc.types import codec
from lsqlc.types.record import Record, StoredRecord, Topic

_SHOWN = 5
_LARGE = 25_000_000  # bytes of the input topics from which starting processes is worth it
_PROCESSES = 2


@dataclass(frozen=True, slots=True)
class Verified:
    """One topic: rows that DuckDB expects, rows that Spark wrote, how many are equal, and the first that differ.

    `skipped`: why it was not compared.
    """

    model: str
    topic: str
    semantics: str
    expected: int = 0
    actual: int = 0
    equal: int = 0
    differences: tuple[str, ...] = ()
    skipped: str | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing differs, or nothing was compared."""
        return self.skipped is not None or self.expected == self.actual == self.equal

    @property
    def text(self) -> str:
        """One line for people."""
        head = f"{self.model}: '{self.topic}'"
        if self.skipped:
            return f"{head} not compared: {self.skipped}"
        rows = plural(self.expected, "row" if self.semantics == "TABLE" else "record")
        return f"{head} {self.semantics}, {rows} on DuckDB, {self.actual:,} on Spark, {self.equal:,} equal"

    @property
    def diagnostic(self) -> Diagnostic:
        """The finding for a topic that differs."""
        message = f"the records that Spark wrote to '{self.topic}' differ from those of DuckDB"
        counts = f"{self.expected:,} on DuckDB, {self.actual:,} on Spark, {self.equal:,} equal"
        help = "`lsqlc test --engine spark` runs the golden cases on both; `--full-refresh` recomputes the topic"
        return Diagnostic("LSQ067", message, None, (counts, *self.differences), help)


def verify(
    plans: Mapping[str, Plan],
    lowered: Mapping[str, SparkPlan],
    log: Transport,
    root: Path,
    *,
    timed: bool = True,
    begun: Mapping[str, Mapping[str, Offsets | None]] = MappingProxyType({}),
    ended: Ended = MappingProxyType({}),
) -> Iterator[Verified]:
    """Compare every topic that the models write, in order. `root`: the project's folder; `timed`: records have the
    times that the models give them, not those of writing; `begun`: where the queries of a model have begun to read some
    topics, None where they differ; `ended`: the histories that they have read before. Raises LsqlcError for a topic
    that cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="lsqlc-verify-") as folder:
        lines = TopicLines(plans, log, root, Path(folder), begun=begun, ended=ended)
        apart = {name: [t for t, p in begun.get(name, {}).items() if p is None] for name in plans}
        for name, topics in apart.items():
            if topics:
                why = f"its queries began to read {listing(topics)} at different places"
                yield from (Verified(name, t.name, plans[name].semantics[t.name], skipped=why)
                            for t in plans[name].outputs)  # fmt: skip
        plans = {name: plan for name, plan in plans.items() if not apart[name]}
        models = [(plan, lowered[name], lines.of(plan), log, root, timed) for name, plan in plans.items()]
        of_all = {segment for _, _, given, *_ in models for paths in given.values() for segment in paths}
        if sum(segment.stat().st_size for segment in of_all) < _LARGE:
            yield from chain.from_iterable(map(_compared, models))
            return
        # Reading records back is Python's work, one processor each; a fork would share the threads of gRPC.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(_PROCESSES, len(models)), context, gc.disable) as pool:
            yield from chain.from_iterable(pool.map(_compared, models))


def _compared(model: tuple[Plan, SparkPlan, Segments, Transport, Path, bool]) -> list[Verified]:
    plan, lowered, read, log, root, timed = model
    if any(isinstance(step, Watermark) for stage in lowered.stages for step in stage.steps):
        why = "its windows or joins wait for records that may still arrive"
        return [Verified(plan.name, t.name, plan.semantics[t.name], skipped=why) for t in plan.outputs]
    outcome = Session().evaluate_logs(plan, read, root=root)
    changes = compacted_topics(plan.sinks)
    found = []
    for topic in plan.outputs:
        semantics = plan.semantics[topic.name]
        expected: Sequence[Record] = outcome.topics[topic.name]
        if semantics == "TABLE":
            counts = _by_key(topic, expected, final_rows(topic, log.read(topic, by_time=False)))
        elif topic.name in changes:
            counts = _by_key(topic, expected, list(log.read(topic, by_time=False)))
        else:
            actual = list(log.read(topic))
            if not timed:
                expected = [replace(r, timestamp=0) for r in expected]
                actual = [replace(r, timestamp=0) for r in actual]
            counts = _by_record(topic, expected, actual)
        found.append(Verified(plan.name, topic.name, semantics, *counts))
    return found


Found = tuple[int, int, int, tuple[str, ...]]


def _by_key(topic: Topic, expected: Sequence[Record], actual: Sequence[Record | StoredRecord]) -> Found:
    """The last record of each key on both sides."""
    left = {canonical_text(topic.key.type, r.key): r.value for r in expected}
    right = {canonical_text(topic.key.type, r.key): r.value for r in actual}
    equal, shown = 0, list[str]()
    for key in dict.fromkeys((*left, *right)):
        if key in left and key in right and codec.equal(topic.value.type, left[key], right[key]):
            equal += 1
        elif len(shown) < _SHOWN:
            shown.append(f"key {key}: {_side(topic, left, key)} on DuckDB, {_side(topic, right, key)} on Spark")
    return len(left), len(right), equal, tuple(shown)


def _side(topic: Topic, rows: Mapping[str, Any], key: str) -> str:
    return canonical_text(topic.value.type, rows[key]) if key in rows else "no row"


def _by_record(topic: Topic, expected: Sequence[Record], actual: Sequence[StoredRecord]) -> Found:
    """Records in pairs: those at the same place first, then equal ones anywhere."""
    equal, left, right = 0, list[Record](), list[StoredRecord]()
    for a, b in zip(expected, actual, strict=False):
        if _same(topic, a, b):
            equal += 1
        else:
            left.append(a)
            right.append(b)
    both = min(len(expected), len(actual))
    left += expected[both:]
    right += actual[both:]
    left, right, met = _meet(topic, left, right)
    shown = [f"only on DuckDB: {_text(topic, r)}" for r in left[:_SHOWN]]
    shown += [f"only on Spark: {_text(topic, r)}" for r in right[:_SHOWN]]
    return len(expected), len(actual), equal + met, tuple(shown)


def _meet(topic: Topic, left: list[Record], right: list[StoredRecord]) -> tuple[list[Record], list[StoredRecord], int]:
    """What is left on each side when records of the same text have met, then those that differ in last digits alone."""
    spare = Counter(_text(topic, r) for r in right)
    alone = []
    for record in left:
        text = _text(topic, record)
        if spare[text]:
            spare[text] -= 1
        else:
            alone.append(record)
    rest = []
    for other in reversed(right):
        text = _text(topic, other)
        if spare[text]:
            spare[text] -= 1
            rest.append(other)
    rest.reverse()
    near: dict[tuple[str, int], list[StoredRecord]] = {}
    for other in rest:
        near.setdefault((canonical_text(topic.key.type, other.key), other.timestamp), []).append(other)
    last = []
    for record in alone:
        others = near.get((canonical_text(topic.key.type, record.key), record.timestamp), [])
        met = next((o for o in others if _same(topic, record, o)), None)
        if met is None:
            last.append(record)
        else:
            others.remove(met)
    over = [o for others in near.values() for o in others]
    return last, over, len(left) - len(last)


def _same(topic: Topic, a: Record, b: StoredRecord) -> bool:
    return (
        a.timestamp == b.timestamp
        and codec.equal(topic.key.type, a.key, b.key)
        and codec.equal(topic.value.type, a.value, b.value)
    )


def _text(topic: Topic, record: Record | StoredRecord) -> str:
    key, value = canonical_text(topic.key.type, record.key), canonical_text(topic.value.type, record.value)
    return f"key {key}, value {value}, timestamp {record.timestamp}"
