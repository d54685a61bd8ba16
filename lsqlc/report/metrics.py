"""The status of a run as metrics, also in the text format of Prometheus.

Names follow the conventions of Prometheus: full units, `_total` for counters, and `_timestamp_seconds` for times in
seconds since 1970. Every series has the labels `project` and `target`. A query also has `query`, `model` and `topic`, a
data test `topic`, `test` and `severity`. Counters start at 0 with the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from lsqlc.plan.tested import named_test, tested_topic

if TYPE_CHECKING:
    from lsqlc.remote.run.query_status import QueryStatus, RunStatus

Kind = Literal["gauge", "counter"]
Labels = tuple[tuple[str, str], ...]
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric with its samples: labels in order, and the value."""

    name: str
    kind: Kind
    help: str
    samples: tuple[tuple[Labels, float], ...]


@dataclass(frozen=True, slots=True)
class _OfQuery:
    """A metric per query.

    `value` returns None if a query does not have it. Its argument is the time in seconds since 1970.
    """

    name: str
    kind: Kind
    help: str
    value: Callable[[QueryStatus, float], float | None]


_OF_QUERIES = (
    _OfQuery("running", "gauge", "Whether the query runs.", lambda s, now: s.state == "running"),
    _OfQuery("failed", "gauge", "Whether the query has failed: it waits to be restarted, or does not run any more.",
             lambda s, now: s.state in ("restarting", "failed", "lost")),
    _OfQuery("restarts_total", "counter", "Restarts of the query by itself after a failure, in this run.",
             lambda s, now: s.restarts),
    _OfQuery("batches_total", "counter", "Batches in this run.", lambda s, now: s.batches),
    _OfQuery("batch_duration_seconds_total", "counter", "Time that the batches of this run took.",
             lambda s, now: s.seconds),
    _OfQuery("last_batch_duration_seconds", "gauge", "Time that the last batch took.", lambda s, now: s.latency),
    _OfQuery("last_batch_timestamp_seconds", "gauge", "When the last batch ended.", lambda s, now: s.batch_at or None),
    _OfQuery("last_progress_timestamp_seconds", "gauge",
             "When the query last started, ended a batch or found nothing to read.",
             lambda s, now: s.progressed or None),
    _OfQuery("rows_read_total", "counter", "Records read in this run.", lambda s, now: s.rows),
    _OfQuery("rows_written_total", "counter", "Records written in this run.", lambda s, now: s.written),
    _OfQuery("state_rows", "gauge", "Rows in the state of the query.",
             lambda s, now: s.state_rows if s.batches else None),
    _OfQuery("state_bytes", "gauge", "Memory that the state of the query takes.",
             lambda s, now: s.state_bytes if s.batches else None),
    _OfQuery("late_groups_total", "counter", "Groups of records that came too late and were dropped.",
             lambda s, now: s.late_groups),
    _OfQuery("letters_total", "counter", "Records written to a dead-letter topic in this run.",
             lambda s, now: s.written if s.letters else None),
    _OfQuery("lag_records", "gauge", "Offsets in Kafka that the last batch left unread.", lambda s, now: s.lag),
    _OfQuery("lag_seconds", "gauge", "Time since the query last had read all records of its topics in Kafka.",
             lambda s, now: None if s.lag is None else max(0.0, now - s.behind_since) if s.behind_since else 0.0),
)  # fmt: skip


def metric_heads() -> tuple[Metric, ...]:
    """Return all possible metrics, without samples."""
    from lsqlc.remote.run.query_status import RunStatus

    example = RunStatus(0, 1.0, 1.0, "running")
    return tuple(replace(metric, samples=()) for metric in _metrics(example, True, 1.0))


def metrics_of(status: RunStatus, *, running: bool, now: float) -> tuple[Metric, ...]:
    """Return the metrics of a run that have a sample.

    `running`: whether the run is active. `now`: in seconds since 1970. A detached run has no counters, because no
    process adds them up.
    """
    return tuple(m for m in _metrics(status, running, now) if m.samples)


def metrics_text(status: RunStatus, *, running: bool, now: float) -> str:
    """Return the metrics in the exposition format, version 0.0.4."""
    return exposition(metrics_of(status, running=running, now=now))


def exposition(metrics: Iterable[Metric]) -> str:
    """Return metrics with a sample in the exposition format."""
    return "\n".join(_lines(tuple(m for m in metrics if m.samples))) + "\n"


def _metrics(status: RunStatus, running: bool, now: float) -> Iterator[Metric]:
    watched = status.state != "detached"
    common = tuple((name, value) for name, value in (("project", status.project), ("target", status.target)) if value)

    def of_run(name: str, kind: Kind, help: str, value: float) -> Metric:
        return Metric(f"lsqlc_run_{name}", kind, help, ((common, float(value)),))

    yield of_run("up", "gauge", "Whether a run holds the project.", running)
    if watched:
        yield of_run("restarts_total", "counter", "Restarts of all queries after a failure, in this run.",
                     status.restarts)  # fmt: skip
    if status.began:
        yield of_run("start_timestamp_seconds", "gauge", "When the run was started.", status.began)
        yield of_run("status_timestamp_seconds", "gauge", "When the status of the run was last noted.", status.updated)
    for each in _OF_QUERIES:
        if each.kind == "gauge" or watched:
            values = ((query, each.value(query, now)) for query in status.queries)
            samples = ((common + _labels(query), float(value)) for query, value in values if value is not None)
            yield Metric(f"lsqlc_query_{each.name}", each.kind, each.help, tuple(samples))
    if watched:
        dropped = (
            ((*common, *_labels(query), ("reason", reason)), float(count))
            for query in status.queries
            for reason, count in sorted(query.counts.items())
        )
        yield Metric("lsqlc_query_rows_dropped_total", "counter", "Records dropped, by reason.", tuple(dropped))
        yield _test_failures(status.queries, common)
        newest = ((tested_topic(query.model), query.newest / 1000) for query in status.queries if query.newest)
        times = tuple(((*common, ("topic", topic)), time) for topic, time in newest if topic is not None)
        yield Metric(
            "lsqlc_topic_newest_record_timestamp_seconds",
            "gauge",
            "The time of the newest record of a topic with data tests that was read in this run.",
            times,
        )


def _test_failures(queries: Iterable[QueryStatus], common: Labels) -> Metric:
    """Return the failures of live data tests."""
    counts = ((named_test(text), count) for query in queries for text, count in query.counted.items())
    samples = (
        ((*common, ("topic", name.topic), ("test", name.test), ("severity", name.severity)), float(count))
        for name, count in counts
    )
    return Metric("lsqlc_test_failures_total", "counter", "Records that failed a data test in this run.",
                  tuple(samples))  # fmt: skip


def _labels(standing: QueryStatus) -> Labels:
    # The query of data tests belongs to no model.
    model = () if tested_topic(standing.model) is not None else (("model", standing.model),)
    return (("query", standing.query), *model, ("topic", standing.topic))


def _lines(metrics: tuple[Metric, ...]) -> Iterator[str]:
    for metric in metrics:
        yield f"# HELP {metric.name} {metric.help}"
        yield f"# TYPE {metric.name} {metric.kind}"
        for labels, value in metric.samples:
            label_text = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels)
            yield f"{metric.name}{{{label_text}}} {_number(value)}" if label_text else f"{metric.name} {_number(value)}"


def _number(value: float) -> str:
    """Format a number exactly. The format `g` would lose digits of large counters and times.

    >>> _number(3.0), _number(12345678901.0), _number(0.25)
    ('3', '12345678901', '0.25')
    """
    return str(int(value)) if value.is_integer() else repr(value)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
