"""The progress of a running query as frozen data, from Spark's reports of its last batches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lsqlc.lower.spark.steps import COUNTED, NEWEST_TIME
from lsqlc.remote.run.lag import End, behind_since, seen

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery


# The metric of `queries.start` for the number of records that a batch writes.
WRITTEN = "lsqlc_written"


@dataclass(frozen=True, slots=True)
class StateStore:
    """A state store of a query after a batch: the operator of Spark, the rows, and the bytes of memory."""

    operator: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """A batch of a query.

    - `batch`: its number. `rows`: the records that it read. `seconds`: its duration.
    - `state_rows`, `state_bytes`: of all its state stores after the batch. `stores`: the same by store, in Spark's
      order: stores nearer to the sink come first.
    - `late_groups`: groups of late records that the watermark dropped. Spark counts groups, not records.
    - `counts`: the counts of the `Observe` steps for dropped records, by metric; `counted`: those for its output.
    - `lag`: the offsets of its topics that were not read yet; None if the source does not report them. Some offsets
      have no record, so the number of records may be smaller.
    - `offsets`: the next offsets to read, by topic as named in Kafka and by partition.
    - `written`: the records that it wrote; None if Spark did not count them.
    - `at`: the time when its end was observed, in seconds since 1970; 0 without a time.
    - `behind_since`: the time since which the query has been behind, in seconds since 1970; None if it is not behind,
      or if the source does not report its lag.
    - `newest`: the time of the newest record of data tests, in epoch milliseconds; 0 if there is none.
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
        """The rows per second that the batch has read."""
        return self.rows / self.seconds if self.seconds else 0.0


class ProgressReader:
    """A reader that returns each batch of a query once, in order, when it is polled."""

    def __init__(self, name: str, query: StreamingQuery) -> None:
        self._name = name
        self._query = query
        # Spark repeats reports of an idle query, with the number of its next batch and another time.
        self._newest: tuple[int, str] | None = None
        self._last_batch = -1
        self._ends: tuple[End, ...] = ()
        # Whether the last poll had a new report that the query has nothing to read.
        self.is_idle = False

    @property
    def has_begun(self) -> bool:
        """Whether the query had completed a batch, or had nothing to read, at the last poll."""
        return self._newest is not None

    def batches(self, at: float = 0.0) -> list[BatchProgress]:
        """Return the batches since the last call. Spark keeps 100 batches, so older ones are missing.

        `at`: the time, in seconds since 1970.
        """
        last = self._query.lastProgress
        self.is_idle = False
        if last is None or _report_id(as_mapping(last)) == self._newest:
            return []
        new = [p for p in self._reports(as_mapping(last)) if _is_batch(p) and _batch(p) > self._last_batch]
        # Only the numbers of batches are compared: the times are the server's, whose clock may be set back.
        self._newest = _report_id(as_mapping(last))
        self._last_batch = max(map(_batch, new), default=self._last_batch)
        self.is_idle = not new
        return [self._with_lag(parse(self._name, p), at) for p in new]

    def _reports(self, last: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return Spark's reports since the last batch.

        If there is more than one, a call returns all recent ones, some hundred kilobytes.
        """
        if _batch(last) == self._last_batch + 1:
            return [last]
        return list(map(as_mapping, self._query.recentProgress))

    def _with_lag(self, batch: BatchProgress, at: float) -> BatchProgress:
        if batch.lag is None:
            return replace(batch, at=at)
        read = sum(sum(of.values()) for of in batch.offsets.values())
        self._ends = seen(self._ends, at - batch.seconds, read, batch.lag)
        return replace(batch, at=at, behind_since=behind_since(self._ends, batch.lag))


def as_mapping(progress: Any) -> Mapping[str, Any]:
    """Return progress as parsed JSON. pyspark returns objects in some versions and mappings in others."""
    if isinstance(progress, Mapping) and not hasattr(progress, "json"):
        return progress
    parsed: Mapping[str, Any] = json.loads(progress.json)
    return parsed


def parse(query: str, progress: Mapping[str, Any]) -> BatchProgress:
    """Parse Spark's progress of a batch. Metrics that are null are 0."""
    states = progress.get("stateOperators", ())
    observed = dict(progress.get("observedMetrics") or {})
    records = _counts({WRITTEN: observed.pop(WRITTEN)})[WRITTEN] if WRITTEN in observed else None
    output_counts = _counts({COUNTED: observed.pop(COUNTED)}) if COUNTED in observed else {}
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
        written=records,
        counted=output_counts,
        newest=max(newest.values(), default=0),
    )


def _lag(sources: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the sum of the newest offsets minus those that were read, over all sources that report both."""
    total = None
    for source in sources:
        end, latest = _offsets(source.get("endOffset")), _offsets(source.get("latestOffset"))
        for topic, partitions in latest.items():
            behind = [offset - end.get(topic, {}).get(partition, 0) for partition, offset in partitions.items()]
            total = (total or 0) + sum(max(0, n) for n in behind)
    return total


def _offsets(value: Any) -> Mapping[str, Mapping[str, int]]:
    """Return offsets by topic and partition; an empty mapping for other kinds of sources.

    In Spark Connect, offsets are a JSON text inside of JSON.
    """
    try:
        data = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return {}
    kafka = isinstance(data, Mapping) and all(isinstance(of, Mapping) for of in data.values())
    return data if kafka else {}


def counted(batch: BatchProgress, metric: str, more: int) -> BatchProgress:
    """Return the batch with `more` added to one of its counts."""
    if not more:
        return batch
    return replace(batch, counts={**batch.counts, metric: batch.counts.get(metric, 0) + more})


def added(old: Mapping[str, int], new: Mapping[str, int]) -> dict[str, int]:
    """Return the sums of counts by name. Names with a count of 0 are preserved."""
    return {**old, **{name: old.get(name, 0) + count for name, count in new.items()}}


def _counts(observed: Mapping[str, Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for metrics in observed.values():
        names = [f["name"] for f in metrics["schema"]["fields"]]
        for name, value in zip(names, metrics["values"], strict=True):
            counts[name] = counts.get(name, 0) + int(value or 0)
    return counts


def _report_id(progress: Mapping[str, Any]) -> tuple[int, str]:
    return _batch(progress), str(progress["timestamp"])


def _batch(progress: Mapping[str, Any]) -> int:
    return int(progress["batchId"])


def _is_batch(progress: Mapping[str, Any]) -> bool:
    """Return whether a report is of a batch, and not of an idle query."""
    return "addBatch" in progress.get("durationMs", {})
