"""What a running query says about itself, as frozen data: from the progress that Spark keeps of its last batches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lsqlc.lower.spark.steps import COUNTED, NEWEST_TIME
from lsqlc.remote.run.lag import End, behind_since, seen

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery


# What `queries.start` calls the count of the records that a batch writes.
WRITTEN = "lsqlc_written"


@dataclass(frozen=True, slots=True)
class StateStore:
    """One of a query's state stores after a batch: the operator of Spark that keeps it, its rows, and the bytes of
    memory that it takes.
    """

    operator: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """One batch of one query. `seconds`: how long it took. `state_rows`, `state_bytes`: of all its state stores after
    it, which `stores` tells apart, in Spark's order: those nearer to the sink first. `late_groups`: groups of late
    records that the watermark dropped (Spark counts groups, not records). `counts`: what the `Observe` steps counted in
    this batch, by metric, of what was dropped, and `counted` those of what was written. `lag`: offsets of its topics
    that were there and had not been read, None where the source does not say; offsets may hold no record, so that it is
    the most that was left. `offsets`: those behind the last record that was read, by topic as it is called in Kafka and
    by partition. `written`: records that it wrote, None where Spark did not count them. `at`: when its end was seen, in
    seconds since 1970, 0 if nobody noted it. `behind_since`: since when records of its topics have been left, in
    seconds since 1970; None where none are, or nothing is known of it. `newest`: the time of the newest record that
    data tests saw, in epoch milliseconds, 0 if none did.
    """

    query: str
    batch: int
    rows: int
    seconds: float
    state_rows: int = 0
    state_bytes: int = 0
    late_groups: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    stores: tuple[StateStore, ...] = ()
    lag: int | None = None
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    written: int | None = None
    at: float = 0.0
    behind_since: float | None = None
    counted: Mapping[str, int] = field(default_factory=dict)
    newest: int = 0

    @property
    def rows_per_second(self) -> float:
        """Rows read per second of the batch."""
        return self.rows / self.seconds if self.seconds else 0.0


class ProgressReader:
    """Gives each batch of a query once, in order, by looking at it now and then."""

    def __init__(self, name: str, query: StreamingQuery) -> None:
        self._name = name
        self._query = query
        # Spark reports an idle query again and again, under the batch to come.
        self._newest: tuple[int, str] | None = None
        self._told = -1
        self._ends: tuple[End, ...] = ()
        # Whether Spark had reported anew that the query has nothing to read, when it was last looked at.
        self.is_idle = False

    @property
    def has_begun(self) -> bool:
        """Whether the query had ended a batch, or found that there was none, when it was last looked at."""
        return self._newest is not None

    def batches(self, at: float = 0.0) -> list[BatchProgress]:
        """The batches since the last call. Spark keeps 100 of them, so more than that between two calls are missed.
        `at`: the time, in seconds since 1970.
        """
        last = self._query.lastProgress
        self.is_idle = False
        if last is None or _place(as_mapping(last)) == self._newest:
            return []
        fresh = [p for p in self._since(as_mapping(last)) if _happened(p) and _batch(p) > self._told]
        # By the numbers of the batches alone: the times are the server's, whose clock may step back.
        self._newest = _place(as_mapping(last))
        self._told = max(map(_batch, fresh), default=self._told)
        self.is_idle = not fresh
        return [self._seen(parse(self._name, p), at) for p in fresh]

    def _since(self, last: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """What Spark has reported since the last batch that was told. It all comes in one call of some hundred
        kilobytes, which is left out where there is but the last one.
        """
        if _batch(last) == self._told + 1:
            return [last]
        return list(map(as_mapping, self._query.recentProgress))

    def _seen(self, batch: BatchProgress, at: float) -> BatchProgress:
        if batch.lag is None:
            return replace(batch, at=at)
        read = sum(sum(of.values()) for of in batch.offsets.values())
        self._ends = seen(self._ends, at - batch.seconds, read, batch.lag)
        return replace(batch, at=at, behind_since=behind_since(self._ends, batch.lag))


def as_mapping(progress: Any) -> Mapping[str, Any]:
    """Progress as the parsed JSON; pyspark gives objects in some versions and mappings in others."""
    if isinstance(progress, Mapping) and not hasattr(progress, "json"):
        return progress
    parsed: Mapping[str, Any] = json.loads(progress.json)
    return parsed


def parse(query: str, progress: Mapping[str, Any]) -> BatchProgress:
    """Spark's progress of one batch. Counters that the observed rows left null are 0."""
    states = progress.get("stateOperators", ())
    observed = dict(progress.get("observedMetrics") or {})
    written = _counts({WRITTEN: observed.pop(WRITTEN)})[WRITTEN] if WRITTEN in observed else None
    counted = _counts({COUNTED: observed.pop(COUNTED)}) if COUNTED in observed else {}
    newest = _counts({NEWEST_TIME: observed.pop(NEWEST_TIME)}) if NEWEST_TIME in observed else {}
    stores = tuple(StateStore(s["operatorName"], int(s["numRowsTotal"]), int(s["memoryUsedBytes"])) for s in states)
    return BatchProgress(
        query=query,
        batch=int(progress["batchId"]),
        rows=sum(int(s["numInputRows"]) for s in progress.get("sources", ())),
        seconds=progress.get("durationMs", {}).get("triggerExecution", 0) / 1000,
        state_rows=sum(store.rows for store in stores),
        state_bytes=sum(store.bytes for store in stores),
        late_groups=sum(int(s["numRowsDroppedByWatermark"]) for s in states),
        counts=_counts(observed),
        stores=stores,
        lag=_lag(progress.get("sources", ())),
        offsets={
            topic: {int(partition): offset for partition, offset in of.items()}
            for source in progress.get("sources", ())
            for topic, of in _offsets(source.get("endOffset")).items()
        },
        written=written,
        counted=counted,
        newest=max(newest.values(), default=0),
    )


