"""The status of a run in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsqlc.remote.run.standing import RunStatus, Standing

# Name, type and help of what is told of each query, and the field that holds it.
_OF_QUERIES = (
    ("lsqlc_query_running", "gauge", "Whether the query runs.", lambda s: int(s.state == "running")),
    ("lsqlc_query_starts_total", "counter", "Starts in this run.", lambda s: s.starts),
    ("lsqlc_query_batches_total", "counter", "Batches in this run.", lambda s: s.batches),
    ("lsqlc_query_rows_total", "counter", "Records read in this run.", lambda s: s.rows),
    ("lsqlc_query_rows_per_second", "gauge", "Records read per second in the last batch.", lambda s: s.rows_per_second),
    ("lsqlc_query_batch_seconds", "gauge", "How long the last batch took.", lambda s: s.latency),
    ("lsqlc_query_state_rows", "gauge", "Rows in the query's state.", lambda s: s.state_rows),
    ("lsqlc_query_state_bytes", "gauge", "Memory of the query's state.", lambda s: s.state_bytes),
    ("lsqlc_query_late_groups_total", "counter", "Groups of records that arrived too late.", lambda s: s.late_groups),
)


def metrics_text(status: RunStatus, *, running: bool) -> str:
    """The exposition format, version 0.0.4. `running`: whether the run is still there. Of a detached run there are no
    sums: nobody has added them up.
    """
    return "\n".join(_lines(status, running)) + "\n"


def _lines(status: RunStatus, running: bool) -> Iterator[str]:
    yield from _head("lsqlc_run_up", "gauge", "Whether a run holds the project.")
    yield f"lsqlc_run_up {int(running)}"
    watched = status.state != "detached"
    if watched:
        yield from _head("lsqlc_run_restarts_total", "counter", "Restarts after a failure in this run.")
        yield f"lsqlc_run_restarts_total {status.restarts}"
    yield from _head("lsqlc_run_updated_seconds", "gauge", "When the status was last written, in seconds since 1970.")
    yield f"lsqlc_run_updated_seconds {status.updated:.3f}"
    for name, kind, help, value in _OF_QUERIES:
        if kind == "counter" and not watched:
            continue
        yield from _head(name, kind, help)
        for each in status.queries:
            yield f"{name}{{{_labels(each)}}} {value(each):g}"
    if any(each.lag is not None for each in status.queries):
        yield from _head("lsqlc_query_lag_records", "gauge", "Offsets in Kafka that the last batch left unread.")
        yield from (f"lsqlc_query_lag_records{{{_labels(s)}}} {s.lag}" for s in status.queries if s.lag is not None)
    if not watched:
        return
    yield from _head("lsqlc_query_dropped_total", "counter", "Dropped records, by reason.")
    for each in status.queries:
        for reason, count in sorted(each.counts.items()):
            yield f'lsqlc_query_dropped_total{{{_labels(each)},reason="{_escaped(reason)}"}} {count}'


def _head(name: str, kind: str, help: str) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"


def _labels(standing: Standing) -> str:
    parts = (("query", standing.query), ("model", standing.model), ("topic", standing.topic))
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in parts)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