def _lag(sources: Iterable[Mapping[str, Any]]) -> int | None:
    """Over the sources of Kafka: the newest offsets less those that were read, by topic and partition."""
    found = None
    for source in sources:
        end, latest = _offsets(source.get("endOffset")), _offsets(source.get("latestOffset"))
        for topic, partitions in latest.items():
            behind = [offset - end.get(topic, {}).get(partition, 0) for partition, offset in partitions.items()]
            found = (found or 0) + sum(max(0, n) for n in behind)
    return found


def _offsets(given: Any) -> Mapping[str, Mapping[str, int]]:
    """Offsets by topic and partition; nothing for another kind of source. Over Spark Connect they are JSON in JSON."""
    try:
        found = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return {}
    kafka = isinstance(found, Mapping) and all(isinstance(of, Mapping) for of in found.values())
    return found if kafka else {}


def counted(batch: BatchProgress, metric: str, more: int) -> BatchProgress:
    """The batch with so many more in one of its counts."""
    if not more:
        return batch
    return replace(batch, counts={**batch.counts, metric: batch.counts.get(metric, 0) + more})


def added(old: Mapping[str, int], new: Mapping[str, int]) -> dict[str, int]:
    """The sums of counts by name; what was looked for and never found is 0."""
    return {**old, **{name: old.get(name, 0) + count for name, count in new.items()}}


def _counts(observed: Mapping[str, Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for metrics in observed.values():
        names = [f["name"] for f in metrics["schema"]["fields"]]
        for name, value in zip(names, metrics["values"], strict=True):
            counts[name] = counts.get(name, 0) + int(value or 0)
    return counts


def _place(progress: Mapping[str, Any]) -> tuple[int, str]:
    return _batch(progress), str(progress["timestamp"])


def _batch(progress: Mapping[str, Any]) -> int:
    return int(progress["batchId"])


def _happened(progress: Mapping[str, Any]) -> bool:
    return "addBatch" in progress.get("durationMs", {})
